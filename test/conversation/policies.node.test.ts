/** Policies and presets: how calls are run, and the seeds' readings of how a turn goes, each on its own terms (X-18). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { jsonAction } from '../../src/protocols/json-action.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { vcp } from '../../src/protocols/vcp.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { asking, play, ran, stage, system, told, type PlayOptions } from './play.js';
import { call, deferred, statuses, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';

const three = call('one') + call('two') + call('three');

/** Three calls in one reply, whose tools end when the test says so. */
function trio(options: TalkOptions, tools: Record<string, Partial<ToolDefinition>>, turns = [three, 'Done.']) {
  const gates = { one: deferred(), two: deferred(), three: deferred() };
  const ends = Object.fromEntries(Object.entries(gates).map(([name, { promise }]) => [name, { execute: () => promise, ...tools[name] }]));
  const one = stage(turns, ends, options);
  const card = (name: string) => one.cards().find(({ toolName }) => toolName === name);
  const run = (name: string) => one.runs.find((each) => each.name === name)!;
  const open = () => Object.values(gates).forEach(({ resolve }) => resolve());
  const started = (count: number) => until(() => one.runs.length === count, `${String(count)} running tools`);
  return { one, gates, card, run, open, started, turn: one.send() };
}

describe('execution', () => {
  useFaultServer({ settles: true });

  it('`parallel` runs them at the same time', async () => {
    const { open, started, turn } = trio({ execution: 'parallel' }, {});
    await started(3);
    open();
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'success']);
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    it(`calls that share a resource never overlap under \`${execution}\`, even where a tool goes on after its time`, async () => {
      const begun = deferred();
      const { one, card, run, open, turn } = trio(
        { execution, toolTimeout: 20 },
        {
          // Under `parallel` the call that is checked first would begin.
          two: { resource: 'file', describeCall: () => begun.promise.then(() => 'Do two'), execute: () => 'done' },
          one: { resource: ['file', 'db'] },
          three: { resource: 'other', execute: () => 'done' },
        },
      );
      await until(() => ran(one).includes('one'), 'the first call');
      begun.resolve();
      await until(() => card('two')?.progress?.message !== undefined, 'the waiting call');
      expect(card('one')).to.include({ status: 'error' });
      expect(card('one')?.advice).to.include('still running').and.include('60 s');
      expect(card('two')).to.include({ status: 'queued' });
      expect(card('two')?.progress?.message).to.equal('Waiting for “one” to stop');
      expect(ran(one)).to.not.include('two');
      open();
      await turn;
      expect(run('two').startedAt).to.be.at.least(run('one').endedAt);
    });

  it('a tool that a stopped turn left at work keeps its resource into the next turn', async () => {
    const gate = deferred();
    const tools = { one: { resource: 'file', execute: () => gate.promise }, two: { resource: 'file' } };
    const one = stage([call('one'), call('two'), 'Done.'], tools);
    void one.send();
    await until(() => one.runs.length === 1, 'the first call');
    one.chat.cancelStream();
    const turn = one.send('again');
    await until(() => one.cards().some(({ progress }) => progress?.message !== undefined), 'the waiting call');
    expect(one.runs).to.have.length(1);
    gate.resolve();
    expect([statuses((await turn).results), ran(one)]).to.deep.equal([['success'], ['one', 'two']]);
  });
});

const erase = 'danger';
const onBlock = { dispatch: 'on-block' } as const;
const firstReply = ({ chat }: Talk) => chat.messages.find(({ role }) => role === 'assistant')?.text.trim();

describe('after-call', () => {
  useFaultServer({ settles: true });

  for (const q of ['tok=7', 'tok=4000'])
    it(`\`stop-stream\` closes the reply behind a call: what the model guessed is neither read nor told (${q})`, async () => {
      const text = `Looking.\n${call('look')}I found 7 things.${call('act')}`;
      const one = await play([{ text, q }, 'There are 3.'], 'look act', { afterCall: 'stop-stream' });
      expect(one).to.include({ reason: 'stop', text: 'There are 3.' });
      expect(ran(one)).to.deep.equal(['look']);
      expect(JSON.stringify(one.bodies()[1])).to.include('Looking.').and.include('<invoke name=\\"look\\">').and.not.include('7 things');
      expect(firstReply(one)).to.equal('Looking.');
    });

  it('is `stop-stream` by itself where one call a turn is asked for', async () => {
    expect(ran(await play([call('look') + call('act'), 'Done.'], 'look act', { callsPerTurn: 'one' }))).to.deep.equal(['look']);
  });
});

describe('dispatch="on-block"', () => {
  useFaultServer({ settles: true });

  it('runs a call while the reply goes on, and shows what follows only when it is settled', async () => {
    const gate = deferred();
    const one = stage([`Before.\n${call('look')}After.`, 'Done.'], { look: { execute: () => gate.promise } }, { dispatch: 'on-block' });
    const turn = one.send();
    await until(() => one.runs.length === 1, 'the running tool');
    expect([one.chat.state, one.chat.matchesState('executing')]).to.deep.equal(['tool_call', true]);
    expect(one.chat.streamingText).to.include('Before.').and.not.include('After.');
    gate.resolve();
    await turn;
    expect(firstReply(one)).to.include('After.');
  });

  it('ends the turn when a user types while a card waits, and sends what was typed', async () => {
    const turns = [{ text: `${call('erase')}After it, more and more.`, q: 'hang=10&gap=1' }];
    const { one, turn } = await asking(turns, { erase }, onBlock);
    expect(one.chat.matchesState('streaming'), 'the reply is still being read').to.equal(true);
    internalsOf(one.chat).surface.send('Leave it. Thank you');
    expect(await turn).to.include({ reason: 'cancelled' });
    await until(() => one.bodies().length === 2, 'the request with it');
    expect(told(one)).to.include('Leave it. Thank you');
    expect([one.cards()[0]?.status, one.runs]).to.deep.equal(['cancelled', []]);
    one.chat.cancelStream();
    await one.rest();
  });
});

