/** Policies and presets: the seeds' readings of how a turn goes, each on its own terms (X-18). */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { jsonAction } from '../../src/protocols/json-action.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { vcp } from '../../src/protocols/vcp.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { call, deferred, settlesWell, statuses, talk, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';

const three = call('one') + call('two') + call('three');
const overlapping = ({ runs }: Talk) => runs.filter((run, at) => at > 0 && run.startedAt < (runs[at - 1]?.endedAt ?? 0)).length;
/** A tool that takes its time: what overlaps would show. */
const slowly = () => new Promise((resolve) => setTimeout(resolve, 20));
/** A tool that heeds its signal. */
const untilStopped = (_args: unknown, { signal }: ToolContext) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('stopped'));
    });
  });

describe('execution', () => {
  useFaultServer();

  it('`serial` runs the calls of a reply one after the other', async () => {
    const one = talk([three, 'Done.']);
    for (const name of ['one', 'two', 'three']) one.tool(name, { execute: slowly });
    await one.send();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['one', 'two', 'three']);
    expect(overlapping(one)).to.equal(0);
  });

  it('`parallel` runs them at the same time', async () => {
    const all = deferred();
    const one = talk([three, 'Done.'], { execution: 'parallel' });
    for (const name of ['one', 'two', 'three']) one.tool(name, { execute: () => all.promise });
    const turn = one.send();
    await until(() => one.runs.length === 3, 'three running tools');
    all.resolve();
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'success']);
    await settlesWell(one);
  });

  it('`by-resource` lets only calls that share a resource wait for each other', async () => {
    const gates = new Map(['one', 'two', 'three'].map((name) => [name, deferred()]));
    const one = talk([three, 'Done.'], { execution: 'by-resource' });
    one.tool('one', { resource: 'search', execute: () => gates.get('one')!.promise });
    one.tool('two', { resource: 'search', execute: () => gates.get('two')!.promise });
    one.tool('three', { resource: ['web'], execute: () => gates.get('three')!.promise });
    const turn = one.send();
    await until(() => one.runs.length === 2, 'two running tools');
    // Which of them is checked first is nobody's to say.
    expect(one.runs.map(({ name }) => name)).to.have.members(['one', 'three']);
    expect(one.cards().find(({ toolName }) => toolName === 'two')).to.include({ status: 'queued', queuePosition: 1 });
    gates.get('one')!.resolve();
    await until(() => one.runs.length === 3, 'the third');
    for (const gate of gates.values()) gate.resolve();
    await turn;
    await settlesWell(one);
  });

  it('`by-resource` keeps the order of the text while an earlier call is still being checked', async () => {
    const [checking, working] = [deferred(), deferred()];
    const one = talk([three, 'Done.'], { execution: 'by-resource' });
    one.tool('one', { resource: 'search', describeCall: () => checking.promise.then(() => 'Searches'), execute: () => working.promise });
    one.tool('two', { resource: 'search' });
    one.tool('three', { resource: 'web' });
    const turn = one.send();
    const isQueued = (name: string) => one.cards().some(({ toolName, status }) => toolName === name && status === 'queued');
    await until(() => isQueued('two') && isQueued('three'), 'the later calls, checked');
    // What the first will need is not known yet.
    expect(one.runs).to.deep.equal([]);
    checking.resolve();
    await until(() => one.runs.length === 2, 'the first and the one that shares nothing');
    expect(one.runs.map(({ name }) => name)).to.have.members(['one', 'three']);
    expect(isQueued('two')).to.equal(true);
    working.resolve();
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success', 'success']);
    expect(one.runs.at(-1)?.name).to.equal('two');
    await settlesWell(one);
  });

  it('`by-resource` lets go of a resource when its tool takes too long and stops', async () => {
    const one = talk([call('one') + call('two'), 'Done.'], { execution: 'by-resource', toolTimeout: 20 });
    one.tool('one', { resource: 'write', execute: untilStopped });
    one.tool('two', { resource: 'write' });
    expect(statuses((await one.send()).results)).to.have.members(['error', 'success']);
    expect(one.cards().map(({ advice = '' }) => advice.includes('still at work'))).to.deep.equal([false, false]);
  });

  for (const execution of ['serial', 'parallel', 'by-resource'] as const)
    it(`calls that share a resource never overlap under \`${execution}\`, even where a tool goes on after its time`, async () => {
      const [gate, begun] = [deferred(), deferred()];
      const one = talk([call('one') + call('two') + call('three'), 'Done.'], { execution, toolTimeout: 20 });
      one.tool('one', {
        resource: ['file', 'db'],
        execute() {
          begun.resolve();
          return gate.promise;
        },
      });
      // Under `parallel` whichever is checked first would begin.
      one.tool('two', { resource: 'file', describeCall: () => begun.promise.then(() => 'Do two') });
      one.tool('three', { resource: 'other' });
      const turn = one.send();
      const card = (name: string) => one.cards().find(({ toolName }) => toolName === name);
      await until(() => card('two')?.progress?.message !== undefined, 'the waiting call');
      expect(card('one')).to.include({ status: 'error' });
      expect(card('one')?.advice).to.include('still at work').and.include('60 s');
      expect(card('two')).to.include({ status: 'queued' });
      expect(card('two')?.progress?.message).to.equal('Waits for “one”, which was told to stop and is still at work');
      expect(one.runs.map(({ name }) => name)).to.not.include('two');
      gate.resolve();
      await turn;
      const [first, second] = ['one', 'two'].map((name) => one.runs.find((run) => run.name === name)!);
      expect(second!.startedAt).to.be.at.least(first!.endedAt);
      await settlesWell(one);
    });

  it('two calls that share a resource do not overlap under `parallel`, and two that share none do', async () => {
    const gates = new Map(['one', 'two', 'three'].map((name) => [name, deferred()]));
    const one = talk([three, 'Done.'], { execution: 'parallel' });
    one.tool('one', { resource: 'file', execute: () => gates.get('one')!.promise });
    one.tool('two', { resource: ['file'], execute: () => gates.get('two')!.promise });
    one.tool('three', { resource: 'web', execute: () => gates.get('three')!.promise });
    const turn = one.send();
    await until(() => one.runs.length === 2, 'two running tools');
    // Whichever of the two is checked first begins.
    const [first] = one.runs.filter(({ name }) => name !== 'three');
    expect(one.runs.map(({ name }) => name)).to.include('three');
    for (const gate of gates.values()) gate.resolve();
    await turn;
    expect(one.runs[2]!.startedAt).to.be.at.least(first!.endedAt);
  });

  it('a tool that a stopped turn left at work keeps its resource into the next turn', async () => {
    const gate = deferred();
    const one = talk([call('one'), call('two'), 'Done.']);
    one.tool('one', { resource: 'file', execute: () => gate.promise });
    one.tool('two', { resource: 'file' });
    void one.send();
    await until(() => one.runs.length === 1, 'the first call');
    one.chat.cancelStream();
    const turn = one.send('again');
    await until(() => one.cards().some(({ progress }) => progress?.message !== undefined), 'the waiting call');
    expect(one.runs).to.have.length(1);
    gate.resolve();
    expect(statuses((await turn).results)).to.deep.equal(['success']);
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['one', 'two']);
  });
});

