/** The guides and the pages about errors, held against what is so: samples run, names exist, copied figures are the same. */
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import { after, before } from 'mocha';
import { referencePages } from '../../.config/docs-reference.js';
import { createConversation } from '../../src/conversation/conversation.js';
import { CONTENT_SECURITY_POLICY } from '../../demo/server/site.js';
import { KINDS } from '../../src/conversation/reply/shared-state.js';
import { protocols } from '../../src/protocols/index.js';
import { ITEMS, MOST_QUESTIONS } from '../../src/mcp/mcp-client.js';
import { DESCRIPTION_CHARS } from '../../src/mcp/mcp-tools.js';
import { MOST_BYTES, SUMMARY_CHARS } from '../../src/toolkits/read-response.js';
import { DEPTH, NODES, VARIANTS } from '../../src/toolkits/foreign-schema.js';
import { MOST_OPERATIONS } from '../../src/toolkits/openapi-operations.js';
import { MOST_ARGUMENTS } from '../../src/toolkits/openapi-shape.js';
import type { Decide } from '../../src/tools/decide.js';
import { LINE_CHARS } from '../../src/transports/sse.js';
import { DESCRIPTION_CHARS as WEBMCP_CHARS, TITLE_CHARS } from '../../src/webmcp/connect-webmcp.js';
import { cutieText, scriptedFetch } from '../conversation/scripted-fetch.js';
import { closeSamples, fetchOf, load, openSamples, page, rowsOf, withGlobals } from './pages.js';

const guides = await readdir(new URL('../../docs/guides/', import.meta.url));
const texts = await Promise.all(guides.map((name) => page(`docs/guides/${name}`)));

interface Manifest {
  modules: { declarations?: { tagName?: string; attributes?: { name: string }[]; events?: { name: string }[] }[] }[];
}

