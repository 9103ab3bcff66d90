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

/**
 * A reply in one line, as `text hi · call a now {} · usage 3/4 m · finish stop`. `?` = the end is not proved; `again` = waiting helps; `-` = no code.
 */
export function story(reading: Pick<Reading, 'events'>): string {
  const calls = toolCalls(reading);
  const seen = new Set<number>();
  const lines: string[] = [];
  let before = '';
  for (const event of reading.events) {
    if (event.type === 'text' || event.type === 'reasoning') {
      if (before === event.type) lines.push(`${lines.pop() ?? ''}${event.text}`);
      else lines.push(`${event.type} ${event.text}`);
    } else if (event.type === 'tool') {
      const { id, name, source, signature, by, result, failed, approval } = calls[seen.size] ?? { source: '' };
      if (seen.has(event.index)) continue;
      seen.add(event.index);
      const end = [signature && `signed ${signature}`, failed && 'failed', result !== undefined && `gave ${result}`];
      const asks = approval && `asks ${JSON.stringify(approval)}`;
      lines.push(['call', id, name, source, by && `by ${by}`, ...end, asks].filter(Boolean).join(' '));
    } else if (event.type === 'usage') lines.push(['usage', `${event.input}/${event.output}`, event.model].filter(Boolean).join(' '));
    else if (event.type === 'finish') lines.push(`finish ${event.finish}${event.proved ? '' : '?'}`);
    else if (event.type === 'error')
      lines.push(['error', event.code ?? '-', event.retryable && 'again', event.message].filter(Boolean).join(' '));
    before = event.type;
  }
  return lines.join(' · ');
}

export const whole = (body: unknown) =>
  [everyByte(bytes(JSON.stringify(body))), { contentType: 'application/json; charset=utf-8' }] as const;

export const done = new TextEncoder().encode('data: [DONE]\n\n');

export const frames = (...data: unknown[]): Uint8Array => bytes(data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));

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
