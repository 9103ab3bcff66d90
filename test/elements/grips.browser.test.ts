/** A floating panel is moved and sized by whoever sees it, by pointer and by keys, and stays so. */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import { readPlace } from '../../src/elements/free-place.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, armed, click, find, findAll, frame, isArmed, middle, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, thereAndBack, tool, untilTalking } from './tool-chat-stage.js';

const KEY = 'tool-chat.place';
const panelOf = (chat: ToolChat) => find(chat, 'tool-chat-panel') as HTMLElement;
const header = (chat: ToolChat) => find(chat, 'h2') as HTMLElement;
const grip = (chat: ToolChat, kind: 'move' | 'size') => find(chat, `.grip.${kind}`) as HTMLElement;

/** In whole pixels. */
function box(chat: ToolChat) {
  const { left, top, right, bottom, width, height } = panelOf(chat).getBoundingClientRect();
  const [l, t, r, b, w, h] = [left, top, right, bottom, width, height].map(Math.round) as [number, number, number, number, number, number];
  return { left: l, top: t, right: r, bottom: b, width: w, height: h };
}

async function stands(chat: ToolChat, expected: Partial<ReturnType<typeof box>>) {
  const near = () => Object.entries(expected).every(([side, at]) => Math.abs(box(chat)[side as 'left'] - at) <= 1);
  for (let tries = 0; tries < 300 && !near(); tries += 1) await frame();
  if (!near()) expect(box(chat)).to.deep.include(expected);
}

/** One that is open, small enough to go about in the window, and can be moved. */
async function floating(attributes: Record<string, string> = {}) {
  const chat = await chatOnPage({ layout: 'floating', open: '', ...attributes });
  chat.style.setProperty('--tool-chat-width', '340px');
  chat.style.setProperty('--tool-chat-height', '380px');
  await untilTalking(chat);
  await appears(chat, part('expand-button'));
  // Before its round button is there it stands elsewhere, and not every driver tells what comes under a mouse that rests.
  await appears(chat, part('launcher'));
  await until(() => getComputedStyle(chat).position === 'fixed', 'it does not float');
  await frame();
  const [x, y] = middle(header(chat));
  await sendMouse({ type: 'move', position: [x, y + 200] });
  await sendMouse({ type: 'move', position: [x, y] });
  await appears(chat, part('grip'));
  await until(
    () =>
      !panelOf(chat)
        .getAnimations()
        .some(({ playState }) => playState === 'running'),
    'it keeps moving',
  );
  return chat;
}

/** A driver has no mouse outside of the window. */
const within = (x: number, y: number): [number, number] => [
  Math.max(1, Math.min(x, innerWidth - 2)),
  Math.max(1, Math.min(y, innerHeight - 2)),
];

async function drag(from: Element, dx: number, dy: number, { drop = true } = {}) {
  const [x, y] = middle(from);
  await sendMouse({ type: 'move', position: [x, y] });
  await sendMouse({ type: 'down' });
  await sendMouse({ type: 'move', position: within(x + Math.round(dx / 2), y + Math.round(dy / 2)) });
  await sendMouse({ type: 'move', position: within(x + dx, y + dy) });
  if (drop) await sendMouse({ type: 'up' });
}

