/**
 * What the keyboard of a phone needs. It covers the window without making it smaller, so what is fixed to the window's end, the text field and
 * the buttons of a question, would lie behind it.
 */
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** Less is a bar of the browser that comes and goes. CSS pixels. */
export const LEAST = 80;

/** Keeps the part of a panel that can be seen above the keyboard, for as long as the panel is in the page. */
export function leaveRoom(panel: ToolChatPanel): void {
  panel.addEventListener('input', openBySlash);
  const { visualViewport: seen } = window;
  if (!seen) return;
  const fit = () => {
    const { height, offsetTop, scale } = seen;
    const covered = innerHeight - height - offsetTop;
    // Who has zoomed in sees less of the window for another reason.
    const isOpen = panel.layout !== 'inline' && scale < 1.01 && covered + offsetTop > LEAST;
    panel.style.maxBlockSize = isOpen ? `${String(height)}px` : '';
    panel.style.marginBlock = isOpen ? `${String(Math.max(0, offsetTop))}px ${String(Math.max(0, covered))}px` : '';
  };
  panel.addController({
    hostConnected() {
      for (const type of ['resize', 'scroll']) seen.addEventListener(type, fit);
    },
    hostDisconnected() {
      for (const type of ['resize', 'scroll']) seen.removeEventListener(type, fit);
    },
  });
}

/** Keyboards on a screen do not say which key was pressed: the list of what stands ready opens by what was written. */
function openBySlash(event: Event): void {
  const [field] = event.composedPath();
  if (!(field instanceof HTMLTextAreaElement) || field.value !== '/' || !(event instanceof InputEvent)) return;
  if (!/^insert(?:Composition)?Text$/.test(event.inputType)) return;
  const write = (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  };
  write('');
  // Nothing stands ready: then it is a character like any other.
  if (field.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, composed: true, cancelable: true }))) write('/');
}
