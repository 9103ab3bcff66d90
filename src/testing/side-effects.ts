/** Detects side effects of a hook that must only read: changes of the page, of its storage, and network requests. */

type Owner = Record<string, unknown>;

/** The functions that start requests and writes. Missing ones cannot be used anyway. */
const outsideFunctions = (): readonly [of: unknown, name: string, what: string][] => {
  const { XMLHttpRequest, IDBObjectStore, navigator, WebSocket, EventSource } = globalThis as Partial<typeof globalThis>;
  return [
    [globalThis, 'fetch', 'sends a request'],
    [XMLHttpRequest?.prototype, 'send', 'sends a request'],
    [navigator, 'sendBeacon', 'sends a request'],
    [WebSocket?.prototype, 'send', 'sends a request'],
    [EventSource && globalThis, 'EventSource', 'sends a request'],
    [WebSocket && globalThis, 'WebSocket', 'sends a request'],
    ...['add', 'put', 'delete', 'clear'].map((name): [unknown, string, string] => [IDBObjectStore?.prototype, name, 'writes to storage']),
  ];
};

/** @returns the result of `work`, and descriptions of its side effects: `sends a request` … */
export async function watchSideEffects<Value>(work: () => Promise<Value>): Promise<{ value: Value; did: ReadonlySet<string> }> {
  const did = new Set<string>();
  const ends: (() => void)[] = [];
  for (const [of, name, what] of outsideFunctions()) {
    const owner = of as Owner | undefined;
    const given = owner?.[name];
    if (!owner || typeof given !== 'function') continue;
    const was = Object.getOwnPropertyDescriptor(owner, name);
    const watched: unknown = new Proxy(given, {
      apply: (target, self, args) => (did.add(what), Reflect.apply(target, self, args) as unknown),
      construct: (target, args, fresh) => (did.add(what), Reflect.construct(target, args, fresh) as object),
    });
    try {
      Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true, enumerable: was?.enumerable ?? true });
    } catch {
      continue; // fixed by the page
    }
    ends.push(() => {
      if (owner[name] !== watched) return;
      if (was) Object.defineProperty(owner, name, was);
      else Reflect.deleteProperty(owner, name);
    });
  }
  const [page, kept] = [pageState(), storageState()];
  try {
    const value = await work();
    // Let asynchronous work of the hook begin.
    await new Promise((resolve) => setTimeout(resolve));
    if (pageState() !== page) did.add('changes the page');
    if (storageState() !== kept) did.add('writes to storage');
    return { value, did };
  } finally {
    for (const end of ends.reverse()) end();
  }
}

function pageState(): string {
  if (typeof document === 'undefined') return '';
  const fields = document.querySelectorAll<HTMLInputElement>('input, textarea, select');
  const filled = [...fields].map(({ value, checked }) => `${value}\n${String(checked)}`);
  return [location.href, document.title, new XMLSerializer().serializeToString(document), ...filled].join('\n');
}

function storageState(): string {
  if (typeof document === 'undefined') return '';
  try {
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
  } catch {
    return ''; // a page without storage
  }
}
