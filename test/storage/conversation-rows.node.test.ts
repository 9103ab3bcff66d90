/** Rows of a conversation that comes, or goes, with much at once: the page stays at work meanwhile. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { toPlain } from '../../src/base/plain.js';
import { normalizeResult, publish } from '../../src/tools/result.js';
import { readEntry, rowOf, settled } from '../../src/storage/journal-rows.js';
import { checkRows, createRowMaker, fromRows, LISTS, type Rows } from '../../src/storage/conversation-rows.js';
import { emptyConversation } from '../../src/storage/stored-conversation.js';
import { isLinear } from '../helpers/cost.js';
import { resultOf } from './helpers.js';
import { callOf, checkedCall, fullConversation } from './sample.js';

const large = () => {
  const toolHistory = Array.from({ length: 60 }, (_, at) => ({
    ...resultOf(`c${String(at)}`),
    data: Array.from({ length: 9000 }, (__, value) => ({ value })),
  }));
  return { ...fullConversation('large'), toolHistory };
};

/** How often others had their turn until this was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}

describe('the rows of a conversation', () => {
  it('are checked in steps, and read as they are at once', async () => {
    const rows = createRowMaker().rowsOf(large());
    let read: Rows | undefined;
    expect(await turnsDuring(checkRows(rows).then((found) => (read = found)))).to.be.above(3);
    for (const name of LISTS) expect(JSON.stringify(read?.[name])).to.equal(JSON.stringify(rows[name]));
    expect(JSON.stringify(fromRows(rows).toolHistory)).to.equal(JSON.stringify(rows.results));
  });

  it('are made and checked in proportion to their number (E92)', async () => {
    const prepare = (count: number) => {
      const messages = Array.from({ length: count }, (_, at) => ({ ...fullConversation('long').messages[0]!, id: `m${String(at)}` }));
      return async () => {
        const rows = createRowMaker().rowsOf({ ...emptyConversation('long'), messages: messages.map((one) => ({ ...one })) });
        await checkRows(rows);
        expect(fromRows(rows).messages).to.have.length(count);
      };
    };
    expect(await isLinear(prepare, 1_000)).to.equal(true);
  });

  it('cannot be made of what nobody can read again, however they are made', async () => {
    const { prepare, rowsOf } = createRowMaker();
    const stored = { ...fullConversation('unkept'), calls: [{ requestId: 7 }] } as never;
    expect(() => prepare(stored)).to.throw(/cannot be stored/);
    expect(() => rowsOf(stored)).to.throw(/cannot be stored/);
  });

  describe('hold the largest result that a tool can give', () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id }));
    const found = publish(normalizeResult(rows, en), { requestId: 'c1', toolName: 'pay', texts: en });

    it('in the conversation, of its call and among the results', () => {
      const call = callOf('c1', {
        ...{ status: 'success', started: true, result: found, failed: found },
        call: checkedCall('c1', { result: found }),
      });
      const back = fromRows(createRowMaker().rowsOf({ ...fullConversation('much'), calls: [call], toolHistory: [found] }));
      expect([back.toolHistory, back.calls[0]?.result]).to.deep.equal([[found], found]);
    });

    it('in the journal, which may keep less of its data, not of how it ended', () => {
      const row = rowOf('s', { requestId: 'c1', toolName: 'pay', digest: 'd' }, 1);
      for (const chars of [262_144, 80_000]) {
        const kept = readEntry(JSON.parse(JSON.stringify(settled(row, toPlain(found, { chars }))))) as { result?: object } | undefined;
        const { data: _, result, ...end } = found;
        expect(kept?.result).to.include(end);
      }
    });
  });
});
