/** The frame of a sandbox page, and where that page lies. */

/** An origin of its own, no top navigation, no windows, no forms; its address comes last. */
export function sandboxFrame(url: URL): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  frame.allow = '';
  frame.src = url.href;
  return frame;
}

/** Undefined for what is no address of the web. */
export function sandboxAddress(given: unknown): URL | undefined {
  const base = typeof document === 'undefined' ? undefined : document.baseURI;
  const url = typeof given === 'string' && given.trim() !== '' && URL.canParse(given, base) ? new URL(given, base) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
