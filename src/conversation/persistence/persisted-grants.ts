/** Persists permissions. A stored grant allows nothing by itself: it is validated like any other, and its sentence is written again. */
import type { StoredGrant } from '../../storage/stored-conversation.js';
import type { LazyPermissions } from '../calls/call-actors.js';

export interface PersistedGrants {
  /** Returns the grants to store. */
  save(): readonly StoredGrant[];
  /** Loads the stored grants. `isCurrent` returns false once another tab leads. */
  load(grants: readonly StoredGrant[], isCurrent: () => boolean): Promise<void>;
  forget(): void;
}

/** `lasting`: the storage outlives the tab. Otherwise, grants of the scope `always` are neither stored nor loaded. */
export function createPersistedGrants(grants: LazyPermissions, lasting: boolean): PersistedGrants {
  /** Stored grants that are not loaded yet. */
  let waiting: readonly StoredGrant[] = [];
  return {
    save() {
      if (waiting.length > 0) return waiting;
      const now = grants.now()?.list() ?? [];
      return now.filter(({ scope }) => scope === 'always' && lasting) as readonly StoredGrant[];
    },
    async load(stored, isCurrent) {
      waiting = lasting ? stored : [];
      if (waiting.length === 0) return;
      const desk = await grants.open();
      if (!isCurrent()) return;
      desk.load([...desk.list().filter(({ scope }) => scope === 'session'), ...waiting]);
      waiting = [];
    },
    forget() {
      grants.now()?.load([]);
      waiting = [];
    },
  };
}
