/**
 * Reads calls in the formats of models' own chat templates, whatever format the prompt taught: one parser for all dialects, driven by
 * text mode. A mark opens a block only if the name of a tool follows; everything else is text. Every call is flagged `foreign`.
 */
import type { Place } from '../code-state.js';
import type { CallErrorCode, EndReason, ParserOptions } from '../protocol.js';
import { charTable, findChar, matchAny, NEED_MORE, NO_MATCH, skipBlanks } from '../scan.js';
import { createCallBuffer } from '../call-buffer.js';
import type { BlockHost, CreateNotation, Notation } from '../text-mode.js';
import { foreignFlags, readBody, type ReadCall } from './bodies.js';
import { createBrackets } from './brackets.js';
import { Cursor, MARK } from './cursor.js';
import { MESSAGE_ENDS, readHeader } from './harmony.js';
import { anyTool, findAction, findHead, OPEN, TRANSCRIPT, toolFinder, type Head } from './heads.js';
import { isMarkName, mayBeMark, readMark } from './marks.js';
import { createBuiltInBlocks } from './built-in-blocks.js';
import { createParameters } from './parameters.js';
import { matchCloseMark, matchEndTag, readParameterTag } from './tags.js';
import { numbered } from '../../base/objects.js';

export interface DialectOptions extends Pick<ParserOptions, 'mayMend'> {
  isTool(name: string): boolean;
  /** The protocol whose calls were read before, so that none of its blocks is left. */
  active?: string;
  /** Checks whether a reply that begins with `text`, a first word and maybe a bracket, calls none of the tools, whatever follows. */
  isWord?(text: string): boolean;
  /** Checks whether the reply is complete, with a proven end. Called at the end. */
  isWhole?(): boolean;
  /**
   * Checks whether the tool was already called outside of the text. A call at the beginning of the text is then the same one. Called at the
   * end.
   */
  isCalled?(name: string): boolean;
}

const MARK_BEGINS = charTable('<[');
/** The end of a call or of a part of one. The marks around the call stay open. */
const INNER_END = /^<\/[\w:|]*(?:invoke|function|param\w*|arg\w*|input)\s*>$/;

type Step = 'none' | 'head' | 'between' | 'brackets' | 'tags' | 'value' | 'discard' | 'think' | 'stop';

export function dialectParser({ isTool, active, mayMend }: DialectOptions): CreateNotation {
  const find = toolFinder(isTool);
  return (host) => createDialectParser(host, find, anyTool(find), active, mayMend);
}

