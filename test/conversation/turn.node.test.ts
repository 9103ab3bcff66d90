/** The turn as it goes when the network works: phases, events, calls, results. Over real HTTP. */
import { expect } from 'chai';
import type { HostEvent } from '../../src/conversation/chart/hooks.js';
import { asking, outcome, play, ran, stage, type PlayOptions } from './play.js';
import { call, statuses, until, useFaultServer, type Talk } from './talk.js';

const phases = ({ events }: Talk) => events.flatMap((event) => (event.type === 'state-change' ? [event.state] : []));
const of = <Type extends HostEvent['type']>({ events }: Talk, type: Type) =>
  events.filter((event): event is Extract<HostEvent, { type: Type }> => event.type === type);
const open = (name: string, title: string) => call(name, { title }).split('</parameter>')[0] ?? '';

describe('a turn', () => {
  useFaultServer({ settles: true });

  it('goes through the six phases when a tool is called, and shows each by every way to look', async () => {
    const [heard, seen]: [string[], string[]] = [[], []];
    const one = stage([`On it. ${call('create_task', { title: 'report' })}`, 'Done.'], 'create_task', {
      onEach(event, { chat }) {
        if (event.type === 'state-change') heard.push([event.state, chat.state, chat.session.state, chat.matchesState(event.state)].join());
      },
    });
    one.chat.subscribe(({ state }) => {
      if (seen.at(-1) !== state) seen.push(state);
    });
    expect(one.chat.state).to.equal('idle');
    const result = await one.send();
    const six = ['plan', 'tool_call', 'tool_result', 'decide', 'respond', 'idle'];
    expect([phases(one), heard]).to.deep.equal([six, six.map((phase) => [phase, phase, phase, true].join())]);
    await until(() => seen.at(-1) === 'idle', 'the end');
    expect(seen).to.deep.equal(six);
    expect(result).to.include({ success: true, reason: 'stop', text: 'Done.' });
    expect(statuses(result.results)).to.deep.equal(['success']);
    const messages = one.chat.messages.map(({ role, text, status }) => `${role} ${status.type}: ${text.trim()}`);
    const texts = ['user complete: hello', 'assistant complete: On it.', 'tool complete: create_task done', 'assistant complete: Done.'];
    expect(messages).to.deep.equal(texts);
  });

  it('goes from plan to respond to idle without a tool', async () => {
    expect(phases(await play(['Hello.']))).to.deep.equal(['plan', 'respond', 'idle']);
  });

  it('tells the six instructions in order, stream-end last and once, and a cycle for each reply (S2-28)', async () => {
    const one = await play([`On it. ${call('create_task', { title: 'x' })}`, 'Done.'], 'create_task', { message: 'go' });
    const seed = ['stream-start', 'stream-chunk', 'tool-detected', 'tool-execute', 'tool-complete', 'stream-end'];
    const first = seed.map((type) => one.events.findIndex((event) => event.type === type));
    expect(first).to.deep.equal([...first].sort((a, b) => a - b));
    expect(first).to.not.include(-1);
    expect(one.events.at(-1)).to.deep.equal({ type: 'stream-end', success: true, reason: 'stop' });
    for (const type of ['stream-start', 'stream-end', 'tool-execute', 'tool-complete'] as const)
      expect(of(one, type), type).to.have.length(1);
    expect(of(one, 'cycle').map(({ cycle }) => cycle.hasToolRequests)).to.deep.equal([true, false]);
    expect(of(one, 'stream-start')[0]).to.deep.equal({ type: 'stream-start', message: 'go' });
    const chunks = of(one, 'stream-chunk').map(({ text }) => text);
    expect(chunks.join('')).to.equal(one.chat.messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])).join(''));
  });

  it('answers a call without an end, and one that is too large, and goes on', async () => {
    const endless = await play([call('good', { title: 'x' }).split('</invoke>')[0] ?? '', 'Sorry.'], 'good');
    expect([endless.runs, endless.results.map(({ code }) => code)]).to.deep.equal([[], ['MALFORMED_CALL']]);
    expect(endless.requests()).to.have.length(2);
    const turns = [`${call('good', { title: 'x'.repeat(3000) })}${call('good', { title: 'small' })}`, 'Done.'];
    const large = await play(turns, 'good', { maxAccumulator: 2000 });
    expect(large.results.map(({ code }) => code)).to.include('MALFORMED_CALL');
    expect(large.runs.every(({ args }) => args['title'] === 'small')).to.equal(true);
  });

  it('runs closed calls of a reply that reached its length, and not the open one', async () => {
    const one = await play([{ text: call('first') + open('second', 'half'), q: 'finish=length' }, 'Done.'], 'first second');
    expect(ran(one)).to.deep.equal(['first']);
    expect(statuses(one.results)).to.have.members(['success', 'error']);
    expect(one.chat.messages[1]?.metadata.finishReason).to.equal('length');
  });

  it('lets only queries run by themselves when the end is not proved', async () => {
    const turns = [
      { text: call('look') + call('change'), q: 'wire=openai&finish=none' },
      { text: 'Done.', q: 'wire=openai' },
    ];
    const { one, turn, card } = await asking(turns, { look: 'query', change: {} }, { wire: 'openai' });
    expect([card.toolName, card.call?.flags]).to.deep.equal(['change', ['unproved']]);
    expect(card.call?.reason).to.match(/may be incomplete/);
    await until(() => one.runs.length === 1, 'the query');
    one.decide('deny', card);
    await turn;
    expect(ran(one)).to.deep.equal(['look']);
  });

  it('runs a call once, though every event of the wire comes twice', async () => {
    const one = await play([{ text: call('create_task', { title: 'x' }), q: 'tok=5000&dup=1&noise=ids' }, 'Done.'], 'create_task');
    expect(one.runs.length).to.be.at.most(1);
  });

  it('answers calls beyond the limit of one reply once, as not executed, and reads the words behind them', async () => {
    const turns = [`${call('note').repeat(50)}<tool_use><invoke></invoke></tool_use>So.`, 'Done.'];
    const one = await play(turns, { note: { risk: 'query' } }, { limits: { callsPerReply: 3 } as never, repeatLimit: 99 });
    expect(one.runs).to.have.length(3);
    expect(statuses(one.results)).to.have.members(['success', 'success', 'success', 'cancelled']);
    expect(one.results.find(({ status }) => status === 'cancelled')?.message).to.include('at most 3 calls');
    expect(one.chat.messages[1]?.text.trim()).to.equal('So.');
    expect(JSON.stringify(one.bodies()[1]?.messages).split('<invoke name').length - 1).to.equal(4);
  });
});

