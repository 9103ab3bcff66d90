/** Whether a text of the model asks something: then "yes" may be the answer to that. Linear in the length of the text. */

/** Signs that end a question, in the scripts that have one of their own. */
const MARK = /[?？؟﹖︖⁇⁈⁉‽⸮❓❔]/u;

/** Where a sentence ends, or a list item or line that is one. */
const SENTENCE = /[.!。！…;；:：\n]+/u;

/** How a question begins that has no mark: “Shall I go on”, “Would the blue one do”. */
const BEGINS =
  /^[^\p{L}]*(?:do|does|did|is|are|am|was|were|shall|should|would|will|can|could|may|might|have|has|had)\s+(?:i|you|we|it|he|she|they|this|that|these|those|there|the|your|my|our|an?)\b/iu;

/** 吗 at the end, 是否, 要不要: questions without a mark. */
const CHINESE = /[吗嗎][^\p{L}\p{N}]*$|[是能可应要]否|(\p{Script=Han})[不没]\1/u;
const CONDITION = /\b(?:if|whether|when|unless)\b|如果|若|要是|的话|假如/iu;
const WORD = /\b(?:yes|confirm|continue)\b|确认|继续/iu;

/**
 * A sentence ends in a question mark outside of code, "yes" and "no" are offered, it is put as a question, or says on what condition to answer
 * by a word that would confirm. In doubt it asks: the button is always there.
 */
export function holdsQuestion(text: string): boolean {
  const prose = withoutCode(text);
  const words = prose.split(/\s+/).filter((word) => word !== '');
  if (words.some(ends)) return true;
  const bare = new Set(words.flatMap((word) => word.toLowerCase().split(/[^a-z]+/)));
  if (bare.has('yes') && bare.has('no')) return true;
  return prose
    .split(SENTENCE)
    .some((sentence) => BEGINS.test(sentence) || CHINESE.test(sentence) || (CONDITION.test(sentence) && WORD.test(sentence)));
}

/** The query of an address is no question. */
function ends(word: string): boolean {
  const at = word.search(MARK);
  if (at < 0) return false;
  const address = word.indexOf('://');
  return address < 0 || address > at || MARK.test(word.slice(-1)) || /[?？][^\p{L}\p{N}]*$/u.test(word.slice(-8));
}

/** Fences go with their lines, code within a line with its marks. What is not closed within the text stays. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^[ \t]{0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '') {
      if (mark === '' || (mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`'))) kept.push(line);
      else fence = mark;
    } else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
  }
  return withoutInlineCode(kept.join('\n'));
}

function withoutInlineCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length, closes: -1 }));
  const next = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index]!;
    run.closes = next.get(run.length) ?? -1;
    next.set(run.length, index);
  }
  const kept: string[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const { at, closes } = runs[index]!;
    if (closes < 0) continue;
    kept.push(text.slice(from, at));
    from = runs[closes]!.at + runs[closes]!.length;
    index = closes;
  }
  return [...kept, text.slice(from)].join(' ');
}
