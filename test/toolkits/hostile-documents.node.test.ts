/** OpenAPI documents that someone else wrote, and not kindly: what reading them costs, and where requests and keys can be led. */
import { expect } from 'chai';
import { loadLog } from '../../src/base/logging.js';
import { openApiTools, type OpenApiOptions } from '../../src/toolkits/index.js';
import { summarize } from '../../src/toolkits/read-response.js';
import { toolkitTextsFor } from '../../src/toolkits/toolkit-texts.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { costsAtMost } from '../helpers/cost.js';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const many = (count: number, value: (at: number) => unknown, key = (at: number) => `p${String(at)}`) =>
  Object.fromEntries(numbers(count).map((at) => [key(at), value(at)]));
const text = { type: 'string' };
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const document = (paths: object, schemas: object = {}) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://api.test/v1' }],
  ...{ paths, components: { schemas } },
});
const nothing = () => ({});
const noInput = () => ({ get: {} });
const byPath = (at: number) => `/a${String(at)}`;
const everywhere = (count: number, operation: object) => many(count, () => operation, byPath);
const wide = (count: number) => ({
  type: 'object',
  properties: many(count, () => to('Leaf')),
  required: Object.keys(many(count, () => 0)),
});

/** About n × 60 characters each. */
const families: Record<string, (n: number) => object> = {
  'a wide body in every operation': (n) => document(everywhere(n, { post: json(to('Wide')) }), { Wide: wide(n), Leaf: text }),
  'a body with one property for each': (n) => document({ '/a': { post: json(wide(n)) } }, { Leaf: text }),
  'parameters that all become one name': (n) =>
    document({
      '/a': {
        get: {
          parameters: numbers(n).map((at) => ({ name: `${'-'.repeat(at % 50)}a${'+'.repeat(at)}`.slice(0, 60 + at / 50), in: 'query' })),
        },
      },
    }),
  'paths that all become one name': (n) =>
    document(many(n, noInput, (at) => `/a${at.toString(2).replaceAll('0', '+').replaceAll('1', '-')}/b`)),
  'a schema put together from many wide ones': (n) =>
    document({ '/a': { post: json({ allOf: numbers(n).map(() => to('Wide')) }) } }, { Wide: wide(n), Leaf: text }),
  'schemas put together from each other': (n) =>
    document(
      { '/a': { post: json(to('p0')) } },
      many(n, (at) => ({ allOf: [to(`p${String(at + 1)}`), to(`p${String(at + 1)}`)] })),
    ),
  'many keys beside a reference': (n) =>
    document({ '/a': { post: json({ properties: many(n, () => to('A')) }) } }, { A: { ...to('B'), ...many(n, () => 1) }, B: text }),
  'a path with many places': (n) =>
    document({
      [`/${numbers(n)
        .map((at) => `{a${String(at)}}`)
        .join('')}`]: { get: {} },
    }),
  'a query with many names': (n) => document({ [`/a{?${Object.keys(many(24 * n, () => 0)).join()}}`]: { get: {} } }),
  'many keys and media types for every operation': (n) => {
    const content = many(4 * n, nothing, (at) => `a/b${String(at)}+json`);
    const securitySchemes = many(4 * n, (at) => ({ type: 'apiKey', in: 'query', name: `k${String(at)}` }));
    const operation = { requestBody: { $ref: '#/components/schemas/Any' }, responses: { 200: { $ref: '#/components/schemas/Any' } } };
    return { ...document(everywhere(n, { post: operation })), components: { securitySchemes, schemas: { Any: { content } } } };
  },
  'a long text in every operation': (n) =>
    document(everywhere(n, { post: json(to('Long')) }), {
      Long: { type: 'object', properties: many(n, () => to('Words')) },
      Words: { ...text, description: 'word '.repeat(n) },
    }),
};

const told: string[] = [];
const quiet = { debug() {}, info() {}, warn: (message: string) => void told.push(message), error() {} };
const read = (given: object | string, options: OpenApiOptions = {}) => openApiTools(given, { logger: quiet, ...options });
const argumentsOf = (tool?: ToolDefinition) => Object.keys((tool!.parameters as { properties: object }).properties);
const names = (tools: ToolDefinition[]) => tools.map(({ name }) => name);

