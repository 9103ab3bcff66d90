/** The entry point `tool-chat/define`: registers `<tool-chat>`. Safe to load twice, and together with another version. */
import { ToolChat } from './elements/tool-chat/tool-chat.js';
import { takeOverQueue } from './elements/tool-chat/page-queue.js';

// XState uses `Array.from` to read the states of a conversation. The script-tag bundle has its own copy (`base/built-ins.ts`); other
// bundles do not.
if (globalThis.Array.from(new Set([1])).length !== 1)
  console.warn(
    '[tool-chat] The page has replaced `Array.from`, so nothing can be answered. Load dist/tool-chat.js by a script tag instead',
  );
if (!globalThis.customElements) {
  // On a server, the tag is only markup; the browser upgrades it. The isolated world of a browser extension has a document, but no
  // registry.
  if (globalThis.document) console.warn('[tool-chat] A content script needs "world": "MAIN"');
} else if (customElements.get('tool-chat')) console.warn('[tool-chat] is defined already');
else {
  takeOverQueue(globalThis as { toolChat?: unknown });
  customElements.define('tool-chat', ToolChat);
}
