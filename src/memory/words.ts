/** A text as words, also where no blank stands between them (Chinese, Japanese, Thai). */

/** UTF-16 units that are looked at; what is remembered is shorter. */
const MAX_CHARS = 10_000;

let segmenter: Intl.Segmenter | undefined;

/**
 * Without case, width and punctuation, in order, with repetitions. Chinese characters are there by themselves, too: where one word ends and
 * the next begins depends on the sentence, and on the engine.
 */
export function words(text: string): string[] {
  const plain = text.slice(0, MAX_CHARS).normalize('NFKC').toLowerCase();
  if (typeof Intl.Segmenter !== 'function') return splitPlainly(plain);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(plain)].flatMap(({ segment }) => (WORD.test(segment) ? [segment, ...hanIn(segment)] : []));
}

/** Not `isWordLike`: engines do not agree on it for words that a dictionary found. */
const WORD = /[\p{L}\p{N}]/u;
const HAN = /\p{Script=Han}/u;

const hanIn = (word: string): string[] => (word.length > 1 && HAN.test(word) ? [...word].filter((character) => HAN.test(character)) : []);

/** For engines without a segmenter: runs of letters and digits, and every character by itself in scripts without blanks. */
export function splitPlainly(plain: string): string[] {
  return plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu)?.flatMap(apart) ?? [];
}

const BARE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A run that began in another script may still hold characters that are words of their own. */
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
