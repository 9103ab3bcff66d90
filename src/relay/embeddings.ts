/** `POST /api/ai/embeddings` turns texts into vectors, with the one model that the relay is configured for. */
import { z } from 'zod';
import { boundedList } from './bounded-list.js';
import { readBody } from '../base/read-body.js';
import { field } from '../transports/read-fields.js';
import { relayErrors, RelayError } from './errors.js';
import type { RelayConfig } from './relay-options.js';
import { readJson, type Reading } from './request-body.js';
import type { ShareHold } from './fair-shares.js';
import type { AcquirePlace } from './time-slices.js';
import { parseUpstreamError } from './upstream-error.js';
import { withTimeout } from './timeouts.js';

/** Maximum number of texts in a request, and of UTF-16 units in each: about as much as a model accepts. */
const MAX_TEXTS = 256;
const MAX_TEXT = 32_768;

/** Number of texts sent to the model at once: parsing and writing the vectors of more would block the relay. */
const BATCH = 8;

/** Maximum bytes of one vector in an answer: 4,096 numbers, written out. */
const MAX_VECTOR = 125_000;

const text = z.string().min(1).max(MAX_TEXT);
const requestSchema = z.object({
  input: z.union([text, boundedList(MAX_TEXTS, text, 1)]),
  model: z.string().max(200).optional(),
});

/** Registers a request to the model. The returned function removes it. */
export type EmbeddingUse = (stop: (fault: RelayError) => void) => () => void;

/**
 * Requests one vector for each text, in the order of the texts. Answers count against `memory`, like the request, until the caller ends it.
 *
 * @returns the JSON of the answer, in pieces
 * @throws RelayError
 */
export async function embed(
  config: RelayConfig,
  request: Request,
  reading: Reading & { counted: EmbeddingUse; place: AcquirePlace },
  platform?: unknown,
): Promise<string[]> {
  const { endpoint, model } = config.embeddings!;
  const parsed = requestSchema.safeParse(await readJson(request, config, reading, platform), { jitless: true });
  if (!parsed.success)
    throw relayErrors.badRequest(`\`input\` must be a text or up to ${MAX_TEXTS} texts of up to ${MAX_TEXT} characters.`);
  if (parsed.data.model !== undefined && parsed.data.model !== model) throw relayErrors.badRequest('This model is not offered here.');
  const input = typeof parsed.data.input === 'string' ? [parsed.data.input] : parsed.data.input;
  const abort = new AbortController();
  const leave = () => abort.abort();
  let stopped: RelayError | undefined;
  const end = reading.counted((fault) => {
    stopped = fault;
    abort.abort();
  });
  request.signal.addEventListener('abort', leave, { once: true });
  let numbers: number | undefined;
  /** Asks for one batch when the client has a free place, because answers to many requests may arrive at the same time. */
  async function askInTurn(asked: Request, count: number): Promise<string[]> {
    const leavePlace = await reading.place();
    try {
      const text = await ask(config, asked, { signal: abort.signal, most: count * MAX_VECTOR, memory: reading.memory });
      await reading.pause();
      const answer = parseVectors(text);
      await reading.pause();
      const vectors = vectorsOf(answer, count);
      numbers ??= vectors[0]!.length;
      if (vectors[0]!.length !== numbers) throw relayErrors.notAModel('embeddings that do not match the texts');
      const written: string[] = [];
      for (const vector of vectors) {
        // Serializing numbers takes the most time.
        await reading.pause();
        written.push(JSON.stringify(vector));
      }
      return written;
    } finally {
      leavePlace();
    }
  }
  async function askAll(): Promise<string[]> {
    const pieces: string[] = [];
    for (let at = 0; at < input.length; at += BATCH) {
      const some = input.slice(at, at + BATCH);
      const asked = new Request(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(config.apiKey && { authorization: `Bearer ${config.apiKey}` }),
        },
        body: JSON.stringify({ model, input: some, encoding_format: 'float' }),
        redirect: 'manual',
        signal: abort.signal,
      });
      for (const vector of await askInTurn(asked, some.length)) pieces.push(`${pieces.length === 0 ? '{"embeddings":[' : ','}${vector}`);
    }
    return [...pieces, `],"model":${JSON.stringify(model)}}`];
  }
  try {
    const late = () => {
      throw relayErrors.timeout();
    };
    return await withTimeout(askAll(), config.timeout, late);
  } catch (error) {
    throw stopped ?? error;
  } finally {
    end();
    abort.abort(); // closes a request that is still open upstream
    request.signal.removeEventListener('abort', leave);
  }
}

async function ask(
  config: RelayConfig,
  request: Request,
  { signal, most, memory }: { signal: AbortSignal; most: number; memory: ShareHold },
): Promise<string> {
  const response = await config.upstream(request, signal).catch((error: unknown) => {
    throw relayErrors.unreachable(error);
  });
  if (!response.ok) throw await parseUpstreamError(response);
  const { text, isWhole, error } = await readBody(response.body, most, { onPiece: (bytes) => memory.add(bytes) });
  if (error instanceof RelayError) throw error;
  if (!isWhole) throw error === undefined ? relayErrors.replyTooLong() : relayErrors.broken(error);
  return text;
}

/**
 * Returns a stream that sends the pieces as the client reads. `onEnd` is called once: when all are sent, when the client leaves, or with
 * `true` if they are not all read within `ms`.
 */
export function sendWithPings(pieces: readonly string[], ms: number, onEnd: (isLate: boolean) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const left = [...pieces];
  let isOver = false;
  const end = (isLate = false) => {
    clearTimeout(timer);
    if (!isOver) onEnd(isLate);
    isOver = true;
  };
  const timer = setTimeout(() => {
    left.length = 0;
    end(true);
  }, ms);
  return new ReadableStream(
    {
      pull(stream) {
        const next = left.shift();
        if (next !== undefined) return stream.enqueue(encoder.encode(next));
        if (isOver) return stream.error(new Error('The client did not read.'));
        end();
        stream.close();
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Parses with `JSON.parse`: coordinates have many digits, and preserving those of large numbers, as `parseJson` does, would take the most
 * time of all.
 */
function parseVectors(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the vectors in the order of the texts. Uses their `index` if they have one, since a service may answer out of order. */
function vectorsOf(answer: unknown, count: number): number[][] {
  const rows = field(answer, 'data');
  if (!Array.isArray(rows) || rows.length !== count) throw relayErrors.notAModel('no embeddings');
  const vectors: number[][] = [];
  rows.forEach((row: unknown, at) => {
    const index = field(row, 'index');
    const vector = field(row, 'embedding');
    if (!isVector(vector)) throw relayErrors.notAModel('no numbers');
    const place = typeof index === 'number' ? index : at;
    if (!Number.isSafeInteger(place) || place < 0 || place >= count) throw relayErrors.notAModel('embeddings of other texts');
    vectors[place] = vector;
  });
  if (vectors.length !== count || vectors.some(({ length }) => length !== vectors[0]!.length) || Object.keys(vectors).length !== count)
    throw relayErrors.notAModel('embeddings that do not match the texts');
  return vectors;
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number' && Number.isFinite(one));
