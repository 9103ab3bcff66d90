/** Gives each call an id of its own where a host's protocol or a service repeats one: what ran under an id never runs under it again. */
export interface CallIds {
  /** For our own parsers. */
  mint(): string;
  /** Ours for this one; the same again until it is forgotten. */
  of(id: string | undefined): string;
  /** The call is complete: should the same id come again, it is another call. */
  forget(id: string | undefined): void;
}

export function createCallIds(createId: () => string): CallIds {
  const minted = new Set<string>();
  const renamed = new Map<string, string>();
  return {
    mint() {
      const id = createId();
      minted.add(id);
      return id;
    },
    of(id) {
      if (id === undefined) return createId();
      if (minted.has(id)) return id;
      const ours = renamed.get(id) ?? createId();
      renamed.set(id, ours);
      return ours;
    },
    forget(id) {
      if (id !== undefined && !minted.delete(id)) renamed.delete(id);
    },
  };
}
