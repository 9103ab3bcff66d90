/**
 * Reads calls as models' own chat templates write them, whatever was taught: one notation for all dialects, as text mode drives it. A
 * mark opens a block only where the name of a tool follows it; all else is text. Every call found is flagged `foreign`.
 */
import type { CallErrorCode, CallFlag, EndReason, ParserOptions } from '../protocol.js';
import { matchAny, matchWord, MORE, NO, skipBlanks } from '../scan.js';
import { createCallSource, FORBIDDEN } from '../source.js';
import type { BlockHost, CreateNotation, Notation } from '../text-mode.js';
import { readBody, type ReadCall } from './bodies.js';
import { createBrackets } from './brackets.js';
import { createCursor, MARK } from './cursor.js';
import { MESSAGE_ENDS, readHeader } from './harmony.js';
import { anyTool, findHead, OPEN, toolFinder, type Head } from './heads.js';
import { readMark } from './marks.js';
import { beforeLayout, matchCloseMark, matchEndTag, readParameterTag, type ParameterTag } from './tags.js';
import { parseTolerant } from '../json/tolerant.js';

export interface DialectOptions extends Pick<ParserOptions, 'mayMend'> {
  isTool(name: string): boolean;
  /** The protocol whose calls are read before, so that none of its blocks is left. */
  active?: string;
}

/** Blocks of built-in protocols: under `active` these are not read, and neither is what stands in them. */
const OURS: readonly (readonly [protocol: string, start: string, end: string, first?: string])[] = [
  ['vcp', '<<<[TOOL_REQUEST]>>>', '<<<[END_TOOL_REQUEST]>>>'],
  ['tool-code', '<tool_code>', '</tool_code'],
  ['xml-invoke', '<tool_use>', '</tool_use', '<invoke'],
];

const OTHER_THINK_ENDS = ['<|END_THINKING|>', '[/THINK]'];

type Step = 'none' | 'between' | 'brackets' | 'tags' | 'value' | 'discard' | 'think' | 'stop';

export function dialectNotation({ isTool, active, mayMend }: DialectOptions): CreateNotation {
  const find = toolFinder(isTool);
  return (host) => createNotation(host, find, anyTool(find), active, mayMend);
}

