/** The decision trace (S4-08, S4-09, S4-13): what was decided in a turn, in order and in words. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { ToolError, type ErrorType } from '../../src/base/errors.js';
import { play, stage, told, type PlayOptions } from './play.js';
import { call, useFaultServer, type Talk } from './talk.js';

const steps = ({ chat }: Talk): string[] => chat.trace.map(({ what }) => what);
const why = ({ chat }: Talk, what: string): string => chat.trace.find((entry) => entry.what === what)?.reason ?? '';
const looks = (count: number) => Array.from({ length: count }, (_, at) => call('look', { title: String(at) }));
const look = { risk: 'query' } as const;
const erase = { risk: 'danger' } as const;
const looking = (turns: string[], options: PlayOptions = {}) => play(turns, { look }, options);

describe('the decision trace (S4-08, S4-09, S4-13)', () => {
  useFaultServer({ settles: true });

  it('tells a turn with a question from its beginning to its end', async () => {
    const one = await play([call('erase'), 'Done.'], { erase }, { answers: ['allow'] });
    expect(steps(one).filter((what) => what !== 'wire')).to.deep.equal(['begin', 'ask', 'allow', 'run', 'end', 'go-on', 'stop']);
    const [card] = one.cards();
    for (const entry of one.chat.trace) {
      expect(entry.reason, entry.what).to.match(/\w/);
      expect(entry.turnId).to.equal(one.chat.trace[0]?.turnId);
      if (['ask', 'allow', 'run', 'end'].includes(entry.what)) expect(entry.requestId).to.equal(card?.requestId);
    }
    expect(why(one, 'ask')).to.equal('erase: Needs approval: it could do harm');
    expect(why(one, 'allow')).to.equal('erase: Allowed by you');
    expect(why(one, 'wire')).to.include('cutie');
  });

  it('shows each way out of `decide`: go on, ask, stop, sum up after the last round', async () => {
    const ways = (one: Talk) => steps(one).filter((what) => ['go-on', 'sum-up', 'ask'].includes(what));
    const goesOn = await looking([...looks(1), 'Seen.']);
    expect(ways(goesOn)).to.deep.equal(['go-on']);
    expect(JSON.stringify(goesOn.bodies()[1])).not.to.include(en.answerNow);

    const asks = await looking([...looks(2), 'Done.'], { answers: ['allow'], callsPerTurn: 'confirm-chain' });
    expect(ways(asks)).to.deep.equal(['go-on', 'ask', 'go-on']);
    expect(why(asks, 'ask')).to.equal(`look: ${en.reasonChain}`);

    const stops = await play([call('erase'), 'Never asked for.'], { erase }, { decide: () => Promise.resolve('deny'), onDeny: 'stop' });
    expect([ways(stops), why(stops, 'stop')]).to.deep.equal([[], 'The turn is over: it was declined']);
    expect(why(stops, 'end')).to.equal(`erase: ${en.reasonHostDeny}`);

    const sumsUp = await looking([...looks(2), 'Both are seen.'], { maxIterations: 2 });
    expect(sumsUp).to.include({ reason: 'stop', text: 'Both are seen.' });
    expect(ways(sumsUp)).to.deep.equal(['go-on', 'sum-up']);
    expect(told(sumsUp, 2)).to.equal(en.answerNow);
    expect(JSON.stringify(sumsUp.chat.messages), 'nobody said it').not.to.include(en.answerNow);

    const repeats = await looking([call('look')], { exhaust: 'repeat', maxIterations: 50 });
    expect([repeats.reason, ways(repeats)]).to.deep.equal(['limit', ['go-on', 'go-on', 'ask']]);
    expect(repeats.view().views.findLast(({ message }) => message.role === 'assistant')).to.include({ canContinue: true });
  });

  for (const errorType of ['rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format'] as ErrorType[])
    it(`leads ${errorType} to its branch, which history and events know, too`, async () => {
      const execute = () => Promise.reject(new ToolError('It did not work.', { errorType }));
      const one = await play(
        [call('look'), 'I see.'],
        { look: { ...look, execute } },
        { errorStrategies: { network: ['explain'], timeout: ['explain'], rate_limit: ['explain'] } },
      );
      const branches = one.chat.trace.filter(({ what }) => what === 'end' || what === 'strategy').map(({ reason }) => reason);
      expect(branches.join('\n')).to.include(errorType);
      expect(steps(one)).to.include('strategy');
      const event = one.events.find((each) => each.type === 'tool-complete');
      expect([one.chat.toolHistory[0]?.errorType, event?.result.errorType]).to.deep.equal([errorType, errorType]);
    });

  it('tells of untrusted content, of a chosen tool that was not called, and of limits', async () => {
    const reading = (options: PlayOptions) => play([call('look'), 'Read.'], { look: { ...look, untrusted: true } }, options);
    expect(why(await reading({}), 'taint')).to.include('look');
    expect(steps(await reading({ decide: () => Promise.resolve('ask') })), 'nothing was read').not.to.include('taint');
    const locked = stage(['No.', 'Still no.'], { look });
    await locked.chat.sendMessage('Look', { tool: 'look' });
    expect(why(locked, 'lock')).to.include('look');
    expect(why(locked, 'stop')).to.equal(`The turn is over: it failed: ${en.lockedNotUsed('look')}`);
    const limited = await looking(looks(4), { maxIterations: 2 });
    expect(why(limited, 'stop')).to.equal(`The turn is over: it reached a limit: ${en.limitReached(2)}`);
  });
});
