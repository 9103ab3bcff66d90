/** What was shown is what runs, once, and nobody is asked for ever. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { builtIn } from '../../src/protocols/built-in-protocols.js';
import { call, settlesWell, talk, tick, until, useFaultServer, type Talk, type TalkOptions } from '../conversation/talk.js';
import { CLEAN, isWell, drawnTimes } from './probe.js';

/** One call waits; once it was allowed, exactly what its card showed has run. */
async function runsWhatIsShown(turns: Parameters<typeof talk>[0], options: TalkOptions, prepare: (one: Talk) => void): Promise<Talk> {
  const one = talk([...turns, CLEAN], { person: true, approval: 'always', ...options });
  prepare(one);
  const done = one.send();
  await until(() => one.chat.state === 'idle' || one.cards().some(({ status }) => status === 'awaiting_approval'), 'a card');
  expect(one.runs, 'ran before anybody was asked').to.deep.equal([]);
  const [card] = await one.asked();
  const shown = JSON.stringify(card?.call?.args);
  await tick();
  one.decide('allow', card!);
  await until(() => one.runs.length > 0, 'the tool');
  expect(JSON.stringify(one.runs[0]?.args), 'shown and run').to.equal(shown);
  await done;
  expect(one.runs).to.have.length(1);
  const requested = one.chat.messages.flatMap(({ metadata }) => metadata.toolCallsRequested ?? []);
  expect(JSON.stringify(requested.map(({ args }) => args))).to.equal(`[${shown}]`);
  return one;
}

describe('faults of approval', () => {
  useFaultServer();

  drawnTimes(
    'A shown, B run: more of the reply after the card, and listeners that write into what they are told',
    async ({ below, one: pick }) => {
      const title = `keep ${String(below(1000))}`;
      const late = `${call('change', { title: `${title} or else` })
        .replace('<tool_use>', '')
        .slice(0, 60)} <parameter name="title">drop all</parameter>`;
      const spoil = (value: unknown) => {
        for (const key of ['title', 'name', 'digest', 'args'])
          try {
            (value as Record<string, unknown>)[key] = 'drop all';
          } catch {
            // Frozen: as it should be.
          }
      };
      const one = await runsWhatIsShown(
        [{ text: `${call('change', { title })}\nAnd ${late}`, q: `tok=${String(1 + below(9))}` }],
        {
          ...{ dispatch: pick(['on-block', 'on-turn-end'] as const), accept: 'strict' },
          onEach(event) {
            if ('tool' in event) [event.tool, event.tool.params].forEach(spoil);
            if (event.type === 'approval-request') for (const each of event.calls) [each, each.args].forEach(spoil);
          },
        },
        ({ tool, chat }) => {
          tool('change');
          chat.subscribe((snapshot) => {
            spoil(snapshot.currentTool?.params);
          });
        },
      );
      expect(one.runs[0]?.args).to.deep.equal({ title });
      await isWell(one);
    },
  );

  for (const id of ['json-action', 'json-tool-calls', 'tool-code'])
    it(`A shown, B run: a name that stands there twice (${id})`, async () => {
      const text = (await builtIn[id]!()).writeCall!('change', { title: 'first' }).replace('"title"', '"title": "keep", "title"');
      expect(text.match(/"title"/g)).to.have.length(2);
      const one = talk([text, CLEAN], { person: true, approval: 'always', protocol: id });
      one.tool('change');
      const done = one.send();
      await until(() => one.chat.state === 'idle' || one.chat.matchesState('awaitingApproval'), 'a card or an answer');
      // Either it is not run at all, or what runs is what the card shows.
      if (one.chat.matchesState('awaitingApproval')) {
        const [card] = await one.asked();
        one.decide('allow', card!);
        await done;
        expect(one.runs.map(({ args }) => args)).to.deep.equal([card?.call?.args]);
      } else expect(one.runs).to.deep.equal([]);
      await isWell(one);
    });

  it('A shown, B run: arguments that give another answer each time they are read', async () => {
    let reads = 0;
    const one = await runsWhatIsShown(['any'], { protocol: 'mine' }, ({ tool, chat }) => {
      let replies = 0;
      chat.registerProtocol({
        id: 'mine',
        generateToolDefinitions: () => '',
        parseToolRequests: () => [],
        formatToolResults: () => '',
        createParser: (emit) => ({
          push(text) {
            if (replies > 0) emit({ type: 'text', text });
          },
          end() {
            if ((replies += 1) > 1) return;
            const args = Object.defineProperty({}, 'title', { enumerable: true, get: () => `answer ${String((reads += 1))}` });
            emit({ type: 'call-start', id: 'a', name: 'change' });
            emit({ type: 'call', id: 'a', name: 'change', arguments: args, raw: 'any' });
          },
        }),
      });
      tool('change');
    });
    expect(reads).to.be.above(0);
    await isWell(one);
  });

  it('would notice an executor that skips approval', async () => {
    const broken = runsWhatIsShown([call('change')], { approval: 'auto' }, ({ tool }) => void tool('change'));
    expect(String(await broken.catch((error: unknown) => error))).to.include('ran before anybody was asked');
  });

  it('one call is allowed while the next of its name arrives: only that one runs, and its word is used up', async () => {
    const twice = call('erase', { title: 'same' });
    const one = talk([`${twice}${twice}`, CLEAN], { person: true });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    const [first, second] = await one.asked(2);
    one.decide('allow', first!);
    await until(() => one.cards()[0]?.status === 'success', 'the first');
    // The same arguments, so the same digest: still a question of its own.
    expect(second?.call?.digest).to.equal(first?.call?.digest);
    one.decide('allow', first!);
    await tick();
    expect(one.runs).to.have.length(1);
    expect(one.cards()[1]?.status).to.equal('awaiting_approval');
    one.decide('deny', second!);
    await done;
    one.decide('allow', second!);
    expect(one.runs).to.have.length(1);
    await isWell(one);
  });

  for (const [how, turns, asks] of [
    ['in one reply', [Array.from({ length: 20 }, (_, at) => call('erase', { title: String(at) })).join('')], 20],
    ['one after the other', Array.from({ length: 10 }, (_, at) => call('erase', { title: String(at) })), 1],
  ] as const)
    it(`asked again and again, ${how}: it is offered to stop, which stops`, async () => {
      const one = talk([...turns, ...(asks === 1 ? [call('erase', { title: 'last' })] : []), CLEAN], { person: true, maxIterations: 30 });
      one.tool('erase', { risk: 'danger' });
      const offers = () => one.view().notices?.filter(({ action }) => action !== undefined) ?? [];
      const done = one.send();
      for (let at = 1; asks === 1 && at < 10; at++) {
        const [card] = await one.asked();
        expect(offers(), `after ${String(at)}`).to.deep.equal([]);
        one.decide('allow', card!);
        await until(() => one.runs.length === at, 'the tool');
      }
      await one.asked(asks);
      const runs = one.runs.length;
      expect(offers()[0]?.text).to.match(asks === 1 ? /10 times/ : /20 times/);
      internalsOf(one.chat).surface.answerNotice(offers()[0]!.id, 'act');
      expect(await done).to.include({ reason: 'cancelled' });
      expect(one.runs).to.have.length(runs);
      expect(offers()).to.deep.equal([]);
      await settlesWell(one);
    });
});
