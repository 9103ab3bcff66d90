/** Tracks the open quotation marks in the paragraph, to distinguish a quoted call from an intended one. */

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
const NOTABLE = new RegExp(`[\\n${[...new Set([...CLOSERS.keys(), ...CLOSING])].join('')}]`, 'g');
const MOST_OPEN = 16;

export interface Quotations {
  /** Reads the next part of the shown text. */
  read(text: string): void;
  /** True if a quotation is open here. */
  readonly isOpen: boolean;
  /** The marks that would close a quotation whose opening mark comes last before this position, ignoring blanks; empty if there is none. */
  readonly closers: string;
}

export function createQuotations(): Quotations {
  let open: string[] = [];
  let last = ''; // the last character
  let closers = '';
  let isBlankLine = true;

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
        at = index + 1;
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
      last = text.at(-1) ?? last;
    },
    get isOpen() {
      return open.length > 0;
    },
    get closers() {
      return closers;
    },
  };
}