describe('an OpenAPI document of somebody else', () => {
  before(() => loadLog());
  beforeEach(() => void told.splice(0));

  for (const [name, family] of Object.entries(families))
    it(`costs little more than one with all that is ever read, however it is made: ${name}`, async () => {
      const reading = (given: object) => () => read(given);
      const usual = families['a wide body in every operation']!(500);
      expect(await costsAtMost(4, reading(usual), reading(family(2000)))).to.equal(true);
    });

  it('gives a tool for an operation that is large and not hostile, and says which are described at too great a length', async () => {
    const tools = await read(
      document({ '/a': { post: json(wide(400)) }, '/b': { post: json(wide(600)) }, '/c': { get: {} } }, { Leaf: text }),
    );
    expect(names(tools)).to.deep.equal(['post_a', 'get_c']);
    expect(argumentsOf(tools[0])).to.have.length(400);
    expect(told.join()).to.include('1 because they are described at too great a length (POST /b)');
  });

  it('is not loaded without end: neither one that is too large, nor one that stops coming', async () => {
    let pieces = 0;
    const blanks = new TextEncoder().encode(' '.repeat(1_000_000));
    const endless = new ReadableStream<Uint8Array>({ pull: (to) => ((pieces += 1) > 90 ? to.close() : to.enqueue(blanks)) });
    const fetch = (_: unknown, { signal }: RequestInit = {}) => Promise.resolve(signal ? new Response(endless) : Response.json({}));
    expect(await read('https://docs.test/large.json', { fetch: fetch as typeof globalThis.fetch })).to.deep.equal([]);
    expect(told.join()).to.include('/large.json is larger than 64 MB, or took too long.');
    expect(pieces).to.be.below(70);
  });

  it('gets an answer of a service read about once, however many keys it has, and cut like a list', () => {
    let reads = 0;
    const get = (target: object, key: string) => ((reads += 1), Reflect.get(target, key) as unknown);
    const keys = many(50_000, (at) => ({ at }));
    const short = summarize(new Proxy(keys, { get }), toolkitTextsFor('en')) as object;
    expect(Object.entries(short).at(-1)).to.deep.equal(['…', '… and 49800 more']);
    expect(reads).to.be.below(60_000);
  });

  it('cannot give one operation what the page says of another', async () => {
    const list = { operationId: 'listPets' };
    const paths = { '/pets': { get: list, delete: list }, '/all': { delete: { operationId: 'list_pets' } } };
    const tools = await read(document(paths), { risk: { listPets: 'query' } });
    expect(tools.map(({ name, risk }) => [name, risk])).to.deep.equal([['list_pets', 'query']]);
    expect(told.join()).to.include('2 because another operation has their `operationId`');
  });

  it('asks the filter of the page before it reads, and reads all of those that are wanted', async () => {
    const paths = many(6000, (at) => ({ get: { tags: [at === 5999 ? 'last' : 'other'] } }), byPath);
    expect(names(await read(document(paths), { filter: ['last'] }))).to.deep.equal(['get_a5999']);
    expect(await read(document(paths))).to.have.length(5000);
    expect(told.join()).to.include('1000 because more than 5,000 are never read');
  });

  describe('and keys', () => {
    const auth = { authorization: 'Bearer key' };
    const at = 'https://docs.test/openapi.json';
    const served = (servers: object[]) => {
      const sent: [string, string | null][] = [];
      const fetch = ((url: URL | string, init: RequestInit = {}) => {
        sent.push([String(url), new Headers(init.headers).get('authorization')]);
        return Promise.resolve(Response.json(String(url) === at ? { ...document({ '/a': { get: {} } }), servers } : {}));
      }) as typeof globalThis.fetch;
      return { sent, fetch };
    };
    const context = { requestId: 'c', sessionId: 's', signal: new AbortController().signal, progress() {}, logger: quiet };

    for (const [what, servers] of Object.entries({
      'another origin': [{ url: 'https://evil.test' }],
      'another origin without a scheme': [{ url: '//evil.test/v1' }],
      'a variable': [{ url: 'https://{host}/v1', variables: { host: { default: 'evil.test' } } }],
    }))
      it(`do not go to ${what} that the document names`, async () => {
        const { sent, fetch } = served(servers);
        expect(await read(at, { fetch, auth })).to.deep.equal([]);
        expect(told.join()).to.include('https://evil.test').and.include('set `baseUrl`');
        expect(await read(at, { fetch })).to.have.length(1);
        expect(sent.filter(([url]) => url !== at)).to.deep.equal([]);
      });

    it('go where the page says, and to the origin that the document comes from', async () => {
      for (const [servers, options, goal] of [
        [[{ url: 'https://api.test' }], { baseUrl: 'https://api.test' }, 'https://api.test/a'],
        [[{ url: '/v2' }], {}, 'https://docs.test/v2/a'],
      ] as const) {
        const { sent, fetch } = served([...servers]);
        const [tool] = await read(at, { fetch, auth, ...options });
        await tool!.execute({}, context);
        expect(sent.at(-1)).to.deep.equal([goal, 'Bearer key']);
      }
    });
  });
});
