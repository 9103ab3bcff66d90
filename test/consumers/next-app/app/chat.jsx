'use client';
import { useEffect, useRef } from 'react';
import { ToolChat } from 'tool-chat/react';
import { rename } from '../tool.js';

export function Chat() {
  const chat = useRef(null);
  useEffect(() => chat.current.registerTool(rename), []);
  return <ToolChat ref={chat} endpoint="/api/ai/chat/stream" />;
}
