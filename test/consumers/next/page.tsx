/** A page as frameworks like Next.js make it: a server renders all of it, and the browser wakes what the server wrote. */
import { useEffect, useRef, useState } from 'react';
import { ToolChat, type ToolChatElement } from 'tool-chat/react';
import { rename } from '../rename.ts';

export function Page() {
  const chat = useRef<ToolChatElement>(null);
  const [heard, hear] = useState('');
  useEffect(() => chat.current?.registerTool(rename), []);
  return (
    <html lang="en">
      <head>
        <title>Shop</title>
      </head>
      <body>
        <ToolChat
          ref={chat}
          className="assistant"
          endpoint="/api/ai/chat/stream"
          heading="From a server"
          maxIterations={4}
          approval="always"
          context={{ user: 'Ada' }}
          decide={() => 'allow'}
          onToolChatToolComplete={(event) => {
            hear(event.result.message);
          }}
        >
          <b slot="empty">Ask our shop</b>
        </ToolChat>
        <output>{heard}</output>
        <script src="early.js" />
      </body>
    </html>
  );
}
