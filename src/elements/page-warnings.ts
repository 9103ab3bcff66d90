/** What a page has most likely got wrong, said once in its console; never with a value that could be a secret. */
import { ABOUT_OPTIONS } from '../base/chapter.js';

const SECRET = /key|token|secret|password|authorization|bearer/i;

/** Options that count tokens. */
const COUNTS: ReadonlySet<string> = new Set(['max-tokens', 'token-budget', 'confirm-keywords']);

/** @param endpoint absolute; empty = none */
export function warnOfPage(element: HTMLElement, endpoint: string): void {
  for (const name of element.getAttributeNames()) {
    if (!SECRET.test(name) || COUNTS.has(name)) continue;
    const advice = 'Every visitor can read it there. Keep keys in a relay on your server (docs/relay.md), or set `headers` by script.';
    console.warn(`[tool-chat] The attribute “${name}” is not an option, and looks like a secret. ${advice} ${ABOUT_OPTIONS}`);
  }
  if (endpoint.startsWith('http:') && location.protocol === 'https:' && !isLocal(endpoint))
    console.warn(
      `[tool-chat] This page is https, its endpoint http: the browser refuses that. Serve the endpoint over https. ${ABOUT_OPTIONS}`,
    );
}

/** Browsers let pages reach their own computer. */
function isLocal(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\./.test(hostname) || hostname === '[::1]';
}
