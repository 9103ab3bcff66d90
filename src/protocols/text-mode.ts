/**
 * Text mode, the engine that all parsers share. Splits a stream into prose, reasoning and the blocks of one protocol, and shows
 * everything except the shortest suffix that is still undecided.
 *
 * The order of recognition is: byte order mark, code (fences, then inline), reasoning tags, the parser's own opener. The engine knows no
 * parser; a parser sees text only from its committed opener on.
 */
import { createMarkdownContext, type Lookahead } from './markdown-context.js';
import { type Place } from './code-state.js';
import { createTrailingBlock } from './trailing-block.js';
import type { EndReason, ParserOptions, ProtocolParser, Segment } from './protocol.js';
import { createQuotations } from './quotations.js';
import { HOLD_LIMIT, NEED_MORE, NO_MATCH } from './scan.js';
import { createTextBuffer } from './call-buffer.js';
import { createHeldCalls, withFlag } from './hold-last-call.js';
import { endsOf, matchThought, matchThoughtEnd, matchThoughtStart, mayBeThought, THOUGHT_STOPS } from './thought-marks.js';

/** Maximum length of one unfinished call, in UTF-16 units, if the host sets none. */
export const DEFAULT_MAX_ACCUMULATOR = 1_048_576;

/** The functions that text mode offers to a parser. */
export interface BlockHost {
  readonly maxAccumulator: number;
  /** Emits a segment. `unlessExplained`: the call requires approval if text follows it in the message, so it waits until that is known. */
  emit(segment: Segment, unlessExplained?: boolean): void;
  createId(): string;
  /**
   * Takes back a block that turned out not to be one: `source`, including the opener, is read again as prose (it may open a fence, or
   * contain a block further on; its first character opens nothing). Set `inside` to false as well. Each rejection should shorten the
   * remaining text, or the time is no longer linear. With `again`, its first character is tried once more, for a parser that can read the
   * same opener in another way.
   */
  reject(source: string, again?: boolean): void;
  /**
   * Gives back text that a block had read beyond its end: `source` is read again as the text after the block. Set `inside` to false as
   * well. Must not happen twice for the same text.
   */
  resume(source: string): void;
}

/** A parser of calls, as text mode drives it. It lives as long as one message. */
export interface Notation {
  /** The characters an opener may begin with (ASCII). `open` is called at these, and at every `<`. */
  readonly openers: string;
  /**
   * Checks for an opener at `at`, never in code. Returns the position after an opener that is now committed, `NO_MATCH`, or `NEED_MORE` if only
   * further text can tell. It may look at `HOLD_LIMIT` units; text that is still undecided then is prose. A fence is an ordinary opener:
   * add the backtick to `openers`.
   */
  open(text: string, at: number, place: Place): number;
  /** True from a committed opener until the block is over. */
  readonly inside: boolean;
  /**
   * Reads on in the block from `at`. Returns the position up to which everything is decided; the rest comes again with the next chunk, so
   * it must be short (`HOLD_LIMIT`). When `inside` has become false, prose continues at the returned position. With `ending` set, no text
   * will follow: the block is settled now, and after `abort` no call may be created from it.
   */
  read(text: string, at: number, ending: EndReason | undefined): number;
  /**
   * The text that the parser needs before and after JSON without its own markup, in a fence of another kind or as the whole message. Such
   * a call is offered like a fenced one.
   */
  readonly alone?: readonly [before: string, after: string];
  /** True if it never finds a call. Then nothing is remembered for one. */
  readonly isEmpty?: boolean;
  /** Returns the state for debugging; `held` is the undecided text. */
  inspect(held: string): { state: number | string; [field: string]: unknown };
}

export type CreateNotation = (host: BlockHost) => Notation;

/**
 * Maximum look-ahead for the end of inline code; a call after that is code. A longer call in quotation marks is read, and requires
 * approval.
 */
const LOOK_LIMIT = 32_768;

/** Maximum length of a shown call that is offered: at the end of the message all of it is read again in one step. */
const LONGEST_SHOWN = 262_144;

/**
 * Size of the pieces of a long text, in UTF-16 units. Text that a block gives back is put before the rest of its piece, and no more than
 * that is copied.
 */
const PIECE = 4096;

/** Characters before a name that is quoted. */
const QUOTES = '"\'“„‘«‹「『([{';
const isBlankChar = (char: string): boolean => char.trim() === '';

