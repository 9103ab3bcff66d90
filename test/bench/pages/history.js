/** A long conversation that comes back from the browser's database: how it is put there, and what it costs to read in it. */
const SESSION = 'bench-history';

async function mount() {
  const chat = document.createElement('tool-chat');
  chat.setAttribute('endpoint', '/bench/none');
  chat.setAttribute('storage', 'indexeddb');
  chat.setAttribute('session-id', SESSION);
  chat.style.cssText = 'display:block;width:900px;height:600px';
  document.querySelector('#root').append(chat);
  await import('/dist/tool-chat.js');
  return chat;
}

/** @param {{role: string, content: string}[]} messages */
export async function fill(messages) {
  const chat = await mount();
  await chat.importSession(JSON.stringify(messages));
  await until(() => stored().then((count) => count >= messages.length), 60_000);
}

/** Resolves when the last answer is drawn. */
export async function restore() {
  const started = performance.now();
  const chat = await mount();
  await until(() => visible(chat).length > 0 && text(chat).includes('The very last word.'), 30_000);
  window.chat = chat;
  return performance.now() - started;
}

export const nodes = () => count(document);

/** Wheels through it from its end upwards, one step a frame; resolves with what is in view then. */
export async function scroll(steps) {
  const scroller = panelOf(window.chat).querySelector('.messages');
  for (let step = 0; step < steps; step++) {
    scroller.scrollTop -= 400;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return nodes();
}

const stored = () =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('tool-chat');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const db = opening.result;
      const end = (count) => (db.close(), resolve(count));
      if (!db.objectStoreNames.contains('conversations')) return end(0);
      const range = IDBKeyRange.bound(['live', SESSION, 'messages'], ['live', SESSION, 'messages', []]);
      const asking = db.transaction('conversations').objectStore('conversations').count(range);
      asking.onsuccess = () => end(asking.result);
      asking.onerror = () => end(0);
    };
  });

async function until(condition, ms) {
  for (const start = performance.now(); !(await condition()); await new Promise((resolve) => setTimeout(resolve, 100)))
    if (performance.now() - start > ms) throw new Error('It took too long.');
}

const panelOf = (chat) => chat.shadowRoot?.querySelector('tool-chat-panel')?.shadowRoot;
const visible = (chat) => [...(panelOf(chat)?.querySelectorAll('tool-chat-message') ?? [])];
const text = (chat) => visible(chat).at(-1)?.shadowRoot?.textContent ?? '';

function count(root) {
  let nodes = 0;
  const walk = (node) => {
    nodes += 1;
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.childNodes) walk(child);
  };
  walk(root);
  return nodes;
}
