// engines: scrolling
/** The log of messages: where it stands while it grows, and how little of a long history is drawn. */
import { expect } from '@open-wc/testing';
import { ContextEvent } from '@lit/context';
import { servicesContext } from '../../src/elements/context.js';
import { assistant, card, FakeSurface, user } from './fake-surface.js';
import { mouse } from './doing.js';
import { stage } from './helpers.js';
import { appears, deepText, find, findAll, frame, frames, middle, part, until } from './looking.js';

const atEnd = (scroller: Element) => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 3;
const long = (count: number) =>
  Array.from({ length: count }, (_, at) => assistant(`m${String(at)}`, [`Message ${String(at)}. ${'Some text. '.repeat(30)}`]));

/** Drawn, and at its end. */
async function atItsEnd(surface: FakeSurface, options: Parameters<typeof stage>[1] = {}) {
  const { panel } = await stage(surface, options);
  const scroller = find(panel, part('messages')) as HTMLElement;
  await until(() => atEnd(scroller), 'it does not begin at the end');
  const scrollBy = (pixels: number) => {
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: pixels }));
    scroller.scrollTop += pixels;
  };
  return { surface, panel, scroller, scrollBy };
}

describe('an answer that grows', () => {
  async function conversation() {
    const on = await atItsEnd(
      new FakeSurface({ isLoading: true, activities: ['streaming'], views: [...long(30), assistant('a1', [], 'running')] }),
    );
    await until(() => on.surface.following('a1') > 0 && atEnd(on.scroller), 'nobody follows');
    const grow = async () => {
      const before = on.scroller.scrollHeight;
      for (let line = 0; line < 12; line += 1) on.surface.stream('a1', { text: `Line ${String(line)}\n\n` });
      await until(() => on.scroller.scrollHeight > before + 200, 'nothing grows');
      // The log follows at the end of the frame that has drawn it, after all that runs in the frame.
      await frames(2);
      await new Promise((resolve) => setTimeout(resolve));
    };
    return { ...on, grow };
  }

  it('stays at its end, until the reader scrolls up, and again from the button on that leads back', async () => {
    const { panel, scroller, scrollBy, grow } = await conversation();
    const latest = find(panel, '.latest') as HTMLElement;
    await grow();
    expect([atEnd(scroller), latest.hidden]).to.deep.equal([true, true]);
    await mouse({ type: 'move', position: middle(scroller) });
    scrollBy(-200);
    await grow();
    expect(atEnd(scroller)).to.equal(false);
    await until(() => !latest.hidden, 'the way back does not appear');
    latest.click();
    await until(() => atEnd(scroller) && Boolean(latest.hidden), 'it does not come back');
    await grow();
    expect(atEnd(scroller)).to.equal(true);
  });

  it('stays where the reader goes while 1,000 tokens a second arrive, and follows again from its end', async () => {
    const { surface, scroller, grow } = await conversation();
    const prose = 'Sentences of an answer that is long enough to scroll. '.repeat(3);
    const lines = 'const x = 1;\n'.repeat(12);
    let at = 0;
    const arrive = async (count: number) => {
      for (; count > 0; count -= 1) {
        const text = at % 2 ? `${prose}\n\n` : `\`\`\`js\n${lines}\`\`\`\n\n`;
        for (let from = 0; from < text.length; from += 64) surface.stream('a1', { text: text.slice(from, from + 64) });
        at += 1;
        await frame();
      }
    };
    await grow();
    await arrive(6);
    const moves: [string, () => void][] = [
      ['the wheel', () => scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -300 }))],
      ['Page up', () => scroller.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp', bubbles: true }))],
      ['a finger', () => scroller.dispatchEvent(new Event('touchmove'))],
      ['the scrollbar, or the browser itself', () => undefined],
    ];
    for (const [how, move] of moves) {
      await until(() => atEnd(scroller), `it does not follow before ${how}`);
      move();
      for (let step = 0; step < 10; step += 1) {
        scroller.scrollTop -= 30;
        const { scrollTop } = scroller;
        await arrive(1);
        expect(scroller.scrollTop, how).to.equal(scrollTop);
      }
      const { scrollTop } = scroller;
      await arrive(10);
      expect(scroller.scrollTop, how).to.equal(scrollTop);
      scroller.scrollTop = scroller.scrollHeight;
      await frames(2);
      await arrive(6);
    }
  });

  it('keeps its place when it is hidden and shown again, at the end and elsewhere', async () => {
    const { panel, scroller, scrollBy, grow, surface } = await conversation();
    await grow();
    const hide = async () => {
      panel.style.display = 'none';
      await frames(3);
      surface.stream('a1', { text: 'More\n\n'.repeat(40) });
      await frames(3);
      panel.style.display = '';
      await frames(3);
    };
    await hide();
    expect(atEnd(scroller), 'it goes on at the end').to.equal(true);
    scrollBy(-500);
    await frames(3);
    const { scrollTop } = scroller;
    await hide();
    expect(scroller.scrollTop).to.be.closeTo(scrollTop, 2);
  });
});

