/** A refused CORS check, a refused permission and a dead server look the same from a page; where the endpoint lives says which advice is worth giving. */
import type { Failure } from './failure.js';

/** @param page the address of the page, `undefined` where there is none */
export function whereabouts(url: URL, page: string | undefined): Pick<Failure, 'crossOrigin' | 'offline' | 'localNetwork'> {
  const from = page === undefined ? undefined : new URL(page);
  return {
    ...(from && from.origin !== url.origin && { crossOrigin: true as const }),
    ...(from && nearness(url.hostname) > nearness(from.hostname) && { localNetwork: true as const }),
    ...(globalThis.navigator?.onLine === false && { offline: true as const }),
  };
}

/** 2: this computer, 1: this network, 0: anywhere. A page has to ask for what is nearer than itself (Chrome 142, Firefox 153). */
export function nearness(hostname: string): 0 | 1 | 2 {
  if (/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return 2;
  if (/^(?:10|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+)+$/.test(hostname)) return 1;
  return /^\[f(?:[cd]|e[89ab])|\.local$/.test(hostname) ? 1 : 0;
}
