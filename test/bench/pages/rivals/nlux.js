/** nlux with its streaming adapter, without the typing effect. */
import { createAiChat } from '@nlux/core';

export function mount(root) {
  return new Promise((resolve) => {
    createAiChat()
      .withAdapter({ streamText: (_message, observer) => resolve({ push: (text) => observer.next(text), end: () => observer.complete() }) })
      .withMessageOptions({ streamingAnimationSpeed: 0, waitTimeBeforeStreamCompletion: 'never' })
      .withDisplayOptions({ width: 900, height: 600 })
      .mount(root);
    const ask = () => {
      const field = root.querySelector('textarea');
      if (!field) return setTimeout(ask, 30);
      field.value = 'Tell me all about it.';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      setTimeout(() => root.querySelector('.nlux-comp-composer button')?.click(), 50);
    };
    ask();
  });
}
