/** Helpers for keys in text fields. */
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
