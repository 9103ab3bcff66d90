import { enableExpand } from './expand.js';
import { avoidKeyboard } from './on-screen-keyboard.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** Adapts a panel to its window: expands it on request, and keeps it above the keyboard of a phone. */
export function fitWindow(element: HTMLElement, panel: ToolChatPanel): void {
  enableExpand(element, panel);
  avoidKeyboard(panel);
}