describe('after-call', () => {
  useFaultServer();

  it('`stop-stream` closes the reply behind a call: what the model guessed is neither read nor told', async () => {
    const one = talk([`Looking.\n${call('look')}I found 7 things.${call('act')}`, 'There are 3.'], { afterCall: 'stop-stream' });
    one.tool('look');
    one.tool('act');
    expect(await one.send()).to.include({ reason: 'stop', text: 'There are 3.' });
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
    expect(JSON.stringify(one.bodies()[1])).to.include('Looking.').and.include('<invoke name=\\"look\\">').and.not.include('7 things');
    expect(one.chat.messages.find(({ role }) => role === 'assistant')?.text.trim()).to.equal('Looking.');
    await settlesWell(one);
  });

  it('`stop-stream` drops what stands behind a call in the same piece of the stream', async () => {
    const one = talk([{ text: `Looking.\n${call('look')}I found 7 things.`, q: 'tok=4000' }, 'There are 3.'], { afterCall: 'stop-stream' });
    one.tool('look');
    await one.send();
    expect(one.chat.messages.find(({ role }) => role === 'assistant')?.text.trim()).to.equal('Looking.');
    expect(JSON.stringify(one.bodies()[1])).to.not.include('7 things');
    await settlesWell(one);
  });

  it('is `stop-stream` by itself where one call a turn is asked for', async () => {
    const one = talk([call('look') + call('act'), 'Done.'], { callsPerTurn: 'one' });
    one.tool('look');
    one.tool('act');
    await one.send();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
  });
});

