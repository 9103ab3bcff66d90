/** How the reader tests feed bytes, and what they keep of the events. */
import type { Wire, WireEvent } from '../../src/transports/wire.js';

export interface Reading {
  events: WireEvent[];
  text: string;
  reasoning: string;
  finish: (WireEvent & { type: 'finish' }) | undefined;
  error: (WireEvent & { type: 'error' }) | undefined;
  warnings: string[];
}

/** Reads `pieces` to the end; pings are left out of `events`. */
export function read(
  wire: Wire,
  pieces: Iterable<Uint8Array>,
  { contentType = 'text/event-stream', how = 'close' as 'close' | 'reset', maxLine = undefined as number | undefined } = {},
): Reading {
  const reading: Reading = { events: [], text: '', reasoning: '', finish: undefined, error: undefined, warnings: [] };
  const info = {
    status: 200,
    contentType,
    ...(maxLine !== undefined && { maxLine }),
    warn: (message: string) => void reading.warnings.push(message),
  };
  const reader = wire.createReader((event) => {
    if (event.type !== 'ping') reading.events.push(event);
    if (event.type === 'text' || event.type === 'reasoning') reading[event.type] += event.text;
    if (event.type === 'finish') reading.finish = event;
    if (event.type === 'error') reading.error = event;
  }, info);
  for (const piece of pieces) reader.push(piece);
  reader.end(how);
  return reading;
}

type ToolPiece = WireEvent & { type: 'tool' };

/** The calls of a reply, put together from their pieces; `source` is the JSON text of the arguments. */
export function toolCalls({ events }: Pick<Reading, 'events'>): (Omit<ToolPiece, 'type' | 'index' | 'arguments'> & { source: string })[] {
  const calls = new Map<number, ReturnType<typeof toolCalls>[number]>();
  for (const event of events) {
    if (event.type !== 'tool') continue;
    const { type: _, index, arguments: piece = '', ...more } = event;
    const call = calls.get(index);
    calls.set(index, { ...call, ...more, source: (call?.source ?? '') + piece });
  }
  return [...calls.values()];
}

/** A stream of events without names, each one JSON. */
export const frames = (...data: unknown[]): Uint8Array => bytes(data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));

/** A stream of events that are named by their `type`. */
export const events = (...data: object[]): Uint8Array =>
  bytes(data.map((one) => `event: ${String((one as { type?: unknown }).type)}\ndata: ${JSON.stringify(one)}\n\n`).join(''));

export const bytes = (source: string): Uint8Array => new TextEncoder().encode(source);

export function* everyByte(source: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < source.length; at++) yield source.subarray(at, at + 1);
}

export function* cutAt(source: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  let from = 0;
  for (const place of [...places, source.length]) {
    yield source.subarray(from, place);
    from = place;
  }
}
