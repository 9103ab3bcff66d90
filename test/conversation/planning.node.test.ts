/** Plans: when one is asked for, how it is carried out, and what becomes of it (S4-06, S4-25 … S4-30; glossary §7, 33). */
import { expect } from 'chai';
import { isOverThreshold } from '../../src/conversation/request/planning.js';
import { goalsIn } from '../../src/conversation/request/goal-verbs.js';
import type { CardView } from '../../src/model/calls.js';
import type { TaskPlan } from '../../src/model/plan.js';
import { planningTools, sentences } from '../fixtures/planning/sentences.js';
import { call, deferred, settlesWell, statuses, talk, tick, until, useFaultServer, type Talk } from './talk.js';

type Step = { id: string; title?: string; tool?: string; input?: object; dependsOn?: string[]; status?: string };

const plan = (steps: readonly Step[], goal = 'The goal') =>
  `\`\`\`json\n${JSON.stringify({ task_plan: { goal, steps: steps.map((step) => ({ title: `Step ${step.id}`, ...step })) } })}\n\`\`\`\n`;

const three: Step[] = [
  { id: 'look', tool: 'search' },
  { id: 'write', tool: 'write_note', dependsOn: ['look'] },
  { id: 'send', tool: 'mail', dependsOn: ['write'] },
];

/** Worth a plan. */
const LONG = 'Compare the two offers, summarise them and save the note.';
const SHORT = 'Hello there';

const ticks = ({ chat }: Talk) => Object.fromEntries((chat.session.plan?.steps ?? []).map(({ id, status }) => [id, status]));

function planned(turns: Parameters<typeof talk>[0], options: Parameters<typeof talk>[1] = {}): Talk {
  const self = talk(turns, { planning: 'threshold', ...options });
  for (const name of ['search', 'write_note', 'mail']) self.tool(name);
  return self;
}