describe('a long history', () => {
  /** Half of it questions, half answers with Markdown. */
  const history = (count: number): FakeSurface => {
    const answer = 'First **this**, then `that`:\n\n- one [link](https://example.org)\n- two\n\n```js\nlet x = 1;\n```\n\nAnd *so on*.';
    const views = Array.from({ length: count }, (_, at) =>
      at % 2 === 0 ? user(`m${String(at)}`, `Question ${String(at)}?`) : assistant(`m${String(at)}`, [answer]),
    );
    return new FakeSurface({ views });
  };
  const nodesOf = (root: Node): number =>
    1 +
    [...root.childNodes].reduce((sum, child) => sum + nodesOf(child), 0) +
    (root instanceof Element && root.shadowRoot ? nodesOf(root.shadowRoot) : 0);
  /** How many messages are drawn of each group; a stack that nobody has been near stands for 16. */
  const drawn = (panel: Element) =>
    findAll(panel, '.list > .stack').flatMap((stack) =>
      stack.children.length === 0
        ? (Array(16).fill(0) as number[])
        : [...stack.children].map((group) => group.querySelectorAll('tool-chat-message').length),
    );
  const rest = async (panel: Element) => {
    let last = -1;
    for (let still = 0; still < 6;) {
      await frame();
      const now = nodesOf(panel);
      still = now === last ? still + 1 : 0;
      last = now;
    }
    return last;
  };
  /** The first message that is seen whole, and where. */
  const firstSeen = (panel: Element) => {
    const { top } = (find(panel, part('messages')) as Element).getBoundingClientRect();
    const seen = findAll(panel, 'tool-chat-message').find((message) => message.getBoundingClientRect().top > top) as HTMLElement;
    return { seen, at: seen.getBoundingClientRect().top };
  };

  it('makes few nodes, and no more of ten times as many messages; it is drawn from its end (E92)', async () => {
    const first = await stage(history(5000), { height: 900 });
    const early = drawn(first.panel);
    expect(early).to.have.length(250);
    expect(early.slice(-2)).to.deep.equal([0, 20]);
    await until(() => atEnd(find(first.panel, part('messages')) as HTMLElement), 'it does not begin at the end');
    const short = await rest(first.panel);
    expect(short).to.be.lessThan(2500);
    expect(drawn(first.panel)[0]).to.equal(0);
    expect(findAll(first.panel, 'tool-chat-message[fresh]')).to.have.length(0);
    const { panel } = await atItsEnd(history(50_000), { height: 900 });
    expect((await rest(panel)) - short).to.be.lessThan(700);
  });

  it('asks for what comes before when the reader comes near the first message, and puts it there without moving what they read (S0-153)', async () => {
    const { views } = history(500).view;
    const asking = Object.assign(new FakeSurface({ views: views.slice(-57) }), { asks: 0, readOn: () => void (asking.asks += 1) });
    const { panel, scroller, scrollBy } = await atItsEnd(asking);
    await rest(panel);
    const last = findAll(panel, 'tool-chat-message').at(-1);
    expect(asking.asks).to.equal(0);
    for (let step = 0; step < 200 && asking.asks === 0; step += 1) {
      scrollBy(-400);
      await frame();
    }
    expect(asking.asks).to.be.above(0);
    await rest(panel);
    const { seen, at } = firstSeen(panel);
    asking.set({ views, prepended: 443 });
    await rest(panel);
    expect(seen.isConnected, 'it is drawn anew').to.equal(true);
    expect(seen.getBoundingClientRect().top).to.be.closeTo(at, 2);
    expect(findAll(panel, 'tool-chat-message').at(-1)).to.equal(last);
    expect(findAll(panel, 'tool-chat-message[fresh]')).to.have.length(0);
    for (let step = 0; step < 400 && scroller.scrollTop > 0; step += 1) {
      scroller.scrollTop -= 2000;
      await frame();
    }
    await until(() => deepText(findAll(panel, 'tool-chat-message')[0]!).includes('Question 0?'), 'the first message');
    expect(find(panel, '.group')?.dataset['at']).to.equal('-23');
  });

  it('is drawn where the reader comes near, while what they read stays where it is, and what was drawn is kept (E92)', async () => {
    const { panel, scrollBy } = await atItsEnd(history(1000));
    await rest(panel);
    const before = drawn(panel).filter((count) => count > 0).length;
    for (let step = 0; step < 10; step += 1) {
      scrollBy(-600);
      const { seen, at } = firstSeen(panel);
      await rest(panel);
      expect(seen.getBoundingClientRect().top, `step ${String(step)}`).to.be.closeTo(at, 2);
    }
    const after = drawn(panel);
    expect(after.filter((count) => count > 0).length).to.be.greaterThan(before);
    expect(after.slice(after.findIndex((count) => count > 0))).to.not.include(0);
    expect(after[0]).to.equal(0);
  });

  it('has a card that waits in the document, however far up it is; draws one that somebody asks to see, and leads there', async () => {
    const surface = history(1000);
    const views = surface.view.views.with(1, assistant('m1', ['Please confirm.', { call: 'c1' }]));
    surface.set({ views, cards: { c1: card('c1', 'awaiting_approval') }, isLoading: true, activities: ['awaitingApproval'] });
    const waits = await stage(surface);
    await appears(waits.panel, part('approval'));
    expect(drawn(waits.panel).slice(0, 2)).to.deep.equal([20, 0]);
    surface.set({ cards: { c1: card('c1', 'cancelled') }, isLoading: false, activities: [] });
    const { panel } = await stage(surface);
    const message = await appears(panel, 'tool-chat-message');
    expect(find(panel, 'tool-chat-call')).to.equal(undefined);
    message.dispatchEvent(new ContextEvent(servicesContext, message, ({ reveal }) => reveal('c1')));
    const shown = await appears(panel, 'tool-chat-call');
    await until(() => shown.shadowRoot?.activeElement?.matches(part('tool-card')) ?? false, 'it is not led there');
  });
});
