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
  /^<(?:\|?(\/|end_(?:of_)?)?(?:begin_of_|start_|ant_?|inner_|internal_|\w{1,16}:)?((?:think(?:ing)?|thoughts?)(?:_process)?|chain_of_thought|cot|reasoning|rationale|reflection|analysis|monologue|deliberation|scratchpad|plan|drafts?|critique|examples?|documents?|email|details|quote|blockquote|code|hypothetical|(?:tool|function|search)_(?:response|results?|outputs?)|output|results?)(?:\s[^<>]*)?\|?|(\|(?:im_end|eo[mt]_id|eot|eos|end|return|user|user_token|end_of_turn|end_of_turn_token|endoftext|end_of_text)\||end_of_turn|turn\||(?:seed:)?eos|[|｜](?:end▁of▁sentence|user)[|｜]))>$/i;

/** A line that begins a turn of the user or of the assistant, as in a transcript. */
const TURN = /^(?:[#*\s]|<[^<>]{1,40}>){0,4}(?:(user|human)|assistant|model|ai)(?:\*\*|<[^<>]{1,40}>)?(?::|\s{0,4}$)/i;

/** The beginning of thoughts from whose marks a server has removed the tokens. Those of gpt-oss end with `assistantfinal`. */
const BARE_THOUGHTS = /^(?:analysis[A-Z]|thought\n)/;
const BARE_END = 'assistantfinal';

/** Maximum length of the part of a line that is searched for a tag. */
const TAG_CHARS = 200;

export interface Quotations {
  /** Reads the next part of the shown text. */
  read(text: string): void;
  /** True if a quotation, such a tag or thoughts without marks are open here, or if the assistant's turn was over before. */
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
  let isAsked = false; // a turn of the user was made up
  let beginning = ''; // the first characters of the text
  let tail = ''; // the last characters of thoughts without marks
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

  /** Returns whose turn the line begins. */
  function turnOf(written: string): 'user' | 'assistant' | undefined {
    const turn = written.length < TAG_CHARS && TURN.exec(written);
    return turn ? (turn[1] ? 'user' : 'assistant') : undefined;
  }

  function readLine(written: string): void {
    const turn = turnOf(written);
    isAsked ||= turn === 'user';
    isOver ||= isAsked && turn === 'assistant';
  }

  function readThoughts(text: string): void {
    if (beginning.length < 9) beginning = (beginning + text).trimStart().slice(0, 9);
    if (tail !== BARE_END && BARE_THOUGHTS.test(beginning)) {
      const end = (tail + text).indexOf(BARE_END);
      tail = end < 0 ? (tail + text).slice(-BARE_END.length) : BARE_END;
    }
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
      readThoughts(text);
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
        readLine(lineTo(text, lineStart, index));
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
      const isThinking = tail !== BARE_END && BARE_THOUGHTS.test(beginning);
      const turn = turnOf(line);
      return open.length > 0 || tags.size > 0 || isThinking || isOver || turn === 'user' || (isAsked && turn === 'assistant');
    },
    get isOver() {
      return isOver;
    },
    get closers() {
      return closers;
    },
  };
}
