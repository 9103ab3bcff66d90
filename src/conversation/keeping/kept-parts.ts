/** Stores what other parts of the conversation keep with it, each under a name of its own. A part that fails is logged and in nobody's way. */
import type { Log } from '../../base/logging.js';
import type { KeptPart } from '../../model/session.js';

type Kept = Readonly<Record<string, unknown>>;

export interface KeptParts {
  /** What was stored; each part gets its own as soon as there is one. */
  load(kept: Kept): void;
  /** A part of this name came after that. */
  added(name: string): void;
  /** What is to be stored now; undefined for nothing. */
  save(): Kept | undefined;
  forget(): void;
}

export function createKeptParts(parts: ReadonlyMap<string, KeptPart>, log: Log): KeptParts {
  /** Of parts that have not come yet. */
  let waiting: Kept = {};

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      log.error('storage.part', 'A part of the conversation could not be kept or taken back', {}, { error });
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
