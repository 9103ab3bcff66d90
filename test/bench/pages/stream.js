/**
 * Feeds a mounted chat in lockstep: some tokens, then one frame. Every system makes the same number of updates that way, whatever
 * the machine does meanwhile; paced by time, a slow one would fall behind, merge its updates and look cheap.
 */
export async function prepare(name) {
  const { mount } = await import(`./${name}.js`);
  const root = document.querySelector('#root');
  const chat = await mount(root);
  await settled(root);

  return async function stream(tokens, perFrame) {
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    for (let i = 0; i < tokens.length;) {
      for (let k = 0; k < perFrame && i < tokens.length; k++) chat.push(tokens[i++]);
      await frame();
    }
    chat.end();
    await settled(root);
    tasks.push(...observer.takeRecords().map((entry) => entry.duration));
    observer.disconnect();
    return { longestTask: Math.max(0, ...tasks), characters: textLength(root) };
  };
}

/** After the next frame has been drawn. */
const frame = () =>
  new Promise((resolve) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(0);
    }),
  );

/**
 * Until the text has not grown for three looks: what is drawn or said late counts as well. By the clock, as frames that only the
 * benchmark asks for cost each system what it has on screen, and a chat that says its answer sentence by sentence seconds of them.
 */
async function settled(root) {
  for (let same = 0, before = -1; same < 3;) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    const now = textLength(root);
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

function textLength(root) {
  let length = 0;
  const walk = (node) => {
    if (node instanceof Text && !['STYLE', 'SCRIPT'].includes(node.parentNode?.nodeName)) length += node.data.length;
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.childNodes) walk(child);
  };
  walk(root);
  return length;
}
