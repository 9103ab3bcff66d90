import { letExpand } from './expand.js';
import { leaveRoom } from './on-screen-keyboard.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** How a panel gets along with its window: larger where one wants it, and above the keyboard of a phone. */
export function fitWindow(element: HTMLElement, panel: ToolChatPanel): void {
  letExpand(element, panel);
  leaveRoom(panel);
}
