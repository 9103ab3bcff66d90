/**
 * Reads the blocks of the `vcp` protocol.
 *
 * <<<[TOOL_REQUEST]>>> key:「始」value「末」 … <<<[END_TOOL_REQUEST]>>>
 *
 * Between fields any text is allowed except the marks of a field. A value ends at the first `「末」`, so a value that contains its own marks
 * was cut or has swallowed the next field; such a call is refused instead of guessed, and so is one that may have merged two blocks.
 */
import { markedEchoFormat, readerOf } from '../echoed-results.js';
import type { CallErrorCode, CallFlag, EndReason } from '../protocol.js';
import { HOLD_LIMIT, isBlank, matchAny, matchWord, NO_MATCH, trimBlanks } from '../scan.js';
import type { CreateNotation } from '../text-mode.js';
import { createCallBuffer, FORBIDDEN } from '../call-buffer.js';

type Step = 'none' | 'fields' | 'value';

/** A value as a range of the block's source. `key` is empty if the value has none. */
interface Field {
  key: string;
  from: number;
  to: number;
  escaped: boolean;
}

const START = '<<<[TOOL_REQUEST]>>>';
const END = '<<<[END_TOOL_REQUEST]>>>';
const CLOSE = '「末」';
const CLOSE_ESCAPED = '「末ESCAPE」';
const BETWEEN = [START, END, '「始」', '「始ESCAPE」', CLOSE, CLOSE_ESCAPED];

/** The escaped forms of the block's own marks, and the marks themselves. */
const LITERALS = Object.fromEntries([START, END].map((mark) => [mark.replace(']', '_ESCAPE]'), mark]));
const IN_VALUE = [CLOSE, END];
const IN_ESCAPED = [CLOSE_ESCAPED, ...Object.keys(LITERALS)];

