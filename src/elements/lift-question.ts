/** Moves a question into the top layer, and says in the log why. */
import { load } from '../base/load.js';
import type { PanelServices } from './context.js';
import { askConditions } from './decisions.js';

/** Questions whose cause was looked for, which is done once for each. */
const looked = new Set<string>();

/** The cause is looked for first: behind a modal dialog nothing can be met. */
export function liftQuestion(card: HTMLElement, services: PanelServices | undefined, requestId: string | undefined): boolean {
  if (!services || requestId === undefined) return false;
  if (looked.has(requestId)) return services.lift(requestId);
  looked.add(requestId);
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
