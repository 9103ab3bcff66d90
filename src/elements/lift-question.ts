/** Moves a question into the top layer, and says in the log why. */
import { load } from '../base/load.js';
import type { PanelServices } from './context.js';
import { askConditions } from './decisions.js';

/** The question of each card for which the cause was looked for. That is done once. */
const looked = new WeakMap<HTMLElement, string>();

/** The cause is looked for first: behind a modal dialog nothing can be met. */
export function liftQuestion(card: HTMLElement, services: PanelServices | undefined, requestId: string | undefined): boolean {
  if (!services || requestId === undefined) return false;
  if (looked.get(card) === requestId) return services.lift(requestId);
  looked.set(card, requestId);
  const tell = askConditions(card)?.onLifted;
  const lift = (cause: string) => {
    if (card.isConnected && services.lift(requestId)) tell?.(cause);
  };
  void load(() => import('./name-cover.js')).then(
    ({ nameCover }) => lift(nameCover(card)),
    () => lift('not found'),
  );
  return true;
}
