/**
 * What can be done with messages beyond copying is loaded when somebody comes near them, by pointer or by keyboard: at once where there is no
 * hovering, and where something of it is in view by itself (a choice of versions).
 */
import { load } from '../../base/load.js';
import type { MessageView } from '../../model/snapshot.js';
import type { draw } from './message-actions.js';

let drawing: typeof draw | undefined;
const watched = new WeakSet<Element>();

export function drawingFor(message: Element, { branch }: MessageView): typeof draw | undefined {
  const area = message.closest('.messages') ?? message;
  if (drawing || watched.has(area)) return drawing;
  const wake = async () => {
    watched.add(area);
    try {
      drawing = (await load(() => import('./message-actions.js'))).draw;
    } catch {
      watched.delete(area); // the next one to come near
    }
    for (const each of [message, ...area.querySelectorAll('tool-chat-message')])
      (each as Element & { requestUpdate(): void }).requestUpdate();
  };
  if (branch || matchMedia('(hover: none)').matches) void wake();
  else for (const type of ['pointerover', 'focusin']) area.addEventListener(type, () => void (watched.has(area) || wake()), { once: true });
  return undefined;
}
