/** Asks the endpoint's model list for the number of tokens a model can read at once. Loaded when a request was too long. */
import { readBody } from '../base/read-body.js';
import { readCount, field, arrayOf } from './read-fields.js';

interface WindowRequest {
  model: string;
  headers: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  fetch: typeof globalThis.fetch;
}

const MOST_BYTES = 262_144;
const WAIT_MS = 5000;

/** Reads the context window from `/v1/models` of llama.cpp (`meta.n_ctx`) and vLLM (`max_model_len`). Never rejects. */
export async function fetchContextWindow(
  endpoint: URL,
  { model, headers, fetch }: WindowRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  const url = new URL(endpoint);
  url.search = '';
  url.pathname = url.pathname.replace(/\/(?:chat\/completions|responses|messages)\/?$/, '/models');
  if (!url.pathname.endsWith('/models')) return undefined;
  try {
    const response = await fetch(url, {
      headers: typeof headers === 'function' ? await headers() : (headers ?? {}),
      signal: AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]),
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      credentials: 'same-origin',
    });
    const { text, isWhole } = await readBody(response.ok ? response.body : null, MOST_BYTES);
    if (!isWhole || text === '') return undefined;
    const models = arrayOf(field(JSON.parse(text), 'data'));
    const ours = models.find((one) => field(one, 'id') === model) ?? (models.length === 1 ? models[0] : undefined);
    return readCount(field(field(ours, 'meta'), 'n_ctx')) ?? readCount(field(ours, 'max_model_len'));
  } catch {
    return undefined;
  }
}
