/**
 * Shows a page that a server provides for one of its tools (MCP Apps) below the card of the call. It runs in two frames without origin and
 * network. Its requests are JSON-RPC; the tools it calls pass the same approval policy as those of a model.
 */
import { matchesMedia } from '../base/dom-features.js';
import { createId } from '../base/ids.js';
import { isObject, own } from '../base/objects.js';
import type { Call } from '../model/calls.js';
import { sandboxFrame } from '../toolkits/sandbox/sandbox-frame.js';
import type { Fields } from './mcp-message.js';

export interface AppHost {
  /** URL of the sandbox page. */
  url: URL;
  /** Title of the frame for the user. */
  title: string;
  lang: string;
  /** Resolves with the HTML of the app page. */
  read(): Promise<string>;
  /** The tool's result, as the server sent it. */
  result: Fields;
  /**
   * Calls a tool of the same server, by the server's name for it, as a model would. Returns undefined if there is no tool that the page may
   * call.
   */
  call(name: string, args: Fields): Promise<{ success: boolean; result: string }> | undefined;
  /** Text shown instead of a page that failed. */
  failed: string;
}

export const APP_VERSION = '2026-01-26';
/** Maximum number of messages of a page. One that sends more is removed. */
const MOST_MESSAGES = 5000;
const MOST_CALLS = 20;
const MOST_CHARS = 1_000_000;
/** Milliseconds for which a press counts as user activation, in every browser engine. */
const ACTIVE = 6000;
const HEIGHTS = { first: 160, least: 40, most: 600 };

/** Fills `place` with the app page. Never throws. */
export async function showApp(place: HTMLElement, call: Call, host: AppHost): Promise<void> {
  let app: string;
  try {
    app = await host.read();
  } catch {
    place.textContent = host.failed;
    return;
  }
  const frame = sandboxFrame(host.url);
  frame.title = host.title;
  frame.style.cssText = `display:block;border:0;width:100%;height:${String(HEIGHTS.first)}px`;
  // A captioned box says whose page it is, so that its content cannot pass for the widget's.
  const box = document.createElement('figure');
  box.style.cssText = 'margin:4px 0;overflow:hidden;border:1px solid var(--tool-chat-border-color,#8886);border-radius:8px';
  const whose = document.createElement('figcaption');
  whose.textContent = host.title;
  whose.style.cssText =
    'padding:6px 10px;unicode-bidi:plaintext;font-size:12px;color:var(--tool-chat-color-muted,inherit);border-block-end:1px solid var(--tool-chat-border-color,#8886)';
  box.append(whose, frame);
  let end: (() => void) | undefined;
  // The frame reloads each time it is inserted into a document.
  frame.addEventListener('load', () => {
    end?.();
    const { port1: port, port2: theirs } = new MessageChannel();
    const ended = new AbortController();
    end = () => {
      port.close();
      ended.abort();
    };
    keepFocus(frame, ended.signal);
    connectApp(port, frame, call, host, () => {
      end?.();
      place.textContent = host.failed;
    });
    frame.contentWindow?.postMessage({ id: createId('app'), app: guardApp(app), title: host.title }, '*', [theirs]);
  });
  place.replaceChildren(box);
}

function connectApp(port: MessagePort, frame: HTMLIFrameElement, call: Call, host: AppHost, giveUp: () => void): void {
  const send = (message: Fields) => {
    port.postMessage({ jsonrpc: '2.0', ...message });
  };
  const tell = (name: string, params: Fields) => {
    send({ method: `ui/notifications/${name}`, params });
  };
  let received = 0;
  let calls = 0;
  let given = false;

  async function callTool(params: Fields): Promise<Fields | undefined> {
    const [name, args] = [own(params, 'name'), own(params, 'arguments')];
    calls += 1;
    const running = typeof name === 'string' && calls <= MOST_CALLS ? host.call(name, isObject(args) ? args : {}) : undefined;
    if (!running) return undefined;
    const { success, result } = await running;
    return { content: [{ type: 'text', text: result }], ...(!success && { isError: true }) };
  }

  async function answer(method: string, params: Fields): Promise<Fields | undefined> {
    if (method === 'ui/initialize') return hostContext(frame, host);
    if (method === 'ping') return {};
    if (method === 'ui/request-display-mode') return { mode: 'inline' };
    return method === 'tools/call' ? callTool(params) : undefined;
  }

  function hear(method: string, params: Fields): void {
    const height = own(params, 'height');
    if (method === 'ui/notifications/size-changed' && typeof height === 'number')
      frame.style.height = `${String(Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, Math.ceil(height) || 0)))}px`;
    if (method !== 'ui/notifications/initialized' || given) return;
    given = true;
    tell('tool-input', { arguments: call.args });
    tell('tool-result', host.result);
  }

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    received += 1;
    const [id, method, given] = [own(data, 'id'), own(data, 'method'), own(data, 'params')];
    if (received > MOST_MESSAGES || !isSmallData(data)) return giveUp();
    if (typeof method !== 'string') return;
    const params = isObject(given) ? given : {};
    if (typeof id !== 'string' && typeof id !== 'number') return hear(method, params);
    const refuse = () => {
      send({ id, error: { code: -32601, message: `${method.slice(0, 80)} is not possible here.` } });
    };
    void answer(method, params).then((result) => {
      if (result) send({ id, result });
      else refuse();
    }, refuse);
  };
}

