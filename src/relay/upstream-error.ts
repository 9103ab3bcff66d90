/** What an upstream says when it refuses. Its sentences go nowhere: they may quote the prompt or the key. */
import { field, arrayOf, parseJson, stringOf } from '../transports/read-fields.js';
import { readTooLong } from '../transports/too-long.js';
import type { UpstreamReason } from './faults.js';
import { within } from './within.js';

/** An error body is read for what a program can use, and never waited for. */
const MOST = { bytes: 8_192, ms: 500 };

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
  const read = readTooLong(`${code} ${message}`);
  return read && { contextSize: typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : read.window };
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
