/** `prompt-injection="relay"`: the relay tells the model about the page's tools (S3-13 … S3-15). */
import { expect } from 'chai';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { composeSystemPrompt } from '../../src/prompts/system-prompt.js';
import type { ToolDescription } from '../../src/protocols/protocol.js';
import { toolCode } from '../../src/protocols/tool-code.js';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { ask, hello } from './ask.js';
import { useRelays } from './use-relays.js';

const method = (name: string) => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
});
const tools = ['read_file', 'write_file'].map((name) => ({ toolId: name, toolName: name, methods: [method(name)] }));

describe('the relay as the writer of the prompt', () => {
  const relays = useRelays({ model: 'fake-1' });
  const sent = () => relays.upstream.requests.at(-1)!.body['messages'] as { role: string; content: string }[];

  async function systems(body: object): Promise<string[]> {
    const response = await relays.relayTo()(ask(body));
    await response.text();
    expect(response.status).to.equal(200);
    expect(Object.keys(relays.upstream.requests.at(-1)!.body)).not.to.include.members(['tools', 'config']);
    return sent().flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  }
  const withExamples = (said: object[], more: object = {}) =>
    tools.map((tool) => ({ ...tool, methods: tool.methods.map((one) => ({ ...one, said, ...more })) }));

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
    expect(await systems({ ...hello(), config: { toolParadigm: 'json', tools } })).to.deep.equal(['Be kind.']);
  });

  it('writes all that the page would have written: same settings, same text, same examples', async () => {
    const described = withExamples([{ say: 'Open a.txt', args: { path: 'a.txt' } }], { risk: 'query' }) as ToolDescription[];
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
    for (const part of ['必须调用该工具', '确认、继续', 'MINE', 'YOURS', '错误示例']) expect(page).to.contain(part);
    // In pairs: each tool's example, and small talk.
    const examples = sent()
      .slice(1, -hello().messages.length)
      .map(({ role }) => role);
    expect(examples).to.deep.equal(Array.from({ length: 4 }, () => ['user', 'assistant']).flat());
    expect(sent()[1]!.content).to.equal('Open a.txt');
  });

  it('sends no example turns where the page wants none', async () => {
    const config = { enabledTools: ['read_file'], tools: withExamples([{ say: 'Open', args: {} }]), exampleTurns: false };
    await systems({ ...hello(), config });
    expect(sent()).to.have.length(1 + hello().messages.length);
  });

  it("takes results in the role `tool`, which go upstream as the user's", async () => {
    await systems({ ...hello(), messages: [...hello().messages, { role: 'assistant', text: 'x' }, { role: 'tool', text: 'result' }] });
    expect(sent().map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
  });
});
