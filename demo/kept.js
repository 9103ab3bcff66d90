/** A list of the page's own, kept in this browser: what a small page has where a large one has a server. */

/**
 * @param {string} name of the list
 * @param {() => object} first what a new visitor finds
 * @returns `{ read(), write(value), listen(changed) }`; a value that cannot be read is the first one again
 */
export function createKept(name, first) {
  const key = `tool-chat-demo:${name}`;
  const listeners = new Set();
  let memory;
  const read = () => {
    try {
      const text = localStorage.getItem(key);
      if (text !== null) return JSON.parse(text);
    } catch {}
    return (memory ??= first());
  };
  addEventListener('storage', (event) => {
    if (event.key === key) for (const listener of listeners) listener();
  });
  return {
    read,
    write(value) {
      memory = value;
      try {
        localStorage.setItem(key, JSON.stringify(value));
      } catch {} // a full or closed storage: the list lives as long as the page
      for (const listener of listeners) listener();
    },
    listen(changed) {
      listeners.add(changed);
      changed();
    },
  };
}
