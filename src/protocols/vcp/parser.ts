/**
 * Reads the blocks of `vcp` (protocols.md §6; seed 002 §4.2 and §7.3).
 *
 *     <<<[TOOL_REQUEST]>>> key:「始」value「末」 … <<<[END_TOOL_REQUEST]>>>
 *
 * Between fields anything may stand but the marks of a field. A value ends at the first `「末」`, so one that holds its own marks was
 * cut or has swallowed the next field; such a call is refused rather than guessed at, and so is one that two blocks may have run into.
 */
import type { CallErrorCode, CallFlag, ProtocolReader } from '../protocol.js';
import { isBlank, matchAny, matchWord, MORE, NO } from '../scan.js';
import { createTextMode, type CreateNotation, type EndReason } from '../text-mode.js';
import { createSource, FORBIDDEN } from '../xml-invoke/parameters.js';

type Step = 'none' | 'fields' | 'value';

/** A value as a range of the block's source. `key` is empty where a value has none. */
interface Field {
  key: string;
  from: number;
  to: number;
  escaped: boolean;
}

const START = '<<<[TOOL_REQUEST]>>>';
const END = '<<<[END_TOOL_REQUEST]>>>';
const OPEN = '「始」';
const OPEN_ESCAPED = '「始ESCAPE」';
const CLOSE = '「末」';
const CLOSE_ESCAPED = '「末ESCAPE」';
const CLOSERS = [CLOSE, CLOSE_ESCAPED];
/** What stands for the block's own marks in an escaped value. */
const LITERALS: Record<string, string> = { '<<<[TOOL_REQUEST_ESCAPE]>>>': START, '<<<[END_TOOL_REQUEST_ESCAPE]>>>': END };
const ESCAPED = Object.keys(LITERALS);

const NAME = 'tool_name';
const KEY_CHAR = /[\w-]/;
/** A longer word is no key, and is not kept. */
const KEY_LIMIT = 256;
/** What an error shows of a call that was too large to keep. */
const RAW_HEAD = 1024;

