/** Validates the destinations of links and describes them to the reader. */
import { withoutHidden } from '../base/invisible.js';

/** A destination that passed: what goes into `href`, and what a reader has to be able to see of it. */
export interface SafeLink {
  href: string;
  /**
   * The host in its ASCII form (`xn--…`, so that look-alike letters show), the address of a `mailto:`, or the number of a `tel:` or `sms:`.
   */
  host: string;
  /** True if it leads to another page of the same site. */
  isLocal?: boolean;
}

/** Digits, separators and an extension. `*` and `#` are left out, because they make a number a command to the phone. */
const NUMBER = /^\+?[\d().\-/ ,+]{2,60}(?:;ext=\d{1,10})?$/;

/**
 * Only `http:`, `https:`, `mailto:`, `tel:` and `sms:` addresses pass, judged after the platform's own URL parser has read them (it drops
 * tabs, line endings and other disguises). User names and passwords before the host do not pass: they only ever imitate one.
 *
 * @param base What relative destinations are relative to; without it they do not pass.
 * @param origin The origin of the page; links to it are marked as local.
 */
export function safeLink(destination: string, base?: string, origin?: string): SafeLink | null {
  // CommonMark keeps a backslash as the character it is; the URL parser would take it for a slash (`https:\\host`).
  const address = destination.replaceAll('\\', '%5C');
  if (!URL.canParse(address, base)) return null; // throwing costs ten times as much
  const url = new URL(address, base);
  if (url.protocol === 'mailto:') return url.pathname === '' ? null : { href: url.href, host: url.pathname };
  if (url.protocol === 'tel:' || url.protocol === 'sms:') {
    const number = readable(url.pathname);
    return NUMBER.test(number) && url.hash === '' ? { href: url.href, host: number } : null;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  if (url.host === '' || url.username !== '' || url.password !== '') return null;
  return { href: url.href, host: url.host, ...(url.origin === origin && { isLocal: true }) };
}

/** The texts for the data that an address carries besides its host. */
export interface LinkLabels {
  /** A long address, as far as it is shown, and its length. */
  carries(start: string, characters: number): string;
  /** The recipients of copies, whom the other recipients may not see. */
  mailCopies(addresses: string): string;
  mailHiddenCopies(addresses: string): string;
  /** The mail has a subject, a text, or other prefilled fields. */
  mailFilled: string;
}

/** A path or query longer than this may carry private data, so it is shown. */
const LONG_PATH = 100;
const LONG_QUERY = 24;
const SHOWN = 40;

/** Returns the text to show next to a link: its destination, and the data that it carries. */
export function describeLink({ href, host, isLocal = false }: SafeLink, labels: LinkLabels): string {
  const url = new URL(href);
  if (url.protocol === 'mailto:') return describeMail(url, labels);
  if (url.protocol === 'tel:' || url.protocol === 'sms:')
    return [host, url.search.length > 1 && labels.mailFilled].filter(Boolean).join(' · ');
  const query = url.search + url.hash;
  const rest = url.pathname + query;
  if (isLocal) return rest.length <= LONG_PATH ? rest : labels.carries(rest.slice(0, SHOWN), rest.length);
  if (query.length <= LONG_QUERY && rest.length <= LONG_PATH) return host;
  return labels.carries(host + rest.slice(0, SHOWN), rest.length);
}

/** Returns all recipients: a `mailto:` address can name several, and hide some from the others. */
function describeMail(url: URL, labels: LinkLabels): string {
  const to = [readable(url.pathname)];
  const copies: string[] = [];
  const hiddenCopies: string[] = [];
  let filled = false;
  for (const field of url.search.slice(1).split('&')) {
    const at = field.indexOf('=');
    const name = readable(field.slice(0, Math.max(at, 0))).toLowerCase();
    const value = readable(field.slice(at + 1));
    if (value === '') continue;
    if (name === 'to') to.push(value);
    else if (name === 'cc') copies.push(value);
    else if (name === 'bcc') hiddenCopies.push(value);
    else filled = true;
  }
  const parts = [to.filter((address) => address !== '').join(', ')];
  if (copies.length > 0) parts.push(labels.mailCopies(copies.join(', ')));
  if (hiddenCopies.length > 0) parts.push(labels.mailHiddenCopies(hiddenCopies.join(', ')));
  if (filled) parts.push(labels.mailFilled);
  return parts.filter((part) => part !== '').join(' · ');
}

/** Resolves percent-encoding if the result is plain ASCII, in which nothing can hide; otherwise returns the text as it is. */
function readable(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    return /^[!-~ ]*$/.test(text) ? text : encoded;
  } catch {
    return encoded;
  }
}

/** Returns a number without its separators. */
const digitsOf = (text: string): string => text.replace(/[^\d+;=a-z]/g, '');

/** Returns true if the text of a link is the whole address it leads to, so that no note is needed. The scheme may be missing. */
export function isAddress(text: string, { href, host, isLocal = false }: SafeLink): boolean {
  if (/^(?:tel|sms):/.test(href)) return !href.includes('?') && /^[\d+(). \-/]+$/.test(text) && digitsOf(text) === digitsOf(host);
  if (isLocal && text.startsWith('/')) return new URL(href).origin + text === href;
  // The URL parser would drop blanks and turn other letters into ASCII: an address is shown only by its own characters.
  if (/[\s\\]/.test(text) || withoutHidden(text) !== text) return false;
  const scheme = href.slice(0, href.startsWith('mailto:') ? 7 : href.indexOf('//') + 2);
  const rest = text.slice(0, scheme.length).toLowerCase() === scheme ? text.slice(scheme.length) : text;
  if (!rest.toLowerCase().startsWith(host.toLowerCase())) return false;
  const next = rest.charAt(host.length);
  if (next !== '' && !'/?#'.includes(next)) return false;
  return URL.canParse(scheme + rest) && new URL(scheme + rest).href === href;
}