function createNotation(
  host: BlockHost,
  find: (name: string) => string | undefined,
  findAny: (name: string) => string | undefined,
  active: string | undefined,
  mayMend: ParserOptions['mayMend'],
): Notation {
  let step: Step = 'none';
  const ours = OURS.filter(([protocol]) => protocol !== active);
  let oursEnd: string | undefined; // of the block that is not read
  let struck = false; // a tag of HTML that `</s>` may end
  let harmony = false; // the reply is in messages
  let wrapped = ''; // the dialect whose marks are open
  let wary = false; // a string was never closed: from now on a mark ends what it stands in

  // The open call.
  let head: Head = { dialect: '', name: '', end: 0, body: 'none', closer: '' };
  let id = '';
  let bodyStart = 0;
  let passed: number | undefined; // behind the first mark in a string that looked like the end
  let values: Record<string, unknown> = {};
  let flags = new Set<CallFlag>();
  let problem: CallErrorCode | undefined;
  let parameter: ParameterTag = { key: '', end: 0, closer: '', json: false };
  let pieces: string[] = [];
  let begun = false; // of the value
  const brackets = createBrackets();
  const source = createCallSource(host.maxAccumulator);

  let thinkEnds: readonly string[] = [];
  let text = '';
  let ending: EndReason | undefined;

  function open(given: string, at: number): number {
    if (!mayOpen(given, at)) return NO;
    const passing = passOurs(given, at);
    if (passing !== undefined) return passing;
    if (given.startsWith('<s>', at)) struck = true;
    const found = findHead(given, at, find);
    if (found.head) return begin(found.head, given, at);
    const { mark } = found;
    if (mark?.kind === 'stop' && !(struck && given.startsWith('</s>', at))) {
      if (!harmony) step = 'stop';
      source.begin(given.slice(at, at + mark.end), at + mark.end);
      return at + mark.end;
    }
    if (mark?.kind === 'plain') return at + mark.end;
    if (mark?.kind === 'think') return think(at + mark.end, OTHER_THINK_ENDS);
    const message = readHeader(given, at, find);
    if (typeof message === 'number') return message === MORE || found.short ? MORE : NO;
    if ('head' in message) return begin(message.head, given, at);
    harmony = true;
    return message.isReasoning ? think(at + message.end, MESSAGE_ENDS) : at + message.end;
  }

  /** Whether a block that is not to be read begins, goes on or ends here. */
  function passOurs(given: string, at: number): number | undefined {
    if (oursEnd !== undefined) {
      const end = matchWord(given, at, oursEnd);
      if (end > NO) oursEnd = undefined;
      return end === MORE ? MORE : NO;
    }
    for (const [, start, end, first] of ours) {
      const opened = matchWord(given, at, start);
      if (opened === NO) continue;
      const next = opened === MORE || first === undefined ? opened : matchWord(given, skipBlanks(given, opened), first);
      if (next === MORE) return MORE;
      if (next === NO) continue;
      oursEnd = end;
      return NO;
    }
    return undefined;
  }

  function think(end: number, ends: readonly string[]): number {
    step = 'think';
    thinkEnds = ends;
    return end;
  }

  /** A call is committed, whose head begins at `at`. */
  function begin(found: Head, given: string, at: number): number {
    head = found;
    passed = problem = undefined;
    values = Object.create(null) as Record<string, unknown>;
    flags = new Set(['foreign']);
    wrapped = found.dialect || OPEN;
    bodyStart = found.end;
    source.begin(given.slice(at, at + found.end), at + found.end);
    id = host.createId();
    host.emit({ type: 'call-start', id, name: found.name });
    if (found.body === 'tags') step = 'tags';
    else if (found.body === 'none') {
      step = 'between';
      emitCall({ name: found.name, arguments: values, flags: [] }, source.join());
    } else {
      step = 'brackets';
      brackets.begin(found.body === 'gemma' ? 'gemma' : found.body === 'list' || found.body === 'python' ? 'python' : 'json');
    }
    return at + found.end;
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

  /** Behind a call: marks, fences and separators, further calls; anything else is text. */
  function readBetween(at: number): number {
    const cursor = createCursor(text, at);
    cursor.blanks();
    const start = cursor.at;
    const mark = readMark(cursor);
    if (mark && mark.kind !== 'open' && mark.kind !== 'think') {
      // The end of the call itself leaves the marks around it open.
      if (
        mark.kind === 'close' &&
        !/^<\/[\w:|]*(?:invoke|function|parameters?|arg\w*|params|input)\s*>$/.test(cursor.text.slice(start, cursor.at))
      )
        wrapped = '';
      return at + cursor.at;
    }
    if (head.body === 'json' && cursor.word('```')) return at + cursor.at;
    if (cursor.word(';') || cursor.word(',')) cursor.blanks();
    const from = at + cursor.at;
    const found = findHead(text, from, wrapped === '' ? find : findInside(from), wrapped);
    const next = found.head ? undefined : readHeader(text, from, find);
    if (found.head) return begin(found.head, text, from);
    if (typeof next === 'object' && 'head' in next) return begin(next.head, text, from);
    const isShort = cursor.short || found.short || next === MORE;
    if (!isShort || text.length - at >= 2 * MARK + 400) step = 'none';
    return at;
  }

  /** Where marks are open a further one may name any tool; a bare name has to be one that there is. */
  const findInside = (at: number) => (text[at] === '<' || text[at] === '{' || text[at] === '[' ? findAny : find);

  function readBrackets(at: number): number {
    for (let index = at; ;) {
      index = brackets.read(text, index, text.length);
      if (brackets.done) return endBrackets(index);
      if (index === text.length || brackets.held) return index;
      const mark = passed === undefined || wary || !brackets.inString ? matchCloseMark(text, index) : NO;
      if (mark === MORE && !ending) return index;
      if (mark > NO) {
        if (!brackets.inString || wary || source.tooLarge) return fail('bad_json', index);
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
    for (const [at, call] of calls.entries()) {
      if (at > 0) {
        id = host.createId();
        host.emit({ type: 'call-start', id, name: call.name });
      }
      // What was announced is another call than what the JSON comes to.
      const isOther = at === 0 && call.name !== head.name;
      emitCall(isOther ? { name: head.name, code: 'bad_shape', flags: [] } : call, raw);
    }
    return end;
  }

  function emitCall(call: ReadCall, raw: string) {
    const { name, arguments: args, code = 'malformed' } = call;
    if (!args) return host.emit({ type: 'call-error', id, name, code, raw });
    host.emit({ type: 'call', id, name, arguments: args, raw, flags: [...new Set([...call.flags, ...flags])], dialect: head.dialect });
  }

  function readTags(at: number): number {
    const index = skipBlanks(text, at);
    if (index === text.length) return index;
    const plain = head.dialect === 'tags';
    const own = matchEndTag(text, index, head.closer);
    if (own > NO) return endTags(own, false);
    const tag = readParameterTag(text, index, plain);
    if (typeof tag === 'object') {
      parameter = tag;
      pieces = [];
      begun = false;
      step = 'value';
      return index + tag.end;
    }
    const around = matchCloseMark(text, index);
    if (around > NO && text.charCodeAt(index) !== 0x7b) return endTags(index, true);
    if ((own !== MORE && tag !== MORE && around !== MORE) || ending) {
      if (ending) return index;
      problem = 'malformed';
      step = 'discard';
    }
    return index;
  }

  /** @param lacking Its own end is missing, and what stands there ends what is around it. */
  function endTags(end: number, lacking: boolean): number {
    store(end);
    step = 'between';
    if (lacking) flags.add('repaired');
    if (!source.tooLarge) emitCall({ name: head.name, ...(problem ? { code: problem } : { arguments: values }), flags: [] }, source.join());
    source.clear();
    return end;
  }

  function readValue(at: number): number {
    let start = at;
    if (!begun) {
      if (at === text.length || (text[at] === '\r' && at + 1 === text.length && !ending)) return at;
      begun = true;
      start += text.startsWith('\r\n', at) ? 2 : text[at] === '\n' ? 1 : 0;
    }
    for (let from = start; ;) {
      const tag = text.indexOf('<', from);
      const close = tag === -1 ? MORE : matchEndTag(text, tag, parameter.closer);
      if (close === NO) {
        from = tag + 1;
        continue;
      }
      const end = beforeLayout(text, start, tag === -1 ? text.length : tag, close > NO);
      grow(start, end);
      if (close === MORE) return end;
      endValue();
      return close;
    }
  }

  function grow(from: number, end: number) {
    const { key } = parameter;
    if (end <= from || source.tooLarge) return;
    const piece = text.slice(from, end);
    pieces.push(piece);
    if (key && !FORBIDDEN.has(key) && !(key in values)) host.emit({ type: 'arguments', id, key, text: piece });
  }

  function endValue() {
    step = 'tags';
    const { key, json } = parameter;
    const value = pieces.join('');
    pieces = [];
    if (key === '') problem ??= 'malformed';
    else if (FORBIDDEN.has(key)) problem ??= 'bad_shape';
    else {
      if (key in values) flags.add('duplicate_key');
      // A wrong end tag has swallowed the next parameter: what the model meant is unknown.
      if (/<(?:parameter[\s=]|arg_key>)/.test(value)) flags.add('suspicious');
      values[key] = json ? jsonValue(value) : value;
    }
  }

  /** To the next mark that ends calls. */
  function readDiscarded(at: number): number {
    for (let index = at; index < text.length; index += 1) {
      if (text[index] !== '<' && text[index] !== '[') continue;
      const own = head.closer === '' ? NO : matchEndTag(text, index, head.closer);
      const close = own > NO ? own : matchCloseMark(text, index);
      if (close > NO) return fail(problem ?? 'malformed', close);
      if ((own === MORE || close === MORE) && !ending) return index;
    }
    return text.length;
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
      while (index < text.length && text[index] !== '<' && text[index] !== '[') index += 1;
      const end = index === text.length ? NO : matchAny(text, index, thinkEnds);
      if (end === NO && index < text.length) continue;
      if (end === MORE && ending) continue;
      if (index > at) host.emit({ type: 'reasoning', text: text.slice(at, index) });
      if (end <= NO) return index;
      step = 'none';
      // The header of the next message is read as one.
      return text.startsWith('<|start|>', index) || text.startsWith('<|channel|>', index) ? index : end;
    }
  }

  /** The end of a reply, if nothing but blanks and further ends follow. */
  function readStop(at: number): number {
    const index = skipBlanks(text, at);
    if (index === text.length) {
      store(index);
      return index;
    }
    const cursor = createCursor(text, index, MARK);
    const mark = readMark(cursor);
    if (mark?.kind === 'stop') {
      store(index + cursor.at);
      return index + cursor.at;
    }
    if (!mark && cursor.short && !ending) return index;
    step = 'none';
    host.reject(source.join() + text.slice(source.mark, index));
    return index;
  }

  /** No text follows. Only what is complete is a call; where nothing but the last end is missing, its owner is asked. */
  function finish(at: number): number {
    const state = step;
    const end = text.length;
    step = 'none';
    if (state === 'stop') return end;
    if (state === 'think') return at;
    if (state === 'between') {
      const rest = text.slice(skipBlanks(text, at));
      // The beginning of a mark right behind a call is no text.
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

  /** A string has swallowed the rest: it is read again, from the first mark in it. */
  function endAtPassed(end: number): number {
    store(end);
    if (source.tooLarge) return end;
    const raw = source.join();
    wary = true;
    host.emit({ type: 'call-error', id, name: head.name, code: 'bad_json', raw: raw.slice(0, passed) });
    source.clear();
    host.resume(raw.slice(passed));
    return end;
  }

  /** Over the limit: says so once, forgets the call and reads on only to find its end. */
  function store(end: number) {
    source.store(end);
    const headOfRaw = isInCall() ? source.overflow() : undefined;
    if (headOfRaw === undefined) return;
    host.emit({ type: 'call-error', id, name: head.name, code: 'too_large', raw: headOfRaw });
    pieces = [];
    values = {};
  }

  const isInCall = () => step === 'brackets' || step === 'tags' || step === 'value' || step === 'discard';

  return {
    openers: '<[>',
    open,
    get inside() {
      return step !== 'none';
    },
    read,
    inspect: (held) => ({ state: step === 'none' ? 'text' : step, accumulator: (isInCall() ? source.join() : '') + held }),
  };
}

/** Most of what these characters begin is no mark, and is passed over without a closer look. */
function mayOpen(text: string, at: number): boolean {
  const next = text[at + 1];
  switch (text[at]) {
    case '<':
      return next === undefined || next === '|' || next === '｜' || next === '/' || next === '<' || /[A-Za-z_]/.test(next);
    case '[':
      return next === undefined || next === 'T' || next === '/';
    default:
      return next === undefined || next === '>';
  }
}

function jsonValue(value: string): unknown {
  const parsed = parseTolerant(`[${value}]`);
  const list: unknown = parsed.value;
  return Array.isArray(list) && list.length === 1 && !('error' in parsed) && !parsed.notes.forbidden ? list[0] : value;
}
