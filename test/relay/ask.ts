/** A client of the relay: builds requests, reads its events. */
import type { RelayLogger } from '../../src/relay/index.js';

export const ORIGIN = 'http://relay.test';

export function ask(body: unknown = hello(), { path = '/api/ai/chat/stream', headers = {}, signal }: AskOptions = {}): Request {
  return new Request(ORIGIN + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

interface AskOptions {
  path?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export const hello = (text = 'Hi') => ({ messages: [{ role: 'user', text }], system: 'Be kind.', max_tokens: 100, stream: true });

export interface RelayEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** The events in a finished body, strictly as the relay writes them. */
export function readEvents(body: string): RelayEvent[] {
  return body
    .split('\n\n')
    .filter((frame) => frame !== '' && !frame.startsWith(':'))
    .map((frame) => {
      const fields = Object.fromEntries(
        frame.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
      );
      return { id: fields['id']!, event: fields['event']!, data: JSON.parse(fields['data']!) as Record<string, unknown> };
    });
}

/** Reads piece by piece: `until` resolves with everything read so far once it holds `text`. */
export function follow(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
  let read = '';
  return {
    async until(text: string): Promise<string> {
      while (!read.includes(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`The stream ended without "${text}": ${read}`);
        read += value;
      }
      return read;
    },
    cancel: () => reader.cancel(),
  };
}

export function memoryLogger(): RelayLogger & { readonly lines: string[] } {
  const lines: string[] = [];
  const write = (data: object, message: string) => void lines.push(`${message} ${JSON.stringify(data)}`);
  return { lines, debug: write, info: write, warn: write, error: write };
}
