/** Parts of a panel that are loaded with the first view that needs them. */
import { load } from '../../base/load.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

/** @param decidesOnMany whether the bar for many calls is shown */
export function loadLateParts(view: ViewSnapshot, decidesOnMany: boolean): void {
  if (view.remembered && !customElements.get('tool-chat-memory'))
    void load(() => import('../define-memory.js')).then(({ defineMemory }) => defineMemory());
  if ((view.grants.length > 0 || decidesOnMany) && !customElements.get('tool-chat-batch'))
    void load(() => import('../define-batch.js')).then(({ defineBatch }) => defineBatch());
  // The bar does without it, as it has to where nothing can be loaded.
  if (view.failure && !customElements.get('tool-chat-fault'))
    void load(() => import('../define-fault.js')).then(
      ({ defineFault }) => defineFault(),
      () => {},
    );
}
