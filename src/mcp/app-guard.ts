/**
 * Code that runs in the frame of an MCP App before the app's own. No browser enforces the policy `webrtc 'block'` yet, so this code removes
 * the constructors of WebRTC. A frame inside the app would bring them back. Without a network, an app can fill a frame only by `srcdoc` or
 * by a `javascript:` URL, and Trusted Types refuse both. Any other markup or code passes through unchanged.
 */
const POLICY = "require-trusted-types-for 'script'; trusted-types default; webrtc 'block'";

/** The app can replace every function it finds, so the policy uses copies taken before. */
const GUARD = `(() => {
  const take = (method) => Function.prototype.call.bind(method);
  const [lower, indexOf, slice] = [String.prototype.toLowerCase, String.prototype.indexOf, String.prototype.slice].map(take);
  const html = (text, type, sink) => {
    const small = lower(text);
    if (indexOf(sink, 'srcdoc') >= 0 || small.length !== text.length || indexOf(small, '<!entity') >= 0) return null;
    let safe = '';
    let from = 0;
    for (let at = indexOf(small, 'srcdoc'); at >= 0; at = indexOf(small, 'srcdoc', from)) {
      safe += slice(text, from, at + 6) + '_';
      from = at + 6;
    }
    return safe + slice(text, from);
  };
  const gone = (on, name) => Object.defineProperty(on, name, { value: undefined, writable: false, configurable: false });
  window.trustedTypes?.createPolicy('default', {
    createHTML: html,
    createScript: (code, type, sink) => (indexOf(lower(sink), 'location') >= 0 ? null : code),
    createScriptURL: (url) => url,
  });
  for (const name of Object.getOwnPropertyNames(window)) if (/RTC|^(?:trustedTypes|XSLTProcessor)$/.test(name)) gone(window, name);
  for (const { prototype } of [Document, HTMLDocument, Element, ShadowRoot])
    for (const name of Object.getOwnPropertyNames(prototype)) if (/^write|^stream/.test(name)) gone(prototype, name);
  document.currentScript.remove();
})()`;

export function guardApp(html: string): string {
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  // Attribute names cannot be escaped, so replacing the plain text is enough. A script that only mentions the name still works, since its
  // text changes consistently.
  return `<!doctype html>${policy}<script>${GUARD}</script>${html.replace(/srcdoc/gi, '$&_')}`;
}