describe('the guides', () => {
  before(openSamples);
  after(closeSamples);

  it('name only attributes and events that there are', async () => {
    const { modules } = JSON.parse(await page('custom-elements.json')) as Manifest;
    const element = modules.flatMap(({ declarations = [] }) => declarations).find(({ tagName }) => tagName === 'tool-chat');
    const known = new Set(element?.attributes?.map(({ name }) => name).concat('style', 'slot', 'dir', 'lang', 'ref'));
    const events = new Set(element?.events?.map(({ name }) => name));
    const used = texts.flatMap((text) => [
      ...[...text.matchAll(/<tool-chat ([^>]*)>/g)].flatMap(([, set = '']) =>
        [...set.matchAll(/(?<= |^)([\w-]+)=/g)].map(([, name = '']) => name),
      ),
      ...[...text.matchAll(/<TryIt query="([^"]*)"/g)].flatMap(([, query = '']) => [
        ...new URLSearchParams(query.replaceAll('&amp;', '&')).keys(),
      ]),
    ]);
    expect(used.length).to.be.above(20);
    expect(used.filter((name) => !known.has(name) && !events.has(name.replace(/^on/, '')))).to.deep.equal([]);
    const heard = texts.flatMap((text) => [...text.matchAll(/'(tool-chat-[\w-]+)'/g)].map(([, name = '']) => name));
    expect(heard.filter((name) => !events.has(name))).to.deep.equal([]);
    const shown = [...referencePages({ modules })[0]![1].matchAll(/^Values: `([^`]*)`.*\n\n```html\n.* ([\w-]+="(.*)")></gm)];
    expect(shown).to.have.length.above(8);
    for (const [, type = '', set, value] of shown) if (type.startsWith("'")) expect(type, set).to.contain(`'${value}'`);
  });

  it('show a gate that denies a payment that is too high, and lets what only reads run', async () => {
    const window: { toolChat?: ((chat: unknown) => void)[] } = {};
    await withGlobals({ window }, () => load('guides/design-approval', 'gate'));
    const host: { decide?: Decide } = {};
    for (const ready of window.toolChat ?? []) ready(host);
    const verdict = async (name: string, risk: 'query' | 'write', amount: number) => {
      const call = protocols['xml-invoke']!.writeCall!(name, { amount: String(amount) });
      const { fetch } = scriptedFetch([() => cutieText(call), () => cutieText('Done.')]);
      let said: unknown;
      const decide: Decide = async (asked) => ((said = await host.decide?.(asked)), 'deny' as const);
      const chat = createConversation({ endpoint: 'http://model.test/chat', fetch, logLevel: 'off', decide });
      chat.registerTool({
        name,
        risk,
        description: 'An amount',
        parameters: { type: 'object', properties: { amount: { type: 'integer', description: 'How much' } }, required: ['amount'] },
        execute: () => 'done',
      });
      await chat.sendMessage('do it');
      return said;
    };
    expect(await verdict('pay', 'write', 900)).to.equal('deny');
    expect(await verdict('pay', 'write', 9)).to.equal('ask');
    expect(await verdict('balance', 'query', 900)).to.equal('allow');
  });

  it('test a tool with the scripted model as they say', async () => {
    const { addsATask } = await load<{ addsATask(tool: object): Promise<{ toolName: string; success: boolean }[]> }>(
      'guides/testing-tools',
      'scripted',
    );
    const added: unknown[] = [];
    const history = await addsATask({
      name: 'create_task',
      description: 'Adds a task',
      parameters: { type: 'object', properties: { title: { type: 'string', description: 'What to do' } }, required: ['title'] },
      execute: (args: unknown) => void added.push(args),
    });
    expect(history.map(({ toolName, success }) => [toolName, success])).to.deep.equal([['create_task', true]]);
    expect(added).to.have.length(1);
  });

  it('say the limits of the code, for each kind of source', async () => {
    const row = (text: string, start: string) => text.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? '';
    const [api, mcp, web] = [await page('docs/guides/bring-your-api.md'), await page('docs/mcp.md'), await page('docs/webmcp.md')];
    const number = (value: number) => value.toLocaleString('en');
    const rows: [line: string, says: string][] = [
      [row(api, 'operations'), `${number(MOST_OPERATIONS)} tools; ${number(MOST_ARGUMENTS)} arguments each`],
      [row(api, 'unions'), `${number(VARIANTS)} kinds are described`],
      [row(api, 'answers'), `${number(MOST_BYTES / 1e6)} MB`],
      [row(mcp, 'tools, progress'), `${number(DESCRIPTION_CHARS)} characters, a list up to ${number(ITEMS)} tools`],
      [row(mcp, 'elicitation'), `${['no', 'one', 'two', 'three'][MOST_QUESTIONS]!} questions a call`],
      [row(web, 'titles'), `${number(TITLE_CHARS)} characters`],
      [row(web, 'descriptions'), `${number(WEBMCP_CHARS)} characters`],
      [row(web, 'schemas'), `${number(DEPTH)} levels and ${number(NODES)} parts are described, ${number(VARIANTS)} kinds`],
      [row(web, 'results'), `${number(SUMMARY_CHARS)} characters`],
    ];
    for (const [line, says] of rows) expect(line).to.include(says);
    for (const text of [await page('docs/ai-sdk.md'), await page('docs/ag-ui.md')]) {
      expect(row(text, 'one ')).to.include(`${number(LINE_CHARS)} characters`);
      expect(row(text, 'unknown kinds')).to.include(`first ${number(KINDS)} kinds`);
    }
  });

  it('list every event that is read, for AI SDK backends and AG-UI agents', async () => {
    for (const [name, table, file] of [
      ['ai-sdk', 'chunks', 'ui-message-stream'],
      ['ag-ui', 'events', 'ag-ui-events'],
    ] as const) {
      const told = rowsOf(await page(`docs/${name}.md`), table).flatMap(([cell = '']) => cell.split(/[`, ]+/));
      const source = await page(`src/transports/${file}.ts`);
      const others = /return \/(.*)\/\.test\(kind\)/.exec(source)?.[1]?.match(/[a-z]{4,}[a-z-]*/g) ?? [];
      const read = [...source.matchAll(/ case '([\w-]+)':/g)].map(([, type = '']) => type).concat(others);
      expect(read, name).to.have.length.above(10);
      expect(told.map((one) => one.replace('*', ''))).to.have.members(read);
    }
  });

  it('have a recipe for a service of somebody else that works against one, S0-200', async () => {
    const { addToTodoist } = await load<{
      addToTodoist: {
        execute(args: object, context: object): Promise<{ success: boolean; data: { id: string } }>;
        undo(done: object): Promise<void>;
      };
    }>('guides/recipes', 'todoist');
    const asked: string[] = [];
    const answers = [new Response('', { status: 429 }), Response.json({ id: 't1' }), new Response(null, { status: 204 })];
    const fetch = fetchOf('/api/todoist', (url, { method = '', headers } = {}) => {
      asked.push(`${method} ${url} ${new Headers(headers).get('x-request-id') ?? ''}`.trim());
      return answers.shift()!;
    });
    await withGlobals({ fetch }, async () => {
      const run = () => addToTodoist.execute({ content: 'Buy milk' }, { signal: new AbortController().signal, requestId: 'r1' });
      expect(await run().catch((error: { errorType: string }) => error.errorType)).to.equal('rate_limit');
      const done = await run();
      expect(done.success).to.equal(true);
      await addToTodoist.undo(done);
    });
    expect(asked).to.deep.equal(['POST /api/todoist/tasks r1', 'POST /api/todoist/tasks r1', 'DELETE /api/todoist/tasks/t1']);
  });

  it('name the policy that the demo keeps', async () => {
    const [, shown = ''] = /<!-- policy -->\n\n```text\n([\s\S]*?)\n```/.exec(await page('docs/guides/csp.md')) ?? [];
    const named = shown.split(/;\s+/);
    expect(named).to.have.length.above(5);
    expect(CONTENT_SECURITY_POLICY.split('; ')).to.include.members(named);
  });
});
