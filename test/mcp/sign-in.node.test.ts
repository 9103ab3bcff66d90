/** Signing in to MCP servers: by the book, against a server that is strict, the one of the MCP kit, and some that lie. No browser: a window is a request. */
import { afterEach, beforeEach } from 'mocha';
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connectMcp, type McpAuth, type McpSignIn } from '../../src/mcp/index.js';
import { createRegistry } from '../../src/tools/registry.js';
import { until } from '../conversation/talk.js';
import { oauthServer, type OauthServer, type OauthServerOptions } from './oauth-server.js';

const PAGE = 'https://page.example/app/';
const nothing = () => undefined;
const global_ = globalThis as unknown as Record<string, unknown>;

describe('signing in to an MCP server', () => {
  const open: (() => unknown)[] = [];
  /** What becomes of a window: follows the way to the page that it comes back to, as a browser does. */
  let windows: URL[] = [];
  let blocked = false;
  let change: (back: URL) => void = nothing;
  const kept = new Map<string, string>();

  beforeEach(() => {
    [windows, blocked, change] = [[], false, nothing];
    kept.clear();
    global_['document'] = { baseURI: PAGE };
    global_['location'] = { href: PAGE, host: 'page.example', origin: 'https://page.example' };
    global_['sessionStorage'] = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    };
    global_['open'] = () => {
      if (blocked) return null;
      const replace = (href: string) => {
        windows.push(new URL(href));
        void fetch(href, { redirect: 'manual' }).then((response) => {
          const back = new URL(response.headers.get('location') ?? 'about:blank');
          change(back);
          const channel = new BroadcastChannel('tool-chat-oauth');
          channel.postMessage(back.search);
          // A channel that is closed at once says nothing here.
          setTimeout(() => channel.close(), 50);
        });
      };
      return { opener: {}, location: { replace }, close: nothing };
    };
  });
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
    for (const name of ['document', 'location', 'sessionStorage', 'open']) Reflect.deleteProperty(global_, name);
  });

  async function served(options?: OauthServerOptions): Promise<OauthServer> {
    const server = await oauthServer(options);
    open.push(() => server.stop());
    return server;
  }

  type Connected = Awaited<ReturnType<typeof connected>>;

  async function connected(url: string, auth: McpAuth | false = {}) {
    const registry = createRegistry();
    const asks: (McpSignIn | undefined)[] = [];
    const said: string[] = [];
    const logger = { debug: nothing, info: nothing, error: nothing, warn: (message: string) => void said.push(message) };
    const options = { logger, auth, signIn: (ask: McpSignIn | undefined) => void asks.push(ask), lang: 'en' };
    const connection = await connectMcp({ registerTool: (tool) => registry.register(tool) }, url, options);
    open.push(() => connection.close());
    const context = { requestId: 'a', sessionId: 's', signal: new AbortController().signal, progress: nothing, logger };
    return {
      ...{ connection, asks, said },
      now: () => asks.at(-1),
      names: () => registry.list().map(({ name }) => name),
      whoami: async () => registry.get('whoami')!.execute({}, context),
    };
  }

  async function signedIn(server: OauthServer, auth: McpAuth = {}): Promise<Connected> {
    const one = await connected(server.url, auth);
    one.now()!.press();
    await until(() => one.names().includes('whoami'), 'the tools');
    return one;
  }

  it('asks a person, opens nothing before they press, and has the tools then', async () => {
    const server = await served();
    const one = await connected(server.url);
    const host = new URL(server.url).host;
    const at = new URL(server.issuer).host;
    expect(one.connection.error).to.include('the user has to sign in');
    expect([one.names(), one.asks.length]).to.deep.equal([[], 1]);
    expect(one.now()).to.include({ server: host, at, button: 'Sign in' });
    expect(one.now()!.sentence).to.equal(`${host} has tools for the assistant and wants you to sign in at ${at} first.`);
    expect([windows.length, server.asked.filter((one) => one.startsWith('POST')).length]).to.deep.equal([0, 0]);

    one.now()!.press();
    await until(() => one.names().includes('whoami'), 'the tools');
    expect(one.now()).to.equal(undefined);
    expect([one.connection.error, one.connection.server]).to.deep.equal([undefined, 'Guarded']);
    expect(await one.whoami()).to.equal('whoami: Ann');
    const steps =
      'GET /.well-known/oauth-protected-resource/mcp|GET /.well-known/oauth-authorization-server|POST /register|GET /authorize|POST /token authorization_code';
    expect(server.asked.join('|')).to.equal(steps);
    const query = windows[0]!.searchParams;
    expect(Object.fromEntries(query)).to.include({
      ...{ response_type: 'code', code_challenge_method: 'S256', resource: server.url, scope: 'tasks' },
      redirect_uri: 'https://page.example/tool-chat-oauth.html',
    });
    expect(query.get('state')).to.match(/^[\w-]{43}$/);
    // Neither the token nor the cookies of anybody went where they do not belong.
    expect(server.atIssuer.join()).to.not.match(/access-|authorization"|cookie/);
    expect(kept.size).to.equal(0);
  });

  it('finds the way where a 401 does not tell it, and takes a client that the page names', async () => {
    const server = await served({ tells: false, registers: false });
    await signedIn(server, { clientId: 'known-page', redirectUrl: 'back.html' });
    expect(server.asked).to.not.include('POST /register');
    expect(windows[0]!.searchParams.get('redirect_uri')).to.equal('https://page.example/app/back.html');
  });

  it('renews a token that no longer counts without asking, once for all calls, and asks again when that does not work either', async () => {
    const server = await served();
    const one = await signedIn(server);
    server.revoke();
    expect(await Promise.all([one.whoami(), one.whoami(), one.whoami()])).to.deep.equal(Array(3).fill('whoami: Ann'));
    expect(server.asked.filter((asked) => asked === 'POST /token refresh_token')).to.have.length(1);
    expect(one.now()).to.equal(undefined);
    expect(new Set(server.tokens).size).to.equal(2);

    server.revoke({ refresh: true });
    const failed = await one.whoami().catch((error: Error) => error);
    expect(failed).to.include({ errorType: 'auth' });
    expect(one.now()).to.include({ button: 'Sign in' });
    one.now()!.press();
    await until(() => one.now() === undefined, 'the end of it');
    expect(await one.whoami()).to.equal('whoami: Ann');
  });

  it('says what to do when the browser blocks the window, the person says no, or another server answers', async () => {
    const server = await served();
    const one = await connected(server.url);
    const says = (words: string) => until(() => one.now()!.sentence.includes(words), words);
    blocked = true;
    one.now()!.press();
    expect(one.now()!.sentence).to.include('blocked the window').and.include('press the button again');
    blocked = false;
    change = (back) => back.searchParams.set('iss', 'https://mallory.example');
    one.now()!.press();
    await says('it refused');
    change = (back) => void (back.searchParams.set('state', 'guessed'), back.searchParams.set('code', 'x'));
    one.now()!.press();
    await says('in the window');
    server.refuse();
    change = nothing;
    one.now()!.press();
    await says('access_denied');
    expect(one.names()).to.deep.equal([]);
    expect(server.asked.filter((asked) => asked.startsWith('POST /token'))).to.deep.equal([]);
  });

  it('keeps nothing over a reload unless the page says so; what is kept can be used and ends with the session', async () => {
    const server = await served();
    const first = await signedIn(server, { keep: 'session' });
    expect([...kept.keys()]).to.deep.equal([`tool-chat-oauth ${server.url}`]);
    await first.connection.close();
    const second = await connected(server.url, { keep: 'session' });
    expect(second.asks.filter(Boolean)).to.deep.equal([]);
    expect(await second.whoami()).to.equal('whoami: Ann');
    server.revoke({ refresh: true });
    const third = await connected(server.url, { keep: 'session' });
    expect(third.now()).to.include({ button: 'Sign in' });
    expect(kept.size).to.equal(0);
    kept.set(`tool-chat-oauth ${server.url}`, '{"access":7}');
    expect((await connected(server.url, { keep: 'session' })).now()).to.include({ button: 'Sign in' });
  });

  const lies: [what: string, options: OauthServerOptions, said: RegExp][] = [
    ['that is of another resource', { about: { resource: 'https://bank.example/mcp' } }, /give it `headers`/],
    ['that names nobody to sign in with', { about: { authorization_servers: [] } }, /give it `headers`/],
    ['that leads to an unsafe address', { about: { authorization_servers: ['http://mallory.example'] } }, /give it `headers`/],
    ['that leads to the page itself', { about: { authorization_servers: ['https://page.example'] } }, /give it `headers`/],
    ['that opens an address of the page', { metadata: { authorization_endpoint: 'https://page.example/delete?all' } }, /give it `headers`/],
    ['that opens another host than it names', { metadata: { authorization_endpoint: 'https://bank.example/' } }, /give it `headers`/],
    ['that takes tokens elsewhere', { metadata: { token_endpoint: 'https://mallory.example/token' } }, /give it `headers`/],
    ['of a service that speaks for another', { metadata: { issuer: 'https://bank.example' } }, /give it `headers`/],
    ['without PKCE', { metadata: { code_challenge_methods_supported: ['plain'] } }, /no PKCE/],
    ['with a place for tokens that is not safe', { metadata: { token_endpoint: 'http://mallory.example/token' } }, /give it `headers`/],
  ];
  for (const [what, options, words] of lies)
    it(`asks nobody for what a server says ${what}`, async () => {
      const one = await connected((await served(options)).url);
      expect(one.asks.filter(Boolean)).to.deep.equal([]);
      await until(() => words.test(one.said.join('\n')), 'the warning');
      expect(windows).to.deep.equal([]);
    });

  it('asks no other server how to sign in to this one', async () => {
    const other = await served();
    const server = await served({ describedAt: `${new URL(other.url).origin}/.well-known/oauth-protected-resource/mcp` });
    expect((await connected(server.url)).now()).to.include({ button: 'Sign in' });
    expect(other.asked).to.deep.equal([]);
  });

  it('needs a client where pages cannot register, and says so; with `auth: false` nobody is asked', async () => {
    const server = await served({ registers: false });
    const one = await connected(server.url);
    one.now()!.press();
    await until(() => one.now()!.sentence.includes('`clientId`'), 'the sentence');
    const other = await connected(server.url, false);
    expect(other.asks).to.deep.equal([]);
    expect(other.connection.error).to.include('give it `headers`');
  });

  it('works with the server of the MCP kit, which nobody here wrote', async function () {
    this.timeout(20_000);
    const child = spawn(process.execPath, ['test/mcp/kit-server.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
    open.push(async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const one = await connected(line.toString().trim());
    expect(one.now(), one.said.join()).to.include({ button: 'Sign in' });
    one.now()!.press();
    await until(() => one.names().includes('whoami'), 'the tools', 10_000);
    expect(JSON.stringify(await one.whoami())).to.include('you are');
  });
});