/** Creates a parser of text and blocks. It accepts any input in any chunks, in linear time; the segments depend on the text alone. */
export function createTextMode(
  createBlockParser: CreateNotation,
  emitNow: (segment: Segment) => void,
  options: ParserOptions = {},
  /** True if the complete message is given, so that it is known what follows a call. */
  alone = false,
): ProtocolParser {
  let calls = 0;
  const createId = options.createId ?? (() => `call-${(calls += 1)}`);
  const maxAccumulator = options.maxAccumulator ?? DEFAULT_MAX_ACCUMULATOR;

  let mode: 'text' | 'reasoning' | 'block' | 'behind' | 'doubt' = 'text';
  let held = ''; // the undecided text: less than the hold limit between chunks
  let started = false;
  let over = false;

  let text = ''; // the text being read, and the position up to which it was shown
  let shown = 0;
  let plain = false; // the next character opens nothing
  let again: string | undefined; // the text to be read again
  let resumes = false; // the text to be read again follows the end of a block
  let found = false; // a call or call error was found: a fenced call is then an example

  let opener = ''; // the first character of the block
  let flag: 'suspicious' | undefined; // the flag of the calls in the block

  // A call that may be in inline code. The text of the look-ahead is read again when the outcome is known.
  let ahead: Lookahead | undefined;
  const looked = createTextBuffer();
  let lookedLength = 0;
  let passing = 0; // length of the text that is code
  const spans: string[] = []; // inline code, or a quotation, that is a call

  // A block right after an opening quotation mark. Its segments wait until it is known whether the closing mark follows.
  let quotations = createQuotations();
  let quoted: { closers: string; source: string; found: [segment: Segment, unlessExplained: boolean][] } | undefined;

  // The state for an end of reasoning without an opening tag.
  let said = false; // a part of an answer has come
  let called = false; // a call was found since reasoning was last separated
  let reasoned = false;
  let thoughtEnds: readonly string[] = []; // the marks that end the open reasoning
  let lastChar = '';

  const { emit, wait, settle } = createHeldCalls(emitNow);

  const blockParser = createBlockParser({ maxAccumulator, emit: emitFound, createId, reject, resume });
  const { openers, isEmpty } = blockParser;
  let probe: Notation | undefined; // tries openers without committing
  const openTrailingBlock = () => createTrailingBlock(Math.min(maxAccumulator, LONGEST_SHOWN), blockParser.alone !== undefined);
  let lastFence = openTrailingBlock();
  const stops = isEmpty ? '' : openers + THOUGHT_STOPS;
  const openCode = () =>
    createMarkdownContext(stops, (kind, end, quoted) => {
      show(end);
      if (kind === 'quote') lastFence.open(true);
      else if (kind === 'closed' || kind === 'unquote') lastFence.close();
      else if (kind === 'dropped') lastFence.drop();
      else if (!quoted) lastFence.open(false);
    });
  let code = openCode();

  function push(chunk: string) {
    for (let at = 0; at < chunk.length && !over; at += PIECE) take(chunk.slice(at, at + PIECE));
  }

  function take(chunk: string) {
    let next = held + chunk;
    if (!started) {
      started = true;
      if (next.charCodeAt(0) === 0xfeff) next = next.slice(1);
    }
    // Half of a surrogate pair waits for the other half, in every mode: everything we look for is in the basic plane.
    const last = next.charCodeAt(next.length - 1);
    const half = last >= 0xd800 && last <= 0xdbff ? next.slice(-1) : '';
    advance(half ? next.slice(0, -1) : next, undefined);
    held += half;
  }

  function end(reason: EndReason = 'stop') {
    if (over) return;
    over = true;
    // After an abort, the missing rest might have been text.
    if (reason === 'abort') settle(reason);
    advance(held, reason);
    settle(reason);
    code.end();
    if (reason !== 'abort' && !found) offerShown();
  }

  function advance(next: string, ending: EndReason | undefined) {
    text = next;
    let at = 0;
    for (let before: typeof mode | undefined; before !== mode;) {
      before = mode;
      if (mode === 'text') at = readText(at, ending !== undefined);
      else if (mode === 'reasoning') at = readReasoning(at, ending !== undefined);
      else if (mode === 'doubt') at = lookAhead(at, ending);
      else if (mode === 'behind') at = readBehind(at, ending !== undefined);
      else at = readBlock(at, ending);
    }
    held = text.slice(at);
    text = '';
  }

  function readText(at: number, final: boolean): number {
    shown = at;
    let index = at + passing;
    code.pass(text, at, index);
    passing = 0;
    for (;;) {
      index = code.next(text, index, plain);
      plain = false;
      if (index === text.length) break;
      const char = text[index]!;
      const mayThink = THOUGHT_STOPS.includes(char) && mayBeThought(text, index);
      // Only tokens are marks anywhere.
      const think = mayThink && (code.place === 'line' || text[index + 1] === '|') ? matchThoughtStart(text, index) : NO_MATCH;
      if (think > NO_MATCH) {
        thoughtEnds = endsOf(text.slice(index, think));
        return enter('reasoning', index, think);
      }
      const stray = mayThink ? matchThoughtEnd(text, index) : NO_MATCH;
      const doubt = code.doubt(char);
      const mayOpen = doubt !== 'quotation' && (char === '<' || openers.includes(char));
      const block = !mayOpen ? NO_MATCH : doubt === 'span' ? probeOpen(index) : blockParser.open(text, index, code.place);
      if (block > NO_MATCH && doubt === 'span') {
        ahead = code.fork();
        return enter('doubt', index, index);
      }
      if (block > NO_MATCH) {
        opener = char;
        enter('block', index, block);
        const { closers, isOpen } = quotations;
        flag = doubt || isOpen ? 'suspicious' : undefined;
        quoted = closers ? { closers, source: text.slice(index, block), found: [] } : undefined;
        return block;
      }
      if (stray > NO_MATCH) {
        show(index);
        const ends = doubt === 'quotation' ? false : endsReasoning(index, stray, final);
        if (ends === undefined) break;
        index = shown = stray;
        if (ends) turnIntoReasoning();
        continue;
      }
      const isUndecided = Math.min(think, stray, block) === NEED_MORE; // the least of all results
      if (isUndecided && !final && text.length - index < HOLD_LIMIT) break;
      plain = true;
    }
    show(index);
    return index;
  }

  /**
   * Checks whether a closing reasoning tag without an opening one ends reasoning: some templates open the reasoning themselves. It counts
   * alone on its line, at the end of a line, or right after a word; in the middle of a sentence it is a word. After separated reasoning it
   * counts only if a call would run otherwise. `undefined`: only further text can tell.
   */
  function endsReasoning(index: number, end: number, final: boolean): boolean | undefined {
    if (!said || (reasoned && !called)) return false;
    if (code.place === 'line') return true;
    // After a word. Tags with common names are also mentioned in examples.
    if (!isBlankChar(lastChar) && !QUOTES.includes(lastChar) && (called || !/^<\/[rt](?!hink)/i.test(text.slice(index, end)))) return true;
    let at = end;
    while (at < text.length && (text[at] === ' ' || text[at] === '\t')) at += 1;
    if (at === text.length) return final || at - index >= HOLD_LIMIT ? true : undefined;
    return text[at] === '\n' || text[at] === '\r';
  }

  /** Turns everything so far into reasoning, and reads the following text as if nothing had preceded it. */
  function turnIntoReasoning() {
    emit({ type: 'was-reasoning' });
    said = called = found = false;
    reasoned = true;
    spans.length = 0;
    lastFence = openTrailingBlock();
    code = openCode();
    // An end of reasoning that the model made up ends nothing.
    if (!quotations.isOver) quotations = createQuotations();
  }

  function probeOpen(index: number): number {
    const ignore = () => '';
    probe ??= createBlockParser({ maxAccumulator, emit: ignore, createId: ignore, reject: ignore, resume: ignore });
    const end = probe.open(text, index, code.place);
    if (end > NO_MATCH) probe = undefined;
    return end;
  }

  /** Looks ahead to find out whether the call is in inline code, and then reads all of that text again. */
  function lookAhead(at: number, ending: EndReason | undefined): number {
    const end = ahead!.read(text, at, Math.min(text.length, at + LOOK_LIMIT - lookedLength));
    looked.add(text.slice(at, end));
    lookedLength += end - at;
    // The part that was cut off may have closed it.
    const isFar = lookedLength >= LOOK_LIMIT || ending === 'abort';
    if (ending && end === text.length && !isFar) ahead!.end();
    const { outcome = isFar ? 'closed' : undefined } = ahead!;
    if (!outcome) return end;
    const source = looked.join();
    looked.clear();
    if (outcome === 'ended') code.settle();
    else {
      passing = lookedLength;
      if (spans.length < 2 && callIn(source, true)) spans.push(source);
    }
    lookedLength = 0;
    ahead = undefined;
    mode = 'text';
    text = source + text.slice(end);
    return 0;
  }

  function readReasoning(at: number, final: boolean): number {
    const first = thoughtEnds[0]![0]!;
    let index = text.indexOf(first, at);
    let closed = NO_MATCH;
    while (index !== -1) {
      closed = matchThought(text, index, thoughtEnds);
      if (closed > NO_MATCH || (closed === NEED_MORE && !final)) break;
      index = text.indexOf(first, index + 1);
    }
    const end = index === -1 ? text.length : index;
    if (end > at) emit({ type: 'reasoning', text: text.slice(at, end) });
    if (closed <= NO_MATCH) return end;
    mode = 'text';
    reasoned = true;
    called = false;
    code.restartLine();
    // The header of the next message is read as such.
    return /^<\|(?:start|channel)\|>$/.test(text.slice(index, closed)) ? index : closed;
  }

  function readBlock(at: number, ending: EndReason | undefined): number {
    const end = blockParser.read(text, at, ending);
    if (quoted) quoted.source += text.slice(at, end);
    if (quoted && quoted.source.length > LOOK_LIMIT) {
      flag = 'suspicious';
      release();
    }
    if (blockParser.inside) return end;
    if (quoted && again === undefined && quoted.found.some(([{ type }]) => type === 'call' || type === 'call-error')) {
      mode = 'behind';
      return end;
    }
    release();
    mode = 'text';
    if (again === undefined || resumes) code.afterBlock(opener);
    resumes = false;
    // Text to be read again ends where the block has ended. Mostly it began in this chunk.
    let start = end - (again?.length ?? 0);
    if (start < 0) {
      text = again + text.slice(end);
      start = 0;
    }
    again = undefined;
    return start;
  }

  /** Reads after a block that follows an opening quotation mark. If the closing mark is here, all of it is text. */
  function readBehind(at: number, final: boolean): number {
    const { closers, source } = quoted!;
    const blanks = text.slice(at, at + HOLD_LIMIT);
    const index = at + blanks.length - blanks.trimStart().length;
    if (index === text.length && !final && blanks.length < HOLD_LIMIT) return at;
    mode = 'text';
    if (index === text.length || !closers.includes(text[index]!)) {
      release();
      code.afterBlock(opener);
      return at;
    }
    quoted = undefined;
    if (spans.length < 2 && callIn(source, true)) spans.push(source);
    passing = source.length;
    text = source + text.slice(at);
    return 0;
  }

  /** Emits the segments of a block after a quotation mark. */
  function release() {
    const { found = [] } = quoted ?? {};
    quoted = undefined;
    for (const one of found) emitFound(...one);
  }

  function reject(source: string, asked = false) {
    again = source;
    plain = !asked;
  }

  function resume(source: string) {
    again = source;
    resumes = true;
  }

  function enter(next: 'reasoning' | 'block' | 'doubt', from: number, end: number): number {
    show(from);
    if (next !== 'doubt') lastFence.drop();
    mode = next;
    return end;
  }

  function show(end: number) {
    if (end <= shown) return;
    const visible = text.slice(shown, end);
    shown = end;
    said ||= visible.trim() !== '';
    lastChar = visible.at(-1)!;
    if (!isEmpty) {
      lastFence.add(visible);
      quotations.read(visible);
    }
    emit({ type: 'text', text: visible });
  }

  function emitFound(segment: Segment, unlessExplained = false) {
    if (quoted) {
      quoted.found.push([segment, unlessExplained]);
      return;
    }
    if (segment.type === 'call' || segment.type === 'call-error') said = called = found = true;
    const flagged = segment.type === 'call' && flag ? withFlag(segment, flag) : segment;
    (unlessExplained && !alone ? wait : emit)(flagged);
  }

  /**
   * Offers calls that are only shown but probably meant, since models do show calls they mean: the one that ends the message in a fence or
   * a quotation, those in fences right before it, or the only one in inline code. They run only with the user's approval.
   */
  function offerShown() {
    const last = callIn(lastFence.content() ?? '');
    const calls = [last ?? (spans.length === 1 ? callIn(spans[0]!, true) : undefined)];
    if (last) for (const source of lastFence.earlier().toReversed()) if (!calls.includes(undefined)) calls.unshift(callIn(source));
    for (const call of calls) {
      if (!call) continue;
      const id = createId();
      emit({ type: 'call-start', id, name: call.name });
      emit({ ...call, id, flags: [...(call.flags ?? []), 'quoted'] });
    }
  }

  /** Returns the only call in `source`, with nothing else in it or, with `amongText`, with words. */
  function callIn(source: string, amongText = false): (Segment & { type: 'call' }) | undefined {
    if (source.trim() === '') return undefined;
    const [before, after] = (/[[{]/.test(source.trimStart().charAt(0)) && blockParser.alone) || ['', ''];
    const found: Segment[] = [];
    const collect = (segment: Segment) => {
      if (segment.type === 'call-start' || segment.type === 'arguments') return;
      if (segment.type !== 'text' || (segment.text.trim() !== '' && !amongText)) found.push(segment);
    };
    const parser = createTextMode(createBlockParser, collect, { maxAccumulator, createId: () => '' }, true);
    const whole = before + source + after;
    const mayBe = () => found.length === 0 || (found.length === 1 && found[0]!.type === 'call');
    // A source with other content is read no further, because all of this happens in one step at the end.
    for (let at = 0; at < whole.length && mayBe(); at += PIECE) parser.push(whole.slice(at, at + PIECE));
    // Ends as if aborted: an offered call has to be complete, and a fence within the fence is not examined.
    parser.end('abort');
    const [call] = mayBe() ? found : [];
    return call?.type === 'call' ? call : undefined;
  }

  const inspect = () => (mode === 'reasoning' ? { state: mode } : blockParser.inspect(held));

  return { push, end, inspect };
}
