/**
 * Chunks of one stream are equal text except for the piece that they carry. After one of them was parsed as JSON, chunks that differ only
 * in that string need not be parsed: the text around it is known, and a string in that place has the same meaning.
 */

export interface SameChunk {
  /** Returns the piece if `source` matches the learned chunk. */
  match(source: string): string | undefined;
  /** Learns a chunk. `source` was parsed as JSON, and its only content is `piece` under its key. */
  learn(source: string, piece: string): void;
}

/** Maximum number of misses, for services where every chunk has unique content. */
const MOST_MISSES = 16;

/** @param key The key as written in the JSON text, where it must occur once: `"content":`. */
export function createSameChunk(key: string): SameChunk {
  let before = '';
  let after = '';
  let misses = 0;

  return {
    match(source) {
      if (before === '') return undefined;
      const end = source.length - after.length;
      // The literal has at least its two quotes, and between them nothing that ends the string or must be decoded.
      if (end >= before.length + 2 && source.startsWith(before) && source.endsWith(after) && source.charCodeAt(before.length) === 0x22) {
        const literal = source.slice(before.length, end);
        if (literal.indexOf('"', 1) === literal.length - 1 && isPlain(literal)) {
          misses = 0;
          return literal.slice(1, -1);
        }
        return undefined;
      }
      before = '';
      misses += 1;
      return undefined;
    },
    learn(source, piece) {
      if (misses >= MOST_MISSES) return;
      const literal = JSON.stringify(piece);
      const place = source.indexOf(key);
      const begin = place + key.length + (source[place + key.length] === ' ' ? 1 : 0);
      // If the key occurs twice, the second one would count.
      if (place < 0 || source.includes(key, begin) || !source.startsWith(literal, begin)) return;
      before = source.slice(0, begin);
      after = source.slice(begin + literal.length);
    },
  };
}

/** Checks that a literal has no escape, and no character that JSON forbids in a string. */
function isPlain(literal: string): boolean {
  for (let at = 1; at < literal.length - 1; at++) {
    const code = literal.charCodeAt(at);
    if (code === 0x5c || code < 0x20) return false;
  }
  return true;
}
