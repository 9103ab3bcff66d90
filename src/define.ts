/** Registers `<tool-chat>`: the door `tool-chat/define`. Safe to load twice, and beside another version. */
import { ToolChat } from './elements/tool-chat/tool-chat.js';
import { takeOverQueue } from './elements/tool-chat/page-queue.js';

// XState reads the states of a conversation by it; the scripts of pages have their own (`base/built-ins.ts`), and bundles of others do not.
if (globalThis.Array.from(new Set([1])).length !== 1)
  console.warn(
    '[tool-chat] The page has replaced `Array.from`, so nothing can be answered. Load dist/tool-chat.js by a script tag instead',
  );
if (!globalThis.customElements) {
  // A server: the tag is markup there, and comes to life in the browser. The isolated world of a browser extension has a document, too.
  if (globalThis.document) console.warn('[tool-chat] A content script needs "world": "MAIN"');
} else if (customElements.get('tool-chat')) console.warn('[tool-chat] is defined already');
else {
  takeOverQueue(globalThis as { toolChat?: unknown });
  customElements.define('tool-chat', ToolChat);
}
