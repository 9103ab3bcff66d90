/**
 * Chunks of one stream are the same text but for the piece that they bring. Once one of them has been read as JSON, those that differ from it in
 * that one string alone need not be: what stands before and after it is known, and a string in that place means the same thing.
 */

export interface SameChunk {
  /** The piece, where `source` is like the chunk that was learned. */
  match(source: string): string | undefined;
  /** `source` was read as JSON, and all it says is `piece` under its key. */
  learn(source: string, piece: string): void;
}

/** Tries that may be in vain, for services that give every chunk something of its own. */
const MOST_MISSES = 16;

/** @param key as it stands in the JSON text, once: `"content":` */
export function createSameChunk(key: string): SameChunk {
  let before = '';
  let after = '';
  let misses = 0;

  return {
    match(source) {
      if (before === '') return undefined;
      const end = source.length - after.length;
      // At least the two quotes, and between them nothing that ends the string or has to be decoded.
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
      // Twice, and the second would count.
      if (place < 0 || source.includes(key, begin) || !source.startsWith(literal, begin)) return;
      before = source.slice(0, begin);
      after = source.slice(begin + literal.length);
    },
  };
}

/** No escape, and no character that JSON refuses in a string. */
function isPlain(literal: string): boolean {
  for (let at = 1; at < literal.length - 1; at++) {
    const code = literal.charCodeAt(at);
    if (code === 0x5c || code < 0x20) return false;
  }
  return true;
}
