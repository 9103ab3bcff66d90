/** What a key means where people write. */

/**
 * The key belongs to a composition: it chooses among candidates, and neither sends nor closes anything. Safari ends a composition before the
 * keydown that ended it; only the code 229 tells: https://bugs.webkit.org/show_bug.cgi?id=165004
 */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- see the line above
export const belongsToInputMethod = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Keyboards on a screen have no Shift+Enter: there Enter breaks the line, and the button sends. */
export const enterBreaksLine = (): boolean => matches('(pointer: coarse)') && !matches('(any-pointer: fine), (any-hover: hover)');

/** Where components are tested there may be no media. */
const matches = (query: string): boolean => 'matchMedia' in globalThis && matchMedia(query).matches;

/** Enter as it sends: with Ctrl or ⌘ everywhere, alone where it does not break the line. */
export const sendsByEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !belongsToInputMethod(event) && (event.ctrlKey || event.metaKey || (!event.shiftKey && !enterBreaksLine()));

/** A text as it is sent: without blank lines around it, but with the indentation of the first of several lines, which code needs. */
export function asSent(written: string): string {
  const text = written.trim();
  if (!text.includes('\n')) return text;
  const lineStart = written.lastIndexOf('\n', written.indexOf(text)) + 1;
  return written.slice(lineStart, written.indexOf(text)) + text;
}
