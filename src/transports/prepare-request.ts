/** Converts a turn to the arguments of `fetch`: the wire's format, the host's headers, and the host's `beforeSend`. */
import { failureOf } from './failure.js';
import type { Failure } from './failure.js';
import { ipAddressSpace } from './ip-address-space.js';
import type { TurnRequest, Wire } from './wire.js';

/** The request before it is sent; `beforeSend` may return another. `body` is sent as JSON. */
export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

type HostHeaders = Readonly<Record<string, string | undefined>>;

export interface RequestSource {
  wire: Wire;
  /** Relative addresses are resolved against the page's base URL. */
  endpoint: string | URL;
  turn: TurnRequest;
  /** Called for every request, so that a token can be fresh. Overrides the wire's own headers. */
  headers?: HostHeaders | (() => Promise<HostHeaders> | HostHeaders);
  /** Returns the request to send, or `null` to send nothing. */
  beforeSend?: (request: OutgoingRequest) => OutgoingRequest | null | Promise<OutgoingRequest | null>;
}

type Prepared = { url: URL; init: RequestInit; warning?: string } | { error: Failure; warning?: string };

/**
 * Prepares a request and never rejects: an invalid address or failing headers are failures of kind `config`. If `beforeSend` returns no
 * request or throws, nothing is sent: kind `refused`.
 *
 * @param page The base URL of relative addresses.
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
    if (source.beforeSend) outgoing = await applyBeforeSend(source.beforeSend, outgoing, (message) => (warning = message));
    if (outgoing === null) return { error: failureOf('refused'), ...(warning !== undefined && { warning }) };
    const to = new URL(outgoing.url, page);
    return {
      url: to,
      ...(isExposed(to, page) && { warning: `The conversation travels unencrypted: ${to.origin} is http, this page is https` }),
      init: {
        method: 'POST',
        headers: outgoing.headers,
        body: JSON.stringify(outgoing.body),
        // Not followed: a redirect would carry the conversation, and keys in the host's headers, to another address. Not `error` either:
        // that looks like a network failure, which is retried.
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

async function applyBeforeSend(
  beforeSend: NonNullable<RequestSource['beforeSend']>,
  request: OutgoingRequest,
  warn: (message: string) => void,
): Promise<OutgoingRequest | null> {
  try {
    return await beforeSend(request);
  } catch (error) {
    warn(`beforeSend failed, so nothing was sent: ${String(error)}`);
    return null; // data that should be masked may not be
  }
}

/** Checks whether an encrypted page sends to an unencrypted address. Traffic that stays on this computer counts as encrypted. */
function isExposed(to: URL, page: string | undefined): boolean {
  return to.protocol === 'http:' && ipAddressSpace(to.hostname) < 2 && page?.startsWith('https:') === true;
}

/** Returns the base URL of relative addresses; `undefined` if there is no page. */
export function baseUrl(): string | undefined {
  return (globalThis as { document?: Document }).document?.baseURI ?? (globalThis as { location?: Location }).location?.href;
}
