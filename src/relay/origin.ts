/** Which pages may ask: the relay's own origin, those on the list, and programs that are no page (fault 137). */

/** Headers that scripts of another origin may read. */
const EXPOSED = 'Retry-After, X-Should-Retry';

/**
 * Compares whole origins only, so no prefix, suffix or `null` gets by.
 * `foreign`: the origin is not the relay's own, so the answer has to name it.
 */
export function judgeOrigin(request: Request, allowed: ReadonlySet<string>, required = false): { allowed: boolean; foreign?: string } {
  const origin = request.headers.get('origin');
  // A browser names the origin of every POST and DELETE; of a GET to its own site it does not.
  if (origin === null && required && request.method !== 'GET' && request.method !== 'HEAD') return { allowed: false };
  if (origin === null || origin === new URL(request.url).origin) return { allowed: true };
  return allowed.has(origin) ? { allowed: true, foreign: origin } : { allowed: false };
}

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
