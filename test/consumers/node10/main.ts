/** Compilers and bundlers that do not read `exports` find the same files. */
import type { ToolChat } from 'tool-chat';
import { createConversation } from 'tool-chat/core';
import { en } from 'tool-chat/locales/en';
import { connectMcp } from 'tool-chat/mcp';
import { createRelay } from 'tool-chat/relay';

export const layout: ToolChat['layout'] = 'floating';
export const found = [createConversation, connectMcp, createRelay, en];
// @ts-expect-error Types are found, so a wrong one is refused.
export const wrong: ToolChat['layout'] = 'sideways';
