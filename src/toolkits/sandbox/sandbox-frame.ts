/** Creates the frame of a sandbox page, and resolves the address of that page. */

/** Creates a frame with its own opaque origin, without top navigation, windows and forms. The address is set last. */
export function sandboxFrame(url: URL): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  frame.allow = '';
  frame.src = url.href;
  return frame;
}

/** Returns the address; `undefined` if it is not an http(s) address. */
export function sandboxAddress(given: unknown): URL | undefined {
  const base = typeof document === 'undefined' ? undefined : document.baseURI;
  const url = typeof given === 'string' && given.trim() !== '' && URL.canParse(given, base) ? new URL(given, base) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
