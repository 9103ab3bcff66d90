/** The relay's routes. Servers mount it under their own prefixes, and some strip them, so a route is recognized by its ending. */
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
 * Returns the route of a request: the known ending of its path, or else the whole path.
 *
 * Encoded letters are not decoded, so that a proxy's rule (`/metrics` is not public) matches the same paths as the route here. For the same
 * reason, the metrics are only at `/metrics` itself, after `basePath`.
 *
 * @param basePath the required prefix; `undefined` allows any
 */
export function routeOf(request: Request, basePath: string | undefined): string {
  const { pathname } = new URL(request.url);
  if (basePath === undefined) return KNOWN.exec(pathname)?.[0] ?? pathname;
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '/';
}
