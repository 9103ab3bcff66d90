/** Parameters of an OpenAPI operation that have one name in several places: each is sent where it belongs. */
import { expect } from 'chai';
import { openApiTools } from '../../src/toolkits/index.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';

const nothing = () => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const context: ToolContext = {
  ...{ requestId: 'call-1', sessionId: 's', signal: new AbortController().signal, progress: nothing, logger },
};

const text = { schema: { type: 'string' } };
const body = (fields: readonly string[]) => ({
  content: {
    'application/json': {
      schema: { type: 'object', properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])) },
    },
  },
});

async function sentBy(
  { parameters = [], fields, at = '/todos' }: { parameters?: object[]; fields?: readonly string[]; at?: string },
  args: (names: string[]) => Record<string, unknown>,
) {
  let sent: { url: string; headers: Headers; body: unknown } | undefined;
  const fetch = ((url: URL, { headers, body: written }: RequestInit = {}) => {
    sent = { url: String(url), headers: new Headers(headers), body: written === undefined ? undefined : JSON.parse(written as string) };
    return Promise.resolve(Response.json({ ok: true }));
  }) as typeof globalThis.fetch;
  const patch = { operationId: 'change', summary: 'Changes the rows', parameters, ...(fields && { requestBody: body(fields) }) };
  const document = { openapi: '3.1.0', servers: [{ url: 'https://api.test/' }], paths: { [at]: { patch } } };
  const [tool] = (await openApiTools(document, { logger, fetch })) as [ToolDefinition];
  const { properties, required } = tool.parameters as { properties: object; required?: string[] };
  const names = Object.keys(properties);
  await tool.execute(args(names), context);
  return { names, required, sent: sent! };
}

describe('arguments of one name in two places of a request', () => {
  it('keep the filters of PostgREST beside the fields of the row', async () => {
    const columns = ['id', 'title', 'is_completed'];
    const { names, sent } = await sentBy({ parameters: columns.map((name) => ({ name, in: 'query', ...text })), fields: columns }, () => ({
      query_id: 'eq.3',
      title: 'x',
    }));
    expect(names).to.deep.equal(['query_id', 'query_title', 'query_is_completed', ...columns]);
    expect(sent.url).to.equal('https://api.test/todos?id=eq.3');
    expect(sent.body).to.deep.equal({ title: 'x' });
  });

  it('are each sent where they belong, in every pair of places', async () => {
    const places = ['path', 'query', 'header', 'body'] as const;
    for (const [one, other] of places.flatMap((place, index) => places.slice(index + 1).map((next) => [place, next] as const))) {
      const pair = [one, other] as string[];
      const { names, sent } = await sentBy(
        {
          parameters: pair.filter((place) => place !== 'body').map((place) => ({ name: 'k', in: place, required: true, ...text })),
          ...(pair.includes('body') && { fields: ['k'] }),
          at: pair.includes('path') ? '/todos/{k}' : '/todos',
        },
        (all) => Object.fromEntries(all.map((name) => [name, `of-${name}`])),
      );
      expect(names, pair.join()).to.have.length(2).and.to.include('k');
      const found = {
        path: new URL(sent.url).pathname.split('/')[2],
        query: new URL(sent.url).searchParams.get('k'),
        header: sent.headers.get('k'),
        body: (sent.body as { k?: unknown } | undefined)?.k,
      };
      expect(pair.map((place) => found[place as keyof typeof found]).sort(), pair.join()).to.deep.equal(
        names.map((name) => `of-${name}`).sort(),
      );
    }
  });

  it('say which is needed by its new name', async () => {
    const { required } = await sentBy({ parameters: [{ name: 'id', in: 'query', required: true, ...text }], fields: ['id'] }, () => ({
      query_id: '3',
    }));
    expect(required).to.deep.equal(['query_id']);
  });

  it('give no name to a cookie, which only the browser sends', async () => {
    const { names } = await sentBy({ parameters: [{ name: 'id', in: 'cookie', ...text }], fields: ['id'] }, () => ({ id: '1' }));
    expect(names).to.deep.equal(['id']);
  });

  it('are told apart from a new name that another one has', async () => {
    const parameters = ['id', 'query_id'].map((name) => ({ name, in: 'query', ...text }));
    const { names, sent } = await sentBy({ parameters, fields: ['id'] }, (all) =>
      Object.fromEntries(all.map((name, index) => [name, String(index)])),
    );
    expect(new Set(names).size).to.equal(3);
    expect(sent.url).to.equal('https://api.test/todos?id=0&query_id=1');
    expect(sent.body).to.deep.equal({ id: '2' });
  });
});
