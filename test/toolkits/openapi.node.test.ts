/** Tools from OpenAPI descriptions: which there are, what they send, and that they ask like all others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openApiTools, type OpenApiOptions } from '../../src/toolkits/index.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { isDescribedByOthers, sourceOf } from '../../src/tools/tool-source.js';
import { call, talk, useFaultServer } from '../conversation/talk.js';
import { descriptions, readDescription } from './descriptions.js';
import noDocuments from '../fixtures/toolkits/no-documents.json' with { type: 'json' };

const nothing = () => undefined;

const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** One line a tool: what it does to the world, what it takes, what it is for. */
function line({ name, risk, parameters, description }: ToolDefinition): string {
  const { properties = {}, required = [] } = parameters as { properties?: Record<string, JsonSchema>; required?: string[] };
  const given = Object.entries(properties).map(([key, { type, anyOf }]) => {
    const kind = [type ?? (anyOf ? 'one of' : 'any')].flat().join('|');
    return `${key}${required.includes(key) ? '' : '?'}: ${kind}`;
  });
  return `${String(risk).padEnd(6)} ${name}(${given.join(', ')}) · ${description}`;
}

const signal = new AbortController().signal;
const context: ToolContext = { requestId: 'call-1', sessionId: 's', signal, progress: nothing, logger: quiet };
const run = (tool: ToolDefinition, args: object) => Promise.resolve(tool.execute({ ...args }, context));

interface Sent extends RequestInit {
  url: string;
}

function service(answer: () => Response = () => Response.json({ ok: true })) {
  const sent: Sent[] = [];
  const fetch = ((url: URL, init: RequestInit = {}) => {
    sent.push({ url: String(url), ...init });
    return Promise.resolve(answer());
  }) as typeof globalThis.fetch;
  return { sent, fetch };
}

const path = (operation: object, at = '/things/{id}', method = 'get') => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://api.test/v1' }],
  paths: { [at]: { [method]: { operationId: 'theTool', summary: 'Does the thing', ...operation } } },
});

async function only(document: object, options: OpenApiOptions = {}): Promise<ToolDefinition> {
  const [tool] = await openApiTools(document, { logger: quiet, ...options });
  if (!tool) throw new Error('There is no tool.');
  return tool;
}

const parameter = (name: string, where: string, more: object = {}) => ({ name, in: where, schema: { type: 'string' }, ...more });
const body = (schema: object, type = 'application/json') => ({ requestBody: { required: true, content: { [type]: { schema } } } });

