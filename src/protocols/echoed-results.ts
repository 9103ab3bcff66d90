/**
 * Drops results that a model repeats: small models copy what they were sent. A complete envelope in the marks of the protocol is neither
 * shown nor read; JSON may lack one or two closing brackets. An envelope without an end is ordinary text. After a call of the same reply, the
 * model has made up the result, so calls behind it require approval.
 */
import type { BlockEnd } from './json/block-ends.js';
import type { Place } from './code-state.js';
import { isBlank, NEED_MORE, NO_MATCH } from './scan.js';
import { createTextBuffer } from './call-buffer.js';
import { createTextMode, type CreateNotation } from './text-mode.js';
import type { EndReason, ProtocolReader } from './protocol.js';
import { withFlag } from './hold-last-call.js';

/** Maximum length of an envelope in UTF-16 units; a longer one is shown. Results are cut below that. */
const LONGEST = 65_536;

/** The start of an envelope. Its content begins at `end`. */
export interface Opening {
  end: number;
  /** Matches the end of the envelope at a `<`. Without it, the envelope is JSON. */
  close?: (text: string, at: number) => number;
  /** The end of the fence around the JSON. */
  fence?: BlockEnd | undefined;
}

export interface EchoFormat {
  /** The characters that it may begin with. */
  openers: string;
  open(text: string, at: number, place: Place): Opening | typeof NO_MATCH | typeof NEED_MORE;
}

/** Creates an echo for an envelope in marks that begin with `<`. */
export const markedEchoFormat = (start: (text: string, at: number) => number, close: (text: string, at: number) => number): EchoFormat => ({
  openers: '<',
  open(text, at) {
    const end = start(text, at);
    return end > NO_MATCH ? { end, close } : (end as typeof NO_MATCH);
  },
});

/** The parser of a built-in protocol, with the parts that `accept="any"` combines with those of others. */
export interface BuiltInReader extends Required<ProtocolReader> {
  readonly create: CreateNotation;
  readonly echo: EchoFormat;
}

export const readerOf = (id: string, create: CreateNotation, echo: EchoFormat): BuiltInReader => ({
  ...{ id, create, echo },
  createParser: (emit, options) => createTextMode(stripEchoedResults([echo], create), emit, options),
});

/** Wraps a parser so that it never sees an envelope of these results. */
export function stripEchoedResults(kinds: readonly EchoFormat[], create: CreateNotation): CreateNotation {
  return (host) => {
    let called = false;
    let isMadeUp = false;
    const inner = create({
      ...host,
      emit(segment, unlessExplained) {
        called ||= segment.type === 'call';
        host.emit(isMadeUp && segment.type === 'call' ? withFlag(segment, 'suspicious') : segment, unlessExplained);
      },
    });
    let opening: Opening | undefined;
    /** After one false match, do not hold text back again. This keeps parsing linear. */
    let spent = false;
    const source = createTextBuffer();
    let length = 0;
    // The state of the JSON.
    let depth = 0;
    let inString = false;
    let escaped = false;
    let behind = false;
    let fresh = false;
    /** True if the last nonblank character was a closing bracket. */
    let closed = false;

    function open(text: string, at: number, place: Place): number {
      let more = false;
      for (const kind of spent ? [] : kinds) {
        const found = kind.open(text, at, place);
        if (found === NEED_MORE) more = true;
        else if (found !== NO_MATCH) return begin(text, at, found);
      }
      return more ? NEED_MORE : inner.open(text, at, place);
    }

    function begin(text: string, at: number, found: Opening): number {
      opening = found;
      isMadeUp = called;
      source.clear();
      source.add(text.slice(at, found.end));
      length = found.end - at;
      depth = 0;
      inString = escaped = behind = fresh = closed = false;
      return found.end;
    }

    function read(text: string, at: number, ending: EndReason | undefined): number {
      if (!opening) return inner.read(text, at, ending);
      let index = at;
      for (; index < text.length && length + index - at < LONGEST; index += 1) {
        const end = endAt(text, index, opening, ending !== undefined);
        if (end === NEED_MORE) break;
        if (end > NO_MATCH) {
          opening = undefined;
          source.clear();
          return end;
        }
        if (end === WRONG) return giveBack(text, at, index);
      }
      if (ending && (behind || isShort(opening))) {
        opening = undefined;
        return text.length;
      }
      if (ending || length + index - at >= LONGEST) return giveBack(text, at, index);
      source.add(text.slice(at, index));
      length += index - at;
      return index;
    }

    /** Checks whether only a few closing brackets are missing. */
    const isShort = ({ close }: Opening) => !close && closed && !inString && depth > 0 && depth <= MOST_MISSING;

    /** Returns the position after the envelope if it ends with the character at `at`. */
    function endAt(text: string, at: number, opening: Opening, final: boolean): number {
      const { close, fence } = opening;
      const char = text[at]!;
      if (close) return char === '<' ? close(text, at) : NO_MATCH;
      if (behind) {
        const end = char === fence?.mark ? fence.match(text, at, { fresh, complete: true, final }) : NO_MATCH;
        if (end !== NO_MATCH) return end;
        if (!isBlank(char.charCodeAt(0))) return WRONG;
        fresh ||= char === '\n';
        return NO_MATCH;
      }
      if (inString) {
        if (escaped) escaped = false;
        else if (char === '\\') escaped = true;
        else if (char === '"') inString = false;
        return NO_MATCH;
      }
      const isBetween = isBlank(char.charCodeAt(0));
      // A character that cannot be JSON here begins something else.
      if (!fence && !isBetween && !',}]'.includes(char) && isShort(opening)) return at;
      if (!isBetween) closed = char === '}' || char === ']';
      if (char === '"') inString = true;
      else if (char === '{' || char === '[') depth += 1;
      else if (char === '}' || char === ']') depth -= 1;
      if (depth > 0) return NO_MATCH;
      behind = fence !== undefined;
      return behind ? NO_MATCH : at + 1;
    }

    function giveBack(text: string, at: number, index: number): number {
      spent = true;
      opening = undefined;
      source.add(text.slice(at, index));
      host.reject(source.join());
      source.clear();
      return index;
    }

    return {
      ...(inner.alone && { alone: inner.alone }),
      openers: [...new Set(inner.openers + kinds.map(({ openers }) => openers).join(''))].join(''),
      open,
      get inside() {
        return opening !== undefined || inner.inside;
      },
      read,
      inspect: (held) => inner.inspect(held),
    };
  };
}

/** Maximum number of closing brackets that an envelope may lack. */
const MOST_MISSING = 2;

/** The result if something other than the closing fence follows the JSON in its fence. */
const WRONG = -3;
