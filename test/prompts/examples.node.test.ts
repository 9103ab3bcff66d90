import { expect } from 'chai';
import { addChinesePrompts } from '../../src/prompts/chinese.js';
import { exampleTurns, isTaughtExample } from '../../src/prompts/examples.js';
import { protocols } from '../../src/protocols/index.js';
import { describeTools, examplesOf, unusableExamples } from '../../src/tools/describe-tools.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { protocolWarnings } from '../../src/tools/warnings.js';

addChinesePrompts();
const tool = (name: string, examples: unknown, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  examples: examples as NonNullable<ToolDefinition['examples']>,
  execute: () => 'done',
  ...more,
});

const plan = tool('plan', [
  { say: 'Plan a-9 for {today+2}', args: { task_id: 'a-9', on: '{today+2}' } },
  { say: 'Plan a-8 for today', args: { task_id: 'a-8', on: '{today}' } },
  { say: 'Plan a-7 as well', args: { task_id: 'a-7', on: '{today}' } },
]);
const list = tool('list', [{ say: 'What is on today?', args: { view: 'daily::{today}' } }]);
const quiet = tool('quiet', [{ text: 'x' }]);
const today = '2026-11-30';

describe('examples of a tool', () => {
  it('are arguments, or arguments with what a person says', () => {
    expect(examplesOf(plan)[0]).to.deep.equal({ say: 'Plan a-9 for {today+2}', args: { task_id: 'a-9', on: '{today+2}' } });
    expect([examplesOf(quiet), examplesOf(tool('a', undefined))]).to.deep.equal([[{ args: { text: 'x' } }], []]);
  });

  it('that are none are left out, with a warning that names the place and the kind', () => {
    const odd = tool('odd', ['text', { a: 1 }, null]);
    expect(examplesOf(odd)).to.deep.equal([{ args: { a: 1 } }]);
    expect(unusableExamples(odd)).to.deep.equal(['`examples[0]` is of type string', '`examples[2]` is null']);
    expect(protocolWarnings(odd, 'xml-invoke').join('\n')).to.contain('Tool "odd"').and.to.contain('`examples[0]`');
    expect(protocolWarnings(tool('odd', 7), 'vcp').join('\n')).to.contain('`examples` is of type number, not a list');
    expect(protocolWarnings(plan, 'xml-invoke')).to.deep.equal([]);
  });
});

describe('example turns', () => {
  const turns = (tools: ToolDefinition[], id = 'xml-invoke', lang = 'en') =>
    exampleTurns(protocols[id]!, describeTools(tools, id), { lang, today });

  it('are up to two pairs for each tool that has sentences, first ones first, and small talk without a call', () => {
    const more = tool('move', [{ say: 'Move a-9', args: { task_id: 'a-9' } }]);
    const said = turns([plan, quiet, list, more]);
    const asked = said.flatMap(({ role, text }) => (role === 'user' && !text.startsWith('<tool_result') ? [text] : []));
    expect(asked).to.deep.equal([
      ...['What is on today?', 'Move a-9', 'Plan a-9 for 2026-12-02', 'Plan a-8 for today'],
      ...['How does this work?', 'Thanks!'],
    ]);
    expect(said.map(({ role }) => role)).to.deep.equal(said.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')));
    expect(said.at(-1)?.text).to.equal('You’re welcome!');
    const chinese = turns([list], 'vcp', 'zh-CN').slice(-2);
    expect(chinese.map(({ text }) => text)).to.deep.equal(['谢谢！', '不客气！']);
  });

  it('show once how a result is answered: of something done, for what an example found would be the answer to a question of today', () => {
    const look = { ...list, risk: 'query' as const };
    for (const [lang, done] of [
      ['en', 'That is done.'],
      ['zh-CN', '好的，已经完成。'],
    ] as const) {
      const said = turns([look, plan], 'json-action', lang);
      const results = said.flatMap(({ text }, at) => (text.includes('"tool_result"') ? [[text, said[at + 1]!.text]] : []));
      expect(results.map(([, answer]) => answer)).to.deep.equal([done]);
      expect(results[0]![0]).to.contain('"name":"plan"');
      expect(turns([look], 'json-action', lang).filter(({ text }) => text.includes('"tool_result"'))).to.deep.equal([]);
    }
  });

  it('show the call as each notation has it, with the days filled in', () => {
    for (const protocol of Object.values(protocols)) {
      const [, call] = turns([plan], protocol.id);
      const [request, ...more] = protocol.parseToolRequests(call!.text);
      expect([more, request?.toolName]).to.deep.equal([[], 'plan']);
      expect({ ...request?.args }).to.deep.equal({ task_id: 'a-9', on: '2026-12-02' });
    }
  });
});

describe('a call that recites an example', () => {
  const parameters = {
    type: 'object',
    properties: { title: { type: 'string' }, count: { type: 'integer' }, loud: { type: 'boolean', default: false } },
    required: ['title', 'count'],
  };
  const methodOf = (definition: ToolDefinition) => describeTools([definition], 'xml-invoke')[0]!.methods[0]!;
  const taught = [
    { title: 'Milk', count: 2 },
    { say: 'Two eggs', args: { title: 'Eggs', count: 2 } },
  ];
  const recites = (args: object, definition = tool('a', taught, { parameters }), lang = 'en') =>
    isTaughtExample(methodOf(definition), args as Record<string, unknown>, lang, today);

  it('is known by its values, as texts, whatever the schema fills in', () => {
    expect([recites({ title: 'Milk', count: 2 }), recites({ title: 'Milk', count: '2' })]).to.deep.equal([true, true]);
    expect(recites({ count: 2, title: 'Eggs', loud: false })).to.equal(true);
  });

  it('is known where the example was made up from the schema', () => {
    const made = tool('b', undefined, { parameters });
    expect(recites({ title: 'some title', count: 1 }, made)).to.equal(true);
    expect(recites({ title: '示例', count: 1 }, made, 'zh-CN')).to.equal(true);
    expect(recites({ title: 'Milk', count: 2 }, made)).to.equal(false);
  });

  it('is known after midnight, too, and cannot be one without arguments', () => {
    expect(recites({ view: 'daily::2026-11-29' }, list)).to.equal(true);
    expect([recites({ view: 'daily::2026-11-28' }, list), recites({}, tool('c', [{}]))]).to.deep.equal([false, false]);
  });
});
