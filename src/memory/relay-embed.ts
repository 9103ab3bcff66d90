/** Gets vectors from a relay that has an embeddings model, for the option `embed`. */
import { own } from '../base/objects.js';

export interface RelayEmbedOptions {
  /** Headers, or a function that is called for each request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** The default is the page's `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** The maximum number of cached vectors, so that the same text costs one request. */
const CACHED = 50;

/**
 * @param endpoint the relay's `/api/ai/embeddings`, or the address of its `/chat/stream` or `/chat`
 *
 * @example
 * chat.embed = relayEmbed('/api/ai/embeddings');
 */
export function relayEmbed(endpoint: string | URL, options: RelayEmbedOptions = {}): (text: string) => Promise<number[]> {
  const url = String(endpoint).replace(/\/chat(?:\/stream)?$/, '/embeddings');
  const cache = new Map<string, Promise<number[]>>();

  async function ask(text: string): Promise<number[]> {
    const { fetch = globalThis.fetch, headers } = options;
    const extra = typeof headers === 'function' ? await headers() : headers;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...extra },
      body: JSON.stringify({ input: text }),
      redirect: 'error',
      credentials: 'same-origin',
    });
    if (!response.ok) throw new Error(`The embeddings route answered ${String(response.status)}.`);
    const vector: unknown = own(own(await response.json(), 'embeddings'), 0);
    if (!Array.isArray(vector) || !vector.every((part) => typeof part === 'number'))
      throw new Error('The embeddings route gave no vector.');
    return vector;
  }

  return (text) => {
    const known = cache.get(text);
    if (known) return known;
    const asked = ask(text);
    cache.set(text, asked);
    asked.catch(() => cache.delete(text)); // a failed request is not cached
    for (const oldest of cache.keys()) if (cache.size > CACHED) cache.delete(oldest);
    return asked;
  };
}