describe('planning', () => {
  useFaultServer();

  describe('the threshold', () => {
    const over = (text: string, options = {}) => isOverThreshold(text, options, () => text);

    it('is a length in characters: 299 and 300 do not need a plan, 301 do', async () => {
      for (const character of ['a', '好', '👩‍👩‍👧', 'é'.normalize('NFD')]) {
        expect(await over(character.repeat(299)), `299 ${character}`).to.equal(false);
        expect(await over(character.repeat(300)), `300 ${character}`).to.equal(false);
        expect(await over(character.repeat(301)), `301 ${character}`).to.equal(true);
      }
      expect(await over('a'.repeat(11), { minLength: 10 })).to.equal(true);
    });

    it('is two different goals in a short text, in Chinese and English', async () => {
      for (const text of [
        '比较这两个方案，然后总结',
        '搜索资料并写成报告',
        'Summarise this and save it',
        'Comparing both, I want it translated',
      ])
        expect(await over(text), text).to.equal(true);
      for (const text of [
        '比较这两个方案，比较清楚',
        '帮我创建3个任务',
        'Delete all completed tasks',
        'Summarise this, please summarize it',
        'hello',
      ])
        expect(await over(text), text).to.equal(false);
    });

    it('is right about 57 of 60 sentences at least, in English and Chinese, with the tools that there are (Y-17)', async () => {
      expect(sentences).to.have.length(60);
      const wrong: string[] = [];
      for (const { lang, text, plan: wanted } of sentences)
        if ((await isOverThreshold(text, {}, () => text, planningTools[lang])) !== wanted)
          wrong.push(`${wanted ? 'missed' : 'too much'}: ${text}`);
      expect(wrong.length, wrong.join('\n')).to.be.at.most(3);
      // Those of the finding have to be right.
      for (const { lang, text, plan: wanted } of sentences.slice(0, 5))
        expect(await isOverThreshold(text, {}, () => text, planningTools[lang]), text).to.equal(wanted);
    });

    it('knows the verbs of tools that nobody has thought of', async () => {
      const tools = [
        { name: 'unlockDoor', label: 'Unlock', description: 'Unlocks a door.' },
        { name: 'water_plants', label: '浇花', description: 'Waters the plants.' },
      ];
      expect(await over('Unlock the front door and water the roses')).to.equal(false);
      expect(await isOverThreshold('Unlock the front door and water the roses', {}, () => '', tools)).to.equal(true);
      expect(await isOverThreshold('Unlock the front door and the back door', {}, () => '', tools)).to.equal(false);
      expect(await isOverThreshold('先浇花，然后查看任务', {}, () => '', tools)).to.equal(true);
    });

    it('takes the host’s verbs and number', async () => {
      expect(await over('foo and bar', { verbs: ['foo', 'bar'] })).to.equal(true);
      expect(await over('foobar and foot', { verbs: ['foo', 'bar'] })).to.equal(false);
      expect(await over('foo and bar', { verbs: ['foo', 'bar'], minVerbs: 3 })).to.equal(false);
      expect(goalsIn('写成书面报告', ['写成', '写'])).to.deep.equal(['写成']);
    });

    it('is an estimated cost where the host sets one', async () => {
      expect(await over('word '.repeat(40), { maxCost: 20, minLength: 1000 })).to.equal(true);
      expect(await over('word '.repeat(10), { maxCost: 20 })).to.equal(false);
    });
  });

  it('counts the section about the tools as cost', async () => {
    const planningOptions = { maxCost: 700, minLength: 1000 };
    const system = async (description: string) => {
      const self = talk(['ok'], { planning: 'threshold', planningOptions });
      self.tool('search', { description });
      await self.send(SHORT);
      return self.bodies()[0]!.system;
    };
    expect(await system('Looks.')).not.to.contain('task_plan');
    expect(await system('Looks here and there. '.repeat(200))).to.contain('task_plan');
  });

  it('asks for a plan first only over the threshold, and only where planning is on', async () => {
    const ask = async (text: string, options: Parameters<typeof talk>[1] = {}) => {
      const self = planned(['ok'], options);
      await self.send(text);
      return self.bodies()[0]?.system ?? '';
    };
    expect(await ask(LONG)).to.match(/"task_plan"[^]*Give a short plan first/);
    expect(await ask(LONG, { lang: 'zh-CN' })).to.include('先给简短计划');
    expect(await ask(SHORT)).to.not.match(/task_plan|short plan/);
    expect(await ask(LONG, { planning: 'off' })).to.not.match(/task_plan|short plan|clarify/);
  });

  it('is a mode that can be seen while the turn runs', async () => {
    const gate = deferred();
    const self = planned([plan([{ id: '1', tool: 'search' }]) + call('search'), 'done']);
    self.tool('slow', { execute: () => gate.promise });
    const seen: unknown[] = [];
    self.chat.subscribe(() => seen.push(self.view().planning));
    await self.send(LONG);
    gate.resolve();
    expect(seen).to.include(true);
    expect(self.view().planning).to.equal(undefined);
    await self.send(SHORT);
    expect(self.view().planning).to.equal(undefined);
  });

  it('ticks a plan that is carried out in one reply, in the order of dependencies, whatever the order of the text', async () => {
    const written = call('mail') + call('write_note') + call('search');
    const self = planned([`On it.\n${plan(three)}${written}`, 'All done.']);
    const seen: string[] = [];
    self.chat.subscribe(({ session }) => {
      const now = session.plan?.steps.map(({ status }) => status).join(' ') ?? '';
      if (now && now !== seen.at(-1)) seen.push(now);
    });
    const result = await self.send(LONG);
    expect(self.runs.map(({ name }) => name)).to.deep.equal(['search', 'write_note', 'mail']);
    expect(result.reason).to.equal('stop');
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'done', send: 'done' });
    expect(seen.at(0)).to.equal('todo todo todo');
    expect(seen.some((now) => now.startsWith('doing todo todo'))).to.equal(true);
    const [first] = self.view().views.filter(({ message }) => message.role === 'assistant');
    const parts = first?.parts.filter((part) => part.type !== 'text' || part.text.trim() !== '') ?? [];
    expect(parts.map(({ type }) => type)).to.deep.equal(['text', 'plan', 'call', 'call', 'call']);
    expect(first?.message.text).to.not.include('task_plan');
    await settlesWell(self);
  });

  for (const execution of ['parallel', 'by-resource', 'serial'] as const)
    it(`keeps the order of dependencies under execution="${execution}"`, async () => {
      const self = planned([plan(three) + call('mail') + call('write_note') + call('search'), 'ok'], { execution });
      await self.send(LONG);
      expect(self.runs.map(({ name }) => name)).to.deep.equal(['search', 'write_note', 'mail']);
      for (const [at, run] of self.runs.entries()) expect(run.startedAt).to.be.at.least(self.runs[at - 1]?.endedAt ?? 0);
    });

  it('skips what depends on a failed step: it is not run, and the model is told', async () => {
    const run = talk([plan(three) + call('search') + call('write_note') + call('mail'), call('mail'), 'Sorry.'], { planning: 'threshold' });
    run.tool('search');
    run.tool('write_note', { execute: () => Promise.reject(new Error('disk full')) });
    run.tool('mail');
    await run.send(LONG);
    expect(ticks(run)).to.deep.equal({ look: 'done', write: 'failed', send: 'skipped' });
    expect(run.runs.map(({ name }) => name)).to.deep.equal(['search', 'write_note']);
    expect(statuses(run.chat.toolHistory)).to.deep.equal(['success', 'error', 'cancelled', 'cancelled']);
    expect(run.bodies()[2]?.messages.at(-1)?.text).to.include('depends on “Step write”, which failed');
    await settlesWell(run);
  });

  it('asks nobody about a step that can no longer be done', async () => {
    const self = talk([plan(three) + call('search') + call('write_note') + call('mail'), 'Sorry.'], {
      planning: 'threshold',
      person: true,
    });
    const gate = deferred();
    self.tool('search');
    self.tool('write_note', { execute: () => gate.promise.then(() => Promise.reject(new Error('no'))) });
    self.tool('mail', { risk: 'danger' });
    const sent = self.send(LONG);
    await until(() => self.runs.length === 2, 'the second step');
    gate.resolve();
    await sent;
    expect(self.cards().find(({ toolName }) => toolName === 'mail')?.status).to.equal('cancelled');
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'failed', send: 'skipped' });
    await settlesWell(self);
  });

  it('takes a failed step up again when it is tried anew, and what depends on it with it', async () => {
    let tries = 0;
    const self = talk([plan(three) + call('search') + call('write_note'), call('write_note') + call('mail'), 'Done.'], {
      planning: 'threshold',
    });
    self.tool('search');
    self.tool('write_note', { execute: () => ((tries += 1) === 1 ? Promise.reject(new Error('once')) : 'written') });
    self.tool('mail');
    await self.send(LONG);
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'done', send: 'done' });
  });

  it('keeps what depends on a failed step waiting for as long as a person thinks about trying it anew', async () => {
    let tries = 0;
    const self = talk([plan(three) + call('search') + call('write_note'), call('other') + call('write_note') + call('mail'), 'Done.'], {
      planning: 'threshold',
      person: true,
      execution: 'parallel',
    });
    self.tool('search');
    self.tool('write_note', { risk: 'danger', execute: () => ((tries += 1) === 1 ? Promise.reject(new Error('once')) : 'written') });
    self.tool('mail');
    self.tool('other');
    const sent = self.send(LONG);
    self.decide('allow', (await self.asked())[0] as CardView);
    const now = () => Object.fromEntries(self.cards().map(({ toolName, status }) => [toolName, status]));
    await until(() => now()['other'] === 'success' && now()['mail'] !== 'pending', 'the other tool');
    expect(now()['mail']).to.equal('queued');
    self.decide('allow', (await self.asked())[0] as CardView);
    await sent;
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'done', send: 'done' });
    await settlesWell(self);
  });

  it('refuses a step before its time, in words', async () => {
    const self = planned([plan(three) + call('mail'), 'I see.']);
    await self.send(LONG);
    expect(self.runs).to.have.length(0);
    expect(self.chat.toolHistory[0]?.message).to.match(/comes after “Step write”/);
    expect(ticks(self)).to.deep.equal({ look: 'todo', write: 'todo', send: 'todo' });
  });

  it('tells steps of the same tool apart by their input', async () => {
    const steps: Step[] = [
      { id: 'a', tool: 'search', input: { title: 'cats' } },
      { id: 'b', tool: 'search', input: { title: 'dogs' } },
    ];
    const self = planned([plan(steps) + call('search', { title: 'dogs' }), 'ok']);
    await self.send(LONG);
    expect(ticks(self)).to.deep.equal({ a: 'todo', b: 'done' });
  });

  it('counts steps without a tool as done when a later one begins, and when the answer is there', async () => {
    const steps: Step[] = [
      { id: 'look', tool: 'search' },
      { id: 'think', dependsOn: ['look'] },
      { id: 'keep', tool: 'write_note', dependsOn: ['think'] },
      { id: 'tell', dependsOn: ['keep'] },
    ];
    const self = planned([plan(steps) + call('search'), call('write_note'), 'Here it is.']);
    await self.send(LONG);
    expect(ticks(self)).to.deep.equal({ look: 'done', think: 'done', keep: 'done', tell: 'done' });
  });

  it('goes on by itself after a reply that was nothing but a plan, once', async () => {
    const self = planned([plan(three), call('search'), 'Shall I go on?']);
    await self.send(LONG);
    expect(self.requests()).to.have.length(3);
    expect(self.bodies()[1]?.messages.at(-1)).to.deep.include({ role: 'user', text: 'Carry out the plan now, beginning with: Step look' });
    expect(self.chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
    const again = planned([plan(three), plan(three), 'no']);
    await again.send(LONG);
    expect(again.requests()).to.have.length(2);
  });

  it('does not go on where the model says something behind its plan', async () => {
    const self = planned([`${plan(three)}Shall I?`]);
    await self.send(LONG);
    expect(self.requests()).to.have.length(1);
  });

  for (const [what, steps] of [
    ['an unknown dependency', [{ id: '1', dependsOn: ['nine'] }]],
    [
      'a circle',
      [
        { id: '1', dependsOn: ['2'] },
        { id: '2', dependsOn: ['1'] },
      ],
    ],
    ['an id that is there twice', [{ id: '1' }, { id: '1' }]],
  ] as [string, Step[]][])
    it(`tells the model of ${what}, once, and shows a sentence instead of JSON`, async () => {
      const self = planned([plan(steps), plan(steps), 'never asked']);
      await self.send(LONG);
      expect(self.requests()).to.have.length(2);
      expect(self.bodies()[1]?.messages.at(-1)?.text).to.match(/^invalid_format: the task_plan could not be used/);
      expect(self.chat.session.plan).to.equal(null);
      expect(self.chat.messages.map(({ text }) => text).join()).not.to.match(/task_plan|[{}]/);
      expect(self.chat.messages.at(-1)?.text.trim()).to.equal('The assistant wrote a plan that could not be used.');
      expect(self.entries.some(({ code, errorType }) => code === 'plan.broken' && errorType === 'invalid_format')).to.equal(true);
    });

  it('tells it in the language of the prompt alone', async () => {
    const self = planned([plan([{ id: '1', dependsOn: ['9'] }]), 'ok'], { lang: 'zh-CN' });
    await self.send('比较两个方案，然后总结，再保存');
    const said = self.bodies()[1]?.messages.at(-1)?.text ?? '';
    expect(said).to.contain('步骤“1”依赖的“9”不存在');
    expect(said.replace(/invalid_format|task_plan/g, '')).not.to.match(/[A-Za-z]{2,}/);
  });

  it('resolves the tools of a plan as they are called, and drops those that there are not, with a note to the model', async () => {
    const steps = [
      { id: 'look', tool: 'Search' },
      { id: 'write', tool: 'writeNote', dependsOn: ['look'] },
      { id: 'fly', tool: 'book_flight', input: { to: 'x' }, dependsOn: ['look'] },
      { id: 'send', tool: 'mail', dependsOn: ['fly', 'write'] },
    ];
    const self = planned([plan(steps) + call('search'), call('write_note'), call('mail'), 'Done.']);
    await self.send(LONG);
    expect(self.runs.map(({ name }) => name)).to.deep.equal(['search', 'write_note', 'mail']);
    expect(self.chat.session.plan?.steps.map(({ tool }) => tool)).to.deep.equal(['search', 'write_note', undefined, 'mail']);
    expect(self.bodies()[1]?.system).to.contain('There is no tool named book_flight');
    expect(self.bodies()[0]?.system).not.to.contain('book_flight');
  });

  it('goes by the corrected plan', async () => {
    const self = planned([plan([{ id: '1', dependsOn: ['nine'] }]), plan(three) + call('search'), 'ok']);
    await self.send(LONG);
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'todo', send: 'todo' });
    expect(self.bodies()[2]?.messages.some(({ text }) => text.includes('invalid_format'))).to.equal(false);
  });

  it('keeps an unfinished plan over turns, and tells the model how far it is', async () => {
    const self = planned([plan(three) + call('search'), 'More tomorrow.', call('write_note') + call('mail'), 'Done.', 'Bye.']);
    await self.send(LONG);
    await self.send('Go on');
    const system = self.bodies()[2]?.system ?? '';
    expect(system).to.include('- [done] look: Step look (search)').and.to.include('- [todo] write: Step write (write_note) ← look');
    expect(self.bodies()[3]?.system).to.not.include('- [todo]');
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'done', send: 'done' });
    await self.send(SHORT);
    expect(self.bodies()[4]?.system).to.not.include('Step look');
    expect(self.chat.session.plan?.goal, 'a finished plan stays to be seen').to.equal('The goal');
  });

  it('lets a plan be changed: steps that were done stay done, and the model ticks only what needs no tool', async () => {
    const changed: Step[] = [
      { id: 'look', tool: 'search' },
      { id: 'think', status: 'done' },
      { id: 'send', tool: 'mail', status: 'done', dependsOn: ['look'] },
    ];
    const self = planned([plan(three) + call('search'), 'Wait.', plan(changed, 'Another goal') + 'Right?']);
    await self.send(LONG);
    await self.send('Change it');
    expect(ticks(self)).to.deep.equal({ look: 'done', think: 'done', send: 'todo' });
    expect(self.chat.session.plan?.goal).to.equal('Another goal');
  });

  it('believes no tick of a new plan', async () => {
    const self = planned([plan(three.map((step) => ({ ...step, status: 'done' }))) + 'Done already.']);
    await self.send(LONG);
    expect(ticks(self)).to.deep.equal({ look: 'todo', write: 'todo', send: 'todo' });
  });

  it('allows two rounds a step', async () => {
    const steps = Array.from({ length: 4 }, (_, at): Step => ({ id: String(at), tool: 'search', input: { title: String(at) } }));
    const rounds = Array.from({ length: 9 }, (_, at) => call('search', { title: String(at) }));
    const self = planned([plan(steps) + rounds[0], ...rounds.slice(1), 'end']);
    const result = await self.send(LONG);
    expect([self.runs.length, result.reason]).to.deep.equal([8, 'limit']);
    const few = planned([plan(steps.slice(0, 1)) + rounds[0], ...rounds.slice(1), 'end']);
    expect((await few.send(LONG)).reason).to.equal('limit');
    expect(few.runs.length).to.equal(5);
  });

  it('forgets the plan with its message', async () => {
    const self = planned([plan(three) + call('search'), 'ok', 'new answer']);
    await self.send(LONG);
    const [first] = self.chat.messages;
    await self.chat.editMessage(first?.id ?? '', SHORT);
    expect(self.chat.session.plan).to.equal(null);
    await self.chat.clear();
    expect(self.chat.session.plan).to.equal(null);
  });

  it('gives away copies only', async () => {
    const self = planned([`${plan(three)}So.`]);
    await self.send(LONG);
    (self.chat.session.plan?.steps as unknown[]).splice(0);
    expect(ticks(self)).to.have.property('look', 'todo');
  });

  it('leaves a stopped step to be done, though it may have happened: its result says so', async () => {
    const gate = deferred();
    const self = talk([plan(three) + call('search') + call('write_note')], { planning: 'threshold' });
    self.tool('search', { execute: () => gate.promise });
    self.tool('write_note');
    const sent = self.send(LONG);
    await until(() => self.runs.length === 1, 'the first step');
    expect(ticks(self)).to.have.property('look', 'doing');
    self.chat.cancelStream();
    await sent;
    gate.resolve();
    await tick();
    expect(ticks(self)).to.deep.equal({ look: 'todo', write: 'todo', send: 'todo' });
    expect(self.chat.toolHistory[0]?.message).to.match(/may have/i);
  });

  it('works with the other notations, and under on-block', async () => {
    const jsonCall = (name: string) => `\`\`\`json\n${JSON.stringify({ action: 'tool_call', name, arguments: {} })}\n\`\`\`\n`;
    const self = planned([plan(three) + jsonCall('search'), 'ok'], { protocol: 'json-action' });
    await self.send(LONG);
    expect(ticks(self)).to.deep.equal({ look: 'done', write: 'todo', send: 'todo' });
    const early = planned([plan(three) + call('search') + call('write_note') + 'and so on', 'ok'], { dispatch: 'on-block' });
    await early.send(LONG);
    expect(ticks(early)).to.deep.equal({ look: 'done', write: 'done', send: 'todo' });
    await settlesWell(early);
  });

  it('is not read where it was not taught', async () => {
    const self = planned([`${plan(three)}So.`]);
    await self.send(SHORT);
    expect(self.chat.session.plan).to.equal(null);
    expect(self.chat.messages.at(-1)?.text).to.include('task_plan');
  });

  it('is quick and bounded with the densest plan there can be', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => String(at));
    const steps = ids.map((id, at): Step => ({ id, dependsOn: ids.slice(0, at), ...(at === 19 && { tool: 'search' }) }));
    const self = planned([plan(steps) + call('search'), 'ok']);
    await self.send(LONG);
    expect((self.chat.session.plan as TaskPlan).steps.every(({ status }) => status === 'done')).to.equal(true);
  });
});
