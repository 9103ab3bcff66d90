/** A `fetch` that answers each request with the next of some replies, in the form of a wire. */
import type { WireEvent } from '../../src/transports/wire.js';

type Chunk = Record<string, unknown>;
export interface Asked {
  url: string;
  headers: Record<string, string>;
  body: {
    messages: { role: string; content?: unknown; text?: string; tool_calls?: unknown[]; tool_call_id?: string }[];
    system?: string;
    tools?: { function: { name: string; parameters: object } }[];
    [field: string]: unknown;
  };
}

const sse = (frames: (Chunk | string)[]) =>
  new Response(frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  });

const delta = (more: Chunk, finish_reason: string | null = null) => ({ choices: [{ index: 0, delta: more, finish_reason }] });

/** OpenAI's stream of one text. */
export const openaiText = (text: string): Response => sse([delta({ content: text }), delta({}, 'stop'), '[DONE]']);

/** OpenAI's stream of native calls. */
export const openaiCalls = (...calls: { id: string; name: string; arguments: string }[]): Response =>
  sse([
    ...calls.map(({ id, name, arguments: source }, index) =>
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: source } }] }),
    ),
    delta({}, 'tool_calls'),
    '[DONE]',
  ]);

export const refusal = (status: number, message = 'tools are not supported'): Response => Response.json({ error: { message } }, { status });

export const cutieText = (text: string): Response => sse([{ type: 'text', content: text }, { type: 'done' }]);

/** A wire of the tests' own: its frames are wire events as they are. */
export const events = (...list: WireEvent[]): Response => sse(list.map((event) => ({ ...event })));

/** A call as a model writes it under `xml-invoke`. */
export function call(name: string, params: Record<string, string | number> = {}): string {
  const parameters = Object.entries(params).map(([key, value]) => `<parameter name="${key}">${String(value)}</parameter>\n`);
  return `<tool_use>\n<invoke name="${name}">\n${parameters.join('')}</invoke>\n</tool_use>\n`;
}

export function scriptedFetch(replies: (Response | (() => Response))[]): { fetch: typeof fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  const waiting = [...replies];
  return {
    asked,
    fetch: (url, init) => {
      const { headers, body } = init as { headers: Record<string, string>; body: string };
      asked.push({ url: String(url), headers, body: JSON.parse(body) as Asked['body'] });
      const next = waiting.shift();
      if (!next) return Promise.reject(new TypeError('No reply is left.'));
      return Promise.resolve(typeof next === 'function' ? next() : next);
    },
  };
}

/** A wire of the tests' own: its frames are wire events as they are. */
export const plainWire = {
  id: 'plain',
  request: (turn: object, endpoint: URL) => ({ url: endpoint, headers: {}, body: turn }),
  createReader: (emit: (event: never) => void) => {
    const decoder = new TextDecoder();
    return {
      push(bytes: Uint8Array) {
        for (const line of decoder.decode(bytes).split('\n')) if (line.startsWith('data: ')) emit(JSON.parse(line.slice(6)) as never);
      },
      end() {},
    };
  },
};
