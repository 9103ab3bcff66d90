/** Long conversations: what a turn costs in them, and what a small storage keeps of them. */
import { expect } from 'chai';
import { findIndexes } from '../../src/base/find-indexes.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { costsAtMost } from '../helpers/cost.js';
import { isFullEffort } from '../helpers/effort.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { call, closeAll, page as openPage, type Page } from './kept.js';
import { cutieText } from './scripted-fetch.js';

describe('a turn after hundreds of calls', function () {
  this.timeout(60_000);
  afterEach(closeAll);

  it('costs little more than after none', async () => {
    let left = 0;
    let atOnce = 1;
    let asked = 0;
    /** The model makes `atOnce` calls in each of the replies that are left, and then answers. */
    function page(): Page {
      const one = openPage('', [], { storage: 'none', approval: 'auto', maxIterations: 100, register: { note: { risk: 'query' } } });
      one.options.fetch = () => {
        asked += 1;
        const made = Array.from({ length: atOnce }, (_, at) => call('note', { amount: asked * 100 + at })).join('\n');
        return Promise.resolve(cutieText(left-- > 0 ? `Noting. ${made}` : 'All is noted.'));
      };
      one.internals.surface.subscribe(() => undefined);
      return one;
    }
    async function turn({ chat }: Page, replies = 4, calls = 1): Promise<void> {
      [left, atOnce] = [replies, calls];
      await chat.sendMessage('Go on');
    }
    const long = page();
    for (let made = 0; made < 400; made += 100) await turn(long, 5, 20);
    expect(long.chat.toolHistory).to.have.length(400);
    const fresh = page();
    await turn(fresh, 1);
    // It was 4.3 with 2,000 calls, and is below 2.
    const another = (one: Page) => () => turn(one);
    expect(await costsAtMost(2.2, another(fresh), another(long))).to.equal(true);

    // Calls are found by an index, of which an added call reads one key, and not those of the 2,000 before it.
    let keys = 0;
    const keyOf = ({ id }: { id: string }) => ((keys += 1), id);
    const calls = Array.from({ length: 2_000 }, (_, at) => ({ id: String(at) }));
    findIndexes(calls, keyOf, '7');
    keys = 0;
    expect([findIndexes([...calls, { id: '7' }], keyOf, '7'), keys]).to.deep.equal([[7, 2_000], 1]);
  });
});

describe('storage="session" with more results than fit', function () {
  this.timeout(isFullEffort ? 600_000 : 60_000);
  const area = useSessionStorage(3_000_000);
  afterEach(closeAll);

  const RESULTS = isFullEffort ? 2_000 : 80;
  const text = (nth: number) => `row ${String(nth)}: ${'x'.repeat(60_000)}`;
  const register = {
    pay: { risk: 'write' },
    read: {
      risk: 'query',
      parameters: { type: 'object', properties: { nth: { type: 'integer' } } },
      execute: ({ nth }: { nth: number }) => ({ success: true, message: 'Read.', data: text(nth) }),
    },
  } satisfies Record<string, Partial<ToolDefinition>>;
  const reads = (from: number, count: number) => Array.from({ length: count }, (_, at) => call('read', { nth: from + at })).join('\n');
  const left = (one: Page) => one.notices().filter((notice) => notice.includes('storage is full'));

  // Long messages leave room for a few turns only, and so do 2,000 results.
  for (const words of isFullEffort ? [''] : ['', 'x'.repeat(600_000)])
    it(`lets tools write, keeps the newest, marks what it left out and says it once, with messages of ${String(words.length)}`, async () => {
      const replies = Array.from({ length: RESULTS / 20 }, (_, at) => [reads(at * 20, 20), 'Read.']).flat();
      const one = openPage('much', [...replies, call('pay'), 'Done.'], { storage: 'session', approval: 'auto', register });
      for (let made = 0; made < RESULTS; made += 20) await one.chat.sendMessage(`Read on ${words}`);
      await one.chat.sendMessage('Now pay');
      expect(one.runs.at(-1)?.name).to.equal('pay');
      expect(one.chat.toolHistory.filter(({ success }) => success)).to.have.length(RESULTS + 1);
      expect([left(one).length, one.events.filter(({ type }) => type === 'error').length]).to.deep.equal([1, 1]);
      one.leave();

      const after = openPage('much', ['Yes.'], { storage: 'session' });
      await after.chat.sendMessage('All there?');
      const results = after.chat.toolHistory;
      expect([results.length > RESULTS, results.at(-2)?.data]).to.deep.equal([!isFullEffort && !words, text(RESULTS - 1)]);
      expect([results[0]?.data, results[0]?.result, results[0]?.status]).to.deep.equal([undefined, results[0]?.message, 'success']);
      expect(results[0]?.message).to.match(/^Read\. \(.*no longer saved/);
      expect(left(after)).to.have.length(1);
      expect([...area.keys()].filter((key) => key.includes('aside'))).to.deep.equal([]);
    });

  it('leaves alone what fits', async () => {
    const one = openPage('little', [reads(0, 3), 'Done.'], { storage: 'session', approval: 'auto', register });
    await one.chat.sendMessage('Read');
    one.leave();
    const after = openPage('little', ['Yes.'], { storage: 'session' });
    await after.chat.sendMessage('All there?');
    expect(after.chat.toolHistory.map(({ data }) => typeof data)).to.deep.equal(['string', 'string', 'string']);
    expect([after.notices(), after.events.filter(({ type }) => type === 'error')]).to.deep.equal([[], []]);
  });
});
