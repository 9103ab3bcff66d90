/** From a turn to what `fetch` takes: the wire's shape, the host's headers, the host's last look. */
import { failureOf } from './failure.js';
import type { Failure } from './failure.js';
import { nearness } from './whereabouts.js';
import type { TurnRequest, Wire } from './wire.js';

/** What is about to leave the page; `beforeSend` may return another. `body` is sent as JSON. */
export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

type HostHeaders = Readonly<Record<string, string | undefined>>;

export interface RequestSource {
  wire: Wire;
  /** Relative addresses count from the page's base. */
  endpoint: string | URL;
  turn: TurnRequest;
  /** Asked for every request, so that a token can be fresh. Wins over the wire's own. */
  headers?: HostHeaders | (() => Promise<HostHeaders> | HostHeaders);
  /** `null` = do not send. */
  beforeSend?: (request: OutgoingRequest) => OutgoingRequest | null | Promise<OutgoingRequest | null>;
}

type Prepared = { url: URL; init: RequestInit; warning?: string } | { error: Failure; warning?: string };

/**
 * Never rejects: an address that is none, or headers that cannot be had, are failures of kind `config`. Where the host's last look does
 * not end in a request, whether it says so or throws, nothing is sent: kind `refused`.
 *
 * @param page against what relative addresses count
 */
export async function prepareRequest(source: RequestSource, page = baseUrl()): Promise<Prepared> {
  let warning: string | undefined;
  try {
    const endpoint = new URL(source.endpoint, page);
    const { url, headers, body } = source.wire.request(source.turn, endpoint);
    const merged = new Headers(headers);
    const own = typeof source.headers === 'function' ? await source.headers() : source.headers;
    for (const [name, value] of Object.entries(own ?? {})) if (value !== undefined) merged.set(name, value);

    let outgoing: OutgoingRequest | null = { url: url.href, headers: Object.fromEntries(merged), body };
    if (source.beforeSend) outgoing = await lastLook(source.beforeSend, outgoing, (message) => (warning = message));
    if (outgoing === null) return { error: failureOf('refused'), ...(warning !== undefined && { warning }) };
    const to = new URL(outgoing.url, page);
    return {
      url: to,
      ...(isExposed(to, page) && { warning: `The conversation travels unencrypted: ${to.origin} is http, this page is https` }),
      init: {
        method: 'POST',
        headers: outgoing.headers,
        body: JSON.stringify(outgoing.body),
        // Not followed: a redirect would carry the conversation, and keys in headers of the host's own, to another address. Not
        // `error` either: that looks like a broken network, which is retried.
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
        credentials: 'same-origin',
        cache: 'no-store',
      },
    };
  } catch (error) {
    return { error: failureOf('config'), warning: `No request could be made: ${String(error)}` };
  }
}

async function lastLook(
  beforeSend: NonNullable<RequestSource['beforeSend']>,
  request: OutgoingRequest,
  warn: (message: string) => void,
): Promise<OutgoingRequest | null> {
  try {
    return await beforeSend(request);
  } catch (error) {
    warn(`beforeSend failed, so nothing was sent: ${String(error)}`);
    return null; // what was to be masked may not be
  }
}

/** A page that came encrypted sends to an address that is not. What stays on this computer is as good as encrypted. */
function isExposed(to: URL, page: string | undefined): boolean {
  return to.protocol === 'http:' && nearness(to.hostname) < 2 && page?.startsWith('https:') === true;
}

/** Against what relative addresses count; `undefined` where there is no page. */
export function baseUrl(): string | undefined {
  return (globalThis as { document?: Document }).document?.baseURI ?? (globalThis as { location?: Location }).location?.href;
}
