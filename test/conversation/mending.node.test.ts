/** A call that lacks its last brackets asks a person, is told as it should have been written, and is never completed where the reply was cut. */
import { expect } from 'chai';
import { jsonAction } from '../../src/protocols/json-action.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { talk, useFaultServer, type TalkOptions } from './talk.js';

const short = (id: string) => {
  const protocol = id === 'json-action' ? jsonAction : jsonToolCalls;
  // Of the closing brackets, one brace is missing before the last.
  return protocol.writeCall!('create_task', { title: 'milk' }).replace(/\}\s*\}(?=\]?\}|\n```)/, '}');
};

describe('a call that lacks a closing bracket', () => {
  useFaultServer();
  const begin = (id: string, options: TalkOptions = {}, replies = [`Sure.\n${short(id)}`, 'Done.']) => {
    const one = talk(replies, { protocol: id, person: true, approval: 'auto', decide: () => 'allow', ...options });
    one.tool('create_task');
    return one;
  };

  for (const id of ['json-action', 'json-tool-calls']) {
    it(`asks a person under ${id}, whatever the policy and the host allow, and runs when they say so`, async () => {
      const one = begin(id);
      const turn = one.send();
      const [card] = await one.asked();
      expect(one.runs).to.deep.equal([]);
      expect(card!.call).to.deep.include({ toolName: 'create_task', args: { title: 'milk' } });
      expect(card!.call!.flags).to.include('repaired');
      one.decide('allow', card!);
      expect(await turn).to.include({ text: 'Done.' });
      expect(one.runs.map(({ args }) => args)).to.deep.equal([{ title: 'milk' }]);
      // What it reads of itself it writes again.
      const [, said] = one.bodies()[1]!.messages;
      expect(said!.text).to.equal(
        `Sure.\n\n${(id === 'json-action' ? jsonAction : jsonToolCalls).writeCall!('create_task', { title: 'milk' })}`,
      );
    });

    it(`does not run under ${id} where there is nobody to ask`, async () => {
      const one = begin(id, { person: false });
      await one.send();
      expect(one.runs).to.deep.equal([]);
    });
  }

  it('is broken where the reply was too long, and where its end is not proved', async () => {
    const long = (text: string) =>
      [{ content: text }, {}].map(
        (delta, at) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: at ? 'length' : null }] })}\n\n`,
      );
    const bodies = {
      openai: [[...long(short('json-tool-calls')), 'data: [DONE]\n\n'].join(''), 'text/event-stream'],
      text: [short('json-tool-calls'), 'text/plain'],
    } as const;
    for (const [wire, [body, type]] of Object.entries(bodies)) {
      const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
      const one = begin('json-tool-calls', { wire, fetch, onBrokenCall: 'skip' });
      await one.send();
      expect(
        one.cards().map(({ status, call }) => [status, call?.flags ?? []]),
        wire,
      ).to.deep.equal([['error', []]]);
      expect(one.runs).to.deep.equal([]);
    }
  });
});
