/**
 * The common parser of the three JSON protocols: a block of the text that holds JSON with calls, and has its own end marker.
 *
 * The JSON determines the end: an end marker inside a string is part of the string. Broken JSON does not show where it ends, so the next
 * end marker closes the block. If that marker was already passed, the block ends there and the rest is read again. This happens once in a
 * message: from then on every block ends at its first end marker, which keeps the time linear, and must be valid JSON, because text that is
 * read again may be the inside of a string, where quotes are escaped.
 */
import type { Place } from '../code-state.js';
import type { CallErrorCode, EndReason } from '../protocol.js';
import { NEED_MORE, NO_MATCH, trimBlanks } from '../scan.js';
import { createCallBuffer } from '../call-buffer.js';
import type { BlockHost, Notation } from '../text-mode.js';
import { isFresh, lineEnd, matchFenceLine, type BlockEnd } from './block-ends.js';
import { isArgumentsKey, readCall, type ReadCall } from './json-calls.js';
import { createJsonReader, type Frame } from './json-reader.js';
import { numbered } from '../../base/objects.js';

/** The way a protocol embeds its JSON. */
export interface JsonBlockFormat {
  readonly openers: string;
  readonly alone?: NonNullable<Notation['alone']>;
  /** Looks for a block at `at`. The text from `end` on is read as JSON. */
  open(text: string, at: number, place: Place): { end: number; blockEnd: BlockEnd } | number;
  /**
   * Returns the number of frames around an entry, the JSON of one call; -1 while there is no place for entries, NaN if there cannot be one.
   */
  depth(frames: readonly Frame[]): number;
  /**
   * Called at each key of an entry that is not yet known to be a call, and at each value of any entry. Returns true for a call, false for
   * anything else, and undefined if it is undecided. Without it, everything at `depth` is meant as a call.
   */
  isCall?(key: string, value?: unknown): boolean | undefined;
  /** Matches broken JSON that was meant as a call. Must not backtrack. */
  readonly sign?: RegExp;
  /** True if further objects may follow the first. */
  readonly several?: boolean;
  /** True if `{function: {name, arguments}}` is a call. */
  readonly nested?: boolean;
  /** True if a call in a fence requires approval when text follows: the protocol has no fence, so the call may be an example. */
  readonly asksInFence?: boolean;
  /**
   * Info words of an optional fence around the JSON within the block. A block of such a protocol is meant as a call if it ends, JSON or
   * not.
   */
  readonly innerFence?: readonly string[];
}

/** Length, in UTF-16 units, after which a block that may still be ordinary code counts as code. It is then read again in one step. */
const LONGEST_DOUBT = 65_536;

/**
 * UTF-16 units that a call may continue after an apparent end. If it is not closed by then, the text from there is read again in one step.
 */
const LONGEST_BEHIND = 262_144;

/** Maximum number of calls in one block. */
const MOST_ENTRIES = 1000;

interface Entry {
  call: ReadCall;
  start: number;
  end: number;
}

