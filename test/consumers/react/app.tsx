/** A page in React 19: the tag in JSX, with properties, an object among them, and a listener. */
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { ToolChat, ToolChatEventMap } from 'tool-chat';
import 'tool-chat/define';
import { rename } from '../rename.ts';

type Tag = Partial<Pick<ToolChat, 'endpoint' | 'heading' | 'layout' | 'context'>> & {
  ref?: React.Ref<ToolChat>;
  'ontool-chat-tool-complete'?: (event: ToolChatEventMap['tool-chat-tool-complete']) => void;
};
declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- React's own types are opened this way
  namespace JSX {
    interface IntrinsicElements {
      'tool-chat': Tag;
    }
  }
}

function App() {
  const chat = useRef<ToolChat>(null);
  const [heard, hear] = useState('');
  useEffect(() => chat.current?.registerTool(rename), []);
  return (
    <>
      <tool-chat
        ref={chat}
        endpoint="/api/ai/chat/stream"
        heading="In React"
        context={{ user: 'Ada' }}
        ontool-chat-tool-complete={(event) => {
          hear(event.result.message);
        }}
      />
      <output>{heard}</output>
    </>
  );
}

const root = document.querySelector('#app');
if (root) createRoot(root).render(<App />);
