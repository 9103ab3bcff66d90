/** Grants that outlive the page. Nothing is granted by what is stored alone: it is read like any other grant, and put into words anew. */
import type { StoredGrant } from '../../storage/stored-conversation.js';
import type { GrantsDoor } from '../calls/call-actors.js';

export interface KeptGrants {
  /** What is to be stored. */
  save(): readonly StoredGrant[];
  /** `isCurrent`: nobody else leads meanwhile. */
  load(grants: readonly StoredGrant[], isCurrent: () => boolean): Promise<void>;
  forget(): void;
}

/** `lasting`: the storage outlives the tab; where it does not, nothing granted for always is. */
export function createKeptGrants(grants: GrantsDoor, lasting: boolean): KeptGrants {
  /** Not handed over yet. */
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
