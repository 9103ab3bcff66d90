/** The samples of docs/hands.md and of the pages about one source each, as they are on the page. */
import { expect } from 'chai';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { createConversation } from '../../src/conversation/conversation.js';
import { closeSamples, load, openSamples, sampleOf, withGlobals } from './pages.js';
import tasksApi from '../fixtures/toolkits/tasks-api.json' with { type: 'json' };

type Give = (chat: { registerTool(tool: ToolDefinition): void }) => Promise<void>;

describe('docs/hands.md', () => {
  before(openSamples);
  after(closeSamples);

  it('has an assistant with tools of an OpenAPI file in ten lines', async () => {
    const asked: [string, string | null][] = [];
    const fetch = (url: unknown, init?: RequestInit) => {
      asked.push([String(url), new Headers(init?.headers).get('authorization')]);
      return Promise.resolve(Response.json(String(url).endsWith('openapi.json') ? tasksApi : []));
    };
    await withGlobals({ fetch, getToken: () => 'key-1', location: { href: 'https://page.test/' } }, async () => {
      const tools: ToolDefinition[] = [];
      const { addTools } = await load<{ addTools: Give }>('hands', 'openapi');
      await addTools({ registerTool: (tool) => void tools.push(tool) });
      expect(tools.map(({ name, risk }) => `${name} ${String(risk)}`)).to.deep.equal(['list_tasks query', 'search_tasks query']);
      await tools[0]?.execute({}, { signal: new AbortController().signal } as never);
    });
    expect(asked).to.deep.equal([
      ['https://page.test/openapi.json', null],
      ['https://page.test/api/tasks', 'Bearer key-1'],
    ]);
    expect((await sampleOf('hands', 'openapi')).split('\n')).to.have.length.below(11);
  });

  it('has the tools of an MCP server', async () => {
    const asked: (string | null)[] = [];
    const fetch = (_: unknown, init?: RequestInit) => {
      asked.push(new Headers(init?.headers).get('authorization'));
      const { id, method } = JSON.parse(init?.body as string) as { id: number; method: string };
      const tools = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
      const result = method === 'tools/list' ? { tools } : { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      return Promise.resolve(Response.json({ jsonrpc: '2.0', id, result }));
    };
    await withGlobals({ fetch, getToken: () => 'key-2' }, async () => {
      const tools: ToolDefinition[] = [];
      const { giveDocs } = await load<{ giveDocs: (chat: object) => Promise<{ tools: string[]; close(): Promise<void> }> }>('mcp', 'mcp');
      const docs = await giveDocs({ registerTool: (tool: ToolDefinition) => (tools.push(tool), () => undefined) });
      expect([docs.tools, tools[0]?.risk, asked]).to.deep.equal([['look'], 'query', ['Bearer key-2', 'Bearer key-2']]);
      await docs.close();
    });
  });

  it('has an AG-UI agent that answers', async () => {
    const { POST } = await load<{ POST(request: Request): Promise<Response> }>('ag-ui', 'agent');
    const fetch = (url: unknown, init?: RequestInit) => POST(new Request(url as string, init));
    const chat = createConversation({ endpoint: 'https://agent.test/run', wire: 'ag-ui', protocol: 'native', fetch, logLevel: 'off' });
    expect(await chat.sendMessage('Hi')).to.include({ success: true, reason: 'stop', text: 'You said: Hi' });
  });
});
