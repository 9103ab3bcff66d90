/** What an upstream says when it refuses. Its sentences go nowhere: they may quote the prompt or the key. */
import { field, arrayOf, parseJson, stringOf } from '../transports/read-fields.js';
import type { UpstreamReason } from './faults.js';
import { within } from './within.js';

/** An error body is read for what a program can use, and never waited for. */
const MOST = { bytes: 8_192, ms: 500 };

/** Its names for a conversation that the model's context does not hold. */
const TOO_LONG =
  /exceed_context_size|context_length_exceeded|maximum context length|available context size|context length of only|prompt is too long/i;

/** Where its sentence says how much that would be. */
const SIZES = [
  /maximum context length (?:is|of) (\d{1,9})\b/i,
  /available context size \((\d{1,9})\b/i,
  /context length of only (\d{1,9})\b/i,
  /> (\d{1,9}) maximum/i,
];

/** Of the body of a response that is not ok. */
export async function readReason({ body }: Response): Promise<UpstreamReason> {
  if (!body) return {};
  const said = parseJson(await readSome(body));
  // Google's service puts its error into an array.
  const error = field(Array.isArray(said) ? arrayOf(said)[0] : said, 'error');
  const names = [field(error, 'code'), field(error, 'type')].map(stringOf);
  const reason = names.find((name) => name !== undefined)?.slice(0, 80);
  const sentence = stringOf(field(error, 'message')) ?? stringOf(error) ?? '';
  return { reason, tooLong: tooLong(names.join(' '), sentence, field(error, 'n_ctx')) };
}

/** @param size what it says of it in a field of its own */
export function tooLong(code: string, message: string, size?: unknown): UpstreamReason['tooLong'] {
  const sentence = message.slice(0, MOST.bytes);
  if (!TOO_LONG.test(code) && !TOO_LONG.test(sentence)) return undefined;
  const found = typeof size === 'number' ? size : Number(SIZES.map((one) => one.exec(sentence)?.[1]).find(Boolean));
  return { contextSize: Number.isSafeInteger(found) && found > 0 ? found : undefined };
}

async function readSome(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let read = '';
  const collect = async () => {
    while (read.length < MOST.bytes) {
      const { done, value } = await reader.read();
      if (done) return;
      read += decoder.decode(value, { stream: true });
    }
  };
  await within(collect(), MOST.ms, () => {}).catch(() => {});
  void reader.cancel().catch(() => {});
  return read;
}
