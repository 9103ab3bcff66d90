// A page of somebody's component tests, with the DOM of a test runner: `node page.mjs jsdom` or `node page.mjs happy-dom`.
const { window } =
  process.argv[2] === 'jsdom'
    ? new (await import('jsdom')).JSDOM('', { url: 'https://shop.example/', pretendToBeVisual: true })
    : { window: new (await import('happy-dom')).Window({ url: 'https://shop.example/' }) };
// As Vitest does: what the window has is global, but the network is that of Node.
const ofNode = new Set(['fetch', 'Response', 'Request', 'Headers', 'Blob', 'setTimeout', 'clearTimeout', 'queueMicrotask']);
for (const name of Object.getOwnPropertyNames(window)) {
  if (/^[A-Z].*Error$|^(?:undefined|NaN|Infinity|globalThis)$/.test(name) || ofNode.has(name)) continue;
  if (name in globalThis && !/^(?:document|window|navigator|Event|EventTarget|CustomEvent|Abort\w+|self)$/.test(name)) continue;
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
}
for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent']) globalThis[name] = window[name].bind(window);
globalThis.window = globalThis;
const faults = [];
process.on('unhandledRejection', (error) => faults.push(String(error)));
process.on('uncaughtException', (error) => faults.push(String(error)));

await import('tool-chat/define');
const events = (...list) => list.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
const call = (tool) => `<tool_use><invoke name="${tool}"><parameter name="what">it</parameter></invoke></tool_use>`;
const replies = [call('save'), 'It is **saved**.', call('drop')];
const chat = document.createElement('tool-chat');
chat.endpoint = 'https://shop.example/chat/stream';
chat.fetch = async () =>
  new Response(events(['message', { type: 'text', content: replies.shift() }], ['done', { type: 'done' }]), {
    headers: { 'content-type': 'text/event-stream' },
  });
document.body.append(chat);
const parameters = { type: 'object', properties: { what: { type: 'string' } } };
let dropped = 0;
chat.registerTool({ name: 'save', description: 'Saves it', risk: 'write', parameters, execute: () => 'Saved' });
chat.registerTool({ name: 'drop', description: 'Drops it', risk: 'danger', parameters, execute: () => (dropped += 1) });

const { text } = await chat.sendMessage('Save it');
void chat.sendMessage('Drop it');
const shown = (node) => [...node.childNodes, ...(node.shadowRoot?.childNodes ?? [])].map((inner) => inner.data ?? shown(inner)).join(' ');
const until = Date.now() + 20_000;
while (!/Allow this\?/.test(shown(chat)) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
const button = [...all(chat)].find((element) => element.localName === 'button' && /^\s*Allow\s*$/.test(element.textContent));
button?.click();
await new Promise((resolve) => setTimeout(resolve, 700)); // longer than a button takes to arm
const page = shown(chat).replace(/\s+/g, ' ');
console.log(
  JSON.stringify({
    text,
    saved: page.includes('It is saved .'),
    hasButton: !!button,
    statuses: chat.toolHistory.map(({ status }) => status),
    dropped,
    faults,
  }),
);
process.exit();

function* all(node) {
  for (const inner of [...node.children, ...(node.shadowRoot?.children ?? [])]) {
    yield inner;
    yield* all(inner);
  }
}
