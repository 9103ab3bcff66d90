/** Decides which origins may send requests: the relay's own, those on the list, and programs that are not pages. */

/** The headers that scripts of another origin may read. */
const EXPOSED = 'Retry-After, X-Should-Retry, Tool-Chat-Gate';

export interface OriginRules {
  publicOrigin: string | undefined;
  allowedOrigins: ReadonlySet<string>;
  requireOrigin: boolean;
}

/**
 * Checks the origin of a request. Compares whole origins, so no prefix, suffix or `null` passes. The relay's own origin is only the
 * configured one: with DNS rebinding, an attacker's host name would arrive as `Host`. Without a configured origin, only a loopback page at
 * the same address counts as the relay's own, because no one else can redirect its name.
 *
 * `foreign`: the origin is not the relay's own, so the CORS headers have to name it.
 */
export function checkOrigin(
  request: Request,
  { publicOrigin, allowedOrigins, requireOrigin }: OriginRules,
): { allowed: boolean; foreign?: string } {
  const origin = request.headers.get('origin');
  // A browser sends the origin with every POST and DELETE, but not with a GET to its own site.
  if (origin === null) return { allowed: !requireOrigin || request.method === 'GET' || request.method === 'HEAD' };
  if (publicOrigin === undefined ? isLoopback(origin) && origin === new URL(request.url).origin : origin === publicOrigin)
    return { allowed: true };
  return allowedOrigins.has(origin) ? { allowed: true, foreign: origin } : { allowed: false };
}

const isLoopback = (origin: string) => /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin);

/**
 * Returns the CORS headers of a response. They allow no credentials: the relay uses no cookies, and a page that sends some would only
 * expose them.
 */
export function corsHeaders(foreign: string): [string, string][] {
  return [
    ['access-control-allow-origin', foreign],
    ['access-control-expose-headers', EXPOSED],
  ];
}

export function preflightHeaders(foreign: string): Record<string, string> {
  return {
    'access-control-allow-origin': foreign,
    'access-control-allow-methods': 'GET, POST, DELETE',
    // `authorization` is for a gateway in front of the relay. The relay itself neither reads nor forwards it.
    'access-control-allow-headers': 'accept, authorization, content-type, last-event-id',
    'access-control-max-age': '600',
  };
}

/**
 * Checks whether a request may come from the page that started the stream. A browser sends the origin with every POST and DELETE, but with
 * a GET only to another site; `Sec-Fetch-Site` is enough instead.
 *
 * @param begunBy the origin of the page that started the stream; '' if no page did
 */
export function mayRead(request: Request, begunBy: string): boolean {
  const origin = request.headers.get('origin');
  if (origin !== null) return origin === begunBy;
  const site = request.headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' || site === 'none';
}
