/** Warns in the console, once, about likely mistakes of the page. Values that could be secret are never printed. */
import { OPTIONS_LINK } from '../base/docs-links.js';

const SECRET = /key|token|secret|password|authorization|bearer/i;

/** Options that contain "token" or "key" but are not secrets. */
const COUNTS: ReadonlySet<string> = new Set(['max-tokens', 'token-budget', 'confirm-keywords']);

/** Options with prose, which may begin or end with a quotation mark. */
const PROSE: ReadonlySet<string> = new Set(['heading', 'placeholder', 'system-prompt', 'quick-commands', 'title']);

const warn = (message: string) => {
  console.warn(`[tool-chat] ${message} ${OPTIONS_LINK}`);
};

/** Events before which the endpoint is needed: the user is about to type, or a message is sent. */
const FIRST_USE_EVENTS = ['focusin', 'tool-chat-send'];

/**
 * Warns if no endpoint is set. Many pages set it by script shortly after the tag, so the check waits until the page has loaded. If the page
 * had already loaded, it waits until the endpoint is needed.
 */
export function warnWithoutEndpoint(element: HTMLElement, wasLoading: boolean, endpoint: () => unknown): void {
  const check = () => {
    for (const type of FIRST_USE_EVENTS) element.removeEventListener(type, check);
    if (!endpoint()) warn('No endpoint is set: nothing can be answered. Set the attribute `endpoint`.');
  };
  if (!wasLoading) for (const type of FIRST_USE_EVENTS) element.addEventListener(type, check);
  else if (document.readyState === 'complete') check();
  // Listeners of the page may set it.
  else addEventListener('load', () => setTimeout(check), { once: true });
}

/**
 * Warns about suspicious attributes, content and endpoints.
 *
 * @param endpoint absolute URL; empty if there is none
 */
export function warnAboutPage(element: HTMLElement, endpoint: string): void {
  for (const name of element.getAttributeNames()) {
    const value = element.getAttribute(name) ?? '';
    // A word processor replaced the straight quotation marks, which HTML then takes for a part of the value.
    if (/^[“”„«»″]|[“”„«»″]$/.test(value) && !PROSE.has(name))
      warn(`The attribute “${name}” has typographic quotation marks. Write straight ones: "…".`);
    if (!SECRET.test(name) || COUNTS.has(name)) continue;
    const advice = 'Every user can read it there. Keep keys in a relay on your server (docs/relay.md), or set `headers` by script.';
    warn(`The attribute “${name}” is not an option, and looks like a secret. ${advice}`);
  }
  // In HTML, `<tool-chat />` opens an element that nothing closes: the rest of the page becomes its content and is not displayed.
  const swallowed = [...element.children].find((child) => !child.slot && !/^(?:SCRIPT|STYLE|TEMPLATE)$/.test(child.tagName));
  if (swallowed)
    warn(
      `<${swallowed.localName}> inside of <tool-chat> is not shown. Close the tag by </tool-chat>, since HTML has no <tool-chat />, or give it a slot.`,
    );
  if (endpoint.startsWith('http:') && location.protocol === 'https:' && !isLocal(endpoint))
    warn('This page is https, its endpoint http: the browser refuses that. Serve the endpoint over https.');
}

/** Returns true if the endpoint is on the user's computer, which browsers let https pages reach over http. */
function isLocal(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\./.test(hostname) || hostname === '[::1]';
}
