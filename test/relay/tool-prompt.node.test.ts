/** `prompt-injection="relay"`: the relay tells the model about the page's tools (S3-13 … S3-15). */
import { expect } from 'chai';
import { createRelay } from '../../src/relay/index.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { composeSystemPrompt } from '../../src/prompts/system-prompt.js';
import { toolCode } from '../../src/protocols/tool-code.js';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { ask, hello } from './ask.js';
import { startUpstream } from './fake-upstream.js';

const method = (name: string) => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
});
const tools = ['read_file', 'write_file'].map((name) => ({ toolId: name, toolName: name, methods: [method(name)] }));

describe('the relay as the writer of the prompt', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;

  async function systems(body: object): Promise<string[]> {
    upstream = await startUpstream((answer) => {
      answer.open();
      answer.end();
    });
    const relay = createRelay({ baseUrl: upstream.baseUrl, model: 'fake-1', logger: false });
    const response = await relay(ask(body));
    await response.text();
    expect(response.status).to.equal(200);
    expect(Object.keys(upstream.requests[0]!.body)).not.to.include.members(['tools', 'config']);
    const messages = upstream.requests[0]!.body['messages'] as { role: string; content: string }[];
    return messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  }
  afterEach(() => upstream.close());

  it('sends one system message: the text of the page, then the enabled tools in their paradigm', async () => {
    const config = { enabledTools: ['read_file'], toolParadigm: 'xml', tools };
    const [system, ...more] = await systems({ ...hello(), config });
    expect(more).to.deep.equal([]);
    expect(system?.startsWith('Be kind.')).to.equal(true);
    expect(system).to.include('<tool_code>').and.include('read_file').and.not.include('write_file');
    expect(system).to.include(toolCode.writeCall!('read_file', { path: 'some path' }));
  });

  it('writes one also where the page sent none, falls back to json, and adds nothing where no tool is enabled', async () => {
    const config = { enabledTools: ['read_file', 'write_file'], toolParadigm: 'esperanto', tools };
    const [system] = await systems({ messages: hello().messages, config });
    expect(system)
      .to.include(jsonToolCalls.writeCall!('read_file', { path: 'some path' }))
      .and.include('write_file');
    await upstream.close();
    expect(await systems({ ...hello(), config: { toolParadigm: 'json', tools } })).to.deep.equal(['Be kind.']);
  });

  it('writes all that the page would have written: same settings, same text, same examples', async () => {
    const said = { say: 'Open a.txt', args: { path: 'a.txt' } };
    const described = tools.map((tool) => ({
      ...tool,
      methods: tool.methods.map((one) => ({ ...one, said: [said], risk: 'query' as const })),
    }));
    const more = {
      ...{ lang: 'zh-CN', callsPerTurn: 'confirm-chain' as const, today: '2026-11-23', counterExamples: true, wording: 'seed' as const },
      ...{
        lockedTool: 'read_file',
        confirmKeywords: ['确认', '继续'],
        sections: { behaviour: 'MINE {{tools}}', tools: 'YOURS\n{{tools}}' },
      },
    };
    const config = { enabledTools: ['read_file', 'write_file'], toolParadigm: 'xml-invoke', tools: described, ...more };
    const [system] = await systems({ ...hello(), config });
    const page = await composeSystemPrompt({ protocol: xmlInvoke, tools: described, ...more });
    expect(system).to.equal(`Be kind.\n\n${page}`);
    expect(page)
      .to.contain('必须调用该工具')
      .and.to.contain('确认、继续')
      .and.to.contain('MINE')
      .and.to.contain('YOURS')
      .and.to.contain('错误示例');
    const messages = upstream.requests[0]!.body['messages'] as { role: string; content: string }[];
    // In pairs: each tool's example, and small talk.
    const examples = messages.slice(1, -hello().messages.length).map(({ role }) => role);
    expect(examples).to.deep.equal(Array.from({ length: 4 }, () => ['user', 'assistant']).flat());
    expect(messages[1]!.content).to.equal('Open a.txt');
  });

  it('sends no example turns where the page wants none', async () => {
    const described = tools.map((tool) => ({
      ...tool,
      methods: tool.methods.map((one) => ({ ...one, said: [{ say: 'Open', args: {} }] })),
    }));
    await systems({ ...hello(), config: { enabledTools: ['read_file'], tools: described, exampleTurns: false } });
    expect(upstream.requests[0]!.body['messages']).to.have.length(1 + hello().messages.length);
  });

  it("takes results in the role `tool`, which go upstream as the user's", async () => {
    await systems({ ...hello(), messages: [...hello().messages, { role: 'assistant', text: 'x' }, { role: 'tool', text: 'result' }] });
    const messages = upstream.requests[0]!.body['messages'] as { role: string }[];
    expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
  });
});
