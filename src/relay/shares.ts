/** A limit that clients share: one alone takes at most as much as it leaves free, so others still find room while it asks for more. */

export interface Shares {
  /** Why so much more cannot be had: there is no more of it, or this client has its share. `undefined`: it can. */
  lacks(client: string, amount: number): 'all' | 'share' | undefined;
  take(client: string, amount: number): void;
  giveBack(client: string, amount: number): void;
}

/** @param most of all clients together; the client '' is nobody in particular, and has no share of its own */
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

/** What one request holds of a limit, for as long as it lasts. */
export interface Holding {
  /** @throws what `refuse` gives where there is no room */
  add(amount: number): void;
  /** May be called again. */
  end(): void;
}

export function holdOf(shares: Shares, client: string, refuse: (lack: 'all' | 'share') => Error): Holding {
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
