/** A page in React 19: the component with properties, objects among them, listeners, a gate and a ref. */
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ToolChat, type ToolChatElement } from 'tool-chat/react';
import { rename } from '../rename.ts';

function App() {
  const chat = useRef<ToolChatElement>(null);
  const [heard, hear] = useState('');
  const [starts, count] = useState(0);
  useEffect(() => chat.current?.registerTool(rename), []);
  return (
    <>
      <ToolChat
        ref={chat}
        className="assistant"
        endpoint="/api/ai/chat/stream"
        heading="In React"
        style={{ '--tool-chat-radius': '4px', margin: 0 }}
        maxIterations={4}
        promptOptions={{ mergeResults: true }}
        context={{ user: 'Ada' }}
        decide={() => (starts > 0 ? 'allow' : 'deny')}
        onToolChatStreamStart={() => {
          count((before) => before + 1);
        }}
        onToolChatToolComplete={(event) => {
          hear(event.currentTarget.heading === 'In React' ? event.result.message : '');
        }}
      />
      <output>{heard}</output>
    </>
  );
}

const root = document.querySelector('#app');
if (root) createRoot(root).render(<App />);
