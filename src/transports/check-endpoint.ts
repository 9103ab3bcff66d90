/**
 * "Check configuration": finds out why this page cannot reach its endpoint. Loaded on demand.
 *
 * A page gets no details about a failed connection, so causes are distinguished by what else works. No model runs: a GET comes first, which
 * no chat endpoint answers with a reply. If it proves nothing, a POST of `{}` follows, which contains no message to answer. Both carry the
 * host's headers, so that a rejection because of them shows, and never any text of the conversation.
 */
import { readBody } from '../base/read-body.js';
import type { CheckReport, Finding } from '../model/config-findings.js';
import { baseUrl } from './prepare-request.js';
import { ipAddressSpace, connectionAdvice } from './ip-address-space.js';

export interface CheckOptions {
  endpoint: string;
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  fetch: typeof globalThis.fetch;
  /** The page's address. Default: that of this page. */
  page?: string | undefined;
  /** Milliseconds for one request. Default 10,000. */
  timeout?: number;
}

/** Finds the cause. Never rejects. */
export async function checkEndpoint(options: CheckOptions): Promise<CheckReport> {
  const { endpoint, page = baseUrl() } = options;
  if (endpoint.trim() === '') return { finding: 'no-endpoint', endpoint: '' };
  if (/^(?:prompt-api|wllama):/.test(endpoint)) return { finding: 'on-device', endpoint };
  const url = URL.canParse(endpoint, page) ? new URL(endpoint, page) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return { finding: 'bad-url', endpoint };
  const origin = page === undefined ? undefined : new URL(page).origin;
  const report = (finding: Finding, status?: number): CheckReport => ({
    finding,
    endpoint: url.origin + url.pathname,
    ...(status !== undefined && { status }),
    ...(origin !== undefined && (origin !== url.origin || finding === 'forbidden') && { origin }),
  });

  let headers: Record<string, string>;
  try {
    headers = {
      'content-type': 'application/json',
      ...(await (typeof options.headers === 'function' ? options.headers() : options.headers)),
    };
  } catch {
    return report('headers');
  }
  const probe = createProbe(options, url);
  const mixed = page?.startsWith('https:') === true && url.protocol === 'http:' && ipAddressSpace(url.hostname) < 2;
  const get = await probe({ method: 'GET', headers });
  if (get.type === 'answer') {
    const found = readAnswer(get.response);
    // An endpoint may answer a POST differently than a GET: many servers route by method.
    if (found.proves) return report(found.finding, get.response.status);
    const post = await probe({ method: 'POST', headers, body: '{}' });
    if (post.type === 'answer') {
      const { finding } = readAnswer(post.response, true);
      // Some servers report a server error if `{}` contains no message.
      const understood = finding === 'server' && MISSING.test(post.head);
      return report(understood ? 'ok' : finding, post.response.status);
    }
    return report(post.type === 'timeout' ? 'timeout' : found.finding, get.response.status);
  }
  if (get.blocked) return report('csp');
  if (mixed) return report('mixed-content');
  const { offline, localNetwork } = connectionAdvice(url, page);
  if (offline) return report('offline');
  if (get.type === 'timeout') return report('timeout');
  // A request without the custom headers needs no preflight; with `no-cors` its response may arrive, but cannot be read.
  if ((await probe({ method: 'GET' })).type === 'answer') return report('cors-headers');
  if ((await probe({ method: 'GET', mode: 'no-cors' })).type === 'answer') return report('cors');
  return report(localNetwork ? 'local-network' : 'unreachable');
}

/** Matches the message that a field of a chat request is missing. */
const MISSING =
  /(?:messages|input|prompt|contents|model)\W{1,4}(?:is |field |are )?(?:required|missing)|missing\W.{0,40}(?:messages|input|prompt|contents|model)/i;

/** Bytes read of an error's body: enough for its first sentence. */
const HEAD_BYTES = 2000;

/** The result of one request. `head` is the beginning of the body of a server error. */
type Probed = { type: 'answer'; response: Response; head: string; blocked?: false } | { type: 'none' | 'timeout'; blocked: boolean };

/**
 * Creates a function that sends one request without side effects: no cookies across sites, no redirects, no cache. The response body is not
 * read.
 */
function createProbe({ fetch, timeout = 10_000 }: CheckOptions, url: URL): (init: RequestInit) => Promise<Probed> {
  return async (init) => {
    let blocked = false;
    const note = (event: Event) => {
      const { blockedURI = '' } = event as Event & { blockedURI?: string };
      blocked ||= blockedURI.startsWith(url.origin);
    };
    const { document } = globalThis as { document?: EventTarget };
    document?.addEventListener('securitypolicyviolation', note);
    const signal = AbortSignal.timeout(timeout);
    try {
      // `no-cors` does not allow `redirect: 'manual'`. The target of a redirect does not matter here.
      const redirect = init.mode === 'no-cors' ? 'follow' : 'manual';
      const response = await fetch(url, {
        ...init,
        redirect,
        signal,
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        credentials: 'same-origin',
      });
      const head = response.status >= 500 && init.body ? await readBody(response.body, HEAD_BYTES, { signal }) : { text: '' };
      void response.body?.cancel().catch(() => {});
      return { type: 'answer', response, head: head.text };
    } catch {
      // The browser reports the violation in a later task.
      await new Promise((resolve) => setTimeout(resolve));
      return { type: signal.aborted ? 'timeout' : 'none', blocked };
    } finally {
      document?.removeEventListener('securitypolicyviolation', note);
    }
  };
}

/**
 * Evaluates a response. `proves`: the endpoint would answer any request this way. `posted`: the request was a POST, like that of a chat.
 */
function readAnswer({ status, type, headers }: Response, posted = false): { finding: Finding; proves: boolean } {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) return { finding: 'redirect', proves: posted };
  if (status === 401 || status === 407) return { finding: 'auth', proves: true };
  if (status === 403) return { finding: 'forbidden', proves: true };
  if (status === 429) return { finding: 'rate-limit', proves: true };
  if (status === 404 || status === 410) return { finding: 'not-found', proves: posted };
  if (status === 405 || status === 501) return { finding: posted ? 'not-found' : 'ok', proves: posted };
  if (status >= 500) return { finding: 'server', proves: posted };
  if (status < 300 && (headers.get('content-type') ?? '').startsWith('text/html')) return { finding: 'wrong-answer', proves: posted };
  // The endpoint understood the request well enough to reject it.
  return { finding: 'ok', proves: posted };
}
