/** The tag itself in JSX, with attributes as HTML writes them, and what a server makes of both. */
import { renderToString } from 'react-dom/server';
import { ToolChat } from 'tool-chat/react';

export const tag = (
  <tool-chat
    endpoint="/api/ai/chat/stream"
    max-tokens={500}
    layout="floating"
    context={{ user: 'Ada' }}
    ontool-chat-stream-end={({ reason }) => {
      console.log(reason.length);
    }}
  />
);

export const rendered = renderToString(
  <main>
    <ToolChat endpoint="/api" className="assistant" context={{}} />
    {tag}
  </main>,
);

// @ts-expect-error There is no such layout.
export const wrong = <ToolChat layout="sideways" />;
// @ts-expect-error Nor such an attribute value.
export const wrongToo = <tool-chat stream="maybe" />;
