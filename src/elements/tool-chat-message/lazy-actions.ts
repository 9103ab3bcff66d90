/**
 * Loads the rarely used message actions when the user approaches the messages, by pointer or keyboard, but not their cards. If a message
 * has several versions, they are loaded immediately.
 */
import { load } from '../../base/load.js';
import type { MessageView } from '../../model/snapshot.js';
import type { draw } from './message-actions.js';

let drawing: typeof draw | undefined;
const areas = new WeakSet<Element>();
/**
 * Events that show the presence of a user. `pointerover` is left out, because it also fires when an element appears under a resting
 * pointer.
 */
const SIGNS = ['pointermove', 'pointerdown', 'focusin'];

export function drawingFor(message: Element, { branch }: MessageView): typeof draw | undefined {
  const area = message.closest('.messages') ?? message;
  if (!areas.has(area)) listen(area);
  if (branch && !drawing) void wake(area);
  return drawing;
}

function listen(area: Element): void {
  areas.add(area);
  const come = (event: Event) => {
    if (event.composedPath().some((one) => (one as Element).localName === 'tool-chat-call')) return;
    void wake(area).then(() => drawing && SIGNS.forEach((type) => area.removeEventListener(type, come)));
  };
  // No `signal` option: under Jest, a signal of Node is passed to a listener of jsdom, which rejects it.
  for (const type of SIGNS) area.addEventListener(type, come);
}

async function wake(area: Element): Promise<void> {
  try {
    drawing ??= (await load(() => import('./message-actions.js'))).draw;
  } catch {
    return; // the next event tries again
  }
  for (const one of area.querySelectorAll('tool-chat-message')) one.requestUpdate();
}