const NAME = 'tool_name';
const createVcpParser: CreateNotation = (host) => {
  let step: Step = 'none';
  let doubtful = false; // a value held the end mark: the following text may still have been part of it

  // The state of the open block.
  let id: string | undefined;
  let name = '';
  let fields: Field[] = [];
  let field: Field | undefined;
  let seen = new Set<string>();
  let spoilt = false;

  let before = ''; // the text before the next field, as far as it may be its key
  let told = ''; // in the name: its value; elsewhere nonempty once a value has begun
  let untold = ''; // blanks that may be the end of the value

  const source = createCallBuffer(host.maxAccumulator);
  let text = '';

  function open(head: string, at: number): number {
    const end = matchWord(head, at, START);
    if (end > NO_MATCH) begin(end);
    return end;
  }

  function begin(at: number) {
    step = 'fields';
    release();
    id = field = undefined;
    name = before = '';
    spoilt = false;
    source.begin(START, at);
  }

  function read(chunk: string, at: number, ending: EndReason | undefined): number {
    text = chunk;
    source.follow(chunk, at);
    let index = at;
    for (let last: Step | undefined; last !== step || index > at;) {
      last = step;
      at = index;
      if (step === 'fields') index = readFields(index);
      else if (step === 'value') index = readValue(index, field!);
    }
    if (step !== 'none') {
      if (ending) index = finish(text.length, 'unclosed');
      else store(index);
    }
    text = '';
    return index;
  }

  function readFields(at: number): number {
    const { index, end } = findMark(at, BETWEEN);
    before = (before + text.slice(at, index)).slice(-HOLD_LIMIT);
    if (end <= NO_MATCH) return index;
    const found = text.slice(index, end);
    if (found === END) return finish(end);
    if (found === START) {
      finish(index, 'unclosed');
      begin(end);
    } else if (found[1] === '始') {
      step = 'value';
      field = {
        key: keyBefore(before, before.length, before.length === HOLD_LIMIT),
        from: source.offset(end),
        to: 0,
        escaped: found.length > 3,
      };
      before = told = untold = '';
    } else {
      spoilt = true; // the preceding value contained its own end mark
      before = '';
    }
    return end;
  }

  function readValue(at: number, { key, escaped }: Field): number {
    const { index, end } = findMark(at, escaped ? IN_ESCAPED : IN_VALUE);
    const found = end > NO_MATCH ? text.slice(index, end) : '';
    if (found === END) {
      doubtful = true;
      return finish(end, 'malformed');
    }
    grow(key, text.slice(at, index) + (LITERALS[found] ?? ''));
    if (!found) return index;
    if (!LITERALS[found]) endValue(index);
    return end;
  }

  /** Returns the position where the next mark begins, complete or not. */
  function findMark(at: number, marks: readonly string[]): { index: number; end: number } {
    let end = NO_MATCH;
    let index = at;
    for (; index < text.length; index += 1) {
      if (text[index] !== '<' && text[index] !== '「') continue;
      end = matchAny(text, index, marks);
      if (end !== NO_MATCH) break;
    }
    return { index, end };
  }

  /** Emits an addition to the open value, without the blanks at its ends, which do not belong to it. */
  function grow(key: string, piece: string) {
    if (source.tooLarge || (key !== NAME && (!id || !key || FORBIDDEN.has(key) || seen.has(key)))) return;
    const visible = key === NAME ? trimBlanks(`x${piece}`).slice(1) : piece.trimEnd();
    if (visible) {
      const addition = told ? untold + visible : key === NAME ? trimBlanks(visible) : visible.trimStart();
      untold = '';
      if (key === NAME) told += addition;
      else {
        told = key;
        host.emit({ type: 'arguments', id: id!, key, text: addition });
      }
    }
    if (told) untold += piece.slice(visible.length);
  }

  function endValue(at: number) {
    step = 'fields';
    if (source.tooLarge || source.offset(at) > host.maxAccumulator) return;
    fields.push({ ...field!, to: source.offset(at) });
    const { key } = field!;
    seen.add(key);
    if (key !== NAME) return;
    // A second name: two calls have merged.
    if (name ? name !== told : holdsField(told)) spoilt = true;
    else if (!name && told) {
      name = told;
      id = host.createId();
      host.emit({ type: 'call-start', id, name });
    }
  }

  function finish(end: number, broken?: CallErrorCode): number {
    store(end);
    step = 'none';
    const raw = source.join();
    const problem = broken ?? problemOf(raw);
    if (problem) fail(problem, raw);
    else if (!source.tooLarge) emitCall(raw);
    return end;
  }

  function problemOf(raw: string): CallErrorCode | undefined {
    if (spoilt || fields.some(({ from, to, escaped }) => !escaped && holdsField(raw.slice(from, to)))) return 'malformed';
    if (!name) return 'missing_name';
    if (fields.some(({ key }) => key === '')) return 'malformed';
    return fields.some(({ key }) => FORBIDDEN.has(key)) ? 'bad_shape' : undefined;
  }

  function emitCall(raw: string) {
    const flags: CallFlag[] = [];
    if (doubtful) flags.push('suspicious');
    if (seen.size < fields.length) flags.push('duplicate_key');
    const values = Object.create(null) as Record<string, unknown>;
    for (const { key, from, to, escaped } of fields) {
      let value = raw.slice(from, to).trim();
      if (escaped) for (const [literal, meant] of Object.entries(LITERALS)) value = value.replaceAll(literal, meant);
      if (key !== NAME) values[key] = value; // the last one of a repeated key wins
    }
    release();
    host.emit({ type: 'call', id: id!, name, arguments: values, raw, ...(flags.length > 0 && { flags }) });
  }

  function fail(code: CallErrorCode, raw: string) {
    if (!source.tooLarge || code === 'too_large') host.emit({ type: 'call-error', ...(id && { id, name }), code, raw });
    release();
  }

  /** Stores the source up to `end`. Over the limit, reports the error once, drops the block and reads on only to find its end. */
  function store(end: number) {
    source.store(end);
    const head = source.overflow();
    if (head !== undefined) fail('too_large', head);
  }

  function release() {
    source.clear();
    fields = [];
    seen = new Set();
    told = untold = '';
  }

  return {
    openers: '<',
    open,
    get inside() {
      return step !== 'none';
    },
    read,
    inspect: (held) => ({ state: step, accumulator: source.join() + held, currentParamName: field?.key ?? null }),
  };
};

/** The characters of a key: letters of any script, digits, `_` and `-`. */
const KEY = /[\p{L}\p{M}\p{N}_-]/u;

/** Returns the key of a field whose value opens at `at`; empty if there is none, or if it may begin before a `source` that is cut. */
function keyBefore(source: string, at: number, cut = false): string {
  const colon = beforeBlanks(source, at) - 1;
  if (source[colon] !== ':') return '';
  const end = beforeBlanks(source, colon);
  let start = end;
  while (start > 0 && KEY.test(source[start - 1]!)) start -= 1;
  return cut && start === 0 ? '' : source.slice(start, end);
}

/** Checks whether a value contains the beginning of another field: its own end is then missing. */
function holdsField(value: string): boolean {
  for (let at = value.indexOf('「始'); at !== -1; at = value.indexOf('「始', at + 1)) if (keyBefore(value, at)) return true;
  return false;
}

function beforeBlanks(source: string, end: number): number {
  while (end > 0 && isBlank(source.charCodeAt(end - 1))) end -= 1;
  return end;
}

const echo = markedEchoFormat(
  (text, at) => matchWord(text, at, '<<<[TOOL_RESULT]>>>'),
  (text, at) => matchWord(text, at, '<<<[END_TOOL_RESULT]>>>'),
);

export const vcpReader = readerOf('vcp', createVcpParser, echo);
