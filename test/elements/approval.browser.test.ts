// engines: pointer, focus, scrolling, top layer
/** When a question may be answered, and by what: visible, read, at rest; by real clicks and keys. */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { isFramedByOthers } from '../../src/elements/click-guard.js';
import { allowDecisions } from '../../src/elements/decisions.js';
import { en } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface } from './fake-surface.js';
import { armed, arms, click, clickInView, hold, isArmed, keys, mouse, press, pass, readThrough, styled } from './doing.js';
import { several, stage, waiting } from './helpers.js';
import {
  appears,
  cannotHoldKeys,
  deepText,
  fieldOf,
  find,
  findAll,
  focused,
  frame,
  frames,
  middle,
  part,
  said,
  until,
  words,
} from './looking.js';

const approve = part('approve-button');
const deny = part('deny-button');
const approveAll = part('approve-all-button');
const denyAll = part('deny-all-button');
const allow = { requestId: 'c1', digest: 'digest of c1', verdict: 'allow' };
const another = () => card('c1', 'awaiting_approval', { call: call('c1', { args: { task_id: 'all' }, digest: 'another' }) });

async function asked(surface = waiting(), options: Parameters<typeof stage>[1] = {}) {
  const told: (string | null)[] = [];
  const on = await stage(surface, { conditions: { onCannotAsk: (_id, why) => told.push(why) }, ...options });
  const button = await appears(on.panel, approve);
  const verdicts = () => on.decided.map(({ requestId, verdict }) => `${requestId} ${verdict}`);
  return { ...on, surface, button, told, verdicts };
}

async function askedAndArmed(...given: Parameters<typeof asked>) {
  const on = await asked(...given);
  await arms(on.button);
  return on;
}