describe('presets', () => {
  useFaultServer({ settles: true });
  it('`cutie-xml` asks for one call, takes several, and runs them without asking while the reply streams', async () => {
    const text = call('erase') + call('look', { title: '2024' }) + 'Said meanwhile.';
    const tools = { erase, look: { parameters: { type: 'object', properties: { title: {} } } } } as const;
    const one = await play([text, 'Done.'], tools, { preset: 'cutie-xml', lang: 'zh-CN' });
    expect([ran(one), one.runs[1]?.args]).to.deep.equal([['erase', 'look'], { title: 2024 }]);
    expect(system(one)).to.include('1. 每次只调用一个工具');
  });

  it('`json-block` takes one typed call in a fence, and asks before danger', async () => {
    const turns = [`${jsonAction.writeCall!('count', { n: 3 })}\nIt is 7.`, jsonAction.writeCall!('erase', {}), 'Done.'];
    const count = { parameters: { type: 'object', properties: { n: { type: 'integer' } } } } as const;
    const one = await play(turns, { count, erase }, { preset: 'json-block', answers: ['deny'] });
    expect([one.runs.map(({ args }) => args), one.text]).to.deep.equal([[{ n: 3 }], 'Done.']);
    expect(system(one)).to.include('## Tool Call Protocol');
  });

  it('`aio-vcp` is off until it is enabled, and then runs all calls of a finished reply without asking', async () => {
    const text = vcp.writeCall!('erase', { title: '1' }) + vcp.writeCall!('look', {});
    const off = await play([text], { erase }, { preset: 'aio-vcp' });
    expect([off.runs.length, off.requests().length]).to.deep.equal([0, 1]);
    expect(system(off)).not.to.include('TOOL_DEFINITION');
    const on = await play([text, 'Done.'], { erase, look: {} }, { preset: 'aio-vcp', toolCallConfig: { enabled: true } });
    expect([ran(on), on.runs[0]?.args]).to.deep.equal([['erase', 'look'], { title: '1' }]);
    expect(on.bodies()[1]?.messages.at(-1)).to.include({ role: 'tool' });
    expect(system(on)).to.include('<<<[TOOL_DEFINITION]>>>');
  });

  it('have their own words in the prompt; a host can take ours, and `cutie-xml` shows a wrong example (Y-25)', async () => {
    const prompt = async (options: PlayOptions) => system(await play(['Hi.'], 'look', options));
    expect(await prompt({ preset: 'cutie-xml' })).to.match(/2\. All parameters are strings[^]*Wrong \(is not executed/);
    expect(await prompt({ preset: 'cutie-xml', promptOptions: { mergeResults: false } })).to.match(/Wrong \(is not executed/);
    expect(await prompt({ preset: 'cutie-xml', promptOptions: { counterExamples: false } }))
      .to.match(/All parameters/)
      .and.not.to.match(/Wrong/);
    expect(await prompt({ preset: 'cutie-xml', promptOptions: { wording: 'plain' } })).not.to.match(/All parameters/);
    expect(await prompt({ preset: 'balanced' })).not.to.match(/All parameters|Wrong/);
  });

  it('`semi-auto` lets the relay write the prompt and a user run the calls', async () => {
    const turns = [jsonToolCalls.writeCall!('look', { title: 'x' }), 'Done.'];
    const one = await play(turns, { look: { risk: 'query' } }, { preset: 'semi-auto', answers: ['allow'], canaries: false });
    const [first, second] = one.bodies();
    expect(first).to.deep.include({ system: '' });
    expect((first as unknown as { config: object }).config).to.include({ toolParadigm: 'json-tool-calls' });
    expect(JSON.parse(second!.messages.at(-1)!.text.split('\n')[0]!)).to.have.nested.property('tool_call_result.toolCallId');
  });

  it('tell a relay that writes the prompt what the page knows: the chosen tool, the words, the sections with their macros', async () => {
    const one = stage(
      ['Hi.'],
      { look: 'query' },
      {
        ...{ promptInjection: 'relay', callsPerTurn: 'confirm-chain', confirmKeywords: ['go on'] },
        promptOptions: { sections: { behaviour: 'Mind the {{shop}}.', tools: 'Mine: {{tools}}' }, exampleTurns: false },
      },
    );
    one.chat.registerMacro('shop', () => 'corner shop');
    await one.chat.sendMessage('hello', { tool: 'look' });
    expect((one.bodies()[0] as unknown as { config: object }).config).to.deep.include({
      ...{ lockedTool: 'look', confirmKeywords: ['go on'], exampleTurns: false },
      sections: { behaviour: 'Mind the corner shop.', tools: 'Mine: {{tools}}' },
    });
  });

  it('`orchestrated` stops behind each call and has a chain confirmed', async () => {
    const one = await play([call('look'), call('act'), 'Done.'], 'look act', { preset: 'orchestrated', answers: ['allow'] });
    expect([one.text, ...one.cards().map(({ call: made }) => made?.decidedBy)]).to.deep.equal(['Done.', 'policy', 'person']);
  });

  it('yield to a setting of the host’s own, and to `balanced` where nobody knows the name', async () => {
    const one = await play([call('erase'), 'Done.'], { erase: 'query' }, { preset: 'cutie-xml', approval: 'always' });
    const two = await play([call('look'), 'Done.'], 'look', { preset: 'of-nobody' });
    expect(statuses([...one.results, ...two.results])).to.deep.equal(['denied', 'success']);
    expect(two.entries.map(({ code }) => code)).to.include('config.preset');
  });
});
