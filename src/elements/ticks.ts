/**
 * Of several questions at once, those that a person has left out of "allow": a tick a row, taken away and given back by real clicks only.
 * What is exported tells, or listens; nothing here can be called to tick.
 */
import { composedPath, isTrusted, listen, eventTypeOf } from './platform-functions.js';

/** Ids of calls: what was left out stays out, with whatever arguments it comes to ask for. */
const left = new Set<string>();
const listeners = new Set<() => void>();

export const isTicked = (requestId: string): boolean => !left.has(requestId);

/** Called when any tick has changed. Returns what ends that. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Lets a real click on this button, which began on it, change the tick. Once for a button. */
export function guardTick(root: ShadowRoot, button: HTMLElement, requestId: () => string): void {
  let pressed = false;
  const heed = (event: Event) => {
    if (!isTrusted(event)) return;
    const path = composedPath(event);
    let on = false;
    for (let at = 0; at < path.length && path[at] !== root; at += 1) on ||= path[at] === button;
    const counts = on && pressed;
    pressed = on;
    if (eventTypeOf(event) !== 'click') return;
    pressed = false;
    if (!counts) return;
    const now = requestId();
    if (!left.delete(now)) left.add(now);
    for (const listener of listeners) listener();
  };
  for (const type of ['pointerdown', 'mousedown', 'keydown', 'click']) listen(root, type, heed, true);
}