describe('a question', () => {
  describe('at the right moment', () => {
    it('H117 ignores clicks in the first half second, and does not keep them; decides once, by a real click', async () => {
      hold();
      const { decided, button } = await asked();
      expect(button.getAttribute('aria-disabled')).to.equal('true');
      await click(button);
      pass(300);
      await frames(2);
      expect([isArmed(button), decided]).to.deep.equal([false, []]);
      await arms(button);
      expect(decided).to.deep.equal([]);
      await click(button);
      await click(button);
      expect(decided).to.deep.equal([allow]);
    });

    it('H117 ignores a press that began before the buttons were ready', async () => {
      hold();
      const { decided, button } = await asked();
      await mouse({ type: 'move', position: middle(button) }, { type: 'down' });
      await arms(button);
      await mouse({ type: 'up' });
      expect(decided).to.deep.equal([]);
    });

    for (const [when, change] of [
      ['the card has moved', ({ panel }) => void (panel.style.marginTop = '30px')],
      ['another call has taken the place of the shown one (H119)', ({ surface }) => surface.setCard(another())],
      ['the window has got the focus: the click that brought it does not count', () => void dispatchEvent(new FocusEvent('focus'))],
    ] as [string, (on: Awaited<ReturnType<typeof asked>>) => void][])
      it(`H117 waits again when ${when}`, async () => {
        const on = await askedAndArmed();
        change(on);
        await click(on.button);
        expect(on.decided).to.deep.equal([]);
        await press(on.button);
        expect(on.decided).to.have.length(1);
      });

    it('H117 ignores a press that was held while the question became another', async () => {
      const { surface, decided, button } = await askedAndArmed();
      await mouse({ type: 'move', position: middle(button) }, { type: 'down' });
      surface.setCard(another());
      await frames(2);
      await arms(button);
      await mouse({ type: 'up' });
      await frames(2);
      expect(decided).to.deep.equal([]);
      await press(button);
      expect(decided).to.deep.equal([{ ...allow, digest: 'another' }]);
    });

    it('waits while the card is scrolled away', async () => {
      const { panel, button } = await askedAndArmed();
      const scroller = find(panel, part('messages')) as HTMLElement;
      scroller.append(Object.assign(document.createElement('div'), { style: 'height: 2000px' }));
      scroller.scrollTop = 2000;
      await until(() => !isArmed(button), 'the button stays armed out of sight');
    });

    it('ignores a real click that a label sends on from elsewhere', async () => {
      const { decided, button } = await askedAndArmed();
      const label = Object.assign(document.createElement('label'), { htmlFor: (button.id = 'lent'), textContent: 'Win a prize' });
      button.getRootNode().appendChild(label);
      await arms(button);
      await click(label);
      expect(decided).to.deep.equal([]);
    });

    it('keeps the receiver of its decisions where replaced built-ins do not see it, and takes no second one', async () => {
      const { panel, decided, button } = await askedAndArmed();
      const seen: unknown[] = [];
      const { get } = WeakMap.prototype;
      WeakMap.prototype.get = function (this: WeakMap<WeakKey, unknown>, key: WeakKey) {
        const value = Reflect.apply(get, this, [key]) as unknown;
        if (key === panel) seen.push(value);
        return value;
      };
      try {
        await click(button);
      } finally {
        WeakMap.prototype.get = get;
      }
      expect([decided.length, seen]).to.deep.equal([1, []]);
      expect(() => allowDecisions(panel, () => {})).to.throw('already');
    });
  });

  describe('by keyboard', () => {
    for (const [what, change, end, key, verdict] of [
      ['a call', {}, approve, 'Enter', 'allow'],
      ['a call that was only shown', { flags: ['quoted'], reason: en.reasonQuoted }, deny, ' ', 'deny'],
    ] as const)
      it(`H122 of ${what} leads to "deny" first, and to neither by itself`, async () => {
        const { panel, verdicts } = await askedAndArmed(waiting(change as never));
        find(panel, '#heading')?.focus();
        await keys('Enter', 'Tab');
        expect(focused()?.part.value).to.equal('deny-button');
        await keys('Tab');
        expect(focused()?.part.value).to.equal('approve-button');
        await keys('Escape');
        expect(verdicts()).to.deep.equal([]);
        find(panel, end)?.focus();
        await keys(key);
        expect(verdicts()).to.deep.equal([`c1 ${verdict}`]);
      });

    it('H122 ignores a key that has been held since before', async function () {
      if (cannotHoldKeys) this.skip(); // no such command for WebKit, see helpers.ts
      const { panel, decided, button } = await askedAndArmed();
      fieldOf(panel).focus();
      await sendKeys({ down: 'Enter' });
      button.focus();
      await sendKeys({ down: 'Enter' }); // a repetition, as the browser sends it
      await sendKeys({ up: 'Enter' });
      expect(decided).to.deep.equal([]);
    });
  });

  describe('only where it can be fair', () => {
    for (const [how, style] of [
      ['made transparent', '::part(approval) { opacity: 0.01 }'],
      ['without its arguments', '::part(tool-card-arguments) { display: none }'],
    ] as const)
      it(`does not ask when the page's styles show it ${how}, and says so`, async () => {
        const undo = styled(style);
        const { panel, decided, button, told } = await asked();
        await frames(3);
        pass(1000);
        await until(() => told.length > 0, 'nobody is told');
        await click(button);
        expect([told, decided]).to.deep.equal([['hidden'], []]);
        expect(deepText(find(panel, part('approval')) as Element)).to.include(en.cannotAskHidden);
        undo();
        await arms(button);
        expect(told).to.deep.equal(['hidden', null]);
      });

    for (const [what, css] of [
      ['tiny', '::part(approve-button) { min-width: 0; min-height: 0; width: 2px; height: 1px; padding: 0; overflow: hidden }'],
      ['drawn small', '::part(deny-button) { scale: 0.2 }'],
      ['without "deny"', '::part(deny-button) { display: none }'],
    ] as const)
      it(`does not act with a button that is ${what}`, async () => {
        const { decided, button } = await askedAndArmed();
        const undo = styled(css);
        window.dispatchEvent(new Event('resize'));
        await until(() => !isArmed(button), 'it stays armed');
        await click(button);
        expect(decided).to.deep.equal([]);
        undo();
        await arms(button);
      });

    it('refuses in a frame of another origin, unless that one may frame it', async () => {
      expect(isFramedByOthers()).to.equal(false);
      const frame = document.createElement('iframe');
      frame.sandbox.add('allow-scripts'); // an origin of its own
      const answer = new Promise<unknown>((resolve) => {
        window.addEventListener('message', ({ source, data }) => source === frame.contentWindow && resolve(data), { once: true });
      });
      const allowed = JSON.stringify([location.origin]);
      frame.srcdoc = `<script>parent.postMessage([(${String(isFramedByOthers)})(), (${String(isFramedByOthers)})(${allowed})], '*')</script>`;
      document.body.append(frame);
      // An opaque frame may not know who frames it (Firefox): then it refuses.
      expect(await answer).to.deep.equal([true, !('ancestorOrigins' in location)]);
      frame.remove();
    });

    it('is not read while something lies over its facts, where the platform tells', async function () {
      if (!('isVisible' in IntersectionObserverEntry.prototype)) this.skip(); // only Chromium has IntersectionObserver v2
      const { panel, surface, button } = await askedAndArmed();
      const { left, top, width, height } = find(panel, '#heading')!.getBoundingClientRect();
      const over = document.body.appendChild(document.createElement('div'));
      // It lets every click through, and is higher than what it lies over: what is said below that may move it.
      const place = `left: ${left}px; top: ${top - 4}px; width: ${width}px; height: ${height + 8}px`;
      over.style.cssText = `position: fixed; z-index: 9; background: #fff; pointer-events: none; ${place}`;
      surface.setCard(another());
      await until(() => !isArmed(find(panel, deny)), 'it does not begin anew');
      await armed(panel, deny);
      expect(isArmed(button)).to.equal(false);
      over.remove();
      await arms(button);
    });
  });

  describe('that has to be read', () => {
    it('H115 keeps "allow" shut until a long value has been read to its end', async () => {
      const { panel, decided, button } = await asked(waiting({ args: { note: `${'harmless\n'.repeat(200)}delete everything` } }));
      await armed(panel, deny);
      const facts = deepText(find(panel, part('approval')) as Element);
      expect(facts).to.include(en.scrollToDecide).and.to.include(en.moreLines(193)).and.to.include('delete everything');
      await click(button);
      expect(decided).to.deep.equal([]);
      await clickInView(find(panel, '.fold button') as Element);
      const scroller = find(panel, '.facts') as HTMLElement;
      await until(() => scroller.scrollHeight > 2 * scroller.clientHeight, 'it does not unfold');
      scroller.scrollTop = scroller.scrollHeight;
      await press(button);
      expect(decided).to.have.length(1);
    });

    it('keeps it shut until sentence, risk and reason have been on screen, too', async () => {
      const args = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${String(at)}`, 'value']));
      const { panel, button } = await asked(waiting({ args }), { height: 420 });
      await armed(panel, deny);
      expect(isArmed(button)).to.equal(false);
      expect(deepText(find(panel, part('approval')) as Element)).to.include(en.scrollToDecide);
      const view = (find(panel, '.facts') as Element).getBoundingClientRect();
      const isSeen = (element: Element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= view.top && bottom <= view.bottom;
      };
      const ends = [find(panel, '.risk'), findAll(panel, '.row').at(-1)] as Element[];
      expect(ends.map(isSeen), 'its top is in view, its end is not').to.deep.equal([true, false]);
      await readThrough(panel, button);
    });

    it("has the reason of a service, as the service's, read to its end", async () => {
      const reason = `It costs money. ${'Really. '.repeat(200)}`;
      const { panel, decided, button } = await asked(waiting({ flags: ['service'], reason, risk: 'undeclared' }), { height: 700 });
      await armed(panel, deny);
      expect(deepText(find(panel, '.reason') as Element)).to.include(`${en.serviceSays} It costs money.`);
      expect(isArmed(button)).to.equal(false);
      await clickInView(find(panel, '.reason .fold button') as Element);
      await until(() => !find(panel, '.reason [data-folded]'), 'it does not unfold');
      await readThrough(panel, button);
      expect(decided).to.deep.equal([]);
    });
  });

  describe('for many at once', () => {
    async function batch(count: number, options: Parameters<typeof stage>[1] = {}) {
      const surface = several(count, undefined, `many${String(Math.random())} `);
      const on = await stage(surface, options);
      const none = await armed(on.panel, denyAll);
      const verdicts = () => on.decided.map(({ requestId, verdict }) => `${String(requestId.split(' ')[1])} ${verdict}`);
      return { ...on, surface, none, all: find(on.panel, approveAll) as HTMLElement, verdicts };
    }

    it('H122 is one list from the second on: a row a call, and one bar (S2-84)', async () => {
      const one = await askedAndArmed();
      expect(find(one.panel, 'tool-chat-batch')).to.equal(undefined);
      const { panel, all, none } = await batch(3);
      expect(findAll(panel, '.sentence')).to.have.length(3);
      expect(findAll(panel, `${approve}, ${deny}`).filter((button) => button.checkVisibility())).to.deep.equal([]);
      expect([none, all].map((button) => words(button))).to.deep.equal([en.allowNone, en.allowCount(3)]);
    });

    it('lets a row be decided by itself, with its own details and reading rules', async () => {
      const { panel, verdicts } = await batch(3);
      await clickInView(findAll(panel, '.unfold')[1] as Element);
      const own = findAll(panel, approve)[1] as HTMLElement;
      own.scrollIntoView({ block: 'center', behavior: 'instant' });
      let still = 0;
      await until(() => {
        if (!isArmed(own)) pass(100);
        return (still = isArmed(own) ? still + 1 : 0) > 10;
      }, 'it does not arm');
      await click(own);
      expect(verdicts()).to.deep.equal(['2 allow']);
    });

    it('allows only the rows that are ticked, and leaves the others waiting', async () => {
      const { surface, panel, all, verdicts } = await batch(3);
      await arms(all);
      const tick = findAll(panel, '.checkbox')[1] as HTMLElement;
      await clickInView(tick);
      await until(() => tick.getAttribute('aria-checked') === 'false', 'the tick stays');
      expect(words(all)).to.equal(en.allowCount(2));
      const [id, second] = Object.entries(surface.view.cards)[1]!;
      surface.setCard({ ...second, call: call(id, { digest: 'another' }) });
      await frames(2);
      expect([tick.getAttribute('aria-checked'), words(all)], 'with other arguments').to.deep.equal(['false', en.allowCount(2)]);
      await arms(all);
      await press(all);
      expect(verdicts()).to.deep.equal(['1 allow', '3 allow']);
    });

    it('allows nothing while the form for arguments hides what one of them would do', async () => {
      const { surface, panel, all, verdicts } = await batch(2);
      const first = Object.values(surface.view.cards)[0]!;
      const edit = { schema: { properties: { task_id: { type: 'string' } } }, sensitive: false, answered: 0 };
      surface.setCard({ ...first, edit });
      await arms(all);
      await clickInView(find(panel, '.unfold') as Element);
      await clickInView(await appears(panel, part('edit-button')));
      await appears(panel, part('argument-field'));
      for (let step = 0; step < 12; step += 1) {
        await frames(2);
        pass(250);
      }
      await clickInView(all);
      expect([isArmed(all), verdicts()]).to.deep.equal([false, []]);
    });

    it('is not ticked by a script, nor by a press that began elsewhere', async () => {
      const { panel } = await batch(2);
      const tick = find(panel, '.checkbox') as HTMLElement;
      tick.click();
      for (const type of ['pointerdown', 'mousedown', 'click'])
        tick.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true }));
      await mouse({ type: 'move', position: [470, 20] }, { type: 'down' }, { type: 'move', position: middle(tick) }, { type: 'up' });
      expect(tick.getAttribute('aria-checked')).to.equal('true');
      tick.focus();
      await keys(' ');
      await until(() => tick.getAttribute('aria-checked') === 'false', 'a key does not change it');
    });

    it('allows all only when each has been seen', async () => {
      const { panel, all, decided } = await batch(9, { height: 500 });
      expect(isArmed(all)).to.equal(false);
      await readThrough(panel, all);
      await click(all);
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(Array.from({ length: 9 }, () => 'allow'));
    });
  });

  describe('gets attention without taking it', () => {
    const idle = () => new FakeSurface({ isLoading: true, activities: ['streaming'], views: [assistant('a1', ['Wait', { call: 'c1' }])] });

    it('is announced with a sign where a value is cut or would not be heard', async () => {
      const surface = idle();
      const { panel } = await stage(surface);
      (document.activeElement as HTMLElement | null)?.blur();
      surface.setCard(card('c1', 'awaiting_approval', { call: call('c1', { args: { to: `${'x'.repeat(90)} eve`, sum: '1\u200b0' } }) }));
      await until(() => said(panel).length > 0, 'nothing is announced');
      expect(said(panel)[0])
        .to.include(`${'x'.repeat(80)}…`)
        .and.to.match(/sum = 1 [^\u200b]+ 0/);
    });

    it('H123 moves the focus to its heading when the person is here and writes nothing', async () => {
      const surface = idle();
      const { panel } = await stage(surface);
      panel.focus();
      surface.setCard(card('c1', 'awaiting_approval'));
      await until(() => focused()?.id === 'heading', 'the heading has no focus');
    });

    for (const isWriting of [true, false])
      it(`is only announced, once, when the person is ${isWriting ? 'writing' : 'elsewhere on the page'}`, async () => {
        const surface = idle();
        const { panel } = await stage(surface);
        if (isWriting) panel.focus();
        else (document.activeElement as HTMLElement | null)?.blur();
        if (isWriting) await keys('type: half a sentence');
        const before = focused();
        for (let time = 0; time < 3; time += 1) {
          surface.setCard(card('c1', 'awaiting_approval'));
          await panel.updateComplete;
        }
        await until(() => said(panel).length > 0, 'nothing is announced');
        await armed(panel, approve);
        expect(said(panel)).to.have.length(1);
        expect(said(panel)[0]).to.include(en.saidAsks('删除任务')).and.to.include('task_id = task_7').and.to.include(en.riskDanger);
        expect(focused()).to.equal(before);
      });

    it('gives the focus to the next question, then to the text field, where what is typed next stands', async () => {
      const surface = several(2);
      const { panel } = await stage(surface, { height: 800 });
      await appears(panel, '.unfold');
      for (const unfold of findAll(panel, '.unfold')) await clickInView(unfold);
      await armed(panel, deny);
      const [first, second] = findAll(panel, deny) as [HTMLElement, HTMLElement];
      await click(first);
      expect(focused()?.id).to.equal('heading');
      surface.setCard(card('c1', 'denied'));
      await until(() => !isArmed(second), 'the second does not notice that it has moved');
      await press(second);
      expect(focused()?.localName).to.equal('textarea');
      await keys('type: next');
      expect(fieldOf(panel).value).to.equal('next');
      await frame();
      expect(find(panel, 'tool-chat-picker')).to.equal(undefined);
    });
  });
});
