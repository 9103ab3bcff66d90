/**
 * `accept="any"`: reads the formats of all built-in protocols in one pass. A block belongs to the first parser that opens it; inside
 * it, the marks of the others are plain content. Each call names the protocol it is written in.
 */
import { readers } from './built-in-readers.js';
import { stripEchoedResults } from './echoed-results.js';
import { repairTruncatedJson } from './json/repair-truncated-json.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { HOLD_LIMIT, NEED_MORE, NO_MATCH } from './scan.js';
import { createTextMode, type CreateNotation, type Notation } from './text-mode.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;

/** The block parser of a protocol, with its id. */
export interface NamedNotation {
  id: string;
  create: CreateNotation;
}

const echoes = [...new Set(readers.map(({ echo }) => echo))];

/**
 * Creates a reader for calls in any of these protocols. If two could open at the same position, the earlier one is tried first. The next
 * one may read what it rejects.
 */
export function anyReader(protocols: readonly NamedNotation[]): Required<ProtocolReader> {
  return {
    id: protocols[0]!.id,
    createParser: repairTruncatedJson((emit, options) =>
      createTextMode(stripEchoedResults(echoes, combineParsers(protocols)), emit, options),
    ),
  };
}

/** Creates a reader for all built-in protocols, with that of the active protocol first. */
export function createAnyReader(active: string): Required<ProtocolReader> {
  const rank = ({ id }: NamedNotation) => (id === active ? 0 : 1);
  return anyReader(readers.toSorted((left, right) => rank(left) - rank(right)));
}

/**
 * Returns the parser for `accept="any"` under this protocol. The protocol may be built in or a host's own; the visible text of a host's own
 * parser is then read for all the other protocols.
 */
export function anyParser({ id, createParser }: ProtocolReader): CreateParser {
  const others = createAnyReader(id).createParser;
  if (!createParser || readers.some((protocol) => protocol.id === id)) return others;
  return (emit, options = {}) => {
    let calls = 0;
    const shared = { ...options, createId: options.createId ?? (() => `call-${(calls += 1)}`) };
    let inner = others(emit, shared);
    const outer = createParser((segment) => {
      if (segment.type === 'text') return inner.push(segment.text);
      // Text before a call of the host's protocol does not continue after it.
      if (segment.type !== 'arguments') restart();
      emit(segment);
    }, shared);
    const restart = () => {
      inner.end();
      inner = others(emit, shared);
    };
    return {
      push: (chunk) => outer.push(chunk),
      end(reason) {
        outer.end(reason);
        inner.end(reason);
      },
    };
  };
}

function combineParsers(protocols: readonly NamedNotation[]): CreateNotation {
  return (host) => {
    let current: Notation | undefined;
    let first = 0; // index of the parser to try first: greater than 0 after earlier ones have rejected the block
    const parts = protocols.map(({ id, create }, index) =>
      create({
        ...host,
        emit: (segment: Segment, unlessExplained) =>
          host.emit(segment.type === 'call' ? { ...segment, protocol: id } : segment, unlessExplained),
        reject(source) {
          first = index + 1;
          host.reject(source, true);
        },
      }),
    );
    const alone = parts.find((part) => part.alone)?.alone;
    return {
      ...(alone && { alone }),
      openers: [...new Set(parts.flatMap((part) => part.openers.split('')))].join(''),
      open(text, at, place) {
        for (; first < parts.length; first += 1) {
          const end = parts[first]!.open(text, at, place);
          if (end === NEED_MORE && text.length - at < HOLD_LIMIT) return NEED_MORE;
          if (end > NO_MATCH) {
            current = parts[first];
            first = 0;
            return end;
          }
        }
        first = 0;
        return NO_MATCH;
      },
      get inside() {
        return current !== undefined;
      },
      read(text, at, ending) {
        const end = current!.read(text, at, ending);
        if (!current!.inside) current = undefined;
        return end;
      },
      inspect: (held) => (current ?? parts[0]!).inspect(held),
    };
  };
}
