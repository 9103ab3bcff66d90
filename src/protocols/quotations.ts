/**
 * Tracks what the shown text quotes or only thinks, to distinguish such a call from an intended one: open quotation marks in the paragraph,
 * and tags around thoughts and examples.
 */

/** The closing marks for each mark that may open a quotation. Languages differ in which of two marks comes first. */
const CLOSERS = new Map<string, string>([
  ['"', '"'],
  ["'", "'"],
  ['＂', '＂'],
  ['“', '”“'],
  ['”', '”'],
  ['„', '“”‟"'],
  ['‟', '”'],
  ['‘', '’‘'],
  ['’', '’'],
  ['‚', '‘’'],
  ['«', '»'],
  ['»', '«»'],
  ['‹', '›'],
  ['›', '‹›'],
  ['「', '」'],
  ['『', '』'],
  ['〝', '〞〟'],
  ['❝', '❞'],
  ['❛', '❜'],
]);

/** Marks that are also apostrophes. They open a quotation only if a call follows immediately. */
const APOSTROPHES = "'‘’‚‹›❛";

const CLOSING = new Set([...CLOSERS.values()].join(''));
const NOTABLE = new RegExp(`[\\n>\\]▷${[...new Set([...CLOSERS.keys(), ...CLOSING])].join('')}]`, 'g');
const MOST_OPEN = 16;

/** A tag that ends here: of reasoning in templates other than `<think>`, or of something quoted. */
const TAG =
  /<\|?(\/|end_of_)?(?:begin_of_|seed:)?(think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad|examples?|quote|blockquote|code)(?:\s[^<>]*)?\|?>$|[[◁](\/)?think[\]▷]$/i;

/** A token that ends the assistant's turn. What follows it is made up, such as an answer of the user. */
const TURN_END = /<(?:\|(?:im_end|eot_id|eot|eos|end_of_turn|endoftext|end_of_text)\||end_of_turn|[|｜]end▁of▁sentence[|｜])>$/i;

/** Maximum length of the part of a line that is searched for a tag. */
const TAG_CHARS = 200;

export interface Quotations {
  /** Reads the next part of the shown text. */
  read(text: string): void;
  /** True if a quotation or such a tag is open here, or if the assistant's turn was over before. */
  readonly isOpen: boolean;
  /** The marks that would close a quotation whose opening mark comes last before this position, ignoring blanks; empty if there is none. */
  readonly closers: string;
}

export function createQuotations(): Quotations {
  let open: string[] = [];
  let last = ''; // the last character
  let closers = '';
  let isBlankLine = true;
  let line = ''; // the end of the current line
  let isOver = false;
  const tags = new Set<string>();

  /** Only a tag at the start of a line opens something: elsewhere it is a word. */
  function readTag(): void {
    isOver ||= TURN_END.test(line);
    const tag = TAG.exec(line);
    if (!tag) return;
    const [, ends, written = 'think', slash] = tag;
    const name = written.toLowerCase();
    if (ends ?? slash) tags.delete(name);
    else if (line.length < TAG_CHARS && line.slice(0, tag.index).trim() === '') tags.add(name);
  }

  function readMark(mark: string, before: string): void {
    const opened = open.findLastIndex((one) => CLOSERS.get(one)!.includes(mark));
    if (opened >= 0) {
      open.length = opened;
      closers = '';
      return;
    }
    // After a digit it is a sign for inches or minutes.
    closers = before >= '0' && before <= '9' ? '' : (CLOSERS.get(mark) ?? '');
    if (closers && !APOSTROPHES.includes(mark) && open.length < MOST_OPEN) open.push(mark);
  }

  function pass(between: string): void {
    if (between.trim() === '') return;
    isBlankLine = false;
    closers = '';
  }

  return {
    read(text) {
      let at = 0;
      for (const { index, 0: mark } of text.matchAll(NOTABLE)) {
        pass(text.slice(at, index));
        line = mark === '\n' ? '' : (line + text.slice(at, index + 1)).slice(-TAG_CHARS);
        at = index + 1;
        if ('>]▷'.includes(mark)) readTag();
        if (mark !== '\n') {
          readMark(mark, index > 0 ? text[index - 1]! : last);
          isBlankLine = false;
          continue;
        }
        // An empty line ends the paragraph and its quotations, unless a quotation has just begun.
        if (isBlankLine && !closers) open = [];
        isBlankLine = true;
      }
      pass(text.slice(at));
      line = (line + text.slice(at)).slice(-TAG_CHARS);
      last = text.at(-1) ?? last;
    },
    get isOpen() {
      return open.length > 0 || tags.size > 0 || isOver;
    },
    get closers() {
      return closers;
    },
  };
}
