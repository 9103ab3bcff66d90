/**
 * Locates the endpoint to choose the advice for a failed connection: a failed CORS check, a denied permission and a dead server look the
 * same to a page.
 */
import type { Failure } from './failure.js';

/** @param page The address of the page; `undefined` if there is none. */
export function connectionAdvice(url: URL, page: string | undefined): Pick<Failure, 'crossOrigin' | 'offline' | 'localNetwork'> {
  const from = page === undefined ? undefined : new URL(page);
  return {
    ...(from && from.origin !== url.origin && { crossOrigin: true as const }),
    ...(from && ipAddressSpace(url.hostname) > ipAddressSpace(from.hostname) && { localNetwork: true as const }),
    ...(globalThis.navigator?.onLine === false && { offline: true as const }),
  };
}

/**
 * Returns 2 for this computer, 1 for this network, 0 for anywhere else. A page needs permission for an address nearer than itself (Chrome
 * 142, Firefox 153).
 */
export function ipAddressSpace(hostname: string): 0 | 1 | 2 {
  if (/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return 2;
  if (/^(?:10|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+)+$/.test(hostname)) return 1;
  return /^\[f(?:[cd]|e[89ab])|\.local$/.test(hostname) ? 1 : 0;
}
