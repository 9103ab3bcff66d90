/**
 * Tracks which of several approvals the user has excluded from "allow": one checkbox per row, which only real clicks change. The exports
 * read or listen; none of them can change a checkbox.
 */
import { composedPath, isTrusted, listen, eventTypeOf } from './platform-functions.js';

/** Ids of excluded calls. A call stays excluded even if its arguments change. */
const excluded = new Set<string>();
const listeners = new Set<() => void>();

export const isSelected = (requestId: string): boolean => !excluded.has(requestId);

/** Adds a listener, called when any checkbox has changed. Returns a function that removes it. */
export function onSelectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Lets a real click on this button, with a press that began on it, toggle the checkbox. Call it once per button. */
export function guardCheckbox(root: ShadowRoot, button: HTMLElement, requestId: () => string): void {
  let pressed = false;
  const onEvent = (event: Event) => {
    if (!isTrusted(event)) return;
    const path = composedPath(event);
    let isOnButton = false;
    for (let at = 0; at < path.length && path[at] !== root; at += 1) isOnButton ||= path[at] === button;
    const isClick = isOnButton && pressed;
    pressed = isOnButton;
    if (eventTypeOf(event) !== 'click') return;
    pressed = false;
    if (!isClick) return;
    const id = requestId();
    if (!excluded.delete(id)) excluded.add(id);
    for (const listener of listeners) listener();
  };
  for (const type of ['pointerdown', 'mousedown', 'keydown', 'click']) listen(root, type, onEvent, true);
}
