/**
 * Stores the data of other parts of the conversation, each under its own name. A part that fails is logged and does not block the others.
 */
import type { Log } from '../../base/logging.js';
import type { KeptPart } from '../../model/session.js';
import type { StoredGrant } from '../../storage/stored-conversation.js';
import type { LazyPermissions } from '../calls/call-actors.js';

type SavedSlice = Readonly<Record<string, unknown>>;

export interface PersistedSlices {
  /** Takes what was stored. Each part gets its own data as soon as it is registered. */
  load(kept: SavedSlice): void;
  /** Hands over the data of a part that was registered after that. */
  added(name: string): void;
  /** Returns the data to store now; undefined if there is none. */
  save(): SavedSlice | undefined;
  forget(): void;
}

export function createPersistedSlices(parts: ReadonlyMap<string, KeptPart>, log: Log): PersistedSlices {
  /** The data of parts that are not registered yet. */
  let waiting: SavedSlice = {};

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      log.error('storage.part', 'A part of the conversation could not be saved or restored', {}, { error });
      return undefined;
    }
  }

  function hand(name: string): void {
    const part = parts.get(name);
    if (!part || !Object.hasOwn(waiting, name)) return;
    const { [name]: value, ...rest } = waiting;
    waiting = rest;
    attempt(() => part.load(value));
  }

  return {
    load(kept) {
      waiting = kept;
      for (const name of [...parts.keys()]) hand(name);
    },
    added: hand,
    save() {
      const now: Record<string, unknown> = { ...waiting };
      for (const [name, part] of parts) {
        const value = attempt(() => part.save());
        if (value === undefined) delete now[name];
        else now[name] = value;
      }
      return Object.keys(now).length > 0 ? now : undefined;
    },
    forget() {
      waiting = {};
      for (const part of parts.values()) attempt(() => part.load(undefined));
    },
  };
}

/** Persists permissions. A stored grant allows nothing by itself: it is validated like any other, and its sentence is written again. */
interface PersistedGrants {
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
