/**
 * What our relay says by code: of itself, and of the model behind it. The page has words of its own for each, in its reader's language, so
 * the sentence beside a code is for logs. Loaded with the first refusal.
 */
import { own } from '../base/objects.js';
import type { Failure, FailureKind } from './failure.js';

interface Meaning {
  kind: FailureKind;
  errorType?: Failure['errorType'];
  /** In mid-answer: the rest is lost, as if the connection had broken. */
  cut?: true;
  /** Asking again cannot help. */
  final?: true;
}

const meanings: Readonly<Record<string, Meaning>> = {
  upstream_auth: { kind: 'setup', errorType: 'auth', final: true },
  upstream_quota: { kind: 'setup', errorType: 'auth', final: true },
  upstream_not_found: { kind: 'setup', final: true },
  upstream_rejected: { kind: 'bad-request', errorType: 'invalid_format', final: true },
  upstream_rate_limit: { kind: 'rate-limit', errorType: 'rate_limit' },
  upstream_busy: { kind: 'model-away', errorType: 'network' },
  upstream_error: { kind: 'model-away', errorType: 'network' },
  upstream_unreachable: { kind: 'model-away', errorType: 'network' },
  upstream_timeout: { kind: 'model-silent', errorType: 'timeout' },
  upstream_stalled: { kind: 'model-silent', errorType: 'timeout' },
  upstream_broken: { kind: 'cut', errorType: 'network', cut: true },
  connection_lost: { kind: 'cut', errorType: 'network', cut: true },
  closing: { kind: 'cut', errorType: 'network', cut: true },
  stopped: { kind: 'cut', cut: true },
  bad_reply: { kind: 'setup', errorType: 'invalid_format', final: true },
  reply_too_long: { kind: 'too-large', final: true },
  time_limit: { kind: 'model-silent', errorType: 'timeout', final: true },
  /** The page is of an origin that the relay does not serve: signing in would not help. */
  forbidden: { kind: 'setup', errorType: 'auth', final: true },
  unauthorised: { kind: 'unauthorised', errorType: 'auth', final: true },
  rate_limit: { kind: 'rate-limit', errorType: 'rate_limit' },
  busy: { kind: 'server', errorType: 'network' },
  store_unavailable: { kind: 'server', errorType: 'network' },
  body_timeout: { kind: 'timeout', errorType: 'timeout' },
  internal: { kind: 'server' },
};

/** Undefined for codes of others. @param status of the refusal; none inside a stream */
export function failureOfCode(code: string, status?: number): { error: Failure; cut: boolean; final: boolean } | undefined {
  const meaning = own(meanings, code) as Meaning | undefined;
  if (!meaning) return undefined;
  const { kind, errorType, cut = false, final = false } = meaning;
  const layer = kind === 'setup' || kind === 'bad-request' ? 'business' : 'network';
  const error: Failure = {
    ...({ kind, layer, code: cut ? 'STREAM_CUT' : status === undefined ? 'ENDPOINT_ERROR' : 'HTTP_ERROR', retryable: !final } as const),
    ...(errorType && { errorType }),
    ...(status !== undefined && { status }),
    said: code,
  };
  return { error, cut, final };
}
