/** The three walks of docs/architecture.md, as they are walked: by one turn with one call, in Node. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { call, talk, useFaultServer } from '../conversation/talk.js';
import { recordHandOvers, type Frame } from '../helpers/hand-over.js';

const MARK = 'a-value-that-walks';
const CHARTS = { conversation: 'conversation/chart/conversation-machine.ts', toolCall: 'conversation/chart/call-machine.ts' };

/** The most files that each may take. */
const LONGEST = { 'text → wire': 14, 'arguments → execute()': 16, 'result → next request': 10 };
type Walk = keyof typeof LONGEST;

describe('the three walks', () => {
  useFaultServer();
  const walks = new Map<Walk, Frame[]>();

  before(async () => {
    const record = recordHandOvers(MARK, CHARTS);
    const send: typeof fetch = (...request) => {
      const walk = walks.has('arguments → execute()') ? 'result → next request' : 'text → wire';
      walks.set(walk, record.way());
      return fetch(...request);
    };
    // Under `on-block` a call goes on as soon as it is read: else the end of the reply lies between.
    const one = (dispatch: 'on-block' | 'on-turn-end') => {
      const chat = talk([call('look', { title: MARK }), 'Done.'], { dispatch, fetch: send });
      chat.tool('look', {
        risk: 'query',
        execute() {
          walks.set(
            'arguments → execute()',
            record.way(({ name }) => name === 'emitCall'),
          );
          // A task of its own: what comes of it comes from nowhere else.
          return new Promise((resolve) => {
            setImmediate(() => record.from(() => resolve({ success: true, message: MARK })));
          });
        },
      });
      return record.from(() => chat.send(MARK));
    };
    try {
      await one('on-block');
      const byBlock = walks.get('arguments → execute()') ?? [];
      walks.clear();
      await one('on-turn-end');
      walks.set('arguments → execute()', byBlock);
    } finally {
      record.stop();
    }
  });

  for (const walk of Object.keys(LONGEST) as Walk[]) {
    const files = () => walks.get(walk)?.map(({ file }) => file) ?? [];

    it(`${walk} takes at most ${String(LONGEST[walk])} files`, () => {
      expect(files().length, files().join('\n')).to.be.within(5, LONGEST[walk]);
    });

    it(`${walk} goes through the files that are written down, in this order`, () => {
      expect(files()).to.deep.equal(written(walk));
    });
  }
});

/** First column of the table under this heading. */
function written(walk: Walk): string[] {
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8').replaceAll('`execute()`', 'execute()');
  const section = page.split(/^#+ /m).find((part) => part.toLowerCase().startsWith(`${walk.toLowerCase()}\n`)) ?? '';
  return [...section.matchAll(/^\| `(.+?)`/gm)].map(([, file = '']) => file);
}
