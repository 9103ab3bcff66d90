/** Where a link may lead, and how a reader learns where it leads. */

/** A destination that passed: what goes into `href`, and what a reader has to be able to see of it. */
export interface SafeLink {
  href: string;
  /** The host in its ASCII form (`xn--…`, so that look-alike letters show), or the address of a `mailto:`. */
  host: string;
}

/**
 * Only absolute `http:`, `https:` and `mailto:` addresses pass, judged after the platform's own URL parser has read them (it drops
 * tabs, line endings and other disguises). User names and passwords before the host do not pass: they only ever imitate one.
 *
 * @param base What relative destinations are relative to; without it they do not pass.
 */
export function safeLink(destination: string, base?: string): SafeLink | null {
  let url: URL;
  try {
    // CommonMark keeps a backslash as the character it is; the URL parser would take it for a slash (`https:\\host`).
    url = new URL(destination.replaceAll('\\', '%5C'), base);
  } catch {
    return null;
  }
  if (url.protocol === 'mailto:') return url.pathname === '' ? null : { href: url.href, host: url.pathname };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  if (url.host === '' || url.username !== '' || url.password !== '') return null;
  return { href: url.href, host: url.host };
}

/** True if the text of a link itself starts with the host it leads to, as an address does. */
export function showsHost(text: string, host: string): boolean {
  let shown = text.trim().toLowerCase();
  for (const scheme of ['https://', 'http://', 'mailto:']) if (shown.startsWith(scheme)) shown = shown.slice(scheme.length);
  if (!shown.startsWith(host.toLowerCase())) return false;
  const next = shown.charAt(host.length);
  return next === '' || '/?#'.includes(next);
}
