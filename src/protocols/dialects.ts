/**
 * Reads the native dialects of models in the text that another reader has left over. The selected protocol comes first, then a host's own,
 * then these. Loaded at the first sign of a dialect.
 */
import { dialectParser, type DialectOptions } from './dialects/dialect-protocol.js';
import { foreignFlags } from './dialects/bodies.js';
import { createRestoredText } from './dialects/restored-text.js';
import { inAscii } from './dialects/cursor.js';
import { toolFinder } from './dialects/heads.js';
import { mayBeUnmarkedCalls, readUnmarkedCalls } from './dialects/unmarked-calls.js';
import type { EndReason, ParserOptions, ProtocolReader, Segment } from './protocol.js';
import { createTextBuffer } from './call-buffer.js';
import { createTextMode, DEFAULT_MAX_ACCUMULATOR } from './text-mode.js';

export type { DialectOptions } from './dialects/dialect-protocol.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;

/** The beginning of a mark at the end of a text. Some servers take the rest of the call out of the text, but not this. */
const TORN_MARK = /^<\/?\|{1,2}(?:DSML|tool_call)[\w| ]*$/;

/** A filter between a parser and the consumer of its segments. */
export interface DialectFilter {
  take(segment: Segment): void;
  end(reason?: EndReason): void;
}

export function createDialectFilter(emit: (segment: Segment) => void, options: DialectOptions & ParserOptions): DialectFilter {
  const { maxAccumulator = DEFAULT_MAX_ACCUMULATOR } = options;
  let createdIds = 0;
  const createId = options.createId ?? (() => `call-${(createdIds += 1)}`);
  const find = toolFinder(options.isTool);
  const blockParser = dialectParser(options);
  let isEnding = false;
  const show = (segment: Segment) => {
    if (!isEnding || segment.type !== 'text' || !TORN_MARK.test(inAscii(segment.text))) emit(segment);
  };
  const openTextMode = () => createTextMode(blockParser, show, { maxAccumulator, createId });
  let text = openTextMode();
  const restored = createRestoredText(find);
  /** The start of a reply that may consist of calls only. Undefined once it cannot. */
  let beginning: { text: string; source: ReturnType<typeof createTextBuffer>; length: number; known: boolean } | undefined = begin();

  function begin() {
    return { text: '', source: createTextBuffer(), length: 0, known: false };
  }

  function takeText(addition: string) {
    if (addition === '') return;
    if (!beginning) return text.push(addition);
    beginning.source.add(addition);
    beginning.length += addition.length;
    if (!beginning.known) {
      beginning.text += addition;
      const may = options.isWord?.(beginning.text) ? false : mayBeUnmarkedCalls(beginning.text, find);
      if (may === undefined) return;
      beginning.known = may;
      beginning.text = '';
    }
    if (!beginning.known || beginning.length > maxAccumulator) giveUp();
  }

  /** Treats the beginning as ordinary text. */
  function giveUp() {
    const all = beginning?.source.join() ?? '';
    beginning = undefined;
    text.push(all);
  }

  function endBeginning(reason: EndReason) {
    if (!beginning) return;
    const all = beginning.source.join();
    const { calls, end } = reason === 'abort' ? { calls: [], end: 0 } : readUnmarkedCalls(all, find);
    const follows = all.slice(end).trim() !== '';
    // Words after it make it an example, or no call at all.
    if (calls.length === 0 || (follows && calls.some((call) => !call.arguments))) return giveUp();
    beginning = undefined;
    // Without marks, only the complete reply shows that a call was meant.
    const doubt = follows || reason !== 'stop' || options.isWhole?.() !== true;
    for (const { name, arguments: args, code = 'malformed', flags, raw, dialect } of calls) {
      if (options.isCalled?.(name)) continue;
      const id = createId();
      emit({ type: 'call-start', id, name });
      const all = foreignFlags(flags, doubt);
      emit(args ? { type: 'call', id, name, arguments: args, raw, flags: all, dialect } : { type: 'call-error', id, name, code, raw });
    }
    if (follows) text.push(all.slice(end));
  }

  function endText(reason: EndReason) {
    isEnding = true;
    text.end(reason);
    isEnding = false;
  }

  return {
    take(segment) {
      if (segment.type === 'text') return takeText(restored.push(segment.text));
      takeText(restored.release());
      if (segment.type !== 'arguments' && segment.type !== 'reasoning') {
        // The text before a call does not continue after it.
        giveUp();
        endText('abort');
        text = openTextMode();
      }
      if (segment.type === 'was-reasoning') beginning = begin();
      emit(segment);
    },
    end(reason = 'stop') {
      takeText(restored.release());
      endBeginning(reason);
      endText(reason);
    },
  };
}

/** Wraps a parser so that the dialects are read in the text it leaves over. */
export function withDialects(createParser: CreateParser, dialects: DialectOptions): CreateParser {
  return (emit, options = {}) => {
    let createdIds = 0;
    const shared = { ...options, createId: options.createId ?? (() => `call-${(createdIds += 1)}`) };
    const filter = createDialectFilter(emit, { ...shared, ...dialects });
    const parser = createParser(filter.take, shared);
    return {
      push: (chunk) => parser.push(chunk),
      end(reason) {
        parser.end(reason);
        filter.end(reason);
      },
      inspect: () => parser.inspect?.() ?? { state: 'text' },
    };
  };
}
