/** What a page has most likely got wrong, said once in its console; never with a value that could be a secret. */
import { ABOUT_OPTIONS } from '../base/chapter.js';

const SECRET = /key|token|secret|password|authorization|bearer/i;

/** Options that count tokens. */
const COUNTS: ReadonlySet<string> = new Set(['max-tokens', 'token-budget', 'confirm-keywords']);

/** Texts that may begin with such a mark. */
const PROSE: ReadonlySet<string> = new Set(['heading', 'placeholder', 'system-prompt', 'quick-commands', 'title']);

const warn = (message: string) => {
  console.warn(`[tool-chat] ${message} ${ABOUT_OPTIONS}`);
};

/** The user is about to write, or something is sent. */
const NEEDED = ['focusin', 'tool-chat-send'];

/**
 * Many pages set the endpoint by script, a moment after the tag is there. So this waits until the page that came with the tag has loaded; in a
 * page that had loaded before, until the endpoint is needed.
 */
export function warnWithoutEndpoint(element: HTMLElement, wasLoading: boolean, endpoint: () => unknown): void {
  const check = () => {
    for (const type of NEEDED) element.removeEventListener(type, check);
    if (!endpoint()) warn('No endpoint is set: nothing can be answered. Set the attribute `endpoint`.');
  };
  if (!wasLoading) for (const type of NEEDED) element.addEventListener(type, check);
  else if (document.readyState === 'complete') check();
  // The page's own listeners may set it.
  else addEventListener('load', () => setTimeout(check), { once: true });
}

/** @param endpoint absolute; empty = none */
export function warnOfPage(element: HTMLElement, endpoint: string): void {
  for (const name of element.getAttributeNames()) {
    const value = element.getAttribute(name) ?? '';
    // An editor for prose has written the markup: HTML takes such a mark for a part of the value.
    if (/^[“”„«»″]|[“”„«»″]$/.test(value) && !PROSE.has(name))
      warn(`The attribute “${name}” has typographic quotation marks. Write straight ones: "…".`);
    if (!SECRET.test(name) || COUNTS.has(name)) continue;
    const advice = 'Every user can read it there. Keep keys in a relay on your server (docs/relay.md), or set `headers` by script.';
    warn(`The attribute “${name}” is not an option, and looks like a secret. ${advice}`);
  }
  // In HTML `<tool-chat />` opens an element that nothing closes: the rest of the page becomes its content, and is not shown.
  const swallowed = [...element.children].find((child) => !child.slot && !/^(?:SCRIPT|STYLE|TEMPLATE)$/.test(child.tagName));
  if (swallowed)
    warn(
      `<${swallowed.localName}> inside of <tool-chat> is not shown. Close the tag by </tool-chat>, since HTML has no <tool-chat />, or give it a slot.`,
    );
  if (endpoint.startsWith('http:') && location.protocol === 'https:' && !isLocal(endpoint))
    warn('This page is https, its endpoint http: the browser refuses that. Serve the endpoint over https.');
}

/** Browsers let pages reach their own computer. */
function isLocal(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\./.test(hostname) || hostname === '[::1]';
}
