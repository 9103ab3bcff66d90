/** Moves an approval into the top layer and logs the cause. */
import { load } from '../base/load.js';
import type { PanelServices } from './context.js';
import { approvalConditions } from './decisions.js';

/** The approval of each card whose cause was already searched for. The search runs once per approval. */
const searched = new WeakMap<HTMLElement, string>();

/** Moves the approval. The cause is searched for first, because elements behind a modal dialog cannot be hit. */
export function liftApproval(card: HTMLElement, services: PanelServices | undefined, requestId: string | undefined): boolean {
  if (!services || requestId === undefined) return false;
  if (searched.get(card) === requestId) return services.lift(requestId);
  searched.set(card, requestId);
  const onLifted = approvalConditions(card)?.onLifted;
  const lift = (cause: string) => {
    if (card.isConnected && services.lift(requestId)) onLifted?.(cause);
  };
  void load(() => import('./find-occluder.js')).then(
    ({ describeOccluder }) => lift(describeOccluder(card)),
    () => lift('not found'),
  );
  return true;
}
