/** Vectors from our relay: what the option `embed` takes, where a relay has an embeddings model. */
import { own } from '../base/objects.js';

export interface RelayEmbedOptions {
  /** Asked for every request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Default: the page's. */
  fetch?: typeof globalThis.fetch;
}

/** Texts whose vectors are remembered, so that asking twice costs one request. */
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
    asked.catch(() => cache.delete(text)); // the next time may go better
    for (const oldest of cache.keys()) if (cache.size > CACHED) cache.delete(oldest);
    return asked;
  };
}
