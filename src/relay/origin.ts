/** Which pages may ask: the relay's own origin, those on the list, and programs that are no page. */

/** Headers that scripts of another origin may read. */
const EXPOSED = 'Retry-After, X-Should-Retry, Tool-Chat-Gate';

export interface KnownOrigins {
  publicOrigin: string | undefined;
  allowedOrigins: ReadonlySet<string>;
  requireOrigin: boolean;
}

/**
 * Compares whole origins only, so no prefix, suffix or `null` gets by. The relay's own origin is what it was told: a page that has pointed a
 * name of its own at the relay would send that name as `Host` (DNS rebinding). Without being told, only a page that this computer itself
 * served at the same address counts as its own, whose name nobody else can point anywhere.
 *
 * `foreign`: the origin is not the relay's own, so the answer has to name it.
 */
export function judgeOrigin(
  request: Request,
  { publicOrigin, allowedOrigins, requireOrigin }: KnownOrigins,
): { allowed: boolean; foreign?: string } {
  const origin = request.headers.get('origin');
  // A browser names the origin of every POST and DELETE; of a GET to its own site it does not.
  if (origin === null) return { allowed: !requireOrigin || request.method === 'GET' || request.method === 'HEAD' };
  if (publicOrigin === undefined ? isLoopback(origin) && origin === new URL(request.url).origin : origin === publicOrigin)
    return { allowed: true };
  return allowedOrigins.has(origin) ? { allowed: true, foreign: origin } : { allowed: false };
}

const isLoopback = (origin: string) => /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin);

/** No credentials: the relay knows no cookies, and a page that sends some would only risk them. */
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
    // `authorization` is for a gateway in front of the relay; the relay itself neither reads nor forwards it.
    'access-control-allow-headers': 'accept, authorization, content-type, last-event-id',
    'access-control-max-age': '600',
  };
}

/**
 * Whether who asks for a stream may be the page that began it. A browser names the origin of every POST and DELETE, but of a GET only when
 * it goes to another site; what it then says of itself instead is enough.
 *
 * @param begunBy '' = not a page
 */
export function mayRead(request: Request, begunBy: string): boolean {
  const origin = request.headers.get('origin');
  if (origin !== null) return origin === begunBy;
  const site = request.headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' || site === 'none';
}
