/** Gives each call its own id if a host's protocol or a service repeats one, so that no id ever runs twice. */
export interface CallIds {
  /** Creates an id for our own parsers. */
  mint(): string;
  /** Returns our id for this one, and the same id again until it is forgotten. */
  of(id: string | undefined): string;
  /** Called when the call is complete. If the same id comes again, it is another call. */
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
