/** A call that lacks its last brackets asks a person, and is told as it should have been written. */
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
});
