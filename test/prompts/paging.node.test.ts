import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { describeToolFor, DESCRIBE_TOOL } from '../../src/prompts/paging.js';
import { composeSystemPrompt, isPaged, type SystemPromptOptions } from '../../src/prompts/system-prompt.js';
import { estimateTokens } from '../../src/prompts/tokens.js';
import { protocols } from '../../src/protocols/index.js';
import { neutralise } from '../../src/protocols/neutralize.js';
import type { ToolDescription } from '../../src/protocols/protocol.js';
import { normalizeResult, publish } from '../../src/tools/result.js';

const VERBS = ['create', 'read', 'update', 'delete', 'list'];
const NOUNS = ['task', 'area', 'link', 'tag', 'note', 'file', 'event', 'contact', 'invoice', 'order'];
const QUALIFIERS = ['', '_history'];

function toolsIn(lang: string): ToolDescription[] {
  const names = VERBS.flatMap((verb) => NOUNS.flatMap((noun) => QUALIFIERS.map((qualifier) => `${verb}_${noun}${qualifier}`)));
  const fields = { type: 'object', properties: { title: { type: 'string' }, done: { type: 'boolean' } } };
  const properties = { id: { type: 'string', description: 'The id of the entry' }, fields };
  return names.map((name, index) => {
    const description =
      lang === 'en'
        ? `${name.replaceAll('_', ' ')}: works on entries of the page, number ${index}. Needs their id, which the matching list tool gives.`
        : `对页面中的第 ${index} 类条目进行操作，需要提供条目编号，可以通过相应的列表工具查询。`;
    return { toolId: name, toolName: name, methods: [{ name, description, parameters: { type: 'object', properties, required: ['id'] } }] };
  });
}

describe('a hundred tools in a small context', () => {
  for (const protocol of Object.values(protocols))
    it(`are told within 1,500 tokens by ${protocol.id}, and how the rest is asked for`, async () => {
      for (const lang of ['en', 'zh-CN']) {
        const tools = toolsIn(lang);
        expect(tools).to.have.length(100);
        const options: SystemPromptOptions = { protocol, tools, lang, callsPerTurn: 'many', toolTokens: 1500 };
        const text = await composeSystemPrompt(options);
        expect(estimateTokens(text)).to.be.at.most(1500);
        const listed = new Set(Array.from(text.matchAll(/^(\w+): /gm), ([, name]) => name));
        expect(tools.filter(({ toolId }) => !listed.has(toolId))).to.deep.equal([]);
        expect(estimateTokens(await composeSystemPrompt({ ...options, toolTokens: 0 }))).to.be.above(5000);

        const asked = protocol.parseToolRequests(text).filter(({ toolName }) => toolName === DESCRIBE_TOOL);
        expect(asked).to.have.length(1);
        const answer = describeToolFor(tools, lang).execute(asked[0]!.args);
        expect(answer.map((each) => (each as { name: string }).name)).to.deep.equal(['create_area', 'create_area_history']);
      }
    });
});

describe('whether tools are paged', () => {
  const tools = toolsIn('en');
  const options: SystemPromptOptions = { protocol: protocols['xml-invoke']!, tools, lang: 'en', callsPerTurn: 'many' };

  it('depends on what their list costs', async () => {
    for (const [more, paged] of [
      [{ toolTokens: 1500 }, true],
      [{ toolTokens: 50_000 }, false],
      [{ toolTokens: 1500, tools: tools.slice(0, 2) }, false],
      [{ toolTokens: 0 }, false],
      [{}, false],
      [{ toolTokens: 1, tools: [] }, false],
    ] as const)
      expect(await isPaged({ ...options, ...more, tools: [...('tools' in more ? more.tools : tools)] })).to.equal(paged);
  });
});

describe('the tool that describes tools', () => {
  const tools = toolsIn('en').slice(0, 3);
  const tool = describeToolFor(tools, 'en');
  const names = tools.map(({ toolId }) => toolId);

  it('takes names in any form a model may write them, and only reads', () => {
    const [first, second] = names as [string, string];
    const both = tool.execute({ names: [first, second] });
    expect([both.length, tool.risk]).to.deep.equal([2, 'query']);
    const forms = ['1, 2', '1 2', '1、2', '["1", "2"]', '1,1,2'];
    for (const form of forms.map((one) => one.replaceAll('1', first).replaceAll('2', second)))
      expect(tool.execute({ names: form })).to.deep.equal(both);
  });

  it('gives the whole schema, which is as good after it was made harmless', () => {
    const { result } = publish(normalizeResult(tool.execute({ names: names[0] }), en), { requestId: 'r', toolName: tool.name, texts: en });
    expect(neutralise(result)).to.equal(result);
    const { methods } = tools.find(({ toolId }) => toolId === names[0])!;
    const { name, description, parameters } = methods[0]!;
    expect(JSON.parse(result.slice(result.indexOf('[')))).to.deep.equal([{ name, description, parameters }]);
  });

  it('says so where there is no such tool', () => {
    expect(tool.execute({ names: 'constructor' })).to.deep.equal([{ name: 'constructor', error: 'There is no tool named “constructor”' }]);
    expect(describeToolFor(tools, 'zh-CN').execute({ names: '没有' })).to.deep.equal([{ name: '没有', error: '没有名为“没有”的工具' }]);
    for (const given of [undefined, null, 5, {}, '']) expect(tool.execute({ names: given })).to.deep.equal([]);
  });
});
