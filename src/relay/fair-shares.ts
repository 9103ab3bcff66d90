/** A limit that clients share. One client may use at most as much as remains free, so that others still find room. */

export interface Shares {
  /**
   * Returns why the amount is not available: `all` if too little is free, `share` if this client would exceed its share, `undefined` if it
   * is available.
   */
  lacks(client: string, amount: number): 'all' | 'share' | undefined;
  take(client: string, amount: number): void;
  giveBack(client: string, amount: number): void;
}

/** @param most the limit of all clients together; the client '' is unidentified, and has no share of its own */
export function createShares(most: number): Shares {
  const held = new Map<string, number>();
  let used = 0;

  function add(client: string, amount: number) {
    used += amount;
    const own = (held.get(client) ?? 0) + amount;
    if (own > 0) held.set(client, own);
    else held.delete(client);
  }
  return {
    lacks(client, amount) {
      const free = most - used;
      if (amount > free) return 'all';
      return client !== '' && (held.get(client) ?? 0) + amount > free ? 'share' : undefined;
    },
    take: add,
    giveBack: (client, amount) => add(client, -amount),
  };
}

/** The amount of a limit that one request uses while it lasts. */
export interface ShareHold {
  /**
   * Adds to the amount.
   *
   *   @throws the error that `refuse` returns if there is no room
   */
  add(amount: number): void;
  /** Gives back the whole amount. May be called again. */
  end(): void;
}

export function holdShare(shares: Shares, client: string, refuse: (lack: 'all' | 'share') => Error): ShareHold {
  let own = 0;
  let isOver = false;
  return {
    add(amount) {
      const lack = isOver ? undefined : shares.lacks(client, amount);
      if (lack) throw refuse(lack);
      if (isOver) return;
      shares.take(client, amount);
      own += amount;
    },
    end() {
      isOver = true;
      shares.giveBack(client, own);
      own = 0;
    },
  };
}
