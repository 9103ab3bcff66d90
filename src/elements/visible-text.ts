/**
 * Splits text so that nothing in it stays unseen: characters without a shape, characters that turn the reading direction, and long
 * runs of white space become marked pieces (faults 115: hidden arguments). One pass, linear.
 */

/** Plain text, or a mark that stands for `count` characters of one kind. */
export type Piece = string | { mark: string; count: number; hidden: boolean };

export interface VisibleText {
  pieces: readonly Piece[];
  /** How many characters would not have been seen. White space is not counted. */
  hidden: number;
  lines: number;
  characters: number;
}

/** From this many in a row on, blanks or line breaks are counted instead of shown: nothing is pushed out of sight. */
const LONG_BLANK = 24;
const LONG_BREAK = 4;
/** So many marks become elements of their own; the rest are written into the text. */
const MARKS_AS_PIECES = 500;

// Controls but tab and line feed, soft hyphen, joiners and fillers, direction marks, invisible operators, variation selectors, tags.
const INVISIBLE =
  '[\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\xAD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u3164' +
  '\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\uD800-\\uDFFF\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}]';
// Each alternative is a run of one character: none can begin inside itself, so this is linear.
// eslint-disable-next-line no-misleading-character-class -- characters that combine are meant one by one
const SPECIAL = new RegExp(`(${INVISIBLE})\\1*| {${String(LONG_BLANK)},}|\\t{${String(LONG_BLANK)},}|\\n{${String(LONG_BREAK)},}`, 'gu');
const BLANKS = / +|\t+|\n+/g;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\uFE0F|\u20E3|[#*0-9]/u;

/** A card is drawn many times; what its values look like is worked out once. */
const worked = new Map<string, VisibleText>();
const KEPT = 16;

export function visibleText(text: string): VisibleText {
  let visible = worked.get(text);
  if (!visible) {
    visible = workOut(text);
    if (worked.size >= KEPT) worked.clear();
    worked.set(text, visible);
  }
  return visible;
}

function workOut(text: string): VisibleText {
  const pieces: Piece[] = [];
  let plain = '';
  let hidden = 0;
  let from = 0;
  const special = /^[ \t\n]+$/.test(text) ? BLANKS : SPECIAL;
  special.lastIndex = 0;
  for (let match = special.exec(text); match; match = special.exec(text)) {
    const { 0: run, 1: invisible, index } = match;
    if (invisible && partOfEmoji(run, text, index)) continue;
    plain += text.slice(from, index);
    from = index + run.length;
    const count = run.length / (invisible ?? ' ').length;
    if (invisible) hidden += count;
    const mark = invisible ? codePoint(invisible) : run.startsWith('\n') ? '↵' : run.startsWith('\t') ? '⇥' : '␣';
    if (pieces.length < MARKS_AS_PIECES) {
      if (plain) pieces.push(plain);
      plain = '';
      pieces.push({ mark, count, hidden: Boolean(invisible) });
    } else plain += `⟦${mark}${count > 1 ? `×${String(count)}` : ''}⟧`;
    if (mark === '↵') plain += '\n';
  }
  plain += text.slice(from);
  if (plain) pieces.push(plain);
  return { pieces, hidden, lines: countLines(text), characters: text.length };
}

/** The text without what nobody sees: for the clipboard. */
export function withoutHidden(text: string): string {
  return text.replace(SPECIAL, (run: string, invisible: string | undefined, index: number) =>
    invisible && !partOfEmoji(run, text, index) ? '' : run,
  );
}

/** A joiner between two emoji, or the selector that makes one colourful, belongs to what people see. */
function partOfEmoji(run: string, text: string, index: number): boolean {
  if (run !== '\uFE0F' && run !== '\u200D') return false;
  const pair = text.codePointAt(index - 2) ?? 0;
  const before = pair > 0xffff ? String.fromCodePoint(pair) : text.charAt(index - 1);
  if (!EMOJI.test(before)) return false;
  const after = text.codePointAt(index + 1);
  return run === '\uFE0F' || (after !== undefined && /\p{Extended_Pictographic}/u.test(String.fromCodePoint(after)));
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const names = new Map<string, string>();

function codePoint(character: string): string {
  let name = names.get(character);
  if (!name) names.set(character, (name = `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`));
  return name;
}
