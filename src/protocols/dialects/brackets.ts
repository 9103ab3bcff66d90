/** Finds the end of a bracketed value as it streams: JSON, the arguments of a Python call, or an object in Gemma's format. */
import { charTable, findChar } from '../scan.js';
import { endTagName } from './cursor.js';
import { isMarkName } from './marks.js';

export type Kind = 'json' | 'python' | 'gemma';

export interface Brackets {
  begin(kind: Kind): void;
  /**
   * Reads on to the end of the value, to a `<` or `[` that may begin a mark, or to `end`.
   * @param marks Also stops at these characters inside a string.
   */
  read(text: string, at: number, end: number, marks?: boolean): number;
  /** Consumes the character where `read` stopped. */
  pass(): void;
  /** True if the value is complete. */
  readonly done: boolean;
  readonly inString: boolean;
  /** True if only more text can tell what the character at the stop position is. */
  readonly held: boolean;
}

const OPEN = '([{';
const GEMMA_QUOTE = '<|"|>';
const OUTSIDE = charTable('"\'([{)]}<');
/** Tables by the character that ends the open string; `<` is Gemma's. */
const INSIDE: Readonly<Record<string, Uint8Array>> = {
  __proto__: null as never,
  '"': charTable('"\\<['),
  "'": charTable("'\\<["),
  '<': charTable('<['),
};

export function createBrackets(): Brackets {
  let kind: Kind = 'json';
  let depth = 0;
  let quote = ''; // the character that ends the open string
  let single = false; // single quotes also delimit strings
  let known = false;
  let escaped = false;
  let passing = false;
  let done = false;
  let held = false;

  /** Checks for Gemma's quote. Sets `held` if only more text can tell. */
  function isGemmaQuote(text: string, at: number): boolean {
    if (kind !== 'gemma' || (quote !== '' && quote !== '<')) return false;
    if (text.startsWith(GEMMA_QUOTE, at)) return true;
    held = GEMMA_QUOTE.startsWith(text.slice(at, at + GEMMA_QUOTE.length));
    return false;
  }

  function readQuote(char: string) {
    if (quote !== '') {
      if (char === quote) quote = '';
      return;
    }
    // The first string shows which quotes delimit strings.
    if (!known) single = char === "'";
    known = true;
    if (char === '"' || single) quote = char;
  }

  return {
    begin(given) {
      kind = given;
      depth = 0;
      quote = '';
      single = given === 'python';
      known = given !== 'json';
      escaped = passing = done = false;
    },
    pass: () => void (passing = true),
    read(text, at, end, marks = true) {
      held = false;
      for (let index = at; index < end; index += 1) {
        if (escaped) {
          escaped = false;
          continue;
        }
        if (!passing) index = findChar(text, index, end, quote === '' ? OUTSIDE : INSIDE[quote]!);
        if (index >= end) break;
        const char = text[index]!;
        if (char === '<' && isGemmaQuote(text, index)) {
          quote = quote === '' ? '<' : '';
          index += GEMMA_QUOTE.length - 1;
          passing = false;
        } else if (char === '<' || (char === '[' && quote !== '')) {
          if (held || (!passing && (quote === '' || (marks && mayEndCalls(text, index))))) return index;
          passing = false;
        } else if (char === '\\') escaped = true;
        else if (char === '"' || char === "'") readQuote(char);
        else if (OPEN.includes(char)) depth += 1;
        else {
          depth -= 1;
          if (depth <= 0) {
            done = true;
            return index + 1;
          }
        }
      }
      return end;
    },
    get done() {
      return done;
    },
    get held() {
      return held;
    },
    get inString() {
      return quote !== '';
    },
  };
}

/** Checks whether a mark that ends calls may begin here. */
function mayEndCalls(text: string, at: number): boolean {
  const next = text[at + 1];
  if (text[at] === '[' || next === undefined) return next === undefined || next === '/';
  if (next !== '/') return '|｜Tt'.includes(next);
  const name = endTagName(text, at);
  return name === undefined || isMarkName(name);
}