describe('a floating panel', () => {
  /** What is seen of the window; nothing = all of it. */
  function see(width?: number) {
    if (width === undefined) Reflect.deleteProperty(visualViewport as object, 'width');
    else Object.defineProperty(visualViewport, 'width', { configurable: true, get: () => width });
    dispatchEvent(new Event('resize'));
  }

  afterEach(async () => {
    see();
    document.documentElement.dir = '';
    await resetMouse();
    localStorage.clear();
  });

  it('follows its header, within the window, and stands there on the next visit', async () => {
    const chat = await floating();
    const before = box(chat);
    await drag(header(chat), -90, -20);
    await stands(chat, { left: before.left - 90, top: before.top - 20, width: before.width, height: before.height });
    await drag(header(chat), -2000, -2000);
    await stands(chat, { left: 12, top: 12 });
    chat.remove();
    const next = await chatOnPage({ layout: 'floating', open: '' });
    next.style.setProperty('--tool-chat-width', '300px');
    next.style.setProperty('--tool-chat-height', '340px');
    await appears(next, 'textarea');
    // It was moved and not sized: its page says how large it is.
    await stands(next, { right: 352, bottom: 392, width: 300, height: 340 });
  });

  it('is sized by the corner that has room, and keeps the other one', async () => {
    const chat = await floating();
    const before = box(chat);
    await drag(grip(chat, 'size'), -40, -30);
    await stands(chat, { left: before.left - 40, top: before.top - 30, right: before.right, bottom: before.bottom });
    await drag(grip(chat, 'size'), 2000, 2000);
    await stands(chat, { width: 320, height: 360, right: before.right, bottom: before.bottom });
    await drag(header(chat), -2000, -2000);
    await stands(chat, { left: 12, top: 12 });
    await until(() => middle(grip(chat, 'size'))[0] > box(chat).left + 300, 'the grip stays at the wall');
    await drag(grip(chat, 'size'), 50, 20);
    await stands(chat, { left: 12, top: 12, width: 370, height: 380 });
    expect(localStorage.getItem(KEY)?.split(',')).to.have.length(4);
  });

  it('comes back by Escape, by a double click, and goes there again by another', async () => {
    const chat = await floating();
    const before = box(chat);
    await drag(header(chat), -60, -15, { drop: false });
    await stands(chat, { left: before.left - 60 });
    await sendKeys({ press: 'Escape' });
    await stands(chat, before);
    await sendMouse({ type: 'up' });
    expect([chat.open, localStorage.getItem(KEY)]).to.deep.equal([true, null]);

    await drag(header(chat), -60, -15);
    await stands(chat, { left: before.left - 60 });
    const twice = (press = true) => {
      const init = { bubbles: true, composed: true, button: 0, isPrimary: true };
      if (press) for (const type of ['pointerdown', 'pointerup']) header(chat).dispatchEvent(new PointerEvent(type, init));
      header(chat).dispatchEvent(new MouseEvent('dblclick', init));
    };
    // Some browsers tell of one when two drags begin at one spot.
    twice(false);
    await stands(chat, { left: before.left - 60 });
    twice();
    await stands(chat, before);
    expect(localStorage.getItem(KEY)).to.equal(null);
    twice();
    await stands(chat, { left: before.left - 60, top: before.top - 15 });
  });

  it('stays where it is when its header is clicked, or a button in it is', async () => {
    const chat = await floating();
    const before = box(chat);
    await drag(header(chat), 2, 2);
    await drag(await appears(chat, part('menu-button')), -80, -20);
    expect(box(chat)).to.deep.equal(before);
    expect(localStorage.getItem(KEY)).to.equal(null);
  });

  it('is moved and sized by keys, and by Escape and Home as before', async () => {
    const chat = await floating();
    const before = box(chat);
    grip(chat, 'move').focus();
    await sendKeys({ press: 'ArrowLeft' });
    await stands(chat, { left: before.left - 16, top: before.top });
    const event = new KeyboardEvent('keydown', { key: 'ArrowLeft', shiftKey: true, bubbles: true, composed: true, cancelable: true });
    grip(chat, 'move').dispatchEvent(event);
    expect(event.defaultPrevented).to.equal(true);
    await stands(chat, { left: before.left - 80 });
    await sendKeys({ press: 'Escape' });
    await stands(chat, before);
    grip(chat, 'size').focus();
    await sendKeys({ press: 'ArrowUp' });
    await stands(chat, { top: before.top - 16, bottom: before.bottom });
    await sendKeys({ press: 'Home' });
    await stands(chat, before);
    expect([chat.open, localStorage.getItem(KEY)]).to.deep.equal([true, null]);
    // Nothing is left to take back: it closes, as from everywhere else.
    await sendKeys({ press: 'Escape' });
    await until(() => !chat.open, 'it stays open');
  });

  it('has grips for whoever goes about by keys, behind all else, and named', async () => {
    const chat = await chatOnPage({ layout: 'floating', open: '', lang: 'de' });
    await untilTalking(chat);
    (await appears(chat, part('expand-button'))).focus();
    expect(find(chat, part('grip'))).to.equal(undefined);
    await sendKeys({ press: 'Tab' });
    await appears(chat, part('grip'));
    await until(() => grip(chat, 'move').ariaLabel === 'Verschieben', 'it has another name');
    expect(grip(chat, 'size').ariaLabel).to.equal('Größe ändern');
    expect(panelOf(chat).shadowRoot?.lastElementChild).to.equal(grip(chat, 'size'));
  });

  it('follows a grip that was pressed and let go, until the next press, which does nothing else', async () => {
    const chat = await floating();
    const before = box(chat);
    await click(grip(chat, 'move'));
    await until(() => grip(chat, 'move').ariaPressed === 'true', 'it is not held');
    const [x, y] = middle(grip(chat, 'move'));
    const heard: Event[] = [];
    const hear = (event: Event) => heard.push(event);
    document.addEventListener('click', hear);
    await sendMouse({ type: 'click', position: [x - 70, y - 20] });
    document.removeEventListener('click', hear);
    await stands(chat, { left: before.left - 70, top: before.top - 20 });
    expect([grip(chat, 'move').ariaPressed, heard.length]).to.deep.equal(['false', 0]);
    await sendMouse({ type: 'move', position: [10, 10] });
    expect(box(chat).left).to.equal(before.left - 70);
  });

  for (const [dir, position] of [
    ['rtl', 'end'],
    ['ltr', 'start'],
  ] as const)
    it(`is kept by its own corner at the left: ${dir}, ${position}`, async () => {
      document.documentElement.dir = dir;
      const chat = await floating({ position });
      const before = box(chat);
      expect(before.left).to.be.below(40);
      expect(middle(grip(chat, 'size'))[0]).to.be.above(before.right - 12);
      await drag(header(chat), 50, -10);
      await stands(chat, { left: before.left + 50, top: before.top - 10 });
      expect(localStorage.getItem(KEY)?.split(',')[0]).to.equal(String(before.left + 50));
      chat.remove();
      // The other way round it stands as far from the other side.
      document.documentElement.dir = dir === 'rtl' ? 'ltr' : 'rtl';
      const next = await chatOnPage({ layout: 'floating', open: '', position });
      await appears(next, 'textarea');
      await stands(next, { right: innerWidth - before.left - 50 });
    });

  it('stands within a window that became smaller, and as before in one that is as large again', async () => {
    const chat = await floating();
    const { left, top } = box(chat);
    await drag(header(chat), -60, -20);
    await stands(chat, { left: left - 60, top: top - 20 });
    see(370);
    await stands(chat, { left: 12, width: 340 });
    see();
    await stands(chat, { left: left - 60, top: top - 20 });
  });

  it('is within the window, whatever was kept, and where its page has it when that is damaged', async () => {
    localStorage.setItem(KEY, '99999,99999,99999,99999');
    const chat = await chatOnPage({ layout: 'floating', open: '' });
    await appears(chat, part('grip'));
    await stands(chat, { left: 12, top: 12, right: innerWidth - 12, bottom: innerHeight - 12 });
    chat.remove();
    localStorage.clear();
    const fresh = await floating();
    const before = box(fresh);
    fresh.remove();
    for (const damaged of ['', '1', 'NaN,2', '1,2,3', '1,2,3,4,5', '{"x":1}', '1e9,2']) {
      expect(readPlace(damaged), damaged).to.equal(undefined);
    }
    localStorage.setItem(KEY, '1,2,x,4');
    const chat2 = await floating();
    await stands(chat2, before);
  });

  it('keeps its own size while it is large', async () => {
    const chat = await floating();
    await drag(grip(chat, 'size'), -40, -30);
    const before = box(chat);
    const button = find(chat, part('expand-button')) as HTMLElement;
    await click(button);
    await until(() => box(chat).width > before.width + 100, 'it is not large');
    expect(grip(chat, 'move').checkVisibility()).to.equal(false);
    await click(button);
    await stands(chat, before);
  });

  it('stands where it was put when the chat comes back from another document', async () => {
    localStorage.setItem(KEY, '150,90');
    const chat = await floating({ 'log-level': 'off' });
    const { left, top } = box(chat);
    expect(left).to.equal(innerWidth - 490);
    await thereAndBack(chat);
    await appears(chat, part('grip'));
    await stands(chat, { left, top });
    await drag(header(chat), 30, 5);
    await stands(chat, { left: left + 30, top: top + 5 });
  });

  it('brings no button under a pointer that could press it', async () => {
    const chat = await floating();
    const act = tool('act', { risk: 'danger' });
    chat.registerTool(act);
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Act');
    const first = await model.next();
    first.send(`I will act. ${call('act', { title: 'x' })}`);
    first.done();
    const allow = await armed(chat, part('approve-button'));
    await drag(header(chat), -60, -20, { drop: false });
    await until(() => !isArmed(allow), 'it can be pressed while it moves');
    await sendMouse({ type: 'up' });
    expect(act.ran).to.deep.equal([]);
    await until(() => isArmed(allow), 'it cannot be pressed any more');
    // A grip that is held is put down by a press over the button, which presses nothing.
    await click(grip(chat, 'move'));
    const position = middle(allow);
    await sendMouse({ type: 'click', position });
    await until(() => !isArmed(allow), 'it can be pressed at once where it stands now');
    expect(act.ran).to.deep.equal([]);
    expect(find(chat, part('approve-button'))).to.equal(allow);
    await until(() => isArmed(allow), 'it cannot be pressed any more');
    await click(allow);
    const last = await model.next();
    last.done();
    await turn;
    expect(act.ran).to.have.length(1);
  });

  it('has no grips in any other layout', async () => {
    const chat = await floating();
    chat.layout = 'sidebar';
    await until(() => findAll(chat, part('grip')).every((one) => !one.checkVisibility()), 'they stay');
    const inline = await chatOnPage();
    await sendMouse({ type: 'move', position: middle(header(inline)) });
    await frame();
    expect(find(inline, part('grip'))).to.equal(undefined);
  });

  it('is accessible', async () => {
    const chat = await floating();
    // The focus comes by keys.
    (await appears(chat, part('expand-button'))).focus();
    await sendKeys({ press: 'Tab' });
    grip(chat, 'move').focus();
    await sendKeys({ press: 'ArrowLeft' });
    expect(getComputedStyle(grip(chat, 'move')).opacity).to.equal('1');
    expect(getComputedStyle(grip(chat, 'move')).outlineStyle).to.equal('solid');
    for (const one of [grip(chat, 'move'), grip(chat, 'size')]) {
      expect(one.offsetWidth).to.be.at.least(24);
      expect(one.offsetHeight).to.be.at.least(24);
    }
    await expect(chat).to.be.accessible();
  });
});
