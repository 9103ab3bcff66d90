/** Who asks, as far as limits need to know: the address of the socket, or what the proxies in front of the relay say of it. */

/** What servers hand to a function beside the request: Node's by `@hono/node-server`, Bun's, Deno's. Each part may be missing. */
interface Platform {
  incoming?: { url?: unknown; socket?: { remoteAddress?: unknown }; readableEnded?: unknown; body?: unknown };
  outgoing?: { destroy?: unknown };
  requestIP?: (request: Request) => { address?: unknown } | null;
  remoteAddr?: { hostname?: unknown };
}

const platformOf = (platform: unknown): Platform => (typeof platform === 'object' && platform !== null ? platform : {});

/**
 * @param hops proxies in front of the relay that each add the address they see to `X-Forwarded-For`; 0: that header is not believed
 * @returns `undefined` where the platform does not say, or fewer proxies have passed it on
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
 * The JSON text of a body that a parser before the relay (`express.json()`) has read: of Node's request nothing is left then but its `body`.
 * `undefined`: nobody has.
 */
export function parsedBody(platform: unknown): string | undefined {
  const { readableEnded, body } = platformOf(platform).incoming ?? {};
  if (readableEnded !== true || body === undefined || body === null) return undefined;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/**
 * Each address of the relay has one spelling. Another one (`/%6Detrics`, `/x/../metrics`) would pass a proxy that goes by the bytes. `URL` has
 * resolved dots by then, so the path is read as it was sent where the platform tells it.
 */
export function hasPlainPath(request: Request, platform: unknown): boolean {
  const sent = platformOf(platform).incoming?.url;
  const address = typeof sent === 'string' ? sent : request.url;
  const [path = ''] = address.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return !/[%\\]|\/[./]/.test(path);
}

/** Closes the connection of a client that does not read, where the platform lets us. */
export function hangUpOf(platform: unknown): (() => void) | undefined {
  const { outgoing } = platformOf(platform);
  return typeof outgoing?.destroy === 'function' ? () => void (outgoing.destroy as () => unknown)() : undefined;
}

/** One name for all the addresses that one client has: of IPv6 it is its network, /64. What is no address stays as it is. */
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