export const vcpNotation: CreateNotation = (host) => {
  let step: Step = 'none';
  let doubtful = false; // a value held the end mark: what follows may still have been part of it

  // The open block.
  let id: string | undefined;
  let name = '';
  let fields: Field[] = [];
  let field: Field | undefined;
  let seen = new Set<string>();
  let spoilt = false;
  let tooLarge = false;

  // Between fields: the word that may be a key, and the last thing behind it. In a value: what is not told yet.
  let word = '';
  let behind: '' | ' ' | ':' = '';
  let begun = false;
  let untold = '';
  let named = '';

  // The block's source: `stored` units in `source`, and `text` from `mark` on.
  const source = createSource();
  let stored = 0;
  let text = '';
  let mark = 0;

  function open(head: string, at: number): number {
    const end = matchWord(head, at, START);
    if (end > NO) begin(end);
    return end;
  }

  function begin(at: number) {
    step = 'fields';
    release();
    id = field = undefined;
    name = word = behind = '';
    spoilt = tooLarge = false;
    source.add(START);
    stored = START.length;
    mark = at;
  }

  function read(chunk: string, at: number, ending: EndReason | undefined): number {
    text = chunk;
    mark = at;
    let index = at;
    for (let before: Step | undefined; before !== step || index > at;) {
      before = step;
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
    for (let index = at; index < text.length; index += 1) {
      const char = text[index]!;
      if (char === '<') {
        const end = matchWord(text, index, END);
        if (end > NO) return finish(end);
        const start = matchWord(text, index, START);
        if (start > NO) {
          finish(index, 'unclosed');
          begin(start);
          return start;
        }
        if (end === MORE || start === MORE) return index;
      } else if (char === '「') {
        const escaped = matchWord(text, index, OPEN_ESCAPED);
        const opened = escaped > NO ? escaped : matchWord(text, index, OPEN);
        if (opened > NO) {
          beginValue(opened, escaped > NO);
          return opened;
        }
        const closed = matchAny(text, index, CLOSERS);
        if (escaped === MORE || opened === MORE || closed === MORE) return index;
        if (closed > NO) spoilt = true; // the value before held its own end
      }
      readKey(char);
    }
    return text.length;
  }

  /** Follows `key`, blanks, a colon and blanks; all else is a remark. */
  function readKey(char: string) {
    if (KEY_CHAR.test(char)) {
      if (behind) word = char;
      else if (word.length <= KEY_LIMIT) word += char;
      behind = '';
    } else if (isBlank(char.charCodeAt(0))) behind ||= ' ';
    else if (char === ':' && behind !== ':') behind = ':';
    else word = behind = '';
  }

  function beginValue(at: number, escaped: boolean) {
    step = 'value';
    const key = behind === ':' && word.length <= KEY_LIMIT ? word : '';
    field = { key, from: stored + at - mark, to: 0, escaped };
    word = behind = untold = named = '';
    begun = false;
  }

  function readValue(at: number, { escaped }: Field): number {
    const close = escaped ? CLOSE_ESCAPED : CLOSE;
    let from = at;
    let index = at;
    for (; index < text.length; index += 1) {
      const char = text[index]!;
      if (char === '「') {
        const closed = matchWord(text, index, close);
        if (closed === MORE) break;
        if (closed === NO) continue;
        grow(text.slice(from, index));
        endValue(index);
        return closed;
      } else if (char === '<' && escaped) {
        const end = matchAny(text, index, ESCAPED);
        if (end === MORE) break;
        if (end === NO) continue;
        grow(text.slice(from, index) + LITERALS[text.slice(index, end)]!);
        from = end;
        index = end - 1;
      } else if (char === '<') {
        const end = matchWord(text, index, END);
        if (end === MORE) break;
        if (end === NO) continue;
        doubtful = true;
        return finish(end, 'malformed');
      }
    }
    grow(text.slice(from, index));
    return index;
  }

  /** Tells an addition to the open value, without the blanks at its ends, which do not belong to it. */
  function grow(piece: string) {
    const { key } = field!;
    if (tooLarge) return;
    if (key !== NAME && (!id || !key || FORBIDDEN.has(key) || seen.has(key))) return;
    const visible = piece.trimEnd();
    if (visible === '') {
      if (begun) untold += piece;
      return;
    }
    const addition = begun ? untold + visible : visible.trimStart();
    untold = piece.slice(visible.length);
    begun = true;
    if (key === NAME) named += addition;
    else host.emit({ type: 'arguments', id: id!, key, text: addition });
  }

  function endValue(at: number) {
    step = 'fields';
    const { key } = field!;
    if (tooLarge) return;
    fields.push({ ...field!, to: stored + at - mark });
    seen.add(key);
    if (key !== NAME) return;
    // Another name: two calls have run into each other.
    if (name ? name !== named : holdsField(named)) spoilt = true;
    else if (!name && named) {
      name = named;
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
    else if (!tooLarge) emitCall(raw);
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
    const values = valuesOf(raw);
    release();
    host.emit({ type: 'call', id: id!, name, arguments: values, raw, ...(flags.length > 0 && { flags }) });
  }

  function fail(code: CallErrorCode, raw: string) {
    if (!tooLarge || code === 'too_large') host.emit({ type: 'call-error', ...(id && { id, name }), code, raw });
    release();
  }

  /** Stores the source up to `end`. Over the limit: says so once, forgets the block and reads on only to find its end. */
  function store(end: number) {
    if (!tooLarge && end > mark) source.add(text.slice(mark, end));
    stored += end - mark;
    mark = end;
    if (tooLarge || stored <= host.maxAccumulator) return;
    tooLarge = true;
    fail('too_large', source.join().slice(0, Math.min(RAW_HEAD, host.maxAccumulator)));
  }

  function release() {
    source.clear();
    fields = [];
    seen = new Set();
    untold = named = '';
  }

  /** The values as own properties of an object without prototype; of a repeated key the last one wins. */
  function valuesOf(raw: string): Record<string, unknown> {
    const values = Object.create(null) as Record<string, unknown>;
    for (const { key, from, to, escaped } of fields) {
      if (key === NAME || key === '' || FORBIDDEN.has(key)) continue;
      let value = raw.slice(from, to).trim();
      if (escaped) for (const literal of ESCAPED) value = value.replaceAll(literal, LITERALS[literal]!);
      values[key] = value;
    }
    return values;
  }

  function inspect(held: string): { state: string; [field: string]: unknown } {
    const accumulator = source.join() + held;
    const currentToolUse = name ? { type: 'tool_use', name, params: valuesOf(accumulator), partial: true } : null;
    return { state: step, accumulator, currentToolUse, currentParamName: field?.key ?? null };
  }

  return {
    openers: '<',
    open,
    get inside() {
      return step !== 'none';
    },
    read,
    inspect,
  };
};

/** Whether a value holds the beginning of another field: then its own end is missing. */
function holdsField(value: string): boolean {
  for (let at = value.indexOf('「始'); at !== -1; at = value.indexOf('「始', at + 1)) {
    const colon = beforeBlanks(value, at) - 1;
    if (value[colon] === ':' && KEY_CHAR.test(value[beforeBlanks(value, colon) - 1] ?? '')) return true;
  }
  return false;
}

function beforeBlanks(value: string, end: number): number {
  while (end > 0 && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return end;
}

export const vcpReader: Required<ProtocolReader> = {
  id: 'vcp',
  createParser: (emit, options) => createTextMode(vcpNotation, emit, options),
};
