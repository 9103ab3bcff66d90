/** Identifies the client for the limits: by the address of the socket, or by the one that proxies in front of the relay report. */

/** The second argument that servers pass with the request: Node's by `@hono/node-server`, Bun's, Deno's. Any part may be missing. */
interface Platform {
  incoming?: { url?: unknown; socket?: { remoteAddress?: unknown }; readableEnded?: unknown; body?: unknown };
  outgoing?: { destroy?: unknown };
  requestIP?: (request: Request) => { address?: unknown } | null;
  remoteAddr?: { hostname?: unknown };
}

const platformOf = (platform: unknown): Platform => (typeof platform === 'object' && platform !== null ? platform : {});

/**
 * @param hops number of proxies in front of the relay, each of which appends the address it sees to `X-Forwarded-For`; at 0 the header is
 *   ignored
 * @returns `undefined` if the platform does not provide the address, or the header has fewer entries than `hops`
 */
export function addressOf(request: Request, platform: unknown, hops: number): string | undefined {
  if (hops > 0) {
    const passed = (request.headers.get('x-forwarded-for') ?? '').split(',').at(-hops)?.trim();
    if (passed) return passed;
  }
  const { incoming, requestIP, remoteAddr } = platformOf(platform);
  const known = [
    () => incoming?.socket?.remoteAddress,
    () => (typeof requestIP === 'function' ? requestIP.call(platform, request)?.address : undefined),
    () => remoteAddr?.hostname,
  ];
  for (const look of known) {
    const address = look();
    if (typeof address === 'string' && address !== '') return address;
  }
  return undefined;
}

/**
 * Returns the JSON text of a body that a parser before the relay (`express.json()`) has already read: Node's request then only has its
 * `body` left.
 *
 * `undefined`: the body has not been read.
 */
export function parsedBody(platform: unknown): string | undefined {
  const { readableEnded, body } = platformOf(platform).incoming ?? {};
  if (readableEnded !== true || body === undefined || body === null) return undefined;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/**
 * Checks that the path is spelled plainly: each route of the relay has one spelling, since another one (`/%6Detrics`, `/x/../metrics`)
 * would bypass a rule of a proxy that compares bytes. `URL` has already resolved dots, so the raw path is used if the platform provides it.
 */
export function hasPlainPath(request: Request, platform: unknown): boolean {
  const sent = platformOf(platform).incoming?.url;
  const address = typeof sent === 'string' ? sent : request.url;
  const [path = ''] = address.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return !/[%\\]|\/[./]/.test(path);
}

/** Returns a function that closes the connection of a client that does not read, if the platform allows it. */
export function connectionCloserOf(platform: unknown): (() => void) | undefined {
  const { outgoing } = platformOf(platform);
  return typeof outgoing?.destroy === 'function' ? () => void (outgoing.destroy as () => unknown)() : undefined;
}

/**
 * Returns one name for all addresses of a client: for IPv6 its /64 network. Text that is not an address is returned as it is, cut to 200
 * characters.
 */
export function clientOf(address: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = bare.split('%', 1);
  if (plain.length > 45 || !/^[\da-f:]+(?:\d+\.\d+\.\d+\.\d+)?$/i.test(plain) || !plain.includes(':')) return bare.slice(0, 200);
  const [head = '', tail] = plain.split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? first : [...first, ...Array<string>(Math.max(0, 8 - first.length - rest.length)).fill('0'), ...rest];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`;
}
