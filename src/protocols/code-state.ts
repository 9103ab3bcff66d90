/** What `code-spans.ts` knows of the text so far. Plain data, so that looking ahead can go on from a copy. */
import type { LineContainer, LineStart } from './line-start.js';

export interface Fence {
  char: string;
  length: number;
  containers: readonly LineContainer[];
}

/** A run of backticks that may open inline code; of length 0 where it is not known which run does: then any may close it. */
export interface OpenRun {
  length: number;
  line: number;
}

/** `begun`: a `<` was the last character. `endless`: it may end anywhere in the paragraph. */
export type Tag = 'none' | 'begun' | 'open' | 'endless';

export interface CodeState {
  containers: readonly LineContainer[];
  paragraph: boolean;
  fence: Fence | undefined;
  inQuote: boolean;
  /** What the line began with, as long as nothing else has come. */
  prefix: string | undefined;
  start: LineStart | undefined;
  place: Place;
  /** A block stood before on this line. */
  behind: boolean;
  line: number;
  /** A line of fence in code by indentation: none by the rules, but what is in it was not meant to run. */
  soft: { char: string; length: number } | undefined;
  /** Opens at the line break, unless a backtick comes first. */
  candidate: Fence | undefined;
  /** The closing run was read; holds if only blanks follow on the line. */
  closing: boolean;
  /** Backticks or tildes just read; may go on with the next chunk. */
  run: number;
  runChar: string;
  runIsFirst: boolean;
  runIsEscaped: boolean;
  escaped: boolean;
  wasReturn: boolean;
  openRuns: OpenRun[];
  tag: Tag;
  /** The name of a tag that begins the line, as far as it goes. */
  tagName: string | undefined;
  /** A block of raw HTML may have begun: fences in it are none, and its lines are no paragraph. */
  html: boolean;
  /** Its lines have marks of quotations or lists, which count only if it is none. */
  mayBeHtml: boolean;
  /** It can no longer be told what is code: no call runs by itself. */
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

/** What stands before a position on its line: blanks only, quote and list marks, or anything else. */
export type Place = 'line' | 'item' | 'text';
