/** deep-chat 2.4.2 with its own stream handler, which is its cheapest way in. */
import '/test/bench/node_modules/deep-chat/dist/deepChat.bundle.js';

export function mount(root) {
  return new Promise((resolve) => {
    const chat = document.createElement('deep-chat');
    chat.style.width = '900px';
    chat.style.height = '600px';
    chat.connect = {
      stream: true,
      handler(_body, signals) {
        signals.onOpen();
        resolve({ push: (text) => signals.onResponse({ text }), end: () => signals.onClose() });
      },
    };
    root.append(chat);
    // It has no event for being ready: it throws until it is.
    const ask = () => {
      try {
        chat.submitUserMessage({ text: 'Tell me all about it.' });
      } catch {
        setTimeout(ask, 30);
      }
    };
    setTimeout(ask, 200);
  });
}
