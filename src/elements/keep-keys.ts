/**
 * Keys that the chat uses do not reach the page. To a page all that happens inside looks as if it happened on one element that is no field, so
 * its shortcuts of one key would fire while somebody writes, and its dialog would close with a list of ours.
 */

/** They act where they are pressed: on a button, in what scrolls. */
const ACTING = new Set(['Enter', ' ', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);
/** Not even a field takes these: they move the focus, close what stands around it, or belong to the browser. */
const PASSING = /^(?:Tab|Escape|F\d+)$/;

const watched = new WeakSet<HTMLElement>();

/** Also those of the page that listen on the element itself still hear everything. */
export function keepKeys(element: HTMLElement): void {
  if (watched.has(element)) return;
  watched.add(element);
  /** Keys that were kept when they went down are kept when they come up. */
  const down = new Set<string>();
  const keep = (event: KeyboardEvent) => {
    // Content of a slot belongs to the page.
    if (event.target !== element) return;
    const { key, type } = event;
    const wasDown = down.has(key);
    if (type === 'keyup') down.delete(key);
    if (type === 'keydown' ? !isOurs(event) : !wasDown && !(type === 'keypress' && isOurs(event))) return;
    if (type === 'keydown') down.add(key);
    event.stopPropagation();
  };
  for (const type of ['keydown', 'keypress', 'keyup'] as const) element.addEventListener(type, keep);
}

function isOurs(event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return true;
  // With AltGr a keyboard writes characters, and browsers report it as Ctrl and Alt.
  const isChord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  if (isChord) return false;
  const [inner] = event.composedPath();
  const isField = inner instanceof HTMLElement && inner.matches('input, textarea, select');
  return isField ? !PASSING.test(event.key) : ACTING.has(event.key);
}
