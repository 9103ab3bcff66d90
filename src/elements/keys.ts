/** Keys: their meaning in text fields, and which of them the page receives. */
import { matchesMedia } from '../base/dom-features.js';

/**
 * Returns true if an input method handles the key to choose among candidates. Such a key neither sends nor closes anything. Safari ends the
 * composition before this keydown, so only the code 229 identifies it: https://bugs.webkit.org/show_bug.cgi?id=165004
 */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- see the line above
export const belongsToInputMethod = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Returns true if Enter breaks the line: on-screen keyboards have no Shift+Enter, so there only the button sends. */
export const enterBreaksLine = (): boolean => matchesMedia('(pointer: coarse)') && !matchesMedia('(any-pointer: fine), (any-hover: hover)');

/** Returns true if the key sends: Ctrl+Enter and ⌘+Enter always, Enter alone only if it does not break the line. */
export const sendsByEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !belongsToInputMethod(event) && (event.ctrlKey || event.metaKey || (!event.shiftKey && !enterBreaksLine()));

/** Returns the text without blank lines around it. The first of several lines keeps its indentation, because code needs it. */
export function trimMessage(written: string): string {
  const text = written.trim();
  if (!text.includes('\n')) return text;
  const lineStart = written.lastIndexOf('\n', written.indexOf(text)) + 1;
  return written.slice(lineStart, written.indexOf(text)) + text;
}

/** Keys that act on the element they are pressed on: a button or a scrollable area. */
const ACTION_KEYS = new Set(['Enter', ' ', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);
/** Keys that even a field passes on: they move the focus, close what surrounds the field, or belong to the browser. */
const IGNORED_KEYS = /^(?:Tab|Escape|F\d+)$/;

const watched = new WeakSet<HTMLElement>();

/**
 * Keeps keys that the chat uses from reaching the page. To the page, all keys in the chat seem to be pressed on one element that is not a
 * field. Its single-key shortcuts would fire while the user types, and its dialog would close together with a list of the chat. Listeners of
 * the page on the element itself still receive them.
 */
export function stopKeys(element: HTMLElement): void {
  if (watched.has(element)) return;
  watched.add(element);
  /** Keys that were stopped on keydown are also stopped on keyup. */
  const down = new Set<string>();
  const onKey = (event: KeyboardEvent) => {
    // Slotted content belongs to the page.
    if (event.target !== element) return;
    const { key, type } = event;
    const wasDown = down.has(key);
    if (type === 'keyup') down.delete(key);
    if (type === 'keydown' ? !isOurs(event) : !wasDown && !(type === 'keypress' && isOurs(event))) return;
    if (type === 'keydown') down.add(key);
    event.stopPropagation();
  };
  for (const type of ['keydown', 'keypress', 'keyup'] as const) element.addEventListener(type, onKey);
}

function isOurs(event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return true;
  // With AltGr a keyboard writes characters, and browsers report it as Ctrl and Alt.
  const isChord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  if (isChord) return false;
  const [inner] = event.composedPath();
  const isField = inner instanceof HTMLElement && inner.matches('input, textarea, select');
  return isField ? !IGNORED_KEYS.test(event.key) : ACTION_KEYS.has(event.key);
}
