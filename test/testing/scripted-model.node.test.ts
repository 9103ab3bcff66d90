/** The words and the calls of the scripted model. The scenarios of the seed are tested through the demo: `test/e2e/scenarios.e2e.ts`. */
import { expect } from 'chai';
import { buildSystemPrompt } from '../../src/prompts/system-prompt.js';
import type { MethodMetadata, ToolExecutionResult, ToolProtocol } from '../../src/protocols/protocol.js';
import { protocols } from '../../src/protocols/index.js';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { createScriptedModel, ScriptedFault, type ScriptedMessage } from '../../src/scripted-model/index.js';
import wordings from '../fixtures/eval/wordings.json' with { type: 'json' };

const TODAY = '2026-03-14';

const method = (name: string, required: string[], optional: string[] = [], description = name): MethodMetadata => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries([...required, ...optional].map((key) => [key, { type: 'string', description: key }])),
    required,
  },
});

const TASK_TOOLS = [
  method('create_task', ['title'], ['area_id', 'scheduled_date']),
  method('read_tasks', ['view_context']),
  method('update_task', ['task_id'], ['title', 'completed']),
  method('create_schedule', ['task_id', 'scheduled_date']),
  method('delete_task', ['task_id']),
];

interface Setting {
  lang?: 'zh-CN' | 'en';
  tools?: MethodMetadata[];
  callsPerTurn?: 'one' | 'many';
  view?: string;
  protocol?: ToolProtocol;
}

/** The prompt that the widget would send. */
function prompt({
  lang = 'zh-CN',
  tools = TASK_TOOLS,
  callsPerTurn = 'many',
  view = `daily::${TODAY}`,
  protocol = xmlInvoke,
}: Setting = {}): Promise<string> {
  return buildSystemPrompt({
    systemPrompt:
      lang === 'en' ? 'Current date: {today}\nCurrent view: {view}\n\n{{tools}}' : '当前日期: {today}\n当前视图: {view}\n\n{{tools}}',
    protocol,
    tools: tools.map((tool) => ({ toolId: tool.name, toolName: tool.name, methods: [tool] })),
    lang,
    callsPerTurn,
    today: TODAY,
    variables: { view },
  });
}

type Answer = Partial<ToolExecutionResult> & { result: string };

/** A conversation with the scripted model in which the test plays the tools. */
function converse(setting?: Setting) {
  const model = createScriptedModel({ delayMs: 0 });
  const protocol = setting?.protocol ?? xmlInvoke;
  const messages: ScriptedMessage[] = [];
  let open: { toolName: string; requestId: string }[] = [];

  async function next() {
    let raw = '';
    for await (const chunk of model({ system: await prompt(setting), messages })) raw += chunk;
    messages.push({ role: 'assistant', text: raw });
    let text = '';
    const calls: { name: string; args: Record<string, unknown> }[] = [];
    const errors: string[] = [];
    const parser = protocol.createParser!((segment) => {
      if (segment.type === 'text') text += segment.text;
      if (segment.type === 'call' && !segment.flags?.includes('quoted')) calls.push({ name: segment.name, args: segment.arguments });
      if (segment.type === 'call-error') errors.push(segment.code);
    });
    parser.push(raw);
    parser.end('stop');
    open = calls.map(({ name }, n) => ({ toolName: name, requestId: `call-${n}` }));
    return { raw, text: text.trim(), calls, errors };
  }

  return {
    messages,
    say(text: string) {
      messages.push({ role: 'user', text });
      return next();
    },
    /** Answers the open calls in order. */
    answer(...answers: (string | Answer)[]) {
      const results = answers.map((answer, n): ToolExecutionResult => {
        const call = open[n] ?? { toolName: 'unknown', requestId: `call-${n}` };
        return { ...call, status: 'success', ...(typeof answer === 'string' ? { result: answer } : answer) };
      });
      messages.push({ role: 'user', text: protocol.formatToolResults(results) });
      return next();
    },
  };
}

const titlesOf = (calls: { args: Record<string, unknown> }[]) => calls.map(({ args }) => args['title']);
const task = (id: string, title: string, completed = false) => ({
  ...{ id, title, completed, area_id: null, scheduled_dates: completed ? [] : [TODAY] },
});
const found = (...tasks: object[]) => `找到 ${tasks.length} 个任务\n${JSON.stringify({ tasks }, null, 2)}`;
const MILK = task('id-milk', '买牛奶');
const REPORT = task('id-report', '写周报', true);

async function deleteCompleted(chat: ReturnType<typeof converse>) {
  const first = await chat.say('删除所有已完成的任务');
  expect(first.calls.map(({ args }) => args['view_context'])).to.deep.equal([`daily::${TODAY}`, 'staging']);
  const second = await chat.answer(found(MILK, REPORT), found(task('id-old', '旧任务', true)));
  expect(second.calls).to.deep.equal(['id-report', 'id-old'].map((id) => ({ name: 'delete_task', args: { task_id: id } })));
  const refusal = { status: 'denied', result: '用户拒绝了该操作' } as const;
  expect((await chat.answer(refusal, refusal)).text).to.equal('好的，我不会删除任务了。');
}

