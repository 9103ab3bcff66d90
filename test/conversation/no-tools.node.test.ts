/** Where there is nothing to call there is nothing to read: an answer about tool calls is an answer. */
import { expect } from 'chai';
import { protocols } from '../../src/protocols/index.js';
import { talk, useFaultServer } from './talk.js';

describe('a page without any usable tool', () => {
  useFaultServer({ settles: true });

  const written = Object.entries(protocols).map(([id, { writeCall }]) => [
    id,
    `So it is written:\n${writeCall!('anything', { a: '1' })}\nAnd so on.`,
  ]);
  const broken = ['xml-invoke', 'Broken: <tool_use><invoke name="x"><parameter name="a">'];
  const answers = [...written, broken, ['json-action', '{"name": "x", "arguments": {}}']] as [string, string][];

  for (const [protocol, text] of answers)
    it(`shows every character of an answer about calls, and asks once (${protocol}: ${text.slice(0, 12)}…)`, async () => {
      for (const accept of ['active', 'any'] as const) {
        const one = talk([text, 'Never asked for.'], { protocol, accept, canaries: false });
        expect(await one.send()).to.include({ reason: 'stop', text });
        expect([one.requests().length, one.bodies()[0]?.system, one.cards()]).to.deep.equal([1, '', []]);
      }
    });

  it('is one whose tools the page does not permit', async () => {
    const [, text] = answers[0]!;
    const one = talk([text, 'Never asked for.'], { context: { permissions: [] } });
    one.tool('anything', { requires: 'admin' });
    expect(await one.send()).to.include({ reason: 'stop', text });
    expect(one.requests()).to.have.length(1);
    one.tool('another');
    await one.send();
    expect(one.runs).to.have.length(0);
  });
});
