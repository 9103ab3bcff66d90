/** The few lines that stand in for a framework. Nodes only, never a string of HTML: the page runs under Trusted Types. */

/** Makes an element. `on…` properties listen, `class` and names with a dash are attributes, the rest are properties. */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class' || key === 'role' || key.includes('-')) node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const PATHS = {
  day: 'M7 2v3M17 2v3M3.5 9h17M5 4.5h14A1.5 1.5 0 0 1 20.5 6v13a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19V6A1.5 1.5 0 0 1 5 4.5Z',
  staging: 'M3.5 13.5h4.7l1.5 2.5h4.6l1.5-2.5h4.7M6 4.5h12l2.5 9V19a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19v-5.5Z',
  trash: 'M4 6.5h16M9.5 6V3.8h5V6M6 6.5l.9 13.7h10.200L18 6.5M10 10.5v6M14 10.5v6',
  plus: 'M12 5v14M5 12h14',
  back: 'M14.5 5.5 8 12l6.5 6.5',
  next: 'M9.5 5.5 16 12l-6.5 6.5',
  folder: 'M3.5 6.5A1.5 1.5 0 0 1 5 5h4.5l2 2.5H19A1.5 1.5 0 0 1 20.5 9v8.5A1.5 1.5 0 0 1 19 19H5a1.5 1.5 0 0 1-1.5-1.5Z',
  file: 'M6 3.5h8l4.5 4.5v12.5H6ZM14 3.5V8h4.5',
  close: 'm6.5 6.5 11 11m0-11-11 11',
};

/** A line icon that takes the colour of the text. Decoration: the button around it carries the name. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'icon');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

/** Makes `parent` hold exactly the nodes for `items`, in order; a node whose item is still there is kept, with its focus. */
export function reconcile(parent, items, { key, create, update }) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let after = null;
  for (const item of items) {
    const id = key(item);
    let node = old.get(id);
    old.delete(id);
    if (!node) {
      node = create(item);
      node.dataset.key = id;
    }
    update(node, item);
    const at = after ? after.nextSibling : parent.firstChild;
    if (node !== at) parent.insertBefore(node, at);
    after = node;
  }
  for (const gone of old.values()) gone.remove();
}
