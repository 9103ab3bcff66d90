/** streamdown, the renderer of the AI SDK's elements: all of the text so far with each chunk. It has no log, so nothing scrolls. */
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Streamdown } from 'streamdown';

export function mount(root) {
  let show;
  let text = '';
  function Answer() {
    const [shown, setShown] = useState('');
    show = setShown;
    return createElement(Streamdown, { isAnimating: true }, shown);
  }
  createRoot(root).render(createElement(Answer));
  return { push: (chunk) => show?.((text += chunk)), end: () => show(text) };
}
