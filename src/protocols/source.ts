/** What every notation keeps of an open call: its source, and the names it refuses. */

/** Names that reach a prototype when a host is careless: refused, not repaired (protocols.md §1.7). */
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
