/** An approval with many changes: its buttons stay where they are, its sentence in view, and it can be read to its end and allowed. */
import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { armed, isArmed, pass, press, readThrough } from './doing.js';
import { stage, waiting } from './helpers.js';
import { find, frames, isWithin, part, words } from './looking.js';

const ALLOW = part('approve-button');
const DENY = part('deny-button');

const changes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ label: `Task ${String(at + 1)}`, before: 'open', after: 'done' }));

describe('an approval', () => {
  it('says how many changes it does not show', async () => {
    const { panel } = await stage(waiting({ preview: changes(3), moreChanges: 30 }));
    await armed(panel, DENY);
    expect(words(find(panel, '.facts'))).to.include('30 more changes not shown');
  });

  afterEach(() => setViewport({ width: 800, height: 600 }));

  for (const [count, height] of [
    [2, 560],
    [12, 560],
    [40, 560],
    [20, 900],
  ] as const)
    it(`with ${String(count)} changes in ${String(height)} px stands still, shows its sentence, and is allowed once it was read`, async () => {
      const ids = Array.from({ length: count }, (_, at) => `t-${String(at + 1)}`);
      const asked = { sentence: `Mark ${String(count)} tasks as done`, args: { task_ids: ids }, preview: changes(count) };
      if (height > 600) await setViewport({ width: 900, height: 940 });
      const surface = waiting({ ...asked, stated: { args: ['task_ids'], changes: [] } });
      const { panel, decided } = await stage(surface, { height, width: 420 });
      const scroller = find(panel, part('messages')) as HTMLElement;
      const deny = await armed(panel, DENY);
      pass(500);
      await frames(20);
      const seen = new Set<string>();
      for (let drawn = 0; drawn < 40; drawn += 1) {
        await frames(1);
        pass(100);
        seen.add(`${String(Math.round(deny.getBoundingClientRect().top))} ${String(isArmed(deny))}`);
      }
      expect([...seen], 'its buttons stand still and stay armed').to.have.length(1);
      expect([...seen][0]).to.include('true');
      expect(isWithin(find(panel, '.buttons') as Element, scroller), 'the buttons are in view').to.equal(true);
      const facts = find(panel, '.facts') as HTMLElement;
      facts.scrollTop = 0;
      await frames(2);
      for (const selector of ['#heading', '.risk'])
        expect(isWithin(find(panel, selector) as Element, scroller), `${selector} is in view`).to.equal(true);
      const allow = find(panel, ALLOW) as HTMLElement;
      if (count > 12) expect(isArmed(allow), 'not before it was read').to.equal(false);
      await readThrough(panel, allow);
      scroller.scrollTop = scroller.scrollHeight;
      await press(allow);
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow']);
    });
});