/**
 * Checks that a message is plain data of at most `MOST_CHARS`. Counting stops there, because writing all of it would block the page: a list
 * of a hundred million empty places takes no time to send.
 */
export function isSmallData(message: unknown): boolean {
  const values = [message];
  let chars = 0;
  for (const one of values) {
    if (typeof one === 'bigint') return false;
    if (typeof one === 'string') chars += one.length;
    if (typeof one === 'object' && one !== null) {
      if (!Array.isArray(one) && Object.getPrototypeOf(one) !== Object.prototype) return false;
      if (Array.isArray(one)) chars += one.length;
      if (chars > MOST_CHARS) return false;
      for (const [key, value] of Object.entries(one)) {
        chars += key.length;
        values.push(value);
      }
    }
    chars += 1;
    if (chars > MOST_CHARS) return false;
  }
  return true;
}

function hostContext(frame: HTMLIFrameElement, host: AppHost): Fields {
  const scheme = getComputedStyle(frame).colorScheme;
  const isDark = scheme.includes('dark') && (!scheme.includes('light') || matchesMedia('(prefers-color-scheme: dark)'));
  return {
    protocolVersion: APP_VERSION,
    hostInfo: { name: 'tool-chat', version: '1' },
    hostCapabilities: { serverTools: {} },
    hostContext: {
      ...{ theme: isDark ? 'dark' : 'light', locale: host.lang, platform: 'web' },
      ...{ displayMode: 'inline', availableDisplayModes: ['inline'], containerDimensions: { maxHeight: HEIGHTS.most } },
    },
  };
}

/**
 * Returns the focus if the app page takes it by itself, that is, unless the user went there with Tab or the pointer. A page that appears
 * under a resting pointer does not count. A press inside the page is not visible here, so it is inferred: the window has user activation
 * without a recent press outside the frame.
 */
function keepFocus(frame: HTMLIFrameElement, signal: AbortSignal): void {
  const { ownerDocument: page } = frame;
  const on = { signal, capture: true };
  let last: Element | null = focused(page);
  let tabbed = false;
  let entered = false;
  let pressed = performance.now();
  let at = '';
  const whereOf = ({ screenX, screenY }: PointerEvent) => `${String(screenX)} ${String(screenY)}`;
  const press = () => (pressed = performance.now());
  const move = (event: PointerEvent) => (at = whereOf(event));
  const isActive = () => page.defaultView?.navigator.userActivation?.isActive === true && performance.now() - pressed > ACTIVE;
  const giveBack = () => {
    if (focused(page) !== frame || tabbed || entered || isActive()) return;
    frame.blur();
    if (last !== frame && last?.isConnected) (last as HTMLElement).focus({ preventScroll: true });
  };
  page.addEventListener('focusin', () => (last = focused(page)), on);
  page.addEventListener('keydown', ({ key }) => ((tabbed = key === 'Tab'), press()), on);
  page.addEventListener('pointermove', move, on);
  page.addEventListener('pointerdown', (event) => (move(event), press()), on);
  page.addEventListener('pointerup', press, on);
  frame.addEventListener('pointerenter', (event) => (entered = at !== '' && whereOf(event) !== at), on);
  frame.addEventListener('pointerleave', () => (entered = false), on);
  // Wait until the focus has moved: during its move it cannot be redirected.
  page.defaultView?.addEventListener('blur', () => setTimeout(giveBack), on);
}

/** Returns the focused element, looking into open shadow roots. */
function focused(root: Document | ShadowRoot): Element | null {
  const active = root.activeElement;
  return active?.shadowRoot?.activeElement ? focused(active.shadowRoot) : active;
}

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
