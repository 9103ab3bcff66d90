// engines: frames, Trusted Types
/** An MCP App has no WebRTC, and makes no frame that has it: each way is tried in the real sandbox page, and as a control without the guard. */
import { expect, waitUntil } from '@open-wc/testing';
import { guardApp, showApp, type AppHost } from '../../src/mcp/mcp-app.js';
import { sandboxFrame } from '../../src/toolkits/sandbox/sandbox-frame.js';
import { call } from '../elements/fake-surface.js';
import given from '../fixtures/mcp/frames.json' with { type: 'json' };

const SANDBOX = new URL('../../src/toolkits/sandbox/tool-chat-sandbox.html', import.meta.url);
const agent = navigator.userAgent;
const isChromium = agent.includes('Chrome/');
const isWebKit = !isChromium && agent.includes('AppleWebKit');

/**
 * Ways to make a frame that has WebRTC. `inner`: a script for a frame that tells the test that it runs, and whether it has it. `frame`: markup
 * with it. `sd`: the name of the attribute. Those under `scripted` only some engines fill, even without a guard.
 */
const ways: Record<string, string> = given.filled;

const app = (what: string, code: string, markup = '') => `<!DOCTYPE html><html lang="de"><title>App</title><body>${markup}<script>
  const code = 'parent.parent.parent.postMessage(["reached", ' + ${JSON.stringify(JSON.stringify(what))} + '], "*")';
  const inner = '<script>' + code + '</' + 'script>';
  const sd = 'src' + 'doc';
  const frame = '<iframe ' + sd + '="' + inner.replaceAll('"', '&quot;') + '"></iframe>';
  const f = document.createElement('iframe');
  const add = (node) => document.body.append(node);
  const end = () => setTimeout(() => parent.parent.postMessage(['end', typeof RTCPeerConnection], '*'), 150);
  addEventListener('load', end);
  ${code}
</script>`;

describe('an MCP App', function () {
  this.timeout(6000);
  const open: Element[] = [];
  before(function () {
    if (isWebKit) this.skip(); // WebKitGTK has no WebRTC to take away
  });
  afterEach(() => {
    for (const element of open.splice(0)) element.remove();
  });

  /** Shows it in the sandbox page; ends with what its frames and itself told, or as soon as a frame has told. */
  async function told(html: string): Promise<string[][]> {
    const heard: string[][] = [];
    const frame = sandboxFrame(SANDBOX);
    open.push(frame);
    const { port1, port2 } = new MessageChannel();
    frame.addEventListener('load', () => frame.contentWindow?.postMessage({ id: 'x', app: html, title: 'App' }, '*', [port2]), {
      once: true,
    });
    await new Promise<void>((resolve) => {
      const hear = ({ data }: MessageEvent<unknown>) => {
        if (!Array.isArray(data)) return;
        heard.push(data as string[]);
        removeEventListener('message', hear);
        resolve();
      };
      addEventListener('message', hear);
      document.body.append(frame);
    });
    port1.close();
    frame.remove();
    return heard;
  }

  for (const [name, code] of Object.entries({ ...ways, ...given.scripted }))
    it(`fills no frame by ${name}; as a control: without the guard it does`, async () => {
      expect(await told(guardApp(app(name, code)))).to.deep.equal([['end', 'undefined']]);
      if (ways[name] || isChromium) expect(await told(app(name, code))).to.deep.equal([['reached', name]]);
    });

  it('has no WebRTC and cannot bring it back; its markup fills no frame, either', async () => {
    const markup = `<iframe srcdoc="<script>parent.parent.parent.postMessage(['reached', 'markup'], '*')</script>"></iframe>`;
    expect(await told(guardApp(app('', '', markup)))).to.deep.equal([['end', 'undefined']]);
    expect(await told(app('', '', markup))).to.deep.equal([['reached', 'markup']]);
    const back = `for (const name of Object.getOwnPropertyNames(window)) if (name.includes('RTC')) { delete window[name]; window[name] = 1; if (window[name]) throw end; }`;
    expect(await told(guardApp(app('', back)))).to.deep.equal([['end', 'undefined']]);
    expect(await told(app('', ''))).to.deep.equal([['end', 'function']]);
  });

  it('reads no entities, by which an attribute has another spelling', async () => {
    const code = `const kind = '<!DOCTYPE r [<!ENTITY x "&#60;iframe &#115;rcdoc=\\'\\'/>">]><r>&x;</r>';
      try { new DOMParser().parseFromString(kind, 'text/xml'); parent.parent.postMessage(['reached', 'entities'], '*'); } catch {}`;
    expect(await told(guardApp(app('', code)))).to.deep.equal([['end', 'undefined']]);
    expect(await told(app('', code))).to.deep.equal([['reached', 'entities']]);
  });

  it('shown below a card has the guard, and works as it was written', async () => {
    const place = document.createElement('div');
    open.push(place);
    document.body.append(place);
    const html = `<!DOCTYPE html><html lang="de"><body><b onclick="window.clicked = 1">b</b><script>
      document.querySelector('b').click();
      const script = document.createElement('script');
      script.textContent = 'window.made = eval("1 + 1")';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<i>srcdo' + 'c</i>');
      setTimeout('window.timed = 3');
      const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(typeof RTCPeerConnection)'])));
      worker.onmessage = ({ data }) => parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'note', arguments: {
        seen: [typeof RTCPeerConnection, data, clicked, made, timed, document.documentElement.lang, document.scripts.length, document.compatMode].join() } } }, '*');
    </script>`;
    const seen = await new Promise<unknown>((resolve) => {
      const host: AppHost = {
        ...{ url: SANDBOX, title: 'App', lang: 'en', read: () => Promise.resolve(html), result: {}, failed: 'failed' },
        call: (_, args) => (resolve(args['seen']), undefined),
      };
      void showApp(place, call('c-1'), host);
    });
    expect(seen).to.equal('undefined,undefined,1,2,3,de,2,CSS1Compat');
  });

  for (const [what, data] of Object.entries({
    'a list of so many empty places that writing it blocks the page': 'new Array(4e9)',
    bytes: 'new Uint8Array(9)',
    'a number that JSON does not have': '{ n: 1n }',
    'itself within itself': '(() => { const all = []; all.push(all); return all; })()',
    'so many fields that reading it blocks the page':
      "Object.fromEntries(Array.from({ length: 1e4 }, (_, at) => ['x'.repeat(200) + at, 0]))",
  }))
    it(`ends when it sends ${what}`, async () => {
      const place = document.createElement('div');
      open.push(place);
      document.body.append(place);
      const html = `<!DOCTYPE html><script>parent.postMessage(${data}, '*')</script>`;
      const host = { url: SANDBOX, title: 'App', lang: 'en', read: () => Promise.resolve(html), result: {}, call: () => undefined };
      void showApp(place, call('c-1'), { ...host, failed: 'failed' });
      const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')!;
      let read: unknown;
      const note = function (this: MessageEvent): unknown {
        return (read = get!.call(this));
      };
      Object.defineProperty(MessageEvent.prototype, 'data', { get: note, configurable: true });
      await waitUntil(() => place.textContent === 'failed');
      expect(typeof read, 'what this page had to read').to.equal('bigint');
    });
});