describe('tools from an OpenAPI description', () => {
  for (const [name, file] of Object.entries(descriptions))
    describe(`of ${name}`, () => {
      let tools: ToolDefinition[];
      before(async () => {
        tools = await openApiTools(readDescription(file), { baseUrl: 'https://service.test/', logger: quiet });
      });

      it('are those of the golden list', () => {
        const golden = new URL(`../fixtures/openapi/${name}.tools.txt`, import.meta.url);
        const text = `${tools.map(line).join('\n')}\n`;
        if (process.env['GOLDEN'] === 'write' || !existsSync(golden)) writeFileSync(golden, text);
        expect(text).to.equal(readFileSync(golden, 'utf8'));
      });

      it('can all be registered, each with a sentence and a schema that a prompt can hold', () => {
        createRegistry().registerAll(tools);
        for (const { description, parameters, untrusted, label } of tools) {
          expect([/^\S.{0,220}$/.test(description), /^\S.{0,60}$/.test(label ?? ''), untrusted]).to.deep.equal([true, true, true]);
          expect(JSON.stringify(parameters)).to.have.length.below(12_000).and.not.include('"$ref"');
        }
      });
    });

  it('are hundreds where the service has hundreds of operations, and asking for some gives those', async () => {
    const github = readDescription(descriptions.github);
    const filtered = async (filter?: OpenApiOptions['filter']) =>
      (await openApiTools(github, { logger: quiet, ...(filter && { filter }) })).map(({ name }) => name);
    expect(await filtered()).to.have.length(435);
    const some = await filtered(['gists', 'issues_create', 'repos/delete']);
    expect(some).to.include.members(['gists_list', 'issues_create', 'repos_delete']).and.have.length(22);
    expect(await filtered(({ method, path: at }) => method === 'GET' && at === '/users')).to.have.length(1);
  });

  it('read, write or endanger by their method, and the page may say otherwise', async () => {
    const document = { ...path({}), paths: { '/a': { get: {}, post: {}, put: {}, patch: {}, delete: { operationId: 'wipe' } } } };
    const cases: [OpenApiOptions['risk'], string][] = [
      [{}, 'query write write write danger'],
      [{ post_a: 'query', wipe: 'write' }, 'query query write write write'],
      [({ method }) => (method === 'GET' ? 'danger' : undefined), 'danger write write write danger'],
      [{ wipe: 'harmless' as 'query' }, 'query write write write danger'],
    ];
    for (const [risk, risks] of cases)
      expect((await openApiTools(document, { risk: risk! })).map((tool) => tool.risk).join(' ')).to.equal(risks);
  });

  describe('send', () => {
    it('nothing to another address, whatever stands in the arguments', async () => {
      const { sent, fetch } = service();
      const parameters = [parameter('id', 'path'), parameter('h', 'header'), parameter('q', 'query')];
      const tool = await only(path({ parameters }), { fetch });
      const hostile = fc.oneof(
        fc.string(),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('.', '..', '../..', '%2e%2e', '/', '//evil.test', '\r\nx: y', '@evil', '\ud800', '#', '?'),
      );
      await fc.assert(
        fc.asyncProperty(hostile, hostile, hostile, async (id, h, q) => {
          sent.length = 0;
          const failed = await run(tool, { id, h, q }).then(nothing, (error: Error) => error);
          if (sent.length === 0) return void expect(failed).to.have.property('code', 'INVALID_PARAMETER');
          const url = new URL((sent[0] as Sent).url);
          expect(url).to.include({ origin: 'https://api.test', hash: '' });
          expect([url.pathname.split('/').length, sent[0]?.redirect]).to.deep.equal([4, 'error']);
          expect(url.pathname.startsWith('/v1/things/')).to.equal(true);
          expect(url.searchParams.get('q')).to.equal(new URLSearchParams([['q', q]]).get('q'));
        }),
        { numRuns: 300 },
      );
    });

    it('no key where the page’s own function fails, and none of its words', async () => {
      const { sent, fetch } = service();
      const auth = () => Promise.reject(new Error('refresh token SECRET is old'));
      const tool = await only(path({}), { fetch, baseUrl: 'https://api.test/v1', auth });
      const failure = await run(tool, { id: '1' }).catch(String);
      expect(failure).to.include('signed in').and.not.include('SECRET');
      expect(sent).to.deep.equal([]);
    });
  });

  describe('give', () => {
    const answered = async (answer: Response, lang?: string) => {
      const tool = await only(path({}), { fetch: service(() => answer).fetch, ...(lang && { lang }) });
      return run(tool, { id: '1' }).catch((error: unknown) => error);
    };

    it('what was answered, and a refusal as a response with its number', async () => {
      expect(await answered(Response.json({ a: 1 }))).to.deep.equal({ success: true, message: 'Done', data: { a: 1 } });
      expect(await answered(Response.json([{ a: 1 }]))).to.deep.equal([{ a: 1 }]);
      expect(await answered(new Response('plain'))).to.equal('plain');
      expect(await answered(new Response(null, { status: 204 }))).to.equal('Done');
      expect(await answered(new Response('{}', { status: 404 }))).to.have.property('status', 404);
      expect(await answered(new Response('x', { headers: { 'content-type': 'image/png' } }), 'zh-CN')).to.include('image/png');
    });

    it('a sentence for an answer that is no JSON, or is larger than anybody reads', async () => {
      const json = { headers: { 'content-type': 'application/json' } };
      expect(String(await answered(new Response('<html>', json)))).to.include('JSON');
      const flood = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)) });
      expect(String(await answered(new Response(flood, json)))).to.include('4 MB');
    });

    it('as much of long lists and texts as fits, and say how much is missing', async () => {
      const rows = Array.from({ length: 5000 }, (_, id) => ({ id, text: 'word '.repeat(50) }));
      const { data: summary } = (await answered(Response.json({ total: 5000, rows }))) as { data: { total: number; rows: unknown[] } };
      expect(JSON.stringify(summary).length).to.be.below(24_001);
      expect(summary.total).to.equal(5000);
      expect(summary.rows[0]).to.have.property('id', 0);
      expect(summary.rows.at(-1)).to.match(/^… and \d{4} more$/);
    });
  });

  describe('of a document that is not as it should be', () => {
    const refused = async (source: unknown, options: OpenApiOptions = {}) => {
      const said: string[] = [];
      const logger = { ...quiet, warn: (message: string) => void said.push(message) };
      return { tools: await openApiTools(source as object, { logger, ...options }), said };
    };

    it('are none, with one warning that says what to do', async () => {
      const answer = (text: string, status = 200) => ({ fetch: service(() => new Response(text, { status })).fetch });
      const cases: [unknown, OpenApiOptions, string][] = [
        ...(noDocuments as [unknown, OpenApiOptions, string][]),
        ['https://a.test/openapi.yaml', answer('openapi: 3.0.0\n'), 'YAML'],
        ['https://a.test/openapi.json', answer('<html>'), 'no JSON'],
        ['https://a.test/openapi.json', answer('', 500), '500'],
        ['https://a.test/openapi.json', { fetch: () => Promise.reject(new TypeError('x')) }, 'could not be loaded'],
      ];
      for (const [source, options, why] of cases) {
        const { tools, said } = await refused(source, options);
        expect(tools, why).to.deep.equal([]);
        expect(said, why).to.have.length(1);
        expect(said[0]).to.include('openApiTools() gives no tools').and.include(why);
      }
    });

    it('never throw, whatever the document holds', async () => {
      const junk = fc.jsonValue({ maxDepth: 4 });
      const parameters = fc.array(fc.record({ name: junk, in: fc.constantFrom('path', 'query'), schema: junk }));
      const content = fc.dictionary(fc.constantFrom('application/json', 'x'), fc.record({ schema: junk }));
      const fields = { operationId: junk, summary: junk, tags: junk, parameters, requestBody: fc.record({ content }) };
      const operation = fc.record(fields, { requiredKeys: [] });
      const item = fc.record({ get: fc.oneof(junk, operation), post: operation, parameters: junk });
      const paths = fc.dictionary(fc.constantFrom('/a', '/a/{b}', '/__proto__'), item);
      const document = fc.record({ openapi: fc.constant('3.1.0'), servers: junk, components: junk, paths });
      await fc.assert(
        fc.asyncProperty(document, async (one) => {
          createRegistry().registerAll(await openApiTools(one, { baseUrl: 'https://a.test', logger: quiet }));
        }),
        { numRuns: 300 },
      );
      expect(Object.keys(Object.prototype)).to.deep.equal([]);
    });
  });

  it('are of the host that is called; the document is vouched for that the page hands over, serves or trusts', async () => {
    const document = path({}, '/things');
    const fetch = (() => Promise.resolve(Response.json(document))) as typeof globalThis.fetch;
    const owner = async (source: object | string, options: OpenApiOptions = {}) =>
      (await openApiTools(source, { fetch, logger: quiet, ...options })).map(sourceOf);
    const elsewhere = 'https://docs.test/openapi.json';
    const table = async () => [
      ...(await owner(document)),
      ...(await owner(elsewhere)),
      ...(await owner(elsewhere, { trusted: true })),
      ...(await owner('https://api.test/openapi.json')),
    ];
    const of = (trusted: boolean) => ({ host: 'api.test', trusted });
    expect(await table(), 'without a page').to.deep.equal([of(true), of(false), of(true), of(false)]);
    Object.assign(globalThis, { location: { origin: 'https://api.test', href: 'https://api.test/shop' } });
    try {
      expect(await table(), 'at the origin of the page').to.deep.equal([undefined, of(false), undefined, undefined]);
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
    // A host that changes a definition hands over a copy.
    const registry = createRegistry();
    const [tool] = await openApiTools(elsewhere, { fetch, logger: quiet });
    registry.register({ ...tool!, label: 'Thing' });
    registry.register({ ...tool!, name: 'other', untrusted: false });
    const [first, second] = registry.list();
    expect([sourceOf(first!), isDescribedByOthers(first!), isDescribedByOthers(second!)]).to.deep.equal([of(false), true, false]);
  });

  describe('in a conversation', () => {
    useFaultServer();

    it('change something once if the service says 2xx, whatever else it says, and hand on every field', async () => {
      const order = call('place_order', { item: 'x' });
      const json = { 'content-type': 'application/json' };
      const broken = () => {
        const pieces = [new TextEncoder().encode('{"orderId":')];
        return new ReadableStream({
          pull: (stream) => (pieces[0] ? stream.enqueue(pieces.pop()) : stream.error(new TypeError('terminated'))),
        });
      };
      const unread = 'could not be read';
      const cases: [answer: () => Response, posts: number, told: string][] = [
        [() => Response.json({ code: 'CREATED', message: 'Order placed', orderId: 7 }), 1, '"orderId":7'],
        [() => Response.json({ code: 201, message: 'Created', orderId: 7 }, { status: 201 }), 1, '"code":201'],
        [() => Response.json({ success: true, message: 'Order placed', orderId: 7 }), 1, '"orderId":7'],
        [() => Response.json({ success: false, message: 'Queued', errorType: 'rate_limit' }), 1, '"errorType":"rate_limit"'],
        [() => new Response('OK', { headers: json }), 1, unread],
        [() => new Response('{"orderId":7,', { headers: json }), 1, unread],
        [() => new Response(`{"x":"${'y'.repeat(4_100_000)}"}`, { headers: json }), 1, unread],
        [() => new Response(broken(), { headers: json }), 1, unread],
        // What the service refuses has not happened.
        [() => Response.json({ message: 'No stock' }, { status: 409 }), 2, 'No stock'],
      ];
      for (const [answer, posts, told] of cases) {
        const { sent, fetch } = service(answer);
        const one = talk([order, order, 'Done.']);
        const [tool] = await openApiTools(path({ operationId: 'place_order', ...body({ properties: { item: {} } }) }, '/orders', 'post'), {
          ...{ fetch, logger: quiet },
        });
        one.chat.registerTool({ ...tool!, untrusted: false });
        await one.send();
        expect([sent.length, one.bodies()[1]?.messages.at(-1)?.text.includes(told)], told).to.deep.equal([posts, true]);
      }
      const reads = await only(path({}), { fetch: service(() => new Response('{"a":', { headers: json })).fetch });
      expect(await run(reads, { id: '1' }).catch(String), 'of a read the answer is all there is').to.include('JSON');
    });

    it('are paged where they are hundreds: the prompt names them, and the model asks for the one it needs', async () => {
      const { sent, fetch } = service(() => Response.json([]));
      const one = talk([call('describe_tool', { names: 'gists_list' }), call('gists_list', { per_page: '5' }), 'None.']);
      const tools = await openApiTools(readDescription(descriptions.github), { fetch, logger: quiet });
      for (const tool of tools) one.chat.registerTool(tool);
      await one.send();
      const [first, second] = one.bodies();
      expect(first?.system).to.include('describe_tool').and.include('gists_list').and.include('issues_create');
      expect(first?.system.length).to.be.below(40_000);
      expect(second?.messages.at(-1)?.text).to.include('per_page').and.include('since');
      expect(sent.map(({ url }) => url)).to.deep.equal(['https://api.github.com/gists?per_page=5']);
    });
  });
});
