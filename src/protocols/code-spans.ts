/**
 * Knows where Markdown code is, so that a call in an example is not a call (protocols.md §3, X-08).
 *
 * Everything is decided from the past alone: a marker behind an unmatched backtick of its line counts as code. And in doubt a
 * fence is seen rather than missed, with any indentation and behind `>` or list marks: the first shows a call as text, the
 * second runs an example.
 */

/** What stands before a position on its line: blanks only, quote and list marks, or anything else. */
export type Place = 'line' | 'item' | 'text';

export interface CodeSpans {
  /** Where `next` has stopped. */
  readonly place: Place;
  /**
   * Reads on from `at` to the next of the stop characters that is not in code, and returns its index, or the length of the text.
   * With `plain` the character at `at` is ordinary text and no stop.
   */
  next(text: string, at: number, plain: boolean): number;
  /** Something that is not shown stood here: what follows counts as the start of a line. */
  restartLine(): void;
  /** The text is over: settles a run at its very end. */
  end(): void;
}

/** Told when a fence has opened or closed with the line that ends before `end`. `prefixed`: it stands in a quotation. */
export type FenceListener = (kind: 'opened' | 'closed', end: number, quoted: boolean) => void;

interface Fence {
  char: string;
  length: number;
  column: number;
  quoted: boolean;
}

/** `stops` are ASCII characters. */
export function createCodeSpans(stops: string, onFence: FenceListener): CodeSpans {
  // The characters that end a run of plain prose; a table look-up a unit, so prose costs next to nothing.
  const special = new Uint8Array(128);
  for (const char of `\n\r\`${stops}`) special[char.charCodeAt(0)] = 1;

  let fence: Fence | undefined; // the fence we are in
  let candidate: Fence | undefined; // opens at the line break, unless a backtick comes first
  let closing = false; // the closing run was read; holds if only blanks follow on the line
  let ticks = 0; // length of the run that opened inline code on this line

  let place: Place = 'line';
  let column = 0; // of the first character that is no blank and no quote or list mark
  let quoted = false;
  let mark: '' | 'number' | 'complete' = ''; // a list mark in the making; `complete` still needs a blank

  let run = 0; // backticks or tildes just read; may go on with the next chunk
  let runChar = '';
  let runIsFirst = false;

  function next(text: string, at: number, plain: boolean): number {
    let index = at;
    while (index < text.length) {
      if (run > 0 && text[index] !== runChar) endRun();
      if (place === 'text' && run === 0 && !closing) {
        while (index < text.length && !special[text.charCodeAt(index)]) index += 1;
        if (index === text.length) return index;
      }
      const char = text[index]!;
      const stopsHere = run === 0 && stops.includes(char) && !inCode() && !(plain && index === at);
      if (stopsHere) return index;
      if (char === '\n' || char === '\r') endLine(index + 1);
      else if (char === '`' || (char === '~' && (run > 0 || place !== 'text'))) countRun(char);
      else if (place !== 'text') readLineStart(char);
      else if (closing && char !== ' ' && char !== '\t') closing = false;
      index += 1;
    }
    return index;
  }

  function inCode(): boolean {
    return fence !== undefined || candidate !== undefined || ticks > 0;
  }

  function countRun(char: string) {
    if (run === 0) {
      runChar = char;
      runIsFirst = place !== 'text' && mark === '';
      place = 'text';
      closing = false;
    }
    run += 1;
  }

  function endRun() {
    const length = run;
    run = 0;
    if (fence) {
      // A closer may be indented by three blanks more than its opener, as in CommonMark; deeper it is code.
      closing = runIsFirst && runChar === fence.char && length >= fence.length && column <= fence.column + 3;
      return;
    }
    const opens = runIsFirst && length >= 3;
    if (runChar === '~') {
      if (opens) candidate = { char: runChar, length, column, quoted };
    } else if (candidate?.char !== '~') {
      candidate = opens ? { char: runChar, length, column, quoted } : undefined;
      if (ticks === 0) ticks = length;
      else if (ticks === length) ticks = 0;
    }
  }

  function endLine(end: number) {
    if (candidate) {
      fence = candidate;
      onFence('opened', end, fence.quoted);
    } else if (fence && closing) {
      onFence('closed', end, fence.quoted);
      fence = undefined;
    }
    candidate = undefined;
    closing = false;
    ticks = 0;
    restartLine();
  }

  function restartLine() {
    place = 'line';
    column = 0;
    quoted = false;
    mark = '';
  }

  function readLineStart(char: string) {
    if (char === ' ' || char === '\t') {
      if (mark === 'number') place = 'text';
      mark = '';
      column += char === ' ' ? 1 : 4;
      return;
    }
    column += 1;
    if (char === '>' && mark === '' && (!fence || fence.quoted)) quoted = true;
    else if (fence || mark === 'complete') place = 'text';
    else if ((char === '-' || char === '*' || char === '+') && mark === '') mark = 'complete';
    else if (char >= '0' && char <= '9') mark = 'number';
    else if ((char === '.' || char === ')') && mark === 'number') mark = 'complete';
    else place = 'text';
    if (place === 'line') place = 'item';
  }

  function end() {
    if (run > 0) endRun();
    if (closing && fence) onFence('closed', 0, fence.quoted);
  }

  return {
    get place() {
      return place;
    },
    next,
    restartLine,
    end,
  };
}
