/**
 * "Check configuration": finds out what stands between this page and its endpoint. Loaded when somebody asks.
 *
 * A page is told nothing of a connection that failed, so one failure is told from another by what else works. No model is run: a GET comes
 * first, which no chat endpoint answers with a reply, and where that proves nothing, a POST of `{}`, which holds no message that could be
 * answered. Both carry the host's headers, so that a refusal of these is seen, and never a word of the conversation.
 */
import { readBody } from '../base/read-body.js';
import type { CheckReport, Finding } from '../model/config-findings.js';
import { baseUrl } from './prepare-request.js';
import { nearness, whereabouts } from './whereabouts.js';

export interface CheckOptions {
  endpoint: string;
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  fetch: typeof globalThis.fetch;
  /** The page's address; default: that of this page. */
  page?: string | undefined;
  /** Milliseconds for one question. Default 10,000. */
  timeout?: number;
}

/** Never rejects. */
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
  const mixed = page?.startsWith('https:') === true && url.protocol === 'http:' && nearness(url.hostname) < 2;
  const get = await probe({ method: 'GET', headers });
  if (get.type === 'answer') {
    const found = readAnswer(get.response);
    // What answers a GET so need not answer a POST so: many servers know an address by its method only.
    if (found.proves) return report(found.finding, get.response.status);
    const post = await probe({ method: 'POST', headers, body: '{}' });
    if (post.type === 'answer') {
      const { finding } = readAnswer(post.response, true);
      // Some servers call it a fault of their own that `{}` holds no message.
      const understood = finding === 'server' && MISSING.test(post.head);
      return report(understood ? 'ok' : finding, post.response.status);
    }
    return report(post.type === 'timeout' ? 'timeout' : found.finding, get.response.status);
  }
  if (get.blocked) return report('csp');
  if (mixed) return report('mixed-content');
  const { offline, localNetwork } = whereabouts(url, page);
  if (offline) return report('offline');
  if (get.type === 'timeout') return report('timeout');
  // Without its headers a request needs no leave to be sent; without `cors` its answer none to arrive, unread.
  if ((await probe({ method: 'GET' })).type === 'answer') return report('cors-headers');
  if ((await probe({ method: 'GET', mode: 'no-cors' })).type === 'answer') return report('cors');
  return report(localNetwork ? 'local-network' : 'unreachable');
}

/** A field of a chat request, and that it is not there. */
const MISSING =
  /(?:messages|input|prompt|contents|model)\W{1,4}(?:is |field |are )?(?:required|missing)|missing\W.{0,40}(?:messages|input|prompt|contents|model)/i;

/** Bytes of an error's body: enough for its first sentence. */
const HEAD_BYTES = 2000;

/** `head`: the beginning of its body, where it fails. */
type Probed = { type: 'answer'; response: Response; head: string; blocked?: false } | { type: 'none' | 'timeout'; blocked: boolean };

/** One question with all that keeps it from meaning anything: no cookies across sites, no redirects, no cache. Its answer is not read. */
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
      // `no-cors` follows no redirect by hand; where it leads is not looked at anyway.
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
      // The violation is told in a task of its own.
      await new Promise((resolve) => setTimeout(resolve));
      return { type: signal.aborted ? 'timeout' : 'none', blocked };
    } finally {
      document?.removeEventListener('securitypolicyviolation', note);
    }
  };
}

/** `proves`: the endpoint would answer any request so. `posted`: it was asked as a chat asks. */
function readAnswer({ status, type, headers }: Response, posted = false): { finding: Finding; proves: boolean } {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) return { finding: 'redirect', proves: posted };
  if (status === 401 || status === 407) return { finding: 'auth', proves: true };
  if (status === 403) return { finding: 'forbidden', proves: true };
  if (status === 429) return { finding: 'rate-limit', proves: true };
  if (status === 404 || status === 410) return { finding: 'not-found', proves: posted };
  if (status === 405 || status === 501) return { finding: posted ? 'not-found' : 'ok', proves: posted };
  if (status >= 500) return { finding: 'server', proves: posted };
  if (status < 300 && (headers.get('content-type') ?? '').startsWith('text/html')) return { finding: 'wrong-answer', proves: posted };
  // A request that was understood well enough to be refused.
  return { finding: 'ok', proves: posted };
}
