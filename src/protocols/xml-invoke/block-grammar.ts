/**
 * Reads the blocks of the `xml-invoke` protocol.
 *
 * <tool_use> <invoke name="N"> <parameter name="P">value</parameter> … </invoke> … </tool_use>
 *
 * A value is not decoded: it is a range of the source, so the reader keeps the source of one open call in pieces and marks where values
 * begin and end. Nothing is joined or searched again before the call is complete.
 */
import type { CallErrorCode, CallFlag, EndReason } from '../protocol.js';
import { HOLD_LIMIT, matchBareTag, matchTagStart, matchWord, NEED_MORE, NO_MATCH, skipBlanks } from '../scan.js';
import { createCallBuffer, FORBIDDEN } from '../call-buffer.js';
import type { BlockHost, Notation } from '../text-mode.js';
import { hasParameterTag, PARAMETER, readAttributes, readValues, type Parameter, type TagAttributes } from './parameters.js';

/** The reading state. `between` is in `<tool_use>` but in no call; `after` is after `</tool_use>`, where stray closing tags are dropped. */
type Step = 'none' | 'between' | 'after' | 'invoke' | 'body' | 'parameter' | 'value-start' | 'value' | 'cdata' | 'cdata-end' | 'discard';

const OPEN = '<tool_use';
const CLOSE = '</tool_use';
const INVOKE = '<invoke';
const INVOKE_CLOSE = '</invoke';
const PARAMETER_CLOSE = '</parameter';
const CDATA = '<![CDATA[';
const CDATA_END = ']]>';
const CLOSERS = [CLOSE, INVOKE_CLOSE, PARAMETER_CLOSE];