describe('dispatch', () => {
  useFaultServer();

  it('`on-block` runs a call while the reply goes on, and shows what follows only when it is settled', async () => {
    const gate = deferred();
    const one = talk([`Before.\n${call('look')}After.`, 'Done.'], { dispatch: 'on-block' });
    one.tool('look', { execute: () => gate.promise });
    const turn = one.send();
    await until(() => one.runs.length === 1, 'the running tool');
    expect(one.chat.state).to.equal('tool_call');
    expect(one.chat.matchesState('executing')).to.equal(true);
    expect(one.chat.streamingText).to.include('Before.').and.not.include('After.');
    gate.resolve();
    await turn;
    expect(one.chat.messages.find(({ role }) => role === 'assistant')?.text).to.include('After.');
    await settlesWell(one);
  });

  it('`on-block` runs several calls in their order, and a person can be asked meanwhile', async () => {
    const one = talk([`${call('look')}Then.${call('erase')}End.`, 'Done.'], { dispatch: 'on-block', person: true });
    one.tool('look');
    one.tool('erase', { risk: 'danger' });
    const turn = one.send();
    const [card] = await one.asked();
    expect(one.chat.matchesState('awaitingApproval')).to.equal(true);
    expect(one.chat.streamingText).to.include('Then.').and.not.include('End.');
    one.decide('allow', card!);
    await turn;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look', 'erase']);
    expect(one.chat.messages.find(({ role }) => role === 'assistant')?.text).to.include('End.');
    await settlesWell(one);
  });

  it('`on-block` loses nothing of the text when the turn is stopped at a card', async () => {
    const one = talk([`${call('erase')}After.`], { dispatch: 'on-block', person: true, logLevel: 'debug' });
    one.tool('erase', { risk: 'danger' });
    const turn = one.send();
    await one.asked();
    // Whatever of the text has arrived by now: not shown yet, and not lost either.
    await until(() => one.read().includes('After.'), 'the rest of the stream');
    expect(one.chat.streamingText).not.to.include('After.');
    one.chat.cancelStream();
    expect(await turn).to.include({ reason: 'cancelled' });
    expect(one.chat.messages.find(({ role }) => role === 'assistant')?.text).to.include('After.');
    expect(one.runs).to.deep.equal([]);
    await settlesWell(one);
  });

  it('`on-block` ends the turn when a person types while a card waits, and sends what was typed', async () => {
    const one = talk([{ text: `${call('erase')}After it, more and more.`, q: 'hang=10&gap=1' }], { dispatch: 'on-block', person: true });
    one.tool('erase', { risk: 'danger' });
    const turn = one.send();
    await one.asked();
    expect(one.chat.matchesState('streaming'), 'the reply is still being read').to.equal(true);
    internalsOf(one.chat).surface.send('Leave it. Thank you');
    expect(await turn).to.include({ reason: 'cancelled' });
    await until(() => one.bodies().length === 2, 'the request with it');
    expect(JSON.stringify(one.bodies()[1])).to.include('Leave it. Thank you');
    expect(one.cards()[0]?.status).to.equal('cancelled');
    expect(one.runs).to.deep.equal([]);
    one.chat.cancelStream();
    await until(() => !one.chat.isLoading, 'rest');
  });
});

describe('calls-per-turn="confirm-chain"', () => {
  useFaultServer();

  it('runs the first call by policy and asks before each further one, even under `approval="auto"`', async () => {
    const one = talk([call('look') + call('act'), call('look', { title: 'again' }), 'Done.'], {
      ...{ callsPerTurn: 'confirm-chain', approval: 'auto', person: true },
    });
    one.tool('look');
    one.tool('act');
    const turn = one.send();
    const [second] = await one.asked();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
    expect(second?.toolName).to.equal('act');
    one.decide('allow', second!);
    await until(() => one.runs.length === 2, 'the second call');
    const [third] = await one.asked();
    one.decide('deny', third!);
    await turn;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look', 'act']);
    await settlesWell(one);
  });
});

