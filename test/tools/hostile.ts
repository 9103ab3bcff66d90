function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { next: value };
  return value;
}

function no(): never {
  throw new Error('no');
}

/** Values that break naive serialisers. */
export const hostile: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => NaN,
  'minus zero': () => -0,
  'empty text': () => '',
  'a BigInt': () => 10n ** 30n,
  'a symbol': () => Symbol('s'),
  'a function': () => () => 1,
  'a date': () => new Date(0),
  'a broken date': () => new Date(NaN),
  'a map': () => new Map<unknown, unknown>([[{}, new Map()]]),
  'a set': () => new Set([new Set()]),
  'a cycle': () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = { cycle };
    return cycle;
  },
  '50 MB of text': () => 'x'.repeat(50_000_000),
  'a million levels': () => nested(1_000_000),
  'a million entries': () => Array.from({ length: 1_000_000 }, (_, index) => index),
  'a list of four billion holes': () => Object.assign([], { length: 4_294_967_295 }),
  'a throwing toJSON': () => ({ toJSON: no }),
  'an endless toJSON': () => {
    const make = (): object => ({ toJSON: make });
    return make();
  },
  'a throwing getter': () => Object.defineProperty({}, 'a', { enumerable: true, get: no }),
  'a hostile proxy': () => new Proxy({}, { get: no, ownKeys: no, getPrototypeOf: no, has: no, getOwnPropertyDescriptor: no }),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'a response': () => new Response('body', { status: 404 }),
  'a stream': () => new ReadableStream(),
  'a blob': () => new Blob(['x']),
  'a typed array': () => new Uint8Array(1_000_000),
  'an error': () => new RangeError('out of range'),
  'the global object': () => globalThis,
  'a promise': () => Promise.resolve(1),
  'a class instance': () =>
    new (class Point {
      x = 1;
      get y() {
        return no();
      }
    })(),
  'an object without prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'an object with __proto__': () => JSON.parse('{"__proto__":{"polluted":1}}'),
};