function createDialectParser(
  host: BlockHost,
  find: (name: string) => string | undefined,
  findAny: (name: string) => string | undefined,
  active: string | undefined,
  mayMend: ParserOptions['mayMend'],
): Notation {
  let step: Step = 'none';
  const skipBuiltInBlocks = createBuiltInBlocks(active);
  let struck = false; // an HTML tag is open that `</s>` may end
  let tried = ''; // the last opener that was none so far
  let shown = false; // the answer shows a tag that has the name of a mark: its end tag is text as well
  let stops = 0; // number of stop marks in a row
  let refused = 0; // number of such stop marks to be read again as text
  let harmony = false; // the reply consists of harmony messages
  let wrapped = ''; // the dialect whose marks are open
  let isStrict = false; // a string was never closed: from now on a mark ends the value that it is in

  // The state of the open call.
  let head: Head = { dialect: '', name: '', end: 0, body: 'none', closer: '' };
  let id = '';
  let bodyStart = 0;
  let passed: number | undefined; // the position after the first mark in a string that looked like the end
  let lacks = false; // its own end tag is missing
  let problem: CallErrorCode | undefined;
  const parameters = createParameters((key, text) => host.emit({ type: 'arguments', id, key, text }));
  const brackets = createBrackets();
  const source = createCallBuffer(host.maxAccumulator);

  let text = '';
  let ending: EndReason | undefined;

  function open(given: string, at: number, place: Place): number {
    if (!mayBeMark(given, at)) return NO_MATCH;
    if (!given.startsWith(tried, at)) {
      shown ||= isMarkName(/^<(\w{1,30})/.exec(tried)?.[1]?.toLowerCase() ?? '');
      tried = '';
    }
    if (given[at] === 'A') {
      const { head, short } = place === 'line' ? findAction(given, at, find) : { short: false };
      return head ? begin(head, given, at) : short ? NEED_MORE : NO_MATCH;
    }
    if (given[at] === 'C' && place !== 'line') return NO_MATCH;
    const passing = skipBuiltInBlocks(given, at);
    if (passing !== undefined) return passing;
    if (given.startsWith('<s>', at)) struck = true;
    const found = findHead(given, at, find);
    if (found.head) return begin(found.head, given, at);
    const { mark } = found;
    const isStop = mark?.kind === 'stop' && !(struck && given.startsWith('</s>', at));
    if (isStop || mark?.kind === 'close') {
      if (refused > 0) {
        refused -= 1;
        return NO_MATCH;
      }
      // The beginning of the call may have gone elsewhere. In a line of its own, such a mark can end the answer.
      if (!isStop && (place !== 'line' || shown)) return NO_MATCH;
      if (!harmony || !isStop) step = 'stop';
      stops = 1;
      source.begin(given.slice(at, at + mark.end), at + mark.end);
      return at + mark.end;
    }
    if (mark?.kind === 'plain') return at + mark.end;
    const message = readHeader(given, at, find);
    if (typeof message === 'number') {
      tried = given.slice(at, at + MARK);
      return message === NEED_MORE || found.short ? NEED_MORE : NO_MATCH;
    }
    if ('head' in message) return begin(message.head, given, at);
    harmony = true;
    if (message.isReasoning) step = 'think';
    return at + message.end;
  }

  /** Commits a call whose head begins at `at`. */
  function begin(found: Head, given: string, at: number): number {
    head = found;
    passed = problem = undefined;
    lacks = false;
    parameters.clear();
    wrapped = found.dialect || OPEN;
    tried = '';
    bodyStart = found.end;
    source.begin(given.slice(at, at + found.end), at + found.end);
    step = 'head';
    return at + found.end;
  }

  /** Announces the call. The text before it has been shown. */
  function announce(at: number): number {
    const { name, body } = head;
    id = host.createId();
    host.emit({ type: 'call-start', id, name });
    if (body === 'tags') step = 'tags';
    else if (body === 'none') {
      step = 'between';
      emitCall({ name, arguments: parameters.values, flags: [] }, source.join());
    } else {
      step = 'brackets';
      brackets.begin(body === 'gemma' ? 'gemma' : body === 'list' || body === 'python' ? 'python' : 'json');
    }
    return at;
  }

  function read(chunk: string, at: number, reason: EndReason | undefined): number {
    text = chunk;
    ending = reason;
    source.follow(chunk, at);
    let index = at;
    for (let before: Step | undefined; step !== 'none' && (before !== step || index > at);) {
      before = step;
      at = index;
      index = readStep(index);
    }
    if (isInCall()) store(index);
    if (ending && step !== 'none') index = finish(index);
    text = '';
    return index;
  }

  function readStep(at: number): number {
    switch (step) {
      case 'head':
        return announce(at);
      case 'between':
        return readBetween(at);
      case 'brackets':
        return readBrackets(at);
      case 'tags':
        return readTags(at);
      case 'value':
        return readValue(at);
      case 'discard':
        return readDiscarded(at);
      case 'think':
        return readThought(at);
      case 'stop':
        return readStop(at);
      default:
        return at;
    }
  }

  /** Reads after a call: marks, fences and separators, further calls. Anything else is text. */
  function readBetween(at: number): number {
    const cursor = new Cursor(text, at);
    cursor.blanks();
    const start = cursor.at;
    const mark = readMark(cursor);
    if (mark && mark.kind !== 'open') {
      if (mark.kind === 'close' && !INNER_END.test(cursor.text.slice(start, cursor.at))) wrapped = '';
      return at + cursor.at;
    }
    if (head.body === 'json' && cursor.word('```')) return at + cursor.at;
    if (head.dialect === TRANSCRIPT && (cursor.word(')') || cursor.word(']'))) return at + cursor.at;
    if (cursor.word(';') || cursor.word(',')) cursor.blanks();
    const from = at + cursor.at;
    const found = findHead(text, from, wrapped === '' ? find : findInside(from), wrapped);
    const next = found.head ? undefined : readHeader(text, from, find);
    if (found.head) return begin(found.head, text, from);
    if (typeof next === 'object' && 'head' in next) return begin(next.head, text, from);
    const isShort = cursor.short || found.short || next === NEED_MORE;
    if (!isShort || text.length - at >= 2 * MARK + 400) step = 'none';
    return at;
  }

  /** Chooses which names count. Within open marks a further mark may name any tool, but a bare name must be an existing tool. */
  const findInside = (at: number) => (text[at] === '<' || text[at] === '{' || text[at] === '[' ? findAny : find);

  function readBrackets(at: number): number {
    for (let index = at; ;) {
      const looks = passed === undefined || isStrict;
      index = brackets.read(text, index, text.length, looks);
      if (brackets.done) return endBrackets(index);
      if (index === text.length || brackets.held) return index;
      const mark = looks || !brackets.inString ? matchCloseMark(text, index) : NO_MATCH;
      if (mark === NEED_MORE && !ending) return index;
      if (mark > NO_MATCH) {
        if (!brackets.inString || isStrict || source.tooLarge) return fail('bad_json', index);
        passed ??= source.offset(mark);
      } else if (!brackets.inString && head.body !== 'gemma') {
        problem = 'bad_json';
        step = 'discard';
        return index;
      }
      brackets.pass();
    }
  }

  function endBrackets(end: number): number {
    store(end);
    step = 'between';
    if (source.tooLarge) return end;
    const raw = source.join();
    const calls = readBody(head.body, head.name, raw.slice(bodyStart), find);
    source.clear();
    for (const [at, call] of numbered(calls)) {
      if (at > 0) {
        id = host.createId();
        host.emit({ type: 'call-start', id, name: call.name });
      }
      // The JSON turned out to call another tool than the announced one.
      const isOther = at === 0 && call.name !== head.name;
      emitCall(isOther ? { name: head.name, code: 'bad_shape', flags: [] } : call, raw);
    }
    return end;
  }

  function emitCall(call: ReadCall, raw: string) {
    const { name, arguments: args, code = 'malformed' } = call;
    if (!args) return host.emit({ type: 'call-error', id, name, code, raw });
    const flags = foreignFlags([...call.flags, ...parameters.flags], head.isGuess === true || lacks);
    if (lacks) flags.push('repaired');
    host.emit({ type: 'call', id, name, arguments: args, raw, flags, dialect: head.dialect });
  }

  function readTags(at: number): number {
    const index = skipBlanks(text, at);
    if (index === text.length) return index;
    const own = matchEndTag(text, index, head.closer);
    if (own > NO_MATCH) return endTags(own, false);
    const tag = readParameterTag(text, index, head);
    if (typeof tag === 'object') {
      parameters.begin(tag);
      step = 'value';
      return index + tag.end;
    }
    const around = matchCloseMark(text, index);
    if (around > NO_MATCH && text.charCodeAt(index) !== 0x7b) return endTags(index, true);
    if ((own !== NEED_MORE && tag !== NEED_MORE && around !== NEED_MORE) || ending) {
      if (ending) return index;
      problem = 'malformed';
      step = 'discard';
    }
    return index;
  }

  /** @param lacking True if its own end is missing: the end of the surrounding marks or of the text follows. */
  function endTags(end: number, lacking: boolean): number {
    store(end);
    step = 'between';
    lacks = lacking;
    const { values, problem: code } = parameters;
    if (!source.tooLarge) emitCall({ name: head.name, ...(code ? { code } : { arguments: values }), flags: [] }, source.join());
    source.clear();
    return end;
  }

  function readValue(at: number): number {
    const index = parameters.read(text, at, ending !== undefined, !source.tooLarge);
    if (parameters.done) step = 'tags';
    return index;
  }

  /** Skips to the next mark that ends calls. */
  function readDiscarded(at: number): number {
    for (let index = at; ; index += 1) {
      index = findChar(text, index, text.length, MARK_BEGINS);
      if (index === text.length) return index;
      const own = head.closer === '' ? NO_MATCH : matchEndTag(text, index, head.closer);
      const close = own > NO_MATCH ? own : matchCloseMark(text, index);
      if (close > NO_MATCH) return fail(problem ?? 'malformed', close);
      if ((own === NEED_MORE || close === NEED_MORE) && !ending) return index;
    }
  }

  function fail(code: CallErrorCode, end: number): number {
    store(end);
    step = 'between';
    if (!source.tooLarge) host.emit({ type: 'call-error', id, name: head.name, code, raw: source.join() });
    source.clear();
    return end;
  }

  function readThought(at: number): number {
    for (let index = at; ; index += 1) {
      index = findChar(text, index, text.length, MARK_BEGINS);
      const end = index === text.length ? NO_MATCH : matchAny(text, index, MESSAGE_ENDS);
      if (end === NO_MATCH && index < text.length) continue;
      if (end === NEED_MORE && ending) continue;
      if (index > at) host.emit({ type: 'reasoning', text: text.slice(at, index) });
      if (end <= NO_MATCH) return index;
      step = 'none';
      // The header of the next message is read as such.
      return text.startsWith('<|start|>', index) || text.startsWith('<|channel|>', index) ? index : end;
    }
  }

  /** Reads the end of a reply, if only blanks and further marks of an end follow. */
  function readStop(at: number): number {
    const index = skipBlanks(text, at);
    if (index === text.length) {
      store(index);
      return index;
    }
    const cursor = new Cursor(text, index, MARK);
    const mark = readMark(cursor);
    if (mark?.kind === 'stop' || mark?.kind === 'close') {
      stops += 1;
      store(index + cursor.at);
      return index + cursor.at;
    }
    if (!mark && cursor.word('function call<|role_sep|>')) {
      wrapped = OPEN;
      step = 'between';
      return index + cursor.at;
    }
    if (!mark && cursor.short && !ending) return index;
    step = 'none';
    // The first one is plain text. Checking the others again as stops would make the time quadratic in their number.
    refused = stops - 1;
    host.reject(source.join() + text.slice(source.mark, index));
    return index;
  }

  /** Settles the block at the end of the text. Only a complete call counts. If only its last end tag is missing, `mayMend` decides. */
  function finish(at: number): number {
    const state = step;
    const end = text.length;
    step = 'none';
    if (state === 'stop') return end;
    if (state === 'think') return at;
    if (state === 'between') {
      const rest = text.slice(skipBlanks(text, at));
      // An incomplete mark right after a call is not text.
      return /^<[/|｜]/.test(rest) && rest.length < MARK ? end : at;
    }
    if (state === 'tags' && at === end && ending === 'stop' && !source.tooLarge && mayMend?.(head.name) === true) {
      endTags(end, true);
      step = 'none';
      return end;
    }
    if (state === 'brackets' && passed !== undefined && ending !== 'abort') return endAtPassed(end);
    fail(problem ?? 'unclosed', end);
    step = 'none';
    return end;
  }

  /** A string has swallowed the rest. The text is read again from the first mark in it. */
  function endAtPassed(end: number): number {
    store(end);
    if (source.tooLarge) return end;
    const raw = source.join();
    isStrict = true;
    host.emit({ type: 'call-error', id, name: head.name, code: 'bad_json', raw: raw.slice(0, passed) });
    source.clear();
    host.resume(raw.slice(passed));
    return end;
  }

  /** Stores the source up to `end`. Over the limit, reports the error once, drops the call and reads on only to find its end. */
  function store(end: number) {
    source.store(end);
    const headOfRaw = isInCall() ? source.overflow() : undefined;
    if (headOfRaw === undefined) return;
    host.emit({ type: 'call-error', id, name: head.name, code: 'too_large', raw: headOfRaw });
    parameters.clear();
  }

  const isInCall = () => step === 'brackets' || step === 'tags' || step === 'value' || step === 'discard';

  return {
    openers: '<[>AC',
    open,
    get inside() {
      return step !== 'none';
    },
    read,
    inspect: (held) => ({ state: step === 'none' ? 'text' : step, accumulator: (isInCall() ? source.join() : '') + held }),
  };
}
