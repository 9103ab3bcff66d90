/** A chat that lives long: many turns with a call each, and what a person waits for. Everything but the model is real. */
const call = (name, n) =>
  `I will look that up.\n\n<tool_use>\n<invoke name="${name}">\n<parameter name="text">note ${n}</parameter>\n</invoke>\n</tool_use>`;
const answer = (n) => `Done: note **${n}** is there.\n\n${'It has a list:\n\n- one\n- two\n\nand a sentence after it. '.repeat(6)}`;

/** @param {{tool: string, storage?: string, sessionId?: string}} options */
export async function mount({ tool, storage = 'none', sessionId = '' }) {
  const chat = document.createElement('tool-chat');
  chat.setAttribute('endpoint', '/bench/turns');
  chat.setAttribute('storage', storage);
  if (sessionId) chat.setAttribute('session-id', sessionId);
  chat.style.cssText = 'display:block;width:900px;height:600px';
  document.querySelector('#root').append(chat);
  await import('/dist/tool-chat.js');
  let asked = 0;
  /** Never ends by itself while set: for what is stopped. */
  chat.hang = false;
  chat.fetch = (_, { signal }) => Promise.resolve(reply(asked++, tool, chat.hang, signal));
  const times = { started: [], vetoed: [], ended: [], told: [] };
  for (const [name, risk] of [
    ['look', 'write'],
    ['erase', 'danger'],
  ])
    chat.registerTool({
      name,
      description: name === 'look' ? 'Looks something up' : 'Erases something',
      risk,
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      execute: () => times.started.push(performance.now()) && 'found',
    });
  chat.addEventListener('tool-chat-tool-execute', () => times.vetoed.push(performance.now()));
  chat.addEventListener('tool-chat-tool-complete', () => times.told.push(performance.now()));
  return { chat, times };
}

function reply(n, tool, hang, signal) {
  const encoder = new TextEncoder();
  const frame = (event, data) => encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const text = n % 2 === 0 ? call(tool, n / 2) : answer((n - 1) / 2);
  const body = new ReadableStream({
    start(controller) {
      signal.addEventListener('abort', () => {
        try {
          controller.error(signal.reason);
        } catch {
          // it had ended
        }
      });
      for (let at = 0; at < text.length; at += 20) controller.enqueue(frame('message', { type: 'text', content: text.slice(at, at + 20) }));
      if (hang) return;
      controller.enqueue(frame('done', { type: 'done' }));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
