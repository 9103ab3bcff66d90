/** A call that lacks its last brackets asks a person, is told as it should have been written, and is never completed where the reply was cut. */
import { expect } from 'chai';
import { jsonAction } from '../../src/protocols/json-action.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { asking, play } from './play.js';
import { useFaultServer } from './talk.js';

const protocols = { 'json-action': jsonAction, 'json-tool-calls': jsonToolCalls };
type Id = keyof typeof protocols;
const whole = (id: Id) => protocols[id].writeCall!('create_task', { title: 'milk' });
/** Of the closing brackets, one brace is missing before the last. */
const short = (id: Id) => whole(id).replace(/\}\s*\}(?=\]?\}|\n```)/, '}');
const lax = { approval: 'auto', decide: () => 'allow' as const } as const;

describe('a call that lacks a closing bracket', () => {
  useFaultServer();

  for (const id of ['json-action', 'json-tool-calls'] as const) {
    const turns = [`Sure.\n${short(id)}`, 'Done.'];

    it(`asks a person under ${id}, whatever the policy and the host allow, and runs when they say so`, async () => {
      const { one, turn, card } = await asking(turns, 'create_task', { ...lax, protocol: id });
      expect(one.runs).to.deep.equal([]);
      expect(card.call).to.deep.include({ toolName: 'create_task', args: { title: 'milk' } });
      expect(card.call!.flags).to.include('repaired');
      one.decide('allow', card);
      expect(await turn).to.include({ text: 'Done.' });
      expect(one.runs.map(({ args }) => args)).to.deep.equal([{ title: 'milk' }]);
      // What it reads of itself it writes again.
      expect(one.bodies()[1]!.messages[1]!.text).to.equal(`Sure.\n\n${whole(id)}`);
    });

    it(`does not run under ${id} where there is nobody to ask`, async () => {
      expect((await play(turns, 'create_task', { ...lax, protocol: id })).runs).to.deep.equal([]);
    });
  }

  it('is broken where the reply was too long, and where its end is not proved', async () => {
    const text = short('json-tool-calls');
    const long = [{ content: text }, {}].map(
      (delta, at) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: at ? 'length' : null }] })}\n\n`,
    );
    for (const [wire, body, type] of [
      ['openai', `${long.join('')}data: [DONE]\n\n`, 'text/event-stream'],
      ['text', text, 'text/plain'],
    ] as const) {
      const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
      const options = { ...lax, person: true, protocol: 'json-tool-calls', wire, fetch, onBrokenCall: 'report' } as const;
      const one = await play([], 'create_task', options);
      expect(one.runs, wire).to.deep.equal([]);
      for (const { status, call } of one.cards()) expect([status, call?.flags ?? []], wire).to.deep.equal(['error', []]);
      expect(one.cards()).to.not.have.length(0);
    }
  });
});