describe('a turn ends', () => {
  useFaultServer({ settles: true });
  const notes = (count: number, name = 'note') => Array.from({ length: count }, (_, at) => call(name, { title: String(at) }));
  const same = call('note', { title: 'same' });
  const endless = call('note', { title: 'x' }).split('</invoke>')[0] ?? '';
  const sixfold = [same.repeat(6), 'Done.'];
  const ok = (count: number) => Array(count).fill('success').join();
  const thrice = (code: string) => Array(3).fill(code).join();

  for (const [how, turns, options, expected, message = ''] of [
    ['without a call', ['Hello.'], {}, 'stop, 0 runs, 1 requests: '],
    ['after the result with result-loop single', [same], { resultLoop: 'single' }, 'stop, 1 runs, 1 requests: success'],
    ['with an answer after the last round', [...notes(2), 'Done.'], { maxIterations: 2 }, `stop, 2 runs, 3 requests: ${ok(2)}`],
    ['after three unreadable replies', [endless], { onBrokenCall: 'report' }, `limit, 0 runs, 3 requests: ${thrice('MALFORMED_CALL')}`],
    ['where nothing could be run', notes(3, 'x'), {}, `limit, 0 runs, 3 requests: ${thrice('TOOL_NOT_FOUND')}`, 'could be run'],
    [
      'C61 when calls never stop',
      notes(9),
      { maxIterations: 5 },
      `limit, 5 runs, 6 requests: ${ok(5)},CANCELLED`,
      'step limit reached (5)',
    ],
    ['C61 when the same comes again and again', [same], { maxIterations: 50 }, `limit, 3 runs, 3 requests: ${ok(3)}`, 'same thing'],
    ['C61 when the same comes six times at once', sixfold, {}, `limit, 3 runs, 1 requests: ${ok(3)},${thrice('CANCELLED')}`, 'same thing'],
  ] as [string, string[], PlayOptions, string, string?][])
    it(how, async () => {
      const one = await play(turns, { note: { risk: 'query' } }, options);
      expect(outcome(one)).to.equal(expected);
      expect(one.error?.message ?? '').to.include(message);
      expect(one.chat.error ?? '').to.include(message);
      if (one.reason !== 'limit') return;
      expect(one.error?.code).to.equal('LIMIT');
      expect(one.view().views.findLast(({ message: said }) => said.role === 'assistant')).to.include({ canContinue: true });
    });
});

describe('truncation', () => {
  useFaultServer({ settles: true });
  const title = 'a title that is long enough to be cut within';
  const text = `On it. ${call('create_task', { title })}${call('create_task', { title: 'second' })}That is all.`;
  const never = { setTimeout: () => 0, clearTimeout: () => {} };

  for (const how of ['close', 'abort'] as const)
    it(`B29 never executes anything, wherever the stream breaks (${how})`, async () => {
      for (let at = 50; ; at += 50) {
        const turns = [{ text, q: `tok=40&${how}=${String(at)}`, times: 1 }, 'Never asked.'];
        const one = stage(turns, 'create_task', { retries: 'balanced', clock: never });
        const done = one.send();
        await until(() => one.chat.state === 'idle' || one.chat.matchesState('retrying'), 'the cut');
        if (one.chat.matchesState('retrying')) one.chat.cancelStream();
        const { reason } = await done;
        if (reason === 'stop') return void expect(at, 'cuts').to.be.above(550);
        expect(['cut', 'cancelled']).to.include(reason);
        expect(one.runs).to.deep.equal([]);
      }
    });
});
