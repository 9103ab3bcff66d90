import { expect } from 'chai';
import { buildSystemPrompt } from '../../src/prompts/system-prompt.js';
import type { MethodMetadata, ToolExecutionResult, ToolProtocol } from '../../src/protocols/protocol.js';
import { jsonAction } from '../../src/protocols/json-action.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { toolCode } from '../../src/protocols/tool-code.js';
import { vcp } from '../../src/protocols/vcp.js';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { createScriptedModel, ScriptedFault, scriptedUpstream } from '../../src/scripted-model/index.js';
import type { ScriptedCall, ScriptedMessage } from '../../src/scripted-model/index.js';

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

const task = (id: string, title: string, completed = false) => ({
  id,
  title,
  completed,
  area_id: null,
  scheduled_dates: completed ? [] : [TODAY],
});
const found = (...tasks: object[]) => `找到 ${tasks.length} 个任务\n${JSON.stringify({ tasks }, null, 2)}`;
const MILK = task('id-milk', '买牛奶');
const REPORT = task('id-report', '写周报', true);

describe('scripted model, seed scenarios', () => {
  it('creates a task (S0-126)', async () => {
    const chat = converse();
    const first = await chat.say('创建一个任务，标题是完成项目报告');
    expect(first.text).to.equal('好的，我来帮你创建任务...');
    expect(first.calls).to.deep.equal([{ name: 'create_task', args: { title: '完成项目报告', scheduled_date: TODAY } }]);
    const last = await chat.answer(`任务「完成项目报告」已创建\n${JSON.stringify(task('id-1', '完成项目报告'))}`);
    expect(last).to.deep.include({ text: '任务已经为你创建好了，你可以在今日视图中看到它。', calls: [] });
  });

  it('creates three tasks in one reply (S0-128)', async () => {
    const chat = converse();
    const first = await chat.say('帮我创建3个任务');
    expect(first.calls.map(({ name, args }) => [name, args['title']])).to.deep.equal([
      ['create_task', '任务1'],
      ['create_task', '任务2'],
      ['create_task', '任务3'],
    ]);
    expect((await chat.answer('任务「任务1」已创建', '任务「任务2」已创建', '任务「任务3」已创建')).text).to.equal(
      '已经为你创建了3个任务。',
    );
  });

  it('asks for the title that the tool missed (S0-130)', async () => {
    const chat = converse();
    const { calls } = await chat.say('创建一个任务');
    expect(calls[0]!.args['title']).to.equal('');
    const last = await chat.answer({ status: 'error', result: '任务标题不能为空' });
    expect(last).to.deep.include({ text: '抱歉，创建任务失败了。请提供任务标题。', calls: [] });
  });

  it('deletes what is completed, and takes a refusal (S0-131 … S0-133)', async () => {
    const chat = converse();
    const first = await chat.say('删除所有已完成的任务');
    expect(first.calls.map(({ args }) => args['view_context'])).to.deep.equal([`daily::${TODAY}`, 'staging']);
    const second = await chat.answer(found(MILK, REPORT), found(task('id-old', '旧任务', true)));
    expect(second.calls).to.deep.equal([
      { name: 'delete_task', args: { task_id: 'id-report' } },
      { name: 'delete_task', args: { task_id: 'id-old' } },
    ]);
    const refusal = { status: 'denied', result: '用户拒绝了该操作' } as const;
    expect((await chat.answer(refusal, refusal)).text).to.equal('好的，我不会删除任务了。');
  });

  it('makes one call at a time where the prompt says so (S0-77)', async () => {
    const chat = converse({ callsPerTurn: 'one' });
    const titles: unknown[] = [];
    let reply = await chat.say('帮我创建3个任务');
    while (reply.calls.length > 0) {
      expect(reply.calls).to.have.lengthOf(1);
      titles.push(reply.calls[0]!.args['title']);
      reply = await chat.answer('已创建');
    }
    expect(titles).to.deep.equal(['任务1', '任务2', '任务3']);
    expect(reply.text).to.equal('已经为你创建了3个任务。');
  });
});

