import { expect } from 'chai';
import { whyNot } from '../.config/floors.mjs';

const why = (file: string, specifier: string) => whyNot('/house/src', `/house/src/${file}`, specifier);

/** The lint asks it of each import of the source; here are those that are not there. */
describe('the floors of the house', () => {
  for (const [file, specifier, reason] of [
    ['conversation/chart/turn.ts', '../../elements/events.js', 'only lower floors'],
    ['testing/hops.ts', '../index.js', 'only lower floors'],
    ['conversation/calls/attempts.ts', '../request/history.js', 'only lower rooms'],
    ['conversation/host/turns.ts', '../conversation.js', 'only lower rooms'],
    ['tools/execute.ts', '../../test/helper.js', 'leads out'],
    ['relay/relay.ts', '../elements/events.js', '"elements"'],
    ['relay/relay.ts', 'lit', 'lit belongs to elements'],
    ['tools/schema.ts', 'zod', 'zod belongs to relay'],
    ['conversation/chart/turn.ts', 'node:fs', 'only the relay'],
    ['elements/engine.ts', 'xstate', 'conversation'],
  ] as const)
    it(`refuse ${specifier} in ${file}`, () => expect(why(file, specifier)).to.contain(reason));

  it('say so when a folder, or a room of the conversation, has none', () => {
    for (const file of ['attic/box.ts', 'conversation/cellar/box.ts']) expect(() => why(file, '../base/errors.js')).to.throw('give it one');
  });
});
