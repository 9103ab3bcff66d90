/** From the script tag to a field that one can write in, in a page that is there already. The field is looked for, not announced. */

const size = 'display:block;width:900px;height:600px';

const systems = {
  /** The limit: an element that only has a field. */
  empty: () => {
    put('/test/bench/pages/empty-element.js', 'empty-element');
  },
  'tool-chat': () => {
    put('/dist/tool-chat.js', 'tool-chat', { endpoint: '/bench/answer' });
  },
  'deep-chat': () => {
    put('/test/bench/node_modules/deep-chat/dist/deepChat.bundle.js', 'deep-chat', { connect: '{"url":"/bench/answer"}' });
  },
};

/**
 * Resolves with the first frame that has a field which takes the focus; the main thread stands still then until `told` has been answered.
 */
export function start(name, told) {
  systems[name]();
  return new Promise((resolve) => {
    const look = () => {
      const field = find(document);
      if (!field || !field.getClientRects().length || !takesFocus(field)) return requestAnimationFrame(look);
      const request = new XMLHttpRequest();
      request.open('GET', told, false);
      request.send();
      resolve();
    };
    requestAnimationFrame(look);
  });
}

function put(src, tag, attributes = {}) {
  const element = document.createElement(tag);
  for (const [attribute, value] of Object.entries({ style: size, ...attributes })) element.setAttribute(attribute, value);
  document.querySelector('#root').append(element);
  document.head.append(Object.assign(document.createElement('script'), { type: 'module', src }));
}

/** In all shadow roots. */
function find(root) {
  const field = root.querySelector('textarea:enabled, [contenteditable=true], [contenteditable=""]');
  if (field) return field;
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    const inside = shadowRoot && find(shadowRoot);
    if (inside) return inside;
  }
}

function takesFocus(field) {
  field.focus();
  return field.getRootNode().activeElement === field;
}