describe('scripted model, free wording', () => {
  const creations: [said: string, title: string, date?: string][] = [
    ['新建任务：买牛奶', '买牛奶'],
    ['添加一个任务「写周报」，安排在明天', '写周报', '2026-03-15'],
    ['提醒我明天买牛奶', '买牛奶', '2026-03-15'],
    ['请帮我创建一个后天的任务，标题为“面试”。', '面试', '2026-03-16'],
    ['创建一个任务，标题是准备明天的会议', '准备明天的会议'],
    ['创建一个任务，标题是 x，日期是2026-04-01', 'x', '2026-04-01'],
    ['创建任务：删除旧文件', '删除旧文件'],
    ['加一个待办 4月2日 交房租', '交房租', '2026-04-02'],
    ['create a task titled Finish the report', 'Finish the report'],
    ['Please add a task "Buy milk, tomorrow" for 2026-05-06.', 'Buy milk, tomorrow', '2026-05-06'],
    ['remind me to call Ann tomorrow', 'call Ann', '2026-03-15'],
    ['new task: delete the old branch', 'delete the old branch'],
    ['add buy milk to my list', 'buy milk'],
    ['can you create a task called Water the plants for today?', 'Water the plants', TODAY],
  ];
  for (const [said, title, date = TODAY] of creations) {
    it(`creates from “${said}”`, async () => {
      const { calls } = await converse().say(said);
      expect(calls).to.deep.equal([{ name: 'create_task', args: { title, scheduled_date: date } }]);
    });
  }

  const several: [said: string, titles: string[]][] = [
    ['创建3个任务：买菜、写报告和跑步', ['买菜', '写报告', '跑步']],
    ['帮我加三个待办', ['任务1', '任务2', '任务3']],
    ['create 3 tasks: milk, bread and eggs', ['milk', 'bread', 'eggs']],
    ['add two things', ['Task 1', 'Task 2']],
  ];
  for (const [said, titles] of several) {
    it(`creates several from “${said}”`, async () => {
      const { calls } = await converse().say(said);
      expect(calls.map(({ args }) => args['title'])).to.deep.equal(titles);
    });
  }

  const lists: [said: string, view: string][] = [
    ['今天有什么任务？', `daily::${TODAY}`],
    ['看看明天的任务', 'daily::2026-03-15'],
    ['列出2026-04-01的任务', 'daily::2026-04-01'],
    ['暂存区里有哪些任务', 'staging'],
    ["what's on today?", `daily::${TODAY}`],
    ['Show me the tasks for tomorrow', 'daily::2026-03-15'],
    ['list what is in staging', 'staging'],
    ['what are my tasks', `daily::${TODAY}`],
  ];
  for (const [said, view] of lists) {
    it(`reads from “${said}”`, async () => {
      const chat = converse();
      const { calls } = await chat.say(said);
      expect(calls).to.deep.equal([{ name: 'read_tasks', args: { view_context: view } }]);
      const { text } = await chat.answer(found(MILK, REPORT));
      expect(text).to.include('- [ ] 买牛奶\n- [x] 写周报');
    });
  }

  const changes: [said: string, tool: string, args: object, closing: RegExp][] = [
    ['完成任务买牛奶', 'update_task', { completed: 'true' }, /^「买牛奶」已标记为完成/],
    ['把买牛奶标记为完成', 'update_task', { completed: 'true' }, /已标记为完成/],
    ['买牛奶做完了', 'update_task', { completed: 'true' }, /已标记为完成/],
    ['把买牛奶标记为未完成', 'update_task', { completed: 'false' }, /重新标记为未完成/],
    ['mark 买牛奶 as done', 'update_task', { completed: 'true' }, /已标记为完成/],
    ['把「买牛奶」改名为「买豆浆」', 'update_task', { title: '买豆浆' }, /改名为「买豆浆」/],
    ['将任务买牛奶的标题改成买两瓶牛奶', 'update_task', { title: '买两瓶牛奶' }, /买两瓶牛奶/],
    ['把买牛奶安排到明天', 'create_schedule', { scheduled_date: '2026-03-15' }, /安排到 2026-03-15/],
    ['把买牛奶推迟到2026-04-01吧', 'create_schedule', { scheduled_date: '2026-04-01' }, /2026-04-01/],
    ['删除任务「买牛奶」', 'delete_task', {}, /^已经删除了「买牛奶」/],
    ['把买牛奶删掉', 'delete_task', {}, /^已经删除了/],
  ];
  for (const [said, tool, args, closing] of changes) {
    it(`looks for the task, then acts, from “${said}”`, async () => {
      const chat = converse();
      expect((await chat.say(said)).calls.map(({ name }) => name)).to.deep.equal(['read_tasks']);
      expect((await chat.answer(found(REPORT))).calls).to.deep.equal([{ name: 'read_tasks', args: { view_context: 'staging' } }]);
      expect((await chat.answer(found(MILK))).calls).to.deep.equal([{ name: tool, args: { task_id: 'id-milk', ...args } }]);
      const last = await chat.answer('好了');
      expect(last.calls).to.deep.equal([]);
      expect(last.text).to.match(closing);
    });
  }

  const englishChanges: [said: string, tool: string, args: object, closing: RegExp][] = [
    ['complete Buy milk', 'update_task', { completed: 'true' }, /^“Buy milk” is marked as done/],
    ['Mark the task "Buy milk" as done.', 'update_task', { completed: 'true' }, /marked as done/],
    ["I've finished buy milk", 'update_task', { completed: 'true' }, /marked as done/],
    ['reopen Buy milk', 'update_task', { completed: 'false' }, /open again/],
    ['rename Buy milk to Buy oat milk', 'update_task', { title: 'Buy oat milk' }, /to “Buy oat milk”/],
    ['change the title of Buy milk to Milk', 'update_task', { title: 'Milk' }, /to “Milk”/],
    ['move Buy milk to tomorrow', 'create_schedule', { scheduled_date: '2026-03-15' }, /2026-03-15/],
    ['please schedule "Buy milk" for 2026-04-01', 'create_schedule', { scheduled_date: '2026-04-01' }, /2026-04-01/],
    ['delete the task Buy milk', 'delete_task', {}, /^I have deleted “Buy milk”/],
    ['remove milk', 'delete_task', {}, /^I have deleted/],
  ];
  for (const [said, tool, args, closing] of englishChanges) {
    it(`does the same in English from “${said}”`, async () => {
      const chat = converse({ lang: 'en' });
      await chat.say(said);
      expect((await chat.answer(`Found 1 task\n${JSON.stringify({ tasks: [task('id-milk', 'Buy milk')] })}`)).calls).to.deep.equal([
        { name: tool, args: { task_id: 'id-milk', ...args } },
      ]);
      expect((await chat.answer('ok')).text).to.match(closing);
    });
  }

  it('needs no look for a task it has just created', async () => {
    const chat = converse();
    await chat.say('创建一个任务，标题是买牛奶');
    await chat.answer(`任务「买牛奶」已创建\n${JSON.stringify(MILK)}`);
    expect((await chat.say('删除买牛奶')).calls).to.deep.equal([{ name: 'delete_task', args: { task_id: 'id-milk' } }]);
    await chat.answer({ status: 'denied', result: '用户拒绝了该操作' });
    expect((await chat.say('complete it')).calls).to.deep.equal([{ name: 'update_task', args: { task_id: 'id-milk', completed: 'true' } }]);
  });

  it('asks which of several tasks is meant, and says when there is none', async () => {
    const chat = converse();
    await chat.say('删除牛奶');
    const which = await chat.answer(found(MILK, task('id-2', '喝牛奶')));
    expect(which.calls).to.deep.equal([]);
    expect(which.text).to.include('买牛奶').and.to.include('喝牛奶').and.to.include('哪一个');

    await chat.say('删除咖啡');
    await chat.answer(found(MILK));
    const none = await chat.answer(found());
    expect(none.text).to.include('没有找到名为「咖啡」的任务').and.to.include('买牛奶');
  });

  it('passes on why a tool failed', async () => {
    const chat = converse();
    await chat.say('今天有什么任务');
    expect((await chat.answer({ status: 'error', result: '服务器错误' })).text).to.equal('抱歉，查看任务失败了：服务器错误');
  });

  it('creates where the person is looking', async () => {
    const area = await converse({ view: 'area::a-1' }).say('新建任务：买牛奶');
    expect(area.calls[0]!.args).to.deep.equal({ title: '买牛奶', area_id: 'a-1' });
    const staging = await converse({ view: 'staging' }).say('新建任务：买牛奶');
    expect(staging.calls[0]!.args).to.deep.equal({ title: '买牛奶' });
    const day = await converse({ view: 'daily::2026-03-20' }).say('新建任务：买牛奶');
    expect(day.calls[0]!.args).to.deep.equal({ title: '买牛奶', scheduled_date: '2026-03-20' });
  });

  it('writes values that hold its own end tag so that they arrive whole', async () => {
    const { calls } = await converse().say('新建任务：修复 </parameter> 的显示');
    expect(calls[0]!.args['title']).to.equal('修复 </parameter> 的显示');
  });

  it('answers small talk in the language of the person, with Markdown of every kind for help', async () => {
    const chat = converse();
    expect((await chat.say('你好')).text).to.match(/^你好/);
    expect((await chat.say('hello')).text).to.match(/^Hello/);
    expect((await chat.say('thanks!')).text).to.match(/welcome/);
    expect((await chat.say('今天几号？')).text).to.include(TODAY);
    for (const said of ['帮助', 'What can you do?']) {
      const { raw, calls } = await chat.say(said);
      expect(calls).to.deep.equal([]);
      for (const mark of [/^## /m, /^\| .* \|$/m, /^- `create_task`$/m, /^````text$/m, /^1\. ~~/m, /^> /m, /\*\*/])
        expect(raw).to.match(mark);
    }
    expect((await chat.say('What is the meaning of life')).text).to.include('scripted demo model');
  });
});

describe('scripted model, notations', () => {
  for (const protocol of [xmlInvoke, jsonAction, vcp, jsonToolCalls, toolCode]) {
    for (const lang of ['zh-CN', 'en'] as const) {
      it(`calls by ${protocol.id} when the prompt teaches that, in ${lang}`, async () => {
        const chat = converse({ protocol, lang });
        const first = await chat.say('Create 3 tasks: milk, "bread </invoke>" and eggs </tool_code>');
        expect(first.errors).to.deep.equal([]);
        expect(first.calls.map(({ name }) => name)).to.deep.equal(['create_task', 'create_task', 'create_task']);
        expect(first.calls[1]!.args).to.deep.equal({ title: 'bread </invoke>', scheduled_date: TODAY });
        expect(first.text).to.equal("Sure, I'll create 3 tasks for you...");
        const last = await chat.answer('Task created', { status: 'error', result: 'The title must not be empty' }, 'Task created');
        expect(last.text).to.equal(`I created 2 of the tasks; 1 did not work (bread </invoke>): The title must not be empty`);
      });
    }

    it(`reads results by ${protocol.id}, and what was refused`, async () => {
      const chat = converse({ protocol });
      const first = await chat.say('删除所有已完成的任务');
      expect(first.calls).to.have.length(2);
      const second = await chat.answer(found(MILK, REPORT), found(task('id-old', '旧任务', true)));
      expect(second.calls).to.deep.equal([
        { name: 'delete_task', args: { task_id: 'id-report' } },
        { name: 'delete_task', args: { task_id: 'id-old' } },
      ]);
      const refusal = { status: 'denied' as const, result: '用户拒绝了该操作' };
      expect((await chat.answer(refusal, refusal)).text).to.equal('好的，我不会删除任务了。');
    });

    it(`makes one call at a time by ${protocol.id} where the prompt says so`, async () => {
      const chat = converse({ protocol, callsPerTurn: 'one' });
      expect((await chat.say('帮我创建3个任务')).calls).to.have.length(1);
      expect((await chat.answer('任务「任务1」已创建')).calls[0]!.args['title']).to.equal('任务2');
    });

    it(`breaks a call by ${protocol.id} so that nobody can run it, and quotes one so that nobody does`, async () => {
      const broken = await converse({ protocol }).say('/fault broken-call');
      expect([broken.calls, broken.errors]).to.deep.equal([[], broken.errors.slice(0, 1)]);
      expect(broken.errors).to.have.length(1);
      for (const fault of ['fenced-call', 'think', 'help']) {
        const quoted = await converse({ protocol }).say(`/fault ${fault}`);
        expect([quoted.calls, quoted.errors], fault).to.deep.equal([[], []]);
      }
      expect((await converse({ protocol }).say('帮助')).calls).to.deep.equal([]);
    });
  }

  it('gives values the types that the prompt names, where the notation has types', async () => {
    const tool: MethodMetadata = {
      name: 'add_item',
      description: 'Adds an item to the list',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' }, quantity: { type: 'integer' }, urgent: { type: 'boolean', description: 'at once' } },
        required: ['name'],
      },
    };
    const args = async (protocol: ToolProtocol) =>
      (await converse({ protocol, lang: 'en', tools: [tool] }).say('add 2 "7" to the list, urgent: true')).calls[0]?.args;
    expect(await args(jsonAction)).to.deep.equal({ name: '7', quantity: 2, urgent: true });
    expect(await args(xmlInvoke)).to.deep.equal({ name: '7', quantity: '2', urgent: 'true' });
  });

  it('makes calls beside the text when the request carries tools, and reads their results', async () => {
    const model = createScriptedModel({ delayMs: 0 });
    const tools = TASK_TOOLS.map(({ name, description, parameters }) => ({ name, description, parameters: parameters! }));
    const messages: ScriptedMessage[] = [{ role: 'user', text: '帮我创建2个任务' }];
    const ask = async () => {
      let text = '';
      const calls: ScriptedCall[] = [];
      for await (const piece of model({ system: await prompt(), messages, tools })) {
        if (typeof piece === 'string') text += piece;
        else calls.push(piece);
      }
      return { text, calls };
    };
    const first = await ask();
    expect(first.text).to.equal('好的，我来帮你创建2个任务...');
    expect(first.calls.map(({ name, arguments: args }) => [name, args['title']])).to.deep.equal([
      ['create_task', '任务1'],
      ['create_task', '任务2'],
    ]);
    expect(new Set(first.calls.map(({ id }) => id)).size).to.equal(2);
    messages.push({ role: 'assistant', text: first.text });
    messages.push({ role: 'tool', name: 'create_task', text: '任务「任务1」已创建' });
    messages.push({ role: 'tool', name: 'create_task', text: '用户拒绝了该操作', status: 'error' });
    expect((await ask()).text).to.match(/^创建了1个任务，1个没有成功/);
  });
});

describe('scripted model, other tools', () => {
  it('calls only what the prompt describes', async () => {
    const withoutDelete = converse({ tools: TASK_TOOLS.slice(0, 4) });
    const refused = await withoutDelete.say('删除买牛奶');
    expect(refused.calls).to.deep.equal([]);
    expect(refused.text).to.include('没有可以删除任务的工具');
    const without = await converse({ tools: [] }).say('create a task titled x');
    expect(without).to.deep.include({ calls: [], text: 'Sorry, I have no tool here to create tasks.' });
    for (const said of ['添加一个标签 test', '列出所有链接']) expect((await converse().say(said)).calls).to.deep.equal([]);
  });

  const strangers: [said: string, call: { name: string; args: object } | undefined][] = [
    ['say hello to Ann', { name: 'say_hello', args: { name: 'Ann' } }],
    ['call say_hello with name=Bob', { name: 'say_hello', args: { name: 'Bob' } }],
    ['please turn the light on in "the kitchen"', { name: 'turn_light_on', args: { room: 'the kitchen' } }],
    ['list my orders', { name: 'listOrders', args: {} }],
    ['查询北京的天气', { name: 'weather', args: { city: '查询北京的天气' } }],
    ['what is love', undefined],
  ];
  for (const [said, call] of strangers) {
    it(`${call ? 'finds a tool it never heard of' : 'finds no tool'} for “${said}”`, async () => {
      const chat = converse({
        lang: 'en',
        tools: [
          method('say_hello', ['name'], [], 'Greets somebody.'),
          method('turn_light_on', ['room'], [], 'Switches a lamp.'),
          method('listOrders', [], ['status']),
          method('weather', ['city'], [], '查询一个城市的天气'),
        ],
      });
      expect((await chat.say(said)).calls).to.deep.equal(call ? [call] : []);
      if (call) expect((await chat.answer('All went well')).text).to.include('All went well');
    });
  }
});

describe('scripted model, misbehaving', () => {
  const read = async (said: string, model = createScriptedModel({ delayMs: 0 })) => {
    let text = '';
    for await (const chunk of model({ system: await prompt(), messages: [{ role: 'user', text: said }] })) text += chunk;
    return text;
  };
  const fail = async (said: string, model?: ReturnType<typeof createScriptedModel>) => {
    try {
      await read(said, model);
    } catch (error) {
      return error;
    }
    throw new Error(`“${said}” did not fail`);
  };

  it('lists its faults', async () => {
    const list = await read('/fault help');
    for (const name of 'cut cut-call hang slow 401 429 500 503 broken-call unknown-tool think long fenced-call forever'.split(' ')) {
      expect(list).to.include(`\`/fault ${name}\``);
    }
    expect(await read('/fault')).to.equal(list);
    expect(await read('/fault constructor')).to.equal(list);
  });

  it('refuses a request once, and answers it when it comes again', async () => {
    const model = createScriptedModel({ delayMs: 0 });
    for (const status of [401, 429, 500, 503]) {
      expect(await fail(`/fault ${status}`, model))
        .to.be.instanceOf(ScriptedFault)
        .with.property('status', status);
      expect(await read(`/fault ${status}`, model)).to.include(String(status));
    }
  });

  it('breaks off in mid-answer, in mid-call', async () => {
    expect(await fail('/fault cut'))
      .to.be.instanceOf(ScriptedFault)
      .with.property('status', undefined);
    let text = '';
    try {
      for await (const chunk of createScriptedModel({ delayMs: 0 })({
        system: await prompt(),
        messages: [{ role: 'user', text: '/fault cut-call' }],
      }))
        text += chunk;
    } catch {
      // as it should
    }
    expect(text).to.include('<parameter name="title">').and.to.not.include('</invoke>');
  });

  it('hangs until it is aborted', async () => {
    const stop = new AbortController();
    const chunks = createScriptedModel({ delayMs: 0 })(
      { system: await prompt(), messages: [{ role: 'user', text: '/fault hang' }] },
      stop.signal,
    )[Symbol.asyncIterator]();
    let text = '';
    while (text !== '让我想一想') text += (await chunks.next()).value as string;
    const waiting = chunks.next();
    stop.abort(new Error('enough'));
    expect(await waiting.catch((error: unknown) => error)).to.have.property('message', 'enough');
  });

  it('writes calls that must not run', async () => {
    const broken = converse();
    expect(await broken.say('/fault broken-call')).to.deep.include({ calls: [], errors: ['malformed'] });
    const corrected = await broken.answer({ status: 'error', result: 'The call could not be read' });
    expect(corrected.calls.map(({ name }) => name)).to.deep.equal(['create_task']);
    expect((await broken.answer('ok')).calls).to.deep.equal([]);

    for (const said of ['/fault think', '/fault fenced-call']) {
      const { raw, calls, errors } = await converse().say(said);
      expect(raw).to.include('<invoke name="create_task">');
      expect({ calls, errors }, said).to.deep.equal({ calls: [], errors: [] });
    }

    const unknown = converse();
    expect((await unknown.say('/fault unknown-tool')).calls).to.have.lengthOf(1);
    expect((await unknown.answer({ status: 'error', result: '没有这个工具' })).text).to.include('没有这个工具');

    const forever = converse();
    const first = await forever.say('/fault forever');
    for (let round = 0; round < 3; round++) expect((await forever.answer(found())).calls).to.deep.equal(first.calls);
  });

  it('writes 10,000 tokens of Markdown', async () => {
    const text = await read('/fault long');
    expect(text.length).to.be.within(40_000, 42_000);
    expect(await read('/fault long')).to.equal(text);
  });
});

describe('scripted model, stream', () => {
  it('writes small chunks that never end inside a character', async () => {
    const chunks: string[] = [];
    for await (const chunk of createScriptedModel({ delayMs: 0, chunkSize: 1 })({
      system: await prompt(),
      messages: [{ role: 'user', text: '新建任务：𠮷🗑️' }],
    })) {
      chunks.push(String(chunk));
    }
    expect(chunks.every((chunk) => [...chunk].length === 1 && !/\p{Cs}/u.test(chunk))).to.equal(true);
    expect(chunks.join('')).to.include('𠮷🗑️');
  });

  it('takes its time', async () => {
    const started = performance.now();
    let chunks = 0;
    for await (const _ of createScriptedModel({ delayMs: 5, chunkSize: 4 })({
      system: await prompt(),
      messages: [{ role: 'user', text: '谢谢' }],
    }))
      chunks++;
    expect(performance.now() - started).to.be.at.least(chunks * 4);
  });

  const ask = async (text: string) =>
    new Request('http://upstream.test/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({
        stream: true,
        messages: [
          { role: 'system', content: await prompt() },
          { role: 'user', content: text },
        ],
      }),
    });

  it('speaks OpenAI for a relay', async () => {
    const response = await scriptedUpstream({ delayMs: 0 })(await ask('你好'), new AbortController().signal);
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    const frames = (await response.text()).split('\n\n').filter(Boolean);
    expect(frames.at(-1)).to.equal('data: [DONE]');
    const chunks = frames
      .slice(0, -1)
      .map(
        (frame) =>
          JSON.parse(frame.slice(6)) as { choices: { delta: { content?: string }; finish_reason: string | null }[]; usage?: object },
      );
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).to.match(/^你好/);
    expect(chunks.at(-2)!.choices[0]!.finish_reason).to.equal('stop');
    expect(chunks.at(-1)!.usage).to.have.property('total_tokens');
  });

  it('refuses by status, and cuts without an end mark', async () => {
    const upstream = scriptedUpstream({ delayMs: 0 });
    const { signal } = new AbortController();
    const refused = await upstream(await ask('/fault 429'), signal);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '2']);
    expect((await upstream(await ask('/fault 429'), signal)).status).to.equal(200);
    const cut = await (await upstream(await ask('/fault cut'), signal)).text();
    expect(cut).to.include('choices').and.to.not.include('[DONE]').and.to.not.include('"stop"');
  });
});