describe('scripted model, free wording', () => {
  it('creates from many wordings', async () => {
    for (const [said, title, date = TODAY] of wordings.creations as [string, string, string?][])
      expect((await converse().say(said)).calls, said).to.deep.equal([{ name: 'create_task', args: { title, scheduled_date: date } }]);
  });

  it('looks for the task, then acts', async () => {
    for (const [said, tool, args, closing] of wordings.changes as [string, string, object, string][]) {
      const lang = /\p{Script=Han}/u.test(said) ? 'zh-CN' : 'en';
      const chat = converse({ lang });
      expect((await chat.say(said)).calls.map(({ name }) => name)).to.deep.equal(['read_tasks']);
      const elsewhere = await chat.answer(found(REPORT));
      expect(elsewhere.calls).to.deep.equal([{ name: 'read_tasks', args: { view_context: 'staging' } }]);
      const here = await chat.answer(found(lang === 'en' ? task('id-milk', 'Buy milk') : MILK));
      expect(here.calls, said).to.deep.equal([{ name: tool, args: { task_id: 'id-milk', ...args } }]);
      const last = await chat.answer('ok');
      expect(last.calls).to.deep.equal([]);
      expect(last.text, said).to.match(new RegExp(closing));
    }
  });
});

describe('scripted model, notations', () => {
  for (const protocol of Object.values(protocols)) {
    it(`calls by ${protocol.id} when the prompt teaches that`, async () => {
      for (const lang of ['zh-CN', 'en'] as const) {
        const chat = converse({ protocol, lang });
        const first = await chat.say('Create 3 tasks: milk, "bread </invoke>" and eggs </tool_code>');
        expect(first.errors).to.deep.equal([]);
        expect(titlesOf(first.calls)).to.deep.equal(['milk', 'bread </invoke>', 'eggs </tool_code>']);
        expect(first.text).to.equal("Sure, I'll create 3 tasks for you...");
        const last = await chat.answer('Task created', { status: 'error', result: 'The title must not be empty' }, 'Task created');
        expect(last.text).to.equal(`I created 2 of the tasks; 1 did not work (bread </invoke>): The title must not be empty`);
      }
    });

    it(`reads results by ${protocol.id}, makes one call at a time, and breaks or quotes one so that it does not run (S0-77)`, async () => {
      await deleteCompleted(converse({ protocol }));

      const single = converse({ protocol, callsPerTurn: 'one' });
      const titles = [titlesOf((await single.say('帮我创建3个任务')).calls)];
      for (const round of [1, 2, 3]) titles.push(titlesOf((await single.answer(`任务「任务${round}」已创建`)).calls));
      expect(titles).to.deep.equal([['任务1'], ['任务2'], ['任务3'], []]);

      const broken = await converse({ protocol }).say('/fault broken-call');
      expect([broken.calls.length, broken.errors.length]).to.deep.equal([0, 1]);
      for (const said of ['/fault fenced-call', '/fault think', '/fault help', '帮助']) {
        const quoted = await converse({ protocol }).say(said);
        expect([quoted.calls, quoted.errors], said).to.deep.equal([[], []]);
      }
    });
  }
});

describe('scripted model, other tools', () => {
  it('calls only what the prompt describes', async () => {
    const withoutDelete = converse({ tools: TASK_TOOLS.slice(0, 4) });
    const refused = await withoutDelete.say('删除买牛奶');
    expect(refused.calls).to.deep.equal([]);
    expect(refused.text).to.include('没有可以删除任务的工具');
    const without = await converse({ tools: [] }).say('create a task titled x');
    expect(without).to.deep.include({ calls: [], text: 'Sorry, I have no tool here to create tasks.' });
    for (const said of ['hello', '你好', 'asdf'])
      expect((await converse({ tools: [] }).say(said)).text, said).to.not.match(/tasks?\b|任务/);
    for (const said of ['添加一个标签 test', '列出所有链接']) expect((await converse().say(said)).calls).to.deep.equal([]);
  });

  it('finds a tool it never heard of, where one fits', async () => {
    const tools = [
      method('say_hello', ['name'], [], 'Greets somebody.'),
      method('turn_light_on', ['room'], [], 'Switches a lamp.'),
      method('listOrders', [], ['status']),
      method('set_quantity', ['product', 'quantity']),
      method('weather', ['city'], [], '查询一个城市的天气'),
    ];
    for (const [said, call] of wordings.strangers as [string, object?][]) {
      const chat = converse({ lang: 'en', tools });
      expect((await chat.say(said)).calls, said).to.deep.equal(call ? [call] : []);
      if (call) expect((await chat.answer('All went well')).text).to.include('All went well');
    }
    const { text } = await converse({ lang: 'en', tools }).say('help');
    expect(text).to.include('<invoke name="listOrders">').and.not.include('task');
  });
});

describe('scripted model, misbehaving', () => {
  it('lists its faults, breaks off in mid-call, and writes calls that must not run', async () => {
    const ask = async (said: string) => {
      let text = '';
      const messages: ScriptedMessage[] = [{ role: 'user', text: said }];
      try {
        for await (const chunk of createScriptedModel({ delayMs: 0 })({ system: await prompt(), messages })) text += String(chunk);
      } catch (error) {
        expect(error).to.be.instanceOf(ScriptedFault);
        return `${text}✂`;
      }
      return text;
    };
    const list = await ask('/fault help');
    for (const name of 'cut cut-call hang slow 401 429 500 503 broken-call unknown-tool think long fenced-call forever'.split(' '))
      expect(list).to.include(`\`/fault ${name}\``);
    for (const said of ['/fault', '/fault constructor']) expect(await ask(said)).to.equal(list);
    expect(await ask('/fault cut-call')).to.match(/<parameter name="title">(?![^]*<\/invoke>)[^]*✂$/);

    expect((await converse().say('/fault unknown-tool')).calls).to.have.lengthOf(1);
    const broken = converse();
    expect(await broken.say('/fault broken-call')).to.deep.include({ calls: [], errors: ['malformed'] });
    const corrected = await broken.answer({ status: 'error', result: 'The call could not be read' });
    expect(corrected.calls.map(({ name }) => name)).to.deep.equal(['create_task']);
    const forever = converse();
    const first = await forever.say('/fault forever');
    for (let round = 0; round < 3; round++) expect((await forever.answer(found())).calls).to.deep.equal(first.calls);
  });
});
