/** The source of a call that is still open, and the names that every notation refuses. */

/** Names that reach a prototype when a host is careless: refused, not repaired. */
export const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** The source of one call as it grows. Pieces are joined by the hundred: a million characters that came singly would take up many times their size. */
export function createSource() {
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

/** What an error shows of a call that was too large to keep, in UTF-16 units. */
const RAW_HEAD = 1024;

/** The source of an open call, taken out of chunks. Past `limit` units nothing of it is kept; what is read of it is only counted. */
export function createCallSource(limit: number) {
  const source = createSource();
  let text = '';
  /** All of the chunk before it is counted. */
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
    /** A call begins with `head`, which ends at `at` in the chunk. */
    begin(head: string, at: number) {
      source.clear();
      source.add(head);
      counted = head.length;
      mark = at;
      tooLarge = false;
    },
    /** The next chunk; what is before `at` in it is no part of the call. */
    follow(chunk: string, at: number) {
      text = chunk;
      mark = at;
    },
    /** Keeps the chunk up to `end`. */
    store(end: number) {
      if (!tooLarge && end > mark) source.add(text.slice(mark, end));
      counted += end - mark;
      mark = end;
    },
    /** Where `index` of the chunk is in the source. */
    offset: (index: number) => counted + index - mark,
    /** Once, as soon as it is over the limit, or `anyway`: the head that an error shows. The rest is forgotten. */
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
