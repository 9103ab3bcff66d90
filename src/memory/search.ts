/** Searches some hundreds of items by words, by vectors if there are any, or by both together. */
import { load } from '../base/load.js';
import type { MemoryItem } from '../model/memory.js';

export interface Query {
  text?: string;
  vector?: number[];
  limit: number;
}

export interface Searcher {
  /** Returns the best matches first; items that do not match are left out. */
  search(items: readonly MemoryItem[], query: Query): Promise<MemoryItem[]>;
}

/** The minimum cosine similarity. Below it, two texts have no more in common than any two. */
const MIN_SIMILARITY = 0.3;

/** Dampens the first ranks, so that an item found by both searches beats one that only one of them ranks first (reciprocal rank fusion). */
const RANK_OFFSET = 60;

/** Creates a searcher that keeps its word index between searches; only changed items are indexed again. */
export function createSearcher(): Searcher {
  let index: Promise<WordIndex> | undefined;

  return {
    async search(items, { text = '', vector, limit }) {
      if (items.length === 0 || limit < 1) return [];
      const rankings: string[][] = [];
      if (text.trim()) {
        index ??= createWordIndex();
        rankings.push((await index).search(items, text));
      }
      if (vector) rankings.push(bySimilarity(items, vector));
      const scores = new Map<string, number>();
      for (const ranking of rankings) ranking.forEach((id, rank) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + rank)));
      return items
        .filter(({ id }) => scores.has(id))
        .sort((a, b) => scores.get(b.id)! - scores.get(a.id)! || b.usedAt - a.usedAt || b.createdAt - a.createdAt)
        .slice(0, limit);
    },
  };
}

interface WordIndex {
  /** Returns ids, the best matches first. */
  search(items: readonly MemoryItem[], text: string): string[];
}

async function createWordIndex(): Promise<WordIndex> {
  const { default: MiniSearch } = await load(() => import('minisearch'));
  const index = new MiniSearch<{ id: string; text: string }>({ fields: ['text'], tokenize: words, processTerm: (term) => term });
  const indexed = new Map<string, string>();

  function follow(items: readonly MemoryItem[]) {
    const now = new Map(items.map(({ id, text }) => [id, text]));
    for (const [id, text] of indexed) {
      if (now.get(id) === text) continue;
      index.discard(id);
      indexed.delete(id);
    }
    for (const [id, text] of now) {
      if (indexed.has(id)) continue;
      index.add({ id, text });
      indexed.set(id, text);
    }
  }

  return {
    search(items, text) {
      follow(items);
      // Allows one typo in long words, and matches prefixes: "deploy" finds "deployment".
      const found = index.search(text, { prefix: (term) => term.length > 3, fuzzy: (term) => (term.length > 5 ? 0.2 : false) });
      return found.map(({ id }) => id as string);
    },
  };
}

function bySimilarity(items: readonly MemoryItem[], vector: readonly number[]): string[] {
  return items
    .map(({ id, vector: other }) => ({ id, similarity: other ? cosine(vector, other) : 0 }))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity)
    .map(({ id }) => id);
}

/** Returns −1 to 1; 0 if they cannot be compared, because they come from different models or have no length. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at]!, b[at]!];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  const similarity = product / Math.sqrt(ofA * ofB);
  return Number.isFinite(similarity) ? similarity : 0;
}

/** The maximum length that is read, in UTF-16 units; memory items are shorter. */
const MAX_CHARS = 10_000;

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the words in order, with repetitions, without case, width and punctuation. Chinese characters are also included individually,
 * because word boundaries depend on the sentence and on the engine.
 */
export function words(text: string): string[] {
  const plain = text.slice(0, MAX_CHARS).normalize('NFKC').toLowerCase();
  if (typeof Intl.Segmenter !== 'function') return splitPlainly(plain);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(plain)].flatMap(({ segment }) => (WORD.test(segment) ? [segment, ...hanIn(segment)] : []));
}

/** Used instead of `isWordLike`, because engines differ on it for words from a dictionary. */
const WORD = /[\p{L}\p{N}]/u;
const HAN = /\p{Script=Han}/u;

const hanIn = (word: string): string[] => (word.length > 1 && HAN.test(word) ? [...word].filter((character) => HAN.test(character)) : []);

/** Splits a text in engines without a segmenter: runs of letters and digits, and individual characters in scripts without blanks. */
export function splitPlainly(plain: string): string[] {
  return plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu)?.flatMap(apart) ?? [];
}

const BARE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Splits a run that began in another script and contains characters that are words of their own. */
function apart(run: string): string[] {
  if (run.length === 1 || !BARE.test(run)) return [run];
  const parts: string[] = [];
  let open = '';
  for (const character of run) {
    if (!BARE.test(character)) open += character;
    else {
      if (open) parts.push(open);
      parts.push(character);
      open = '';
    }
  }
  return open ? [...parts, open] : parts;
}
