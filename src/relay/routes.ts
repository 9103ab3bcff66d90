/** The relay's addresses. Servers mount it under prefixes of their own, some of which they cut off, so an address is told by its ending. */
export const routes = {
  stream: '/chat/stream',
  answer: '/chat/stream/:id',
  whole: '/chat',
  embeddings: '/embeddings',
  health: '/healthz',
  metrics: '/metrics',
} as const;

const KNOWN = new RegExp(`(?:/chat/stream/[^/]+|${[routes.stream, routes.whole, routes.embeddings, routes.health].join('|')})$`);

/**
 * Names the route that a request asks for: the end of its path, or where it has none of the known ends the whole path.
 *
 * An encoded letter is not decoded, so that a rule of a proxy in front (`/metrics` is not public) means the same as the route here. For the
 * same reason the figures are only at `/metrics` itself, after `basePath`.
 *
 * @param basePath the only prefix; undefined: any
 */
export function routeOf(request: Request, basePath: string | undefined): string {
  const { pathname } = new URL(request.url);
  if (basePath === undefined) return KNOWN.exec(pathname)?.[0] ?? pathname;
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '/';
}
