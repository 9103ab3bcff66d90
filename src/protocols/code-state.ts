/** The state of a search for code in Markdown. It is plain data, so that a look-ahead can continue from a copy. */
import type { LineContainer, LineStart } from './line-start.js';

export interface Fence {
  char: string;
  length: number;
  containers: readonly LineContainer[];
}

/** A run of backticks that may open inline code. Length 0: it is unknown which run opens code, so any run may close it. */
export interface OpenRun {
  length: number;
  line: number;
}

/** The tag that is open. `begun`: the last character was `<`. `endless`: it may end anywhere in the paragraph. */
export type Tag = 'none' | 'begun' | 'open' | 'endless';

export interface CodeState {
  containers: readonly LineContainer[];
  paragraph: boolean;
  fence: Fence | undefined;
  inQuote: boolean;
  /** The characters at the start of the line, while they are only blanks and marks. */
  prefix: string | undefined;
  start: LineStart | undefined;
  place: Place;
  /** True if a block ended earlier on this line. */
  behind: boolean;
  line: number;
  /** A fence line in code by indentation. CommonMark does not count it, but its content was not meant to run. */
  soft: { char: string; length: number } | undefined;
  /** A fence that opens at the line break, unless a backtick comes first. */
  candidate: Fence | undefined;
  /** True if the closing run was read. It counts only if nothing but blanks follows on the line. */
  closing: boolean;
  /** Length of the run of backticks or tildes just read. It may continue in the next chunk. */
  run: number;
  runChar: string;
  runIsFirst: boolean;
  runIsEscaped: boolean;
  escaped: boolean;
  wasReturn: boolean;
  openRuns: OpenRun[];
  tag: Tag;
  /** The name, so far, of a tag that begins the line. */
  tagName: string | undefined;
  /** True if a block of raw HTML may have begun: fences in it do not count, and its lines are not a paragraph. */
  html: boolean;
  /** True if its lines have marks of quotations or lists, which count only if it is not raw HTML. */
  mayBeHtml: boolean;
  /** True if it is no longer known what is code. Then no call runs automatically. */
  unsure: boolean;
}

export const beginning: Readonly<CodeState> = {
  containers: [],
  paragraph: false,
  fence: undefined,
  inQuote: false,
  prefix: '',
  start: undefined,
  place: 'line',
  behind: false,
  line: 0,
  soft: undefined,
  candidate: undefined,
  closing: false,
  run: 0,
  runChar: '',
  runIsFirst: false,
  runIsEscaped: false,
  escaped: false,
  wasReturn: false,
  openRuns: [],
  tag: 'none',
  tagName: undefined,
  html: false,
  mayBeHtml: false,
  unsure: false,
};

export const copyState = (state: Readonly<CodeState>): CodeState => ({
  ...state,
  openRuns: state.openRuns.map((one) => ({ ...one })),
});

/** The text before a position on its line: blanks only, quote and list marks, or anything else. */
export type Place = 'line' | 'item' | 'text';
