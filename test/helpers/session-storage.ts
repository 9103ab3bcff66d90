/** `sessionStorage` for tests in Node: what one page leaves behind, the next page of the test finds. */
import { afterEach, beforeEach } from 'mocha';

/** Sets it up anew for each test of the suite that calls it. @returns what is in it, by key */
export function useSessionStorage(): Map<string, string> {
  const there = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
  const area = new Map<string, string>();

  beforeEach(() => {
    area.clear();
    const value = {
      getItem: (key: string) => area.get(key) ?? null,
      setItem: (key: string, text: string) => void area.set(key, text),
      removeItem: (key: string) => void area.delete(key),
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
