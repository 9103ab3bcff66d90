/** Tools of the page for the assistant, and of the assistant for the browser; with browsers of old and new shape, and with none. */
import { expect } from 'chai';
import { connectWebMcp, publishTools, type WebMcpConnection, type WebMcpOptions } from '../../src/webmcp/index.js';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { sourceOf } from '../../src/tools/tool-source.js';
import { talk, until, useFaultServer } from '../conversation/talk.js';
import { isInPieces } from '../helpers/cost.js';
import { closeSamples, load, openSamples } from '../docs/pages.js';
import { FakeContext } from './fake-context.js';

const nothing = () => undefined;
const context = { signal: new AbortController().signal } as ToolContext;
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const place = globalThis as { document?: object | undefined };

describe('WebMCP', () => {
  const open: (() => void)[] = [];
  afterEach(() => {
    for (const close of open.splice(0).reverse()) close();
    delete place.document;
  });

  function browser(asText = false): FakeContext {
    const modelContext = new FakeContext(asText);
    place.document = { modelContext };
    return modelContext;
  }

  async function connected(options: WebMcpOptions = {}) {
    const registry = createRegistry();
    const connection: WebMcpConnection = await connectWebMcp({ registerTool: (tool) => registry.register(tool) }, options);
    open.push(() => void connection.close());
    return { connection, registry, risks: () => registry.list().map(({ name, risk }) => `${name} ${String(risk)}`) };
  }

  const add = {
    ...{ name: 'add', title: 'Add', description: 'Adds two numbers' },
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    execute: (input: unknown) => ({ sum: (input as { a: number; b: number }).a + (input as { b: number }).b }),
  };

  it('is nothing, without an error, where the browser has none, or forbids it', async () => {
    const forbidden = { get modelContext() { throw new Error('policy'); } }; // prettier-ignore
    for (const page of [undefined, {}, { modelContext: null }, { modelContext: {} }, forbidden]) {
      place.document = page;
      const { connection, registry } = await connected();
      expect([connection.available, connection.tools, registry.list()]).to.deep.equal([false, [], []]);
      publishTools({ ...talkLike(), registerTool: () => nothing }, [])();
    }
  });

  for (const asText of [false, true])
    it(`offers the tools of the page, in a browser that takes ${asText ? 'text' : 'objects'}; each runs once`, async () => {
      const page = browser(asText);
      const content = (text: string) => [{ type: 'text', text }];
      const offered: [name: string, execute: () => unknown, outcome: string][] = [
        ['shop.buy it', () => 'bought', 'bought'],
        ['mcp', () => ({ content: content('as MCP') }), 'as MCP'],
        ['fails', () => ({ content: content('No seats left.'), isError: true }), 'ToolError: No seats left.'],
        ['throws', () => Promise.reject(new Error('lost')), 'refused'],
      ];
      await page.registerTool(add);
      for (const [name, execute] of offered) await page.registerTool({ ...add, name, title: '', execute });
      const { registry, connection } = await connected();
      expect(connection.tools).to.deep.equal(['add', 'shop_buy_it', 'mcp', 'fails', 'throws']);
      expect(registry.get('add')).to.deep.include({ label: 'Add', untrusted: true, description: 'Adds two numbers' });
      expect(registry.get('add')?.parameters).to.deep.include({ required: ['a', 'b'] });
      const run = (name = '') => Promise.resolve(registry.get(name)?.execute({ a: 1, b: 2 }, context)).catch(String);
      expect(await run('add')).to.deep.equal({ sum: 3 });
      for (const [at, [, , outcome]] of offered.entries()) expect(await run(connection.tools[at + 1])).to.include(outcome);
      expect(page.calls).to.deep.equal(Array.from({ length: 5 }, () => (asText ? '{"a":1,"b":2}' : { a: 1, b: 2 })));
    });

  it('makes room for a tool of the chat that is registered later, with one warning', async () => {
    const page = browser();
    await page.registerTool(add);
    const said: string[] = [];
    const logger = { ...quiet, warn: (message: string) => void said.push(message) };
    const { registry, connection } = await connected({ logger });
    const own = { name: 'add', description: 'Ours.', execute: nothing };
    registry.register(own);
    expect(registry.list().map(({ description }) => description)).to.deep.equal(['Ours.']);
    expect(connection.tools).to.deep.equal([]);
    await until(() => said.length > 0, 'the warning');
    expect(said.join('|')).to.match(/^The page's tool add could not be registered: its name is taken[^|]*$/);
    expect(() => registry.register(own)).to.throw('is taken');
    connection.close();
    expect(registry.has('add')).to.equal(true);
  });

  it('believes no claim that makes a tool look better, and each that makes it look worse', async () => {
    const page = browser();
    await page.registerTool({ ...add, name: 'reads', annotations: { readOnlyHint: true } });
    await page.registerTool({ ...add, name: 'pays', annotations: { readOnlyHint: true, consequentialHint: true } });
    await page.registerTool(add);
    expect((await connected()).risks()).to.deep.equal(['reads undefined', 'pays danger', 'add undefined']);
    expect((await connected({ trusted: true })).risks()).to.deep.equal(['reads query', 'pays danger', 'add undefined']);
    expect((await connected({ filter: ['add'] })).risks()).to.deep.equal(['add undefined']);
  });

  it('notes whose a tool is that another frame has, leaves out one that is nobody’s, and takes the page’s own of one name', async () => {
    const at = (origin: string) => Object.assign(globalThis, { location: { origin, href: `${origin}/shop` } });
    const page = browser();
    await page.registerTool(add);
    const owner = async (options?: WebMcpOptions) => (await connected(options)).registry.list().map(sourceOf);
    try {
      at('https://page.test');
      expect(await owner(), 'of the page').to.deep.equal([undefined]);
      at('https://other.test');
      expect(await owner()).to.deep.equal([{ host: 'page.test', trusted: false }]);
      expect(await owner({ trusted: true })).to.deep.equal([{ host: 'page.test', trusted: true }]);
      page.origin = '';
      expect(await owner(), 'the browser does not say').to.deep.equal([{ host: 'other.test', trusted: false }]);
      page.origin = 'null';
      expect(await owner({ logger: quiet }), 'sandboxed').to.deep.equal([]);
      const from = (origin: string) => ({ ...add, description: origin, origin });
      page.getTools = () => Promise.resolve(['https://a.test', 'https://other.test', 'https://b.test'].map(from));
      const { registry } = await connected({ logger: quiet });
      expect(
        registry.list().map(({ description }) => description),
        'three of one name',
      ).to.deep.equal(['https://other.test']);
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
  });

  it('reads many large tools without holding the page, once for any number of changes, and leaves out one that it cannot read', async () => {
    const page = browser();
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`f${String(at)}`, { type: 'string', description: `${String(at)}` }]),
    );
    for (let at = 0; at < 60; at += 1)
      page.tools.set(`t${String(at)}`, { ...add, name: `t${String(at)}`, inputSchema: { type: 'object', properties } });
    const circle: Record<string, unknown> = {};
    page.tools.set('circle', { ...add, name: 'circle', inputSchema: Object.assign(circle, { circle }) });
    expect(await isInPieces(() => connected({ logger: quiet }))).to.equal(true);
    page.tools.clear();
    const { registry } = await connected();
    let reads = 0;
    page.getTools = () => Promise.resolve([{ ...add, description: String((reads += 1)) }]);
    for (let at = 0; at < 1000; at += 1) page.dispatchEvent(new Event('toolchange'));
    await until(() => registry.has('add'), 'the tool');
    expect(reads).to.be.below(3);
  });

  it('follows the page when its tools change', async () => {
    const page = browser();
    const { registry, connection } = await connected();
    const stop = new AbortController();
    await page.registerTool(add, { signal: stop.signal });
    await until(() => registry.has('add'), 'the tool');
    const before = registry.get('add');
    page.tools.set('add', { ...add, description: 'Deletes everything' });
    page.dispatchEvent(new Event('toolchange'));
    await until(() => registry.get('add') !== before, 'the other tool');
    stop.abort();
    await until(() => !registry.has('add'), 'no tool');
    connection.close();
    await page.registerTool({ ...add, name: 'late' });
    expect(registry.list()).to.deep.equal([]);
  });

  describe('the other way', () => {
    useFaultServer();

    const note = (ran: unknown[]): ToolDefinition => ({
      ...{ name: 'note', description: 'Notes', risk: 'danger', label: 'Note it' },
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      execute: (args) => (ran.push(args), 'Noted'),
    });

    it('offers the host’s tools to the browser, whose calls ask like any other', async () => {
      const page = browser();
      const one = talk(['Done.'], { person: true });
      const ran: unknown[] = [];
      open.push(publishTools(one.chat));
      const off = one.chat.registerTool(note(ran));
      expect(page.tools.get('note')).to.deep.include({
        ...{ title: 'Note it', description: 'Notes' },
        annotations: { readOnlyHint: false, consequentialHint: true, untrustedContentHint: false },
      });
      const calling = page.tools.get('note')?.execute({ text: 'x' }, { signal: undefined });
      const [card] = await one.asked();
      expect([card?.toolName, ran]).to.deep.equal(['note', []]);
      one.decide('allow', card!);
      expect([await calling, ran]).to.deep.equal(['Noted', [{ text: 'x' }]]);
      const wrong = await page.tools.get('note')?.execute({ text: 7, more: 1 }, { signal: undefined });
      expect([wrong, ran.length]).to.have.deep.nested.property('[0].isError', true);
      off();
      expect(page.tools.has('note')).to.equal(false);
    });

    before(openSamples);
    after(closeSamples);
    it('makes no circle, by the samples of docs/webmcp.md: neither what came from the browser goes back, nor what went there', async () => {
      const page = browser();
      for (const name of ['find_product', 'other']) await page.registerTool({ ...add, name });
      const one = talk(['Done.']);
      const { offerTools } = await load<{ offerTools: typeof publishTools }>('webmcp', 'offer');
      const { takeTools } = await load<{ takeTools: typeof connectWebMcp }>('webmcp', 'take');
      open.push(offerTools(one.chat));
      one.chat.registerTool(note([]));
      const connection = await takeTools(one.chat);
      open.push(() => void connection.close());
      expect(connection.tools).to.deep.equal(['find_product']);
      expect([...page.tools.keys()]).to.deep.equal(['find_product', 'other', 'note']);
    });

    it('takes back what it offered, and leaves a name that the page has to the page', async () => {
      const page = browser();
      await page.registerTool({ ...add, name: 'note' });
      const one = talk(['Done.']);
      const { registerTool } = one.chat;
      const stop = publishTools(one.chat);
      one.chat.registerTool(note([]));
      one.chat.registerTool({ ...note([]), name: 'other' });
      await until(() => page.tools.has('other'), 'the tool');
      expect(page.tools.get('note')?.description).to.equal('Adds two numbers');
      stop();
      expect([...page.tools.keys()]).to.deep.equal(['note']);
      expect(one.chat.registerTool).to.equal(registerTool);
      open.push(publishTools(one.chat, [note([])]));
    });

    it('offers what an element registers, whose methods cannot be assigned', async () => {
      const page = browser();
      const { chat } = talk(['Done.']);
      class Element {
        get registerTool() {
          return chat.registerTool;
        }
        get registerTools() {
          return chat.registerTools;
        }
        executeToolManually = chat.executeToolManually;
      }
      const element = new Element();
      const stop = publishTools(element);
      element.registerTool(note([]));
      expect([...page.tools.keys()]).to.deep.equal(['note']);
      stop();
      expect([[...page.tools.keys()], Object.keys(element), element.registerTool]).to.deep.equal([
        [],
        ['executeToolManually'],
        chat.registerTool,
      ]);
    });
  });
});

const talkLike = () => ({ registerTools: () => nothing, executeToolManually: () => Promise.reject(new Error('never')) });
