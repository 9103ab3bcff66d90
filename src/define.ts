/** Registers `<tool-chat>`: the door `tool-chat/define`. Safe to load twice, and beside another version. */
import { takeOverQueue, ToolChat } from './elements/tool-chat/tool-chat.js';

if (!globalThis.customElements) {
  // A server: the tag is markup there, and comes to life in the browser.
} else if (customElements.get('tool-chat')) console.warn('[tool-chat] is defined already');
else {
  takeOverQueue(globalThis as { toolChat?: unknown });
  customElements.define('tool-chat', ToolChat);
}
