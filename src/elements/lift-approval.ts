/** Moves an approval into the top layer and logs the cause. */
import { load } from '../base/load.js';
import type { PanelServices } from './context.js';
import { askConditions } from './decisions.js';

/** The approval of each card whose cause was already searched for. The search runs once per approval. */
const looked = new WeakMap<HTMLElement, string>();

/** Moves the approval. The cause is searched for first, because elements behind a modal dialog cannot be hit. */
export function liftQuestion(card: HTMLElement, services: PanelServices | undefined, requestId: string | undefined): boolean {
  if (!services || requestId === undefined) return false;
  if (looked.get(card) === requestId) return services.lift(requestId);
  looked.set(card, requestId);
  const tell = askConditions(card)?.onLifted;
  const lift = (cause: string) => {
    if (card.isConnected && services.lift(requestId)) tell?.(cause);
  };
  void load(() => import('./find-occluder.js')).then(
    ({ nameCover }) => lift(nameCover(card)),
    () => lift('not found'),
  );
  return true;
}
