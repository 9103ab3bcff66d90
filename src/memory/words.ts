/** Splits a text into words, even in scripts without blanks (Chinese, Japanese, Thai). */

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
