/** Finds the end of a value in brackets as it arrives: JSON, the arguments of a Python call, or an object as Gemma writes it. */
export type Kind = 'json' | 'python' | 'gemma';

export interface Brackets {
  begin(kind: Kind): void;
  /** Reads on to where the value is over, to a `<` or `[` that may be a mark, or to `end`. */
  read(text: string, at: number, end: number): number;
  /** Passes the character where `read` has stopped. */
  pass(): void;
  /** The value is over. */
  readonly done: boolean;
  readonly inString: boolean;
  /** Only more text can tell what it has stopped at. */
  readonly held: boolean;
}

const OPEN = '([{';
const CLOSE = ')]}';
const GEMMA_QUOTE = '<|"|>';

export function createBrackets(): Brackets {
  let kind: Kind = 'json';
  let depth = 0;
  let quote = ''; // that the open string ends with
  let single = false; // single quotes are some, too
  let known = false;
  let escaped = false;
  let passing = false;
  let done = false;
  let held = false;

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
    read(text, at, end) {
      let index = at;
      held = false;
      for (; index < end; index += 1) {
        const char = text[index]!;
        if (escaped) {
          escaped = false;
          continue;
        }
        if (char === '<' || (char === '[' && quote !== '')) {
          if (kind === 'gemma' && char === '<' && (quote === '' || quote === '<')) {
            if (text.startsWith(GEMMA_QUOTE, index)) {
              quote = quote === '' ? '<' : '';
              index += GEMMA_QUOTE.length - 1;
              passing = false;
              continue;
            }
            held = GEMMA_QUOTE.startsWith(text.slice(index, index + GEMMA_QUOTE.length));
            if (held) return index;
          }
          if (!passing) return index;
          passing = false;
          continue;
        }
        if (quote !== '') {
          if (char === '\\' && quote !== '<') escaped = true;
          else if (char === quote) quote = '';
        } else if (char === '"' || char === "'") {
          // What the first string begins with tells what strings begin with.
          if (!known) single = char === "'";
          known = true;
          if (char === '"' || single) quote = char;
        } else if (OPEN.includes(char)) depth += 1;
        else if (CLOSE.includes(char)) {
          depth -= 1;
          if (depth <= 0) {
            done = true;
            return index + 1;
          }
        }
      }
      return index;
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
