/** The script-tag bundle: the element and the page's queue, nothing else. A second copy finds the element registered and stops. */
import { ToolChat } from './elements/tool-chat/tool-chat.js';
import { takeOverQueue } from './elements/tool-chat/page-queue.js';

if (!globalThis.customElements) console.warn('[tool-chat] A content script needs "world": "MAIN"');
else if (customElements.get('tool-chat')) console.warn('[tool-chat] is defined already');
else {
  takeOverQueue(globalThis as { toolChat?: unknown });
  customElements.define('tool-chat', ToolChat);
}
