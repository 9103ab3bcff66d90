/**
 * What is done with messages rarely is loaded when somebody comes near them, by pointer or by keyboard, and not for their cards; at once where
 * there are versions to choose from.
 */
import { load } from '../../base/load.js';
import type { MessageView } from '../../model/snapshot.js';
import type { draw } from './message-actions.js';

let drawing: typeof draw | undefined;
const areas = new WeakSet<Element>();
/** An element that appears under a resting pointer is no sign of a user: no `pointerover`. */
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
  // Without a signal: under Jest that of Node meets a listener of jsdom, which refuses it.
  for (const type of SIGNS) area.addEventListener(type, come);
}

async function wake(area: Element): Promise<void> {
  try {
    drawing ??= (await load(() => import('./message-actions.js'))).draw;
  } catch {
    return; // the next one to come near
  }
  for (const one of area.querySelectorAll('tool-chat-message')) one.requestUpdate();
}
