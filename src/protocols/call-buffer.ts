/** The source of a call that is still open, and the names that every parser refuses. */

/** Names that reach a prototype if the host is careless. They are refused, not repaired. */
export const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Collects the source of one call as it streams. Pieces are joined in batches of 256, because a million single characters would take many
 * times their size.
 */
export function createTextBuffer() {
  let joined: string[] = [];
  let recent: string[] = [];

  function add(piece: string) {
    recent.push(piece);
    if (recent.length < 256) return;
    joined.push(recent.join(''));
    recent = [];
  }

  function clear() {
    joined = [];
    recent = [];
  }

  return { add, clear, join: () => joined.join('') + recent.join('') };
}

/** Length, in UTF-16 units, that an error shows of a call that was too large to keep. */
const RAW_HEAD = 1024;

/** Collects the source of an open call from chunks. Beyond `limit` units nothing is kept, and further text is only counted. */
export function createCallBuffer(limit: number) {
  const source = createTextBuffer();
  let text = '';
  /** The position in the chunk up to which everything is counted. */
  let mark = 0;
  let counted = 0;
  let tooLarge = false;

  return {
    get mark() {
      return mark;
    },
    get tooLarge() {
      return tooLarge;
    },
    /** Begins a call with `head`, which ends at `at` in the chunk. */
    begin(head: string, at: number) {
      source.clear();
      source.add(head);
      counted = head.length;
      mark = at;
      tooLarge = false;
    },
    /** Continues with the next chunk. The text before `at` is not part of the call. */
    follow(chunk: string, at: number) {
      text = chunk;
      mark = at;
    },
    /** Stores the chunk up to `end`. */
    store(end: number) {
      if (!tooLarge && end > mark) source.add(text.slice(mark, end));
      counted += end - mark;
      mark = end;
    },
    /** Returns the offset in the source for an index in the chunk. */
    offset: (index: number) => counted + index - mark,
    /**
     * Returns, once the source is over the limit or if `anyway` is true, the head that an error shows, and drops the rest. Otherwise
     * undefined.
     */
    overflow(anyway = false): string | undefined {
      if (tooLarge || (counted <= limit && !anyway)) return undefined;
      tooLarge = true;
      const head = source.join().slice(0, Math.min(RAW_HEAD, limit));
      source.clear();
      return head;
    },
    join: source.join,
    clear: source.clear,
  };
}