export function createXmlInvokeParser(host: BlockHost): Notation {
  let step: Step = 'none';

  // The state of the open call.
  let id: string | undefined;
  let name: string | undefined;
  let parameters: Parameter[] = [];
  let parameter: Parameter | undefined;
  let seen = new Set<string | undefined>(); // keys
  let doubtful = false; // a tag has two names

  const source = createCallBuffer(host.maxAccumulator);
  let text = '';

  function open(head: string, at: number): number {
    const tag = matchBareTag(head, at, OPEN);
    if (tag < 0) return tag;
    const window = head.slice(tag, at + HOLD_LIMIT);
    const invoke = skipBlanks(window, 0);
    // Only `<invoke` commits the block: "the <tool_use> element" is prose.
    const committed = matchTagStart(window, invoke, INVOKE);
    if (committed < 0) return committed;
    step = 'between';
    return tag + invoke;
  }

  function read(chunk: string, at: number, ending: EndReason | undefined): number {
    text = chunk;
    source.follow(chunk, at);
    let index = at;
    for (let before: Step | undefined; before !== step || index > at;) {
      before = step;
      at = index;
      index = readStep(index);
    }
    if (insideCall()) store(index);
    if (ending && step !== 'none') {
      if (insideCall()) {
        store(text.length);
        fail(step === 'discard' ? 'malformed' : 'unclosed');
        index = text.length;
      } else if (endsInCloser(index)) {
        index = text.length;
      }
      step = 'none';
    }
    text = '';
    return index;
  }

  /** Checks whether the rest is the cut beginning of a closing tag: right after a call that is markup, not prose. */
  function endsInCloser(at: number): boolean {
    const start = skipBlanks(text, at);
    return text.startsWith('</', start) && CLOSERS.some((closer) => matchBareTag(text, start, closer) === NEED_MORE);
  }

  /** Reads one step and returns where the next one begins. Leaves `step` and the position unchanged if it needs more text. */
  function readStep(at: number): number {
    switch (step) {
      case 'between':
      case 'after':
        return readBetween(at);
      case 'invoke':
        return readInvokeTag(at);
      case 'body':
        return readBody(at);
      case 'parameter':
        return readParameterTag(at);
      case 'value-start':
        return readValueStart(at);
      case 'value':
        return readValue(at);
      case 'cdata':
        return readCdata(at);
      case 'cdata-end':
        return readCdataEnd(at);
      case 'discard':
        return readDiscarded(at);
      default:
        return at;
    }
  }

  /** Reads blanks, comments and calls up to `</tool_use>`, then stray closing tags. Anything else ends the block and is prose. */
  function readBetween(at: number): number {
    const window = text.slice(at, at + HOLD_LIMIT);
    const start = skipBlanks(window, 0);
    let more = start === window.length;
    if (step === 'between') {
      const invoke = matchTagStart(window, start, INVOKE);
      if (invoke > NO_MATCH) {
        beginCall(at + start);
        return at + start;
      }
      const comment = matchWord(window, start, '<!--');
      const commentEnd = comment > NO_MATCH ? window.indexOf('-->', comment) : NO_MATCH;
      if (commentEnd > NO_MATCH) return at + commentEnd + 3;
      more ||= invoke === NEED_MORE || comment === NEED_MORE || comment > NO_MATCH;
    }
    for (const closer of CLOSERS) {
      const end = matchBareTag(window, start, closer);
      if (end > NO_MATCH) {
        if (closer === CLOSE) step = 'after';
        return at + end;
      }
      more ||= end === NEED_MORE;
    }
    if (!more || window.length === HOLD_LIMIT) step = 'none';
    return at;
  }

  function beginCall(at: number) {
    step = 'invoke';
    id = name = parameter = undefined;
    parameters = [];
    seen = new Set();
    doubtful = false;
    source.begin('', at);
  }

  function readInvokeTag(at: number): number {
    const tag = readTag(at, INVOKE);
    if (!tag) return at;
    step = 'body';
    if (tag.name) {
      name = tag.name;
      id = host.createId();
      host.emit({ type: 'call-start', id, name });
    }
    return tag.end;
  }

  function readBody(at: number): number {
    const index = skipBlanks(text, at);
    if (index === text.length) return index;
    const close = matchBareTag(text, index, INVOKE_CLOSE);
    if (close > NO_MATCH) return finishCall(close, false);
    const blockClose = matchBareTag(text, index, CLOSE);
    if (blockClose > NO_MATCH) return finishCall(blockClose, true);
    const start = matchTagStart(text, index, PARAMETER);
    if (start > NO_MATCH) step = 'parameter';
    // A value that contained its own end tag was cut here; running the rest would write a broken file.
    else if (close !== NEED_MORE && blockClose !== NEED_MORE && start !== NEED_MORE) step = 'discard';
    return index;
  }

  function readParameterTag(at: number): number {
    const tag = readTag(at, PARAMETER);
    if (!tag) return at;
    step = 'value-start';
    parameter = { key: tag.name, ranges: [], escaped: false };
    return tag.end;
  }

  /** Reads a tag with attributes, of which only `name` counts. A tag that does not fit into the hold limit invalidates the call. */
  function readTag(at: number, start: string): TagAttributes | undefined {
    const window = text.slice(at, at + HOLD_LIMIT);
    const tag = readAttributes(window, start.length);
    if (tag) {
      if (tag.other) doubtful = true;
      return { ...tag, end: at + tag.end };
    }
    if (window.length === HOLD_LIMIT) step = 'discard';
    return undefined;
  }

  function readValueStart(at: number): number {
    const window = text.slice(at, at + HOLD_LIMIT);
    const start = skipBlanks(window, 0);
    const cdata = matchWord(window, start, CDATA);
    if (cdata > NO_MATCH) {
      step = 'cdata';
      parameter!.escaped = true;
      markValue(at + cdata);
      return at + cdata;
    }
    if (cdata === NEED_MORE && window.length < HOLD_LIMIT) return at;
    const begin = at + (window.startsWith('\r\n') ? 2 : window.startsWith('\n') ? 1 : 0);
    step = 'value';
    markValue(begin);
    return begin;
  }

  function readValue(at: number): number {
    for (let from = at; ;) {
      const tag = text.indexOf('<', from);
      const close = tag === -1 ? NEED_MORE : matchBareTag(text, tag, PARAMETER_CLOSE);
      if (close === NO_MATCH) {
        from = tag + 1;
        continue;
      }
      const end = beforeLayout(at, tag === -1 ? text.length : tag, close > NO_MATCH);
      grow(at, end);
      if (close === NEED_MORE) return end;
      markValue(end);
      endValue();
      return close;
    }
  }

  /** Returns the end of a value without trailing layout before `end`: one line break and the blanks after it. */
  function beforeLayout(start: number, end: number, closed: boolean): number {
    let index = end;
    while (index > start && (text[index - 1] === ' ' || text[index - 1] === '\t')) index -= 1;
    if (end - index >= HOLD_LIMIT) return end;
    if (index > start && text[index - 1] === '\n') return index - 1 > start && text[index - 2] === '\r' ? index - 2 : index - 1;
    return !closed && end > start && text[end - 1] === '\r' ? end - 1 : end;
  }

  function readCdata(at: number): number {
    const close = text.indexOf(CDATA_END, at);
    const held = text.endsWith(']]') ? 2 : text.endsWith(']') ? 1 : 0;
    const end = close === -1 ? Math.max(at, text.length - held) : close;
    grow(at, end);
    if (close === -1) return end;
    step = 'cdata-end';
    markValue(close);
    return close + CDATA_END.length;
  }

  /**
   * Reads after `]]>`. A following `<![CDATA[` continues the value, which is how it can contain `]]>`; otherwise only the end tag may
   * follow.
   */
  function readCdataEnd(at: number): number {
    const again = matchWord(text, at, CDATA);
    if (again > NO_MATCH) {
      step = 'cdata';
      markValue(again);
      return again;
    }
    const window = text.slice(at, at + HOLD_LIMIT);
    const start = skipBlanks(window, 0);
    const close = matchBareTag(window, start, PARAMETER_CLOSE);
    if (close > NO_MATCH) {
      endValue();
      return at + close;
    }
    const undecided = again === NEED_MORE || close === NEED_MORE || start === window.length;
    if (!undecided || window.length === HOLD_LIMIT) step = 'discard';
    return at;
  }

  function grow(from: number, end: number) {
    const key = parameter!.key;
    if (end === from || !id || !key || source.tooLarge || FORBIDDEN.has(key) || seen.has(key)) return;
    host.emit({ type: 'arguments', id, key, text: text.slice(from, end) });
  }

  function endValue() {
    if (!source.tooLarge) {
      parameters.push(parameter!);
      seen.add(parameter!.key);
    }
    parameter = undefined;
    step = 'body';
  }

  function readDiscarded(at: number): number {
    for (let tag = text.indexOf('<', at); tag !== -1; tag = text.indexOf('<', tag + 1)) {
      const close = matchBareTag(text, tag, CLOSE);
      if (close === NEED_MORE) return tag;
      if (close === NO_MATCH) continue;
      store(close);
      fail('malformed');
      step = 'after';
      return close;
    }
    return text.length;
  }

  function finishCall(end: number, repaired: boolean): number {
    store(end);
    step = repaired ? 'after' : 'between';
    if (!name) fail('missing_name');
    else if (parameters.some(({ key }) => !key)) fail('malformed');
    else if (parameters.some(({ key }) => FORBIDDEN.has(key!))) fail('bad_shape');
    else if (!source.tooLarge) emitCall(name, repaired);
    return end;
  }

  function emitCall(callName: string, repaired: boolean) {
    const raw = source.join();
    const values = readValues(raw, parameters);
    const flags: CallFlag[] = repaired ? ['repaired'] : [];
    // A wrong end tag has swallowed the next parameter, so the intended meaning is unknown.
    doubtful ||= parameters.some(({ escaped, ranges }) => !escaped && hasParameterTag(raw.slice(ranges[0], ranges[1])));
    if (doubtful) flags.push('suspicious');
    if (parameters.length > seen.size) flags.push('duplicate_key');
    release();
    host.emit({ type: 'call', id: id!, name: callName, arguments: values, raw, ...(flags.length > 0 && { flags }) });
  }

  function fail(code: CallErrorCode, raw = source.tooLarge ? '' : source.join()) {
    if (!source.tooLarge || code === 'too_large') host.emit({ type: 'call-error', ...(id && { id }), ...(name && { name }), code, raw });
    release();
  }

  /** Stores the source up to `end`. Over the limit, reports the error once, drops the call and reads on only to find its end. */
  function store(end: number) {
    source.store(end);
    const head = source.overflow();
    if (head !== undefined) fail('too_large', head);
  }

  function release() {
    source.clear();
    parameters = [];
    seen = new Set();
  }

  /** Marks where a piece of the value begins or ends. */
  function markValue(at: number) {
    if (!source.tooLarge) parameter!.ranges.push(source.offset(at));
  }

  function insideCall(): boolean {
    return step !== 'none' && step !== 'between' && step !== 'after';
  }

  function inspect(held: string): { state: number | string; [field: string]: unknown } {
    const accumulator = insideCall() ? source.join() + held : held;
    const current = parameter && {
      ...parameter,
      ranges: parameter.ranges.length % 2 ? [...parameter.ranges, accumulator.length] : parameter.ranges,
    };
    const named = [...parameters, ...(current ? [current] : [])].filter(({ key }) => key && !FORBIDDEN.has(key));
    const start = current ? (current.ranges[0] ?? source.offset(source.mark)) : undefined;
    return {
      state: stateNumber(held, start !== undefined && accumulator.length > start),
      accumulator,
      currentToolUse: insideCall() && name ? { type: 'tool_use', name, params: readValues(accumulator, named), partial: true } : null,
      currentParamName: parameter?.key ?? null,
      currentParamValueStartIndex: start ?? null,
    };
  }

  /** Returns the protocol's seven state numbers. 0 and 1 differ in the held text, since an opener counts only with its first call. */
  function stateNumber(held: string, growing: boolean): number | string {
    switch (step) {
      case 'none':
        return matchBareTag(held, 0, OPEN) > NO_MATCH ? 1 : 0;
      case 'after':
        return 0;
      case 'between':
        return 6;
      case 'invoke':
        return 1;
      case 'body':
      case 'parameter':
        return parameters.length > 0 ? 5 : 2;
      case 'discard':
        return step;
      default:
        return growing ? 4 : 3;
    }
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
}
