/**
 * `accept="any"` reads the notations of all built-in protocols in one pass. A block belongs to the first notation that opens there,
 * and inside it the marks of the others are its content. Each call names the protocol it is written in.
 */
import { jsonActionNotation } from './json-action/parser.js';
import { jsonToolCallsNotation } from './json-tool-calls/parser.js';
import { withoutEchoes } from './echo.js';
import { actionEcho, toolCallEcho } from './json/echoes.js';
import { mending } from './json/mending.js';
import type { ProtocolReader, Segment } from './protocol.js';
import { HOLD_LIMIT, MORE, NO } from './scan.js';
import { createTextMode, type CreateNotation, type Notation } from './text-mode.js';
import { toolCodeNotation } from './tool-code/parser.js';
import { vcpEcho, vcpNotation } from './vcp/parser.js';
import { xmlEcho, xmlInvokeNotation } from './xml-invoke/parser.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;

/** A notation and the id of its protocol. */
export interface NamedNotation {
  id: string;
  create: CreateNotation;
}

const builtIn: readonly NamedNotation[] = [
  { id: 'xml-invoke', create: xmlInvokeNotation },
  { id: 'json-action', create: jsonActionNotation },
  { id: 'vcp', create: vcpNotation },
  { id: 'json-tool-calls', create: jsonToolCallsNotation },
  { id: 'tool-code', create: toolCodeNotation },
];

const echoes = [xmlEcho, actionEcho, vcpEcho, toolCallEcho];

/** Reads calls of any of these notations. Where two could open, the earlier is asked first; what it gives back, the next may take. */
export function anyReader(notations: readonly NamedNotation[]): Required<ProtocolReader> {
  return {
    id: notations[0]!.id,
    createParser: mending((emit, options) => createTextMode(withoutEchoes(echoes, joined(notations)), emit, options)),
  };
}

/** All built-in notations, the one of the active protocol first. */
export function createAnyReader(active: string): Required<ProtocolReader> {
  const rank = ({ id }: NamedNotation) => (id === active ? 0 : 1);
  return anyReader(builtIn.toSorted((left, right) => rank(left) - rank(right)));
}

/** The parser for `accept="any"` under this protocol: built in, or a host's own, whose visible text is then read for all the others. */
export function anyParser({ id, createParser }: ProtocolReader): CreateParser {
  const others = createAnyReader(id).createParser;
  if (!createParser || builtIn.some((notation) => notation.id === id)) return others;
  return (emit, options = {}) => {
    let calls = 0;
    const shared = { ...options, createId: options.createId ?? (() => `call-${(calls += 1)}`) };
    let inner = others(emit, shared);
    const outer = createParser((segment) => {
      if (segment.type === 'text') return inner.push(segment.text);
      // What stands before a call of the host's own does not go on behind it.
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

function joined(notations: readonly NamedNotation[]): CreateNotation {
  return (host) => {
    let current: Notation | undefined;
    let first = 0; // the notation that is asked first: not the earliest one where others have given the block back
    const parts = notations.map(({ id, create }, index) =>
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
          if (end === MORE && text.length - at < HOLD_LIMIT) return MORE;
          if (end > NO) {
            current = parts[first];
            first = 0;
            return end;
          }
        }
        first = 0;
        return NO;
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
