/** `sessionStorage` for tests in Node: what one page leaves behind, the next page of the test finds. */
import { afterEach, beforeEach } from 'mocha';

/** Sets it up anew for each test of the suite that calls it. @param most UTF-16 units that it holds @returns what is in it, by key */
export function useSessionStorage(most = Infinity): Map<string, string> {
  const there = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
  const area = new Map<string, string>();
  let used = 0;

  beforeEach(() => {
    area.clear();
    used = 0;
    const value = {
      getItem: (key: string) => area.get(key) ?? null,
      setItem(key: string, text: string) {
        const now = used - (area.get(key)?.length ?? -key.length) + text.length;
        if (now > most) throw new DOMException('It is full.', 'QuotaExceededError');
        area.set(key, text);
        used = now;
      },
      removeItem(key: string) {
        used -= area.has(key) ? key.length + (area.get(key)?.length ?? 0) : 0;
        area.delete(key);
      },
      key: (at: number) => [...area.keys()][at] ?? null,
      get length() {
        return area.size;
      },
    };
    Object.defineProperty(globalThis, 'sessionStorage', { value, configurable: true });
  });
  afterEach(() => {
    if (there) Object.defineProperty(globalThis, 'sessionStorage', there);
    else Reflect.deleteProperty(globalThis, 'sessionStorage');
  });
  return area;
}