describe('approval="user-run"', () => {
  useFaultServer();

  it('runs nothing but by a click, and sends all results together', async () => {
    const one = talk([call('look') + call('act'), 'Done.'], { approval: 'user-run', person: true });
    one.tool('look', { risk: 'query' });
    one.tool('act');
    const turn = one.send();
    const [first, second] = await one.asked(2);
    one.decide('allow', second!);
    await until(() => one.runs.length === 1, 'the click');
    expect(one.requests()).to.have.length(1);
    one.decide('allow', first!);
    await turn;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['act', 'look']);
    expect(one.requests()).to.have.length(2);
    await settlesWell(one);
  });
});

describe('presets', () => {
  useFaultServer();
  const erase = { risk: 'danger' } as const;

  it('`cutie-xml` asks for one call, takes several, and runs them without asking while the reply streams', async () => {
    const one = talk([call('erase') + call('look', { title: '2024' }) + 'Said meanwhile.', 'Done.'], {
      preset: 'cutie-xml',
      lang: 'zh-CN',
    });
    one.tool('erase', erase);
    one.tool('look', { parameters: { type: 'object', properties: { title: {} } } });
    await one.send();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['erase', 'look']);
    expect(one.runs[1]?.args).to.deep.equal({ title: 2024 });
    expect(one.bodies()[0]?.system).to.include('1. 每次只调用一个工具');
  });

  it('`json-block` takes one typed call in a fence, and asks before danger', async () => {
    const typed = jsonAction.writeCall!('count', { n: 3 });
    const one = talk([`${typed}\nIt is 7.`, jsonAction.writeCall!('erase', {}), 'Done.'], { preset: 'json-block', person: true });
    one.tool('count', { parameters: { type: 'object', properties: { n: { type: 'integer' } } } });
    one.tool('erase', { ...erase, parameters: { type: 'object' } });
    const turn = one.send();
    const [card] = await one.asked();
    expect(one.runs.map(({ args }) => args)).to.deep.equal([{ n: 3 }]);
    one.decide('deny', card!);
    expect(await turn).to.include({ text: 'Done.' });
    expect(one.bodies()[0]?.system).to.include('## Tool Call Protocol');
  });

  it('`cutie-xml` teaches by a wrong example, too, and still does where the page sets something else of the prompt (Y-25)', async () => {
    const system = async (options: TalkOptions) => {
      const one = talk(['Hi.'], options);
      one.tool('look');
      await one.send();
      return one.bodies()[0]?.system ?? '';
    };
    const [plain, wrong, also, off] = await Promise.all([
      system({ preset: 'cutie-xml', promptOptions: { counterExamples: false } }),
      system({ preset: 'cutie-xml' }),
      system({ preset: 'cutie-xml', promptOptions: { mergeResults: false } }),
      system({}),
    ]);
    expect(wrong).to.include('Wrong').and.equal(also);
    expect(plain).to.not.include('Wrong');
    expect(off).to.not.include('Wrong');
  });

  it('`aio-vcp` is off until it is enabled, and then runs all calls of a finished reply without asking', async () => {
    const text = vcp.writeCall!('erase', { title: '1' }) + vcp.writeCall!('look', {});
    const off = talk([text], { preset: 'aio-vcp' });
    off.tool('erase', erase);
    await off.send();
    expect([off.runs.length, off.requests().length]).to.deep.equal([0, 1]);
    expect(off.bodies()[0]?.system).not.to.include('TOOL_DEFINITION');

    const on = talk([text, 'Done.'], { preset: 'aio-vcp', toolCallConfig: { enabled: true } });
    on.tool('erase', erase);
    on.tool('look');
    await on.send();
    expect(on.runs.map(({ name, args }) => [name, args])).to.deep.equal([
      ['erase', { title: '1' }],
      ['look', {}],
    ]);
    expect(on.bodies()[1]?.messages.at(-1)).to.include({ role: 'tool' });
    await settlesWell(on);
  });

  it('that are a seed’s have its words in the prompt; a host can take ours, and `cutie-xml` shows what is wrong (Y-25)', async () => {
    const system = async (options: object) => {
      const one = talk(['Hi.'], options);
      one.tool('look', { risk: 'query' });
      await one.send();
      return one.bodies()[0]!.system;
    };
    expect(await system({ preset: 'cutie-xml' })).to.match(/2\. All parameters are strings[^]*Wrong \(is not executed/);
    expect(await system({ preset: 'cutie-xml', promptOptions: { counterExamples: false } }))
      .to.match(/All parameters/)
      .and.not.to.match(/Wrong/);
    expect(await system({ preset: 'cutie-xml', promptOptions: { wording: 'plain' } })).not.to.match(/All parameters/);
    expect(await system({ preset: 'balanced' })).not.to.match(/All parameters|Wrong/);
    expect(await system({ preset: 'aio-vcp', toolCallConfig: { enabled: true } })).to.include('<<<[TOOL_DEFINITION]>>>');
  });

  it('`semi-auto` lets the relay write the prompt and a person run the calls', async () => {
    const one = talk([jsonToolCalls.writeCall!('look', { title: 'x' }), 'Done.'], { preset: 'semi-auto', person: true });
    one.tool('look', { risk: 'query' });
    const turn = one.send();
    const [card] = await one.asked();
    expect(one.runs).to.deep.equal([]);
    one.decide('allow', card!);
    await turn;
    const [first, second] = one.bodies();
    expect(first).to.deep.include({ system: '' });
    expect((first as unknown as { config: object }).config).to.include({ toolParadigm: 'json-tool-calls' });
    expect(JSON.parse(second!.messages.at(-1)!.text.split('\n')[0]!)).to.have.nested.property('tool_call_result.toolCallId');
  });

  it('tell a relay that writes the prompt what the page knows: the chosen tool, the words, the sections with their macros', async () => {
    const one = talk(['Hi.'], {
      ...{ promptInjection: 'relay', callsPerTurn: 'confirm-chain', confirmKeywords: ['go on'] },
      promptOptions: { sections: { behaviour: 'Mind the {{shop}}.', tools: 'Mine: {{tools}}' }, exampleTurns: false },
    });
    one.chat.registerMacro('shop', () => 'corner shop');
    one.tool('look', { risk: 'query' });
    await one.chat.sendMessage('hello', { tool: 'look' });
    const { config } = one.bodies()[0] as unknown as { config: Record<string, unknown> };
    expect(config).to.deep.include({
      lockedTool: 'look',
      confirmKeywords: ['go on'],
      sections: { behaviour: 'Mind the corner shop.', tools: 'Mine: {{tools}}' },
      exampleTurns: false,
    });
  });

  it('`orchestrated` stops behind each call and has a chain confirmed', async () => {
    const one = talk([call('look'), call('act'), 'Done.'], { preset: 'orchestrated', person: true });
    one.tool('look');
    one.tool('act');
    const turn = one.send();
    const [card] = await one.asked();
    expect([card?.toolName, ...one.runs.map(({ name }) => name)]).to.deep.equal(['act', 'look']);
    one.decide('allow', card!);
    expect(await turn).to.include({ text: 'Done.' });
  });

  it('is under a setting of the host’s own, and `balanced` where nobody knows it', async () => {
    const one = talk([call('erase'), 'Done.'], { preset: 'cutie-xml', approval: 'always' });
    one.tool('erase', { risk: 'query' });
    expect(statuses((await one.send()).results)).to.deep.equal(['denied']);
    const two = talk([call('look'), 'Done.'], { preset: 'of-nobody' });
    two.tool('look');
    expect(statuses((await two.send()).results)).to.deep.equal(['success']);
    expect(two.entries.map(({ code }) => code)).to.include('config.preset');
  });

  it('takes seed 002’s configuration over itself: toggles, manual mode, confirmation, parallel execution', async () => {
    const one = talk([call('look') + call('act'), 'Done.'], {
      toolCallConfig: { toolToggles: { act: false }, requireConfirmation: false },
    });
    one.tool('look');
    one.tool('act');
    const { results } = await one.send();
    expect(results.map(({ status, code }) => code ?? status)).to.have.members(['success', 'TOOL_NOT_FOUND']);
    expect(one.bodies()[0]?.system).to.include('### look').and.not.include('### act');

    const two = talk([call('look')], { toolCallConfig: { mode: 'manual', requireConfirmation: false }, person: true });
    two.tool('look', { risk: 'query' });
    const turn = two.send();
    await two.asked();
    expect(two.runs).to.deep.equal([]);
    two.chat.cancelStream();
    await turn;
  });
});
