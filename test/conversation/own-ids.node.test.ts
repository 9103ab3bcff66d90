/** Where a protocol has ids of its own, the model reads those; cards, journal and events have ours (Y-11). */
import { expect } from 'chai';
import { play, told } from './play.js';
import { useFaultServer, type Talk } from './talk.js';

const calls = (...list: object[]) => JSON.stringify({ tool_calls: list }, null, 1).replaceAll('\n', '');
const written = (id: string, title: string) => ({ id, type: 'function', function: { name: 'look', arguments: { title } } });
type Result = { tool_call_result: { toolCallId: string } };
const toldIds = (one: Talk, nth = 1) =>
  told(one, nth)
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [(JSON.parse(line) as Result).tool_call_result.toolCallId] : []));
const look = (turns: string[]) => play(turns, 'look', { protocol: 'json-tool-calls' });

describe('the ids of calls', () => {
  useFaultServer({ settles: true });

  it('are the model’s own in what it is told under json-tool-calls, and ours on cards, in events and in results', async () => {
    const one = await look([calls(written('call_abc', 'a'), written('call_def', 'b')), 'Done.']);
    expect(toldIds(one)).to.deep.equal(['call_abc', 'call_def']);
    expect(one.bodies()[1]!.messages.at(-2)!.text).to.contain('"id": "call_abc"');
    const ours = one.results.map(({ requestId }) => requestId);
    expect(ours.join(' ')).not.to.contain('call_abc').and.not.to.contain('call_def');
    expect(one.cards().map(({ requestId }) => requestId)).to.deep.equal(ours);
    expect(one.runs.map(({ context }) => context.requestId)).to.deep.equal(ours);
    expect(JSON.stringify(one.events)).to.contain(ours[0]);
  });

  it('are ours where the model gave none, or one that names nothing', async () => {
    for (const id of [undefined, '', 'two words', 'x'.repeat(300), 7]) {
      const one = await look([calls({ ...(id !== undefined && { id }), name: 'look', arguments: { title: 'a' } }), 'Done.']);
      expect(toldIds(one)).to.deep.equal([one.results[0]!.requestId]);
    }
  });

  it('may be the same in two replies: each result follows its own call', async () => {
    const one = await look([calls(written('call_1', 'a')), calls(written('call_1', 'b')), 'Done.']);
    expect(new Set(one.results.map(({ requestId }) => requestId)).size).to.equal(2);
    expect(one.bodies()[2]!.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(toldIds(one, 2)).to.deep.equal(['call_1']);
  });
});
