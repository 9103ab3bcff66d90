import { expect } from '@open-wc/testing';
import { sendMouse } from '@web/test-runner-commands';
import { en } from '../../src/i18n/en.js';
import { PanelRequestEvent } from '../../src/elements/panel-requests.js';
import { assistant, card, FakeSurface, user } from './fake-surface.js';
import { appears, deepText, find, findAll, frame, middle, part, stage, until } from './helpers.js';

const running = () =>
  new FakeSurface({ isLoading: true, activities: ['streaming'], views: [user('u1', 'Go'), assistant('a1', [], 'running')] });
const long = (count: number) =>
  Array.from({ length: count }, (_, at) => assistant(`m${String(at)}`, [`Message ${String(at)}. ${'Some text. '.repeat(30)}`]));

describe('message', () => {
  it('keeps what the user wrote as it is', async () => {
    const text = '**not bold** <b>&amp;</b>\n  second line';
    const { panel } = await stage(new FakeSurface({ views: [user('u1', text)] }));
    const shown = find(panel, part('message-user')) as HTMLElement;
    expect(shown.textContent.trim()).to.equal(text);
    expect(shown.querySelector('b, strong')).to.equal(null);
  });

  it('grows as the reply is read, over several frames (S0-134)', async () => {
    const surface = running();
    const { panel } = await stage(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    const lengths: number[] = [];
    for (const text of ['One ', 'two ', 'three']) {
      surface.stream('a1', { text });
      await frame();
      await frame();
      lengths.push(deepText(find(panel, part('message-assistant')) as Element).trim().length);
    }
    expect(lengths[0]).to.be.above(0);
    expect(lengths[1]).to.be.above(lengths[0] as number);
    expect(lengths[2]).to.be.above(lengths[1] as number);
  });

  it('formats an answer, and keeps its nodes when it has finished', async () => {
    const surface = running();
    const { panel } = await stage(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { text: 'It is **do' });
    surface.stream('a1', { text: 'ne**.', end: true });
    await until(() => find(panel, 'strong')?.textContent === 'done', 'nothing is bold');
    const [message, node] = [find(panel, part('message-assistant')), find(panel, 'strong')];
    surface.set({ isLoading: false, activities: [], views: [user('u1', 'Go'), assistant('a1', ['It is **done**.'])] });
    await panel.updateComplete;
    await frame();
    expect(find(panel, part('message-assistant'))).to.equal(message);
    expect(find(panel, 'strong')).to.equal(node);
    expect(surface.following('a1')).to.equal(0);
  });

  it('puts cards where their calls were written', async () => {
    const surface = running();
    const { panel } = await stage(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.setCard(card('c1', 'pending'));
    surface.stream('a1', { text: 'Before' });
    surface.stream('a1', { call: 'c1' });
    surface.stream('a1', { text: 'After' });
    await appears(panel, part('tool-card'));
    await frame();
    const text = deepText(find(panel, part('message-assistant')) as Element);
    expect(text.indexOf('Before')).to.be.below(text.indexOf(en.readingCall));
    expect(text.indexOf(en.readingCall)).to.be.below(text.indexOf('After'));
  });

  it('shows what the finished message says where the stream said something else', async () => {
    const surface = running();
    const { panel } = await stage(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { text: 'raw', end: true });
    surface.set({ isLoading: false, views: [user('u1', 'Go'), assistant('a1', ['polished'])] });
    await until(() => deepText(panel).includes('polished'), 'the text is not replaced');
    expect(deepText(panel)).not.to.include('raw');
  });

  it('folds reasoning before the answer', async () => {
    const surface = running();
    const { panel } = await stage(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    const fold = find<HTMLDetailsElement>(panel, part('reasoning')) as HTMLDetailsElement;
    expect(fold.checkVisibility()).to.equal(false);
    surface.stream('a1', { reasoning: 'Let me ' });
    surface.stream('a1', { reasoning: 'see.' });
    await until(() => fold.checkVisibility(), 'the fold does not appear');
    expect(fold.open).to.equal(false);
    expect(deepText(fold)).to.include(en.reasoning).and.to.include('Let me see.');
  });

  it('asks to continue an answer that was too long', async () => {
    const surface = new FakeSurface({ views: [{ ...assistant('a1', ['…']), note: en.answerTooLong, canContinue: true }] });
    const { panel } = await stage(surface);
    expect(deepText(panel)).to.include(en.answerTooLong);
    find(panel, part('continue-button'))?.click();
    expect(surface.asked).to.deep.equal(['continue']);
  });

  it('copies what people see', async () => {
    const { panel } = await stage(new FakeSurface({ views: [assistant('a1', ['Pay\u200B Bob\u202E'])] }));
    const written: string[] = [];
    const { writeText } = navigator.clipboard;
    navigator.clipboard.writeText = (text) => Promise.resolve(void written.push(text));
    find(panel, part('copy-button'))?.click();
    await until(() => find(panel, part('copy-button'))?.ariaLabel === en.copied, 'it does not say so');
    navigator.clipboard.writeText = writeText;
    expect(written).to.deep.equal(['Pay Bob']);
  });

  it('makes no control out of what a model writes (faults 100)', async () => {
    const text = '<form><input type="password"><button>Allow</button></form>\n\n- [ ] task\n\n# Approved ✓';
    const { panel } = await stage(new FakeSurface({ views: [assistant('a1', [text])] }));
    await until(() => find(panel, 'h1') !== undefined, 'Markdown does not come');
    const body = find(panel, '.body') as HTMLElement;
    expect(body.querySelector('form, button, input:not([type=checkbox][disabled]), [onclick], [id], [name]')).to.equal(null);
  });
});

describe('scrolling', () => {
  const atEnd = (scroller: Element) => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 3;

  async function conversation() {
    const surface = new FakeSurface({ isLoading: true, activities: ['streaming'], views: [...long(30), assistant('a1', [], 'running')] });
    const { panel } = await stage(surface);
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => surface.following('a1') > 0 && atEnd(scroller), 'it does not begin at the end');
    const grow = async () => {
      for (let line = 0; line < 12; line += 1) surface.stream('a1', { text: `Line ${String(line)}\n\n` });
      for (let wait = 0; wait < 4; wait += 1) await frame();
    };
    return { surface, panel, scroller, grow };
  }

  it('stays at the end while an answer grows', async () => {
    const { scroller, grow } = await conversation();
    const before = scroller.scrollHeight;
    await grow();
    await until(() => scroller.scrollHeight > before, 'nothing grows');
    expect(atEnd(scroller)).to.equal(true);
  });

  it('lets go when the reader scrolls up, and comes back by the button', async () => {
    const { panel, scroller, grow } = await conversation();
    const latest = find(panel, '.latest') as HTMLElement;
    expect(latest.matches('[hidden]')).to.equal(true);
    await sendMouse({ type: 'move', position: middle(scroller) });
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -200 }));
    scroller.scrollTop -= 200;
    await grow();
    expect(atEnd(scroller)).to.equal(false);
    await until(() => !latest.matches('[hidden]'), 'the way back does not appear');
    latest.click();
    await until(() => atEnd(scroller) && latest.matches('[hidden]'), 'it does not come back');
    await grow();
    expect(atEnd(scroller)).to.equal(true);
  });

  it('offers no way to the latest message where there is none, however low it stands', async () => {
    const { panel } = await stage(new FakeSurface());
    panel.style.blockSize = '160px';
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => !atEnd(scroller), 'all of it fits');
    for (let wait = 0; wait < 4; wait += 1) await frame();
    expect((find(panel, '.latest') as HTMLElement).matches('[hidden]')).to.equal(true);
  });

  it('writes the position once a frame, and reads no layout', async () => {
    const { surface, scroller } = await conversation();
    const own = { writes: 0, reads: 0 };
    const scrollTop = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop') as Required<PropertyDescriptor>;
    Object.defineProperty(scroller, 'scrollTop', {
      configurable: true,
      set(value) {
        own.writes += 1;
        scrollTop.set.call(scroller, value);
      },
      get() {
        own.reads += 1;
        return scrollTop.get.call(scroller) as number;
      },
    });
    for (const name of ['scrollHeight', 'clientHeight', 'offsetHeight'] as const)
      Object.defineProperty(scroller, name, { configurable: true, get: () => ((own.reads += 1), 0) });
    let frames = 0;
    for (let step = 0; step < 20; step += 1) {
      for (let piece = 0; piece < 5; piece += 1) surface.stream('a1', { text: `Piece ${String(piece)}\n\n` });
      await frame();
      frames += 1;
    }
    expect(own.reads).to.equal(0);
    expect(own.writes).to.be.within(1, frames + 2);
  });

  it('groups finished messages, so that those out of sight cost nothing', async () => {
    const { panel } = await stage(new FakeSurface({ views: long(60) }));
    const groups = findAll(panel, '.list > .stack > .group');
    expect(groups.at(-1)?.children).to.have.length(20);
    expect(groups.map((group) => getComputedStyle(group).contentVisibility)).to.deep.equal(['auto', 'auto', 'visible']);
  });

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
    let still = 0;
    while (still < 10) {
      await frame();
      const now = nodesOf(panel);
      still = now === last ? still + 1 : 0;
      last = now;
    }
    return last;
  };

  it('makes few nodes of a long history, and draws it from its end (E92)', async () => {
    const { panel } = await stage(history(5000), { height: 900 });
    const early = drawn(panel);
    expect(early).to.have.length(250);
    expect(early.slice(-2)).to.deep.equal([0, 20]);
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => atEnd(scroller), 'it does not begin at the end');
    expect(await rest(panel)).to.be.lessThan(2500);
    expect(drawn(panel)[0]).to.equal(0);
    expect(findAll(panel, 'tool-chat-message[fresh]')).to.have.length(0);
  });

  it('makes no more nodes of ten times as long a history', async () => {
    const count = async (messages: number) => {
      const { panel } = await stage(history(messages), { height: 900 });
      await until(() => atEnd(find(panel, part('messages')) as HTMLElement), 'it does not begin at the end');
      return rest(panel);
    };
    const short = await count(5000);
    expect((await count(50_000)) - short).to.be.lessThan(700);
  });

  it('asks for what comes before when the reader comes near the first message, and puts it there without moving what they read (S0-153)', async () => {
    const { views } = history(500).view;
    const surface = Object.assign(new FakeSurface({ views: views.slice(-57) }), {
      asks: 0,
      readOn: () => void (surface.asks += 1),
    });
    const { panel } = await stage(surface);
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => atEnd(scroller), 'it does not begin at the end');
    await rest(panel);
    const last = findAll(panel, 'tool-chat-message').at(-1);
    expect(surface.asks).to.equal(0);
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 }));
    for (let step = 0; step < 200 && surface.asks === 0; step += 1) {
      scroller.scrollTop -= 400;
      await frame();
    }
    expect(surface.asks).to.be.above(0);
    await rest(panel);
    const { top } = scroller.getBoundingClientRect();
    const seen = findAll(panel, 'tool-chat-message').find((message) => message.getBoundingClientRect().top > top) as HTMLElement;
    const at = seen.getBoundingClientRect().top;
    surface.set({ views, prepended: 443 });
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
    expect(
      findAll(panel, '.group')
        .flatMap((group) => Number(group.dataset['at']))
        .at(0),
    ).to.equal(-23);
    surface.set({
      prepended: 0,
      views: history(3).view.views.map((view) => ({ ...view, message: { ...view.message, id: `other-${view.message.id}` } })),
    });
    await rest(panel);
    expect(drawn(panel), 'another conversation is counted from its beginning').to.deep.equal([3]);
  });

  it('draws what the reader comes near to, while what they read stays where it is, and keeps what was drawn (E92)', async () => {
    const { panel } = await stage(history(1000));
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => atEnd(scroller), 'it does not begin at the end');
    await rest(panel);
    const before = drawn(panel).filter((count) => count > 0).length;
    const { top } = scroller.getBoundingClientRect();
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 }));
    for (let step = 0; step < 14; step += 1) {
      scroller.scrollTop -= 400;
      const seen = findAll(panel, 'tool-chat-message').find((message) => message.getBoundingClientRect().top > top) as HTMLElement;
      const at = seen.getBoundingClientRect().top;
      await rest(panel);
      expect(seen.getBoundingClientRect().top, `step ${String(step)}`).to.be.closeTo(at, 2);
    }
    const after = drawn(panel);
    expect(after.filter((count) => count > 0).length).to.be.greaterThan(before);
    expect(after.slice(after.findIndex((count) => count > 0))).to.not.include(0);
    expect(after[0]).to.equal(0);
  });

  it('draws what is jumped to', async () => {
    const { panel } = await stage(history(1000));
    const scroller = find(panel, part('messages')) as HTMLElement;
    await until(() => atEnd(scroller), 'it does not begin at the end');
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 }));
    scroller.scrollTop = 0;
    await until(() => drawn(panel)[0] === 20, 'the top stays empty');
    const first = find(panel, 'tool-chat-message') as HTMLElement;
    await until(() => deepText(first).includes('Question 0?'), 'there is nothing in it');
  });

  it('draws the card that somebody asks to see, and leads them there', async () => {
    const surface = history(1000);
    surface.set({ views: surface.view.views.with(1, assistant('m1', ['Done.', { call: 'c1' }])), cards: { c1: card('c1', 'cancelled') } });
    const { panel } = await stage(surface);
    await appears(panel, 'tool-chat-message');
    expect(find(panel, 'tool-chat-call')).to.equal(undefined);
    find(panel, 'tool-chat-message')?.dispatchEvent(new PanelRequestEvent({ type: 'reveal', requestId: 'c1' }));
    const shown = await appears(panel, 'tool-chat-call');
    await until(() => shown.shadowRoot?.activeElement?.matches(part('tool-card')) ?? false, 'it is not led there');
  });

  it('has a card that waits in the document, however far up it is', async () => {
    const surface = history(1000);
    surface.set({
      views: surface.view.views.with(1, assistant('m1', ['Please confirm.', { call: 'c1' }])),
      cards: { c1: card('c1', 'awaiting_approval') },
      isLoading: true,
      activities: ['awaitingApproval'],
    });
    const { panel } = await stage(surface);
    await appears(panel, part('approval'));
    expect(drawn(panel).slice(0, 2)).to.deep.equal([20, 0]);
  });
});
