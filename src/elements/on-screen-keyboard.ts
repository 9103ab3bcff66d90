/**
 * Adapts a panel to the on-screen keyboard of a phone. The keyboard covers the window without resizing it, so elements at the bottom of the
 * window, such as the text field and the buttons of an approval, would be behind it.
 */
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** Minimum height of a keyboard, in CSS pixels. Anything smaller is a browser toolbar that appears and disappears. */
export const MIN_KEYBOARD_HEIGHT = 80;

/** Keeps the visible part of a panel above the keyboard, as long as the panel is in the page. */
export function avoidKeyboard(panel: ToolChatPanel): void {
  panel.addEventListener('input', openBySlash);
  const { visualViewport: viewport } = window;
  if (!viewport) return;
  const update = () => {
    const { height, offsetTop, scale } = viewport;
    const covered = innerHeight - height - offsetTop;
    // Zooming in also reduces the visible area, so it is ignored.
    const isOpen = panel.layout !== 'inline' && scale < 1.01 && covered + offsetTop > MIN_KEYBOARD_HEIGHT;
    panel.style.maxBlockSize = isOpen ? `${String(height)}px` : '';
    panel.style.marginBlock = isOpen ? `${String(Math.max(0, offsetTop))}px ${String(Math.max(0, covered))}px` : '';
  };
  panel.addController({
    hostConnected() {
      for (const type of ['resize', 'scroll']) viewport.addEventListener(type, update);
    },
    hostDisconnected() {
      for (const type of ['resize', 'scroll']) viewport.removeEventListener(type, update);
    },
  });
}

/** Opens the list of prompts when a slash is typed. On-screen keyboards do not report the key, so the text is checked. */
function openBySlash(event: Event): void {
  const [field] = event.composedPath();
  if (!(field instanceof HTMLTextAreaElement) || field.value !== '/' || !(event instanceof InputEvent)) return;
  if (!/^insert(?:Composition)?Text$/.test(event.inputType)) return;
  const write = (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  };
  write('');
  // Without prompts, the slash is an ordinary character.
  if (field.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, composed: true, cancelable: true }))) write('/');
}
