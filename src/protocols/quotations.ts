/**
 * Tracks what the shown text quotes or only thinks, to distinguish such a call from an intended one: open quotation marks in the paragraph,
 * and tags around thoughts and examples.
 */

import { findChar } from './scan.js';

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
const NOTABLE = new Uint8Array(65_536);
for (const char of ['\n', '>', ...CLOSERS.keys(), ...CLOSING]) NOTABLE[char.charCodeAt(0)] = 1;
const MOST_OPEN = 16;

/**
 * A tag of reasoning that is not among the marks of templates, or of something quoted; or a token that ends the assistant's turn or begins
 * the user's. What follows that is made up, such as an answer of the user.
 */
const TAG =
  /^<(?:\|?(\/|end_(?:of_)?)?(?:begin_of_|start_|ant_?|inner_|internal_|\w{1,16}:)?(think(?:ing)?|thoughts?|reasoning|rationale|reflection|analysis|monologue|deliberation|scratchpad|plan|drafts?|critique|examples?|documents?|email|details|quote|blockquote|code)(?:\s[^<>]*)?\|?|(\|(?:im_end|eo[mt]_id|eot|eos|end|return|user|user_token|end_of_turn|end_of_turn_token|endoftext|end_of_text)\||end_of_turn|turn\||(?:seed:)?eos|[|｜](?:end▁of▁sentence|user)[|｜]))>$/i;

/** Maximum length of the part of a line that is searched for a tag. */
const TAG_CHARS = 200;

export interface Quotations {
  /** Reads the next part of the shown text. */
  read(text: string): void;
  /** True if a quotation or such a tag is open here, or if the assistant's turn was over before. */
  readonly isOpen: boolean;
  /** True if the assistant's turn was over before. */
  readonly isOver: boolean;
  /** The marks that would close a quotation whose opening mark comes last before this position, ignoring blanks; empty if there is none. */
  readonly closers: string;
}

export function createQuotations(): Quotations {
  let open: string[] = []; // the closing marks of the open quotations
  let last = ''; // the last character
  let closers = '';
  let isBlankLine = true;
  let line = ''; // the end of the current line, without the text that is being read
  let isOver = false;
  const tags = new Set<string>();

  const lineTo = (text: string, from: number, end: number): string =>
    (line + text.slice(Math.max(from, end - TAG_CHARS), end)).slice(-TAG_CHARS);

  /**
   * Reads a tag that ends before `end`. Only a tag at the start of a line opens something: elsewhere it is a word. Most tags are whole in
   * `text`, and are no such tags.
   */
  function readTag(text: string, lineStart: number, end: number): void {
    let from = end - 2;
    while (from >= lineStart && end - from <= TAG_CHARS && !'<>'.includes(text[from]!)) from -= 1;
    if (from >= lineStart && !TAG.test(text.slice(from, end))) return;
    const before = lineTo(text, lineStart, end);
    const at = before.lastIndexOf('<');
    const tag = TAG.exec(before.slice(at));
    if (!tag) return;
    isOver ||= tag[3] !== undefined;
    const name = (tag[2] ?? '').toLowerCase();
    if (tag[1]) tags.delete(name);
    else if (before.length < TAG_CHARS && before.slice(0, at).trim() === '') tags.add(name);
  }

  function readMark(mark: string, before: string): void {
    const opened = open.findLastIndex((ends) => ends.includes(mark));
    if (opened >= 0) {
      open.length = opened;
      closers = '';
      return;
    }
    // After a digit it is a sign for inches or minutes.
    closers = before >= '0' && before <= '9' ? '' : (CLOSERS.get(mark) ?? '');
    if (closers && !APOSTROPHES.includes(mark) && open.length < MOST_OPEN) open.push(closers);
  }

  function pass(text: string, from: number, end: number): void {
    if ((!isBlankLine && !closers) || text.slice(from, end).trim() === '') return;
    isBlankLine = false;
    closers = '';
  }

  return {
    read(text) {
      const end = text.length;
      let at = 0;
      let lineStart = 0;
      for (let index = 0; (index = findChar(text, at, end, NOTABLE)) < end;) {
        const mark = text[index]!;
        pass(text, at, index);
        at = index + 1;
        if (mark !== '\n') {
          const before = index > 0 ? text[index - 1]! : last;
          isBlankLine = false;
          if (mark === '>') {
            closers = '';
            readTag(text, lineStart, at);
          } else readMark(mark, before);
          continue;
        }
        line = '';
        lineStart = at;
        // An empty line ends the paragraph and its quotations, unless a quotation has just begun.
        if (isBlankLine && !closers) open = [];
        isBlankLine = true;
      }
      pass(text, at, end);
      line = lineTo(text, lineStart, end);
      last = text.at(-1) ?? last;
    },
    get isOpen() {
      return open.length > 0 || tags.size > 0 || isOver;
    },
    get isOver() {
      return isOver;
    },
    get closers() {
      return closers;
    },
  };
}