export function createJsonBlockParser(form: JsonBlockFormat, host: BlockHost): Notation {
  let step: 'none' | 'before' | 'json' = 'none';
  let isStrict = false; // something was read again
  let over = false; // the message was aborted

  // The state of the open block.
  let blockEnd = lineEnd;
  const reader = createJsonReader({ opened, key, value, grew });
  let certain = false; // it is meant as a call, whatever follows
  let isNone = false; // it is not a call
  let isEntryCall = false;
  let innerFence = '';
  let wasBroken = false;
  let passed: number | undefined; // the position after the first apparent end
  let entries: Entry[] = [];

  // The first entry. It is announced as soon as its name is known, and shown as it streams.
  let id: string | undefined;
  let name: string | undefined;

  const source = createCallBuffer(host.maxAccumulator);
  let fresh = true; // only blanks precede the text that is not stored yet on its line
  let text = '';

  function open(head: string, at: number, place: Place): number {
    const opening = over ? NO_MATCH : form.open(head, at, place);
    if (typeof opening === 'number') return opening;
    step = 'before';
    blockEnd = opening.blockEnd;
    certain = isNone = isEntryCall = wasBroken = false;
    innerFence = '';
    passed = id = name = undefined;
    entries = [];
    source.begin(head.slice(at, opening.end), opening.end);
    fresh = true;
    reader.begin(blockEnd.mark, opening.end - at);
    return opening.end;
  }

  function read(chunk: string, at: number, ending: EndReason | undefined): number {
    text = chunk;
    source.follow(chunk, at);
    over = ending === 'abort';
    let index = readBlock(at, ending !== undefined && !over);
    if (ending && step !== 'none') index = endWithText(index);
    else store(index);
    text = '';
    return index;
  }

  function readBlock(at: number, final: boolean): number {
    let index = at;
    for (let pass = false; ;) {
      // The limit counts characters, independent of chunks.
      const end = source.tooLarge ? text.length : Math.max(index, Math.min(text.length, index + limit() + 1 - source.offset(index)));
      index = reader.read(text, index, end, pass);
      pass = false;
      if (isNone) return reject(index);
      if (entries.length > MOST_ENTRIES) {
        failAsTooLarge(index);
        continue;
      }
      if (reader.broken && !wasBroken) {
        wasBroken = true;
        if (passed !== undefined && blockEnd.physical) return endAtPassed(index);
        if (!certain && (isStrict || (step === 'before' && !form.innerFence))) return reject(index);
      }
      const isOver = step === 'json' && reader.complete;
      if (blockEnd === lineEnd) {
        if (isOver) return finish(index);
        if (reader.unwound) return endBroken(index);
      }
      if (index === end) {
        if (index === text.length && (source.tooLarge || source.offset(index) <= limit())) return index;
        if (source.offset(index) <= limit()) continue; // the block has become certain
        if (passed !== undefined) return endAtPassed(index);
        if (!certain) return reject(index, true);
        failAsTooLarge(index);
        continue;
      }

      if (text[index] === blockEnd.mark) {
        const isAtStart = isFresh(text, source.mark, index, blockEnd.breaks, fresh);
        const found = blockEnd.match(text, index, { fresh: isAtStart, complete: isOver, final });
        if (found === NEED_MORE) return index;
        if (found > NO_MATCH) {
          if (isOver) return finish(found);
          const inString = reader.quiet;
          if (reader.broken || (inString ? isStrict || (source.tooLarge && blockEnd.physical) : blockEnd !== lineEnd))
            return endBroken(found);
          if (inString && !reader.singleQuoted && !source.tooLarge) passed ??= source.offset(found);
        }
      }
      if (reader.broken && !certain && form.innerFence) {
        const opening = form.open(text, index, 'text');
        if (opening === NEED_MORE && !final) return index;
        if (typeof opening !== 'number') return reject(index);
      }
      pass = true;
      if (reader.broken || reader.quiet || reader.frames.length > 0) continue;
      const next = readBetween(index, isOver, final);
      if (next === NEED_MORE) return index;
      pass = next === index && !reader.broken;
      index = next;
    }
  }

  /** Handles a character outside of the JSON. Returns where to read on, or `at` if the JSON reader should read it. */
  function readBetween(at: number, isOver: boolean, final: boolean): number {
    const char = text[at]!;
    if (char === '{' || char === '[') {
      if (isOver && !form.several) reader.fail();
      step = 'json';
      return at;
    }
    if (isOver && char === innerFence) return skip(at, at + 1);
    if (form.innerFence && !isOver && innerFence === '') {
      const fence = matchFenceLine(text, at, form.innerFence);
      if (fence === NEED_MORE && !final) return NEED_MORE;
      if (typeof fence !== 'number') {
        innerFence = fence.mark;
        return skip(at, fence.end);
      }
    }
    reader.fail();
    return at;
  }

  function skip(from: number, end: number): number {
    reader.skip(end - from);
    return end;
  }

  function opened(): boolean | void {
    const depth = form.depth(reader.frames);
    if (Number.isNaN(depth)) return (isNone = true);
    if (form.isCall || depth < 0) return;
    // A second list would override the first, which was announced.
    if (certain && depth === 2 && reader.frames.length === 2) reader.fail();
    certain = true;
  }

  function key(): boolean | void {
    const { frames } = reader;
    const entry = frames[form.depth(frames)];
    if (entry === frames.at(-1) && !isEntryCall && form.isCall?.(entry!.key) === false) return (isNone = true);
  }

  function value(read: unknown, start: number, end: number): boolean | void {
    const { frames, notes } = reader;
    const depth = form.depth(frames);
    if (frames.length > depth) {
      if (depth >= 0 && readInEntry(read, depth) === false) return (isNone = true);
    } else if (depth > 0 || !Array.isArray(read)) {
      if (form.isCall && !isEntryCall) return (isNone = true);
      if (!source.tooLarge) entries.push({ call: readCall(read, notes, form.nested === true), start, end });
      isEntryCall = notes.duplicate = notes.forbidden = false;
    }
    if (frames.length > 0) return entries.length > MOST_ENTRIES;
    isNone = !certain;
    return isNone || blockEnd === lineEnd;
  }

  function readInEntry(read: unknown, depth: number): boolean | undefined {
    const { frames } = reader;
    const answer = frames.length === depth + 1 ? form.isCall?.(frames[depth]!.key, read) : undefined;
    if (answer) isEntryCall = certain = true;
    if (entries.length > 0 || source.tooLarge) return answer;
    const head = headOf(depth);
    if (!id && frames.length === head + 1 && frames[head]!.key === 'name' && typeof read === 'string') name = trimBlanks(read);
    if (!id && name && (isEntryCall || !form.isCall)) {
      id = host.createId();
      host.emit({ type: 'call-start', id, name });
    }
    if (typeof read !== 'string' && frames.length === head + 2) grew(JSON.stringify(read));
    return answer;
  }

  /** Returns the index of the frame that holds name and arguments of the entry being read. */
  function headOf(depth: number): number {
    return form.nested && reader.frames[depth]?.key === 'function' ? depth + 1 : depth;
  }

  /** Streams the first call: each argument separately, or all together if they are a string. */
  function grew(addition: string) {
    const { frames, notes } = reader;
    const depth = form.depth(frames);
    if (!id || entries.length > 0 || source.tooLarge || notes.forbidden || depth < 0) return;
    const head = headOf(depth);
    if (!isArgumentsKey(frames[head]?.key)) return;
    const values = frames[head + 1];
    if (frames.length > head + 2 || values?.list || (values && values.key in values.value)) return;
    host.emit(values ? { type: 'arguments', id, key: values.key, text: addition } : { type: 'arguments', id, text: addition });
  }

  /** Ends a block whose JSON is complete. */
  function finish(end: number): number {
    if (entries.length === 0 && !source.tooLarge && !form.innerFence) return reject(end);
    if (isStrict && reader.notes.lenient) return fail('bad_json', end);
    if (entries.length === 0) return fail('bad_shape', end);
    store(end);
    const raw = source.join();
    for (const [index, entry] of numbered(entries)) emitCall(entry.call, raw.slice(entry.start, entry.end), index === 0);
    close();
    return end;
  }

  function emitCall(call: ReadCall, raw: string, isFirst: boolean, flag?: 'quoted') {
    const announced = isFirst && id ? { id, name: name! } : undefined;
    const asks = form.asksInFence === true && blockEnd !== lineEnd && flag === undefined;
    if (call.code === undefined && (!announced || announced.name === call.name)) {
      const callId = announced?.id ?? host.createId();
      const flags = flag ? [...call.flags, flag] : call.flags;
      if (!announced) host.emit({ type: 'call-start', id: callId, name: call.name }, asks);
      host.emit(
        {
          ...{ type: 'call', id: callId, name: call.name, arguments: call.arguments, raw },
          ...(flags.length > 0 && { flags }),
          ...(call.ownId !== undefined && { providerId: call.ownId }),
        },
        asks,
      );
    } else {
      const known = announced ?? (call.name !== undefined && { name: call.name });
      host.emit({ type: 'call-error', ...known, code: call.code ?? 'bad_shape', raw }, asks);
    }
  }

  /** Ends a block whose JSON is incomplete. */
  function endBroken(end: number): number {
    if (!form.innerFence && !isMeant(end)) return reject(end);
    isStrict = true;
    return fail(reader.broken ?? 'bad_json', end);
  }

  function endAtPassed(index: number): number {
    store(index);
    const raw = source.join();
    // The sign counts only inside the block: the text after it depends on the chunk.
    if (!certain && !(reader.broken !== undefined && form.sign?.test(raw.slice(0, passed)))) return reject(index);
    isStrict = true;
    emitError('bad_json', raw.slice(0, passed));
    host.resume(raw.slice(passed));
    close();
    return index;
  }

  /** Settles the block at the end of the text. After an abort, undecided text stays undecided, and an end counts only if it is complete. */
  function endWithText(undecided: number): number {
    const index = text.length;
    const hasEnded = !over || blockEnd.match(text, undecided, { fresh: true, complete: false, final: true }) > NO_MATCH;
    if (step === 'json' && reader.complete && hasEnded) return finish(index);
    if (!over && passed !== undefined) return endAtPassed(index);
    return isMeant(index) ? fail(reader.broken ?? 'unclosed', index) : reject(index, true);
  }

  /** Checks whether the text up to `end` is meant as a call, even if it is broken. */
  function isMeant(end: number): boolean {
    store(end);
    return certain || (reader.broken !== undefined && form.sign?.test(source.join()) === true);
  }

  /** Rejects the block: all of it is prose or code. `endless`: its end was searched for in vain, so the search is not repeated. */
  function reject(index: number, endless = false): number {
    if (source.tooLarge) return fail('too_large', index);
    store(index);
    if (passed !== undefined || endless) isStrict = true;
    const raw = source.join();
    // It was announced, and then something that is not a call appeared next to it. It is most likely an example.
    const call = entries[0]?.call ?? { code: 'bad_shape' };
    if (id) emitCall(call, call.code ? '' : raw.slice(entries[0]!.start, entries[0]!.end), true, 'quoted');
    host.reject(raw);
    close();
    return index;
  }

  function fail(code: CallErrorCode, end: number): number {
    store(end);
    if (!source.tooLarge) emitError(code, source.join());
    close();
    return end;
  }

  const limit = () => Math.min(host.maxAccumulator, !certain ? LONGEST_DOUBT : passed === undefined ? Infinity : passed + LONGEST_BEHIND);

  /** Reports the error once, drops the call and reads on only to find its end. */
  function failAsTooLarge(index: number) {
    store(index);
    emitError('too_large', source.overflow(true) ?? '');
    entries = [];
    reader.forget();
  }

  function emitError(code: CallErrorCode, raw: string) {
    host.emit({ type: 'call-error', ...(id && { id, name: name! }), code, raw });
  }

  function close() {
    step = 'none';
    entries = [];
    source.clear();
  }

  function store(end: number) {
    if (end > source.mark) fresh = isFresh(text, source.mark, end, blockEnd.breaks, fresh);
    source.store(end);
  }

  return {
    openers: form.openers,
    ...(form.alone && { alone: form.alone }),
    open,
    get inside() {
      return step !== 'none';
    },
    read,
    inspect: (held) => ({
      state: step === 'none' ? 'text' : step,
      accumulator: (step === 'none' ? '' : source.join()) + held,
      name: (step !== 'none' && name) || null,
    }),
  };
}
