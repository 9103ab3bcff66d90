// engines: pointer, focus, layout
/** Opening and closing; where a panel stands, how it is moved and sized, and what its round button says of what came meanwhile. */
import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { parsePosition } from '../../src/elements/panel-geometry.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { click, arms, isArmed, keys, mouse, press, see } from './doing.js';
import { accessible, appears, atRest, fieldOf, find, focused, frame, frames, isChromium, middle, part, until, words } from './looking.js';
import { answerByHand, call, chatOnPage, chatWith, thereAndBack, tool, untilTalking } from './tool-chat-stage.js';

const KEY = 'tool-chat.place';
const panelOf = (chat: ToolChat) => find(chat, 'tool-chat-panel') as HTMLElement;
const launcherOf = (chat: ToolChat) => appears(chat, part('launcher'));
const isShown = (chat: ToolChat) => (panelOf(chat) as HTMLElement | undefined)?.checkVisibility() === true;
const isClosed = (chat: ToolChat) => until(() => !isShown(chat), 'it stays open');
const header = (chat: ToolChat) => find(chat, 'h2') as HTMLElement;
const grip = (chat: ToolChat, kind: 'move' | 'size') => find(chat, `.grip.${kind}`) as HTMLElement;
const open = { layout: 'floating', open: '' };

afterEach(() => localStorage.clear());

/** In whole pixels. */
function box(chat: ToolChat) {
  const { left, top, right, bottom, width, height } = panelOf(chat).getBoundingClientRect();
  const sides = { left, top, right, bottom, width, height };
  return Object.fromEntries(Object.entries(sides).map(([side, at]) => [side, Math.round(at)])) as typeof sides;
}

async function stands(chat: ToolChat, expected: Partial<ReturnType<typeof box>>) {
  const near = () => Object.entries(expected).every(([side, at]) => Math.abs(box(chat)[side as 'left'] - at) <= 1);
  for (let tries = 0; tries < 300 && !near(); tries += 1) await frame();
  if (!near()) expect(box(chat)).to.deep.include(expected);
}

const sized = (chat: ToolChat, width: number, height: number) => {
  for (const [side, pixels] of Object.entries({ width, height })) chat.style.setProperty(`--tool-chat-${side}`, `${String(pixels)}px`);
};

/** One that is open, small enough to go about in the window, and can be moved. */
async function floating(attributes: Record<string, string> = {}) {
  const chat = await chatOnPage({ ...open, ...attributes });
  sized(chat, 340, 380);
  await untilTalking(chat);
  await appears(chat, part('expand-button'));
  // Before its round button is there it stands elsewhere, and not every driver tells what comes under a mouse that rests.
  await launcherOf(chat);
  await until(() => getComputedStyle(chat).position === 'fixed', 'it does not float');
  await frame();
  for (let tries = 0; tries < 20 && !find(chat, part('grip')); tries += 1) {
    const [x, y] = middle(header(chat));
    await mouse({ type: 'move', position: [x, y + 200] }, { type: 'move', position: [x, y] });
    await frames(5);
  }
  await appears(chat, part('grip'));
  const rests = ({ playState }: Animation) => playState !== 'running';
  await until(() => panelOf(chat).getAnimations().every(rests), 'it keeps moving');
  return chat;
}

/** A driver has no mouse outside of the window. */
const within = (x: number, y: number): [number, number] => [
  Math.max(1, Math.min(x, innerWidth - 2)),
  Math.max(1, Math.min(y, innerHeight - 2)),
];

async function drag(from: Element, dx: number, dy: number, { drop = true } = {}) {
  const [x, y] = middle(from);
  await mouse({ type: 'move', position: [x, y] }, { type: 'down' });
  await mouse({ type: 'move', position: within(x + Math.round(dx / 2), y + Math.round(dy / 2)) });
  await mouse({ type: 'move', position: within(x + dx, y + dy) });
  if (drop) await mouse({ type: 'up' });
}

describe('a floating chat', () => {
  it('takes the focus to where one writes when a person opens it, and back to its button by Escape, also to one of the page', async () => {
    const chat = await chatOnPage({ layout: 'floating' });
    const own = Object.assign(document.createElement('span'), { slot: 'launcher', textContent: 'Ask us' });
    chat.append(own);
    await until(() => own.role === 'button', 'it is no button');
    expect([own.tabIndex, own.ariaExpanded]).to.deep.equal([0, 'false']);
    own.focus();
    await keys('Enter');
    await until(() => focused()?.localName === 'textarea', 'the field has no focus');
    await keys('Escape');
    await isClosed(chat);
    expect(focused()).to.equal(own);
  });

  it('leaves the focus alone when the page opens it by itself', async () => {
    const chat = await chatOnPage({ layout: 'floating' });
    await launcherOf(chat);
    const field = chat.parentElement!.appendChild(document.createElement('input'));
    field.focus();
    chat.show();
    await appears(chat, 'textarea');
    expect(focused()).to.equal(field);
  });

  for (const [where, side] of [
    ['at the left', { left: '16px', right: 'auto' }],
    ['at the top left', { top: '16px', bottom: 'auto', left: '16px', right: 'auto' }],
    ['in the middle', { left: '45vw', right: 'auto' }],
  ] as const)
    it(`opens within the window when its page has put it ${where}`, async () => {
      const chat = await chatOnPage({ layout: 'floating' });
      await launcherOf(chat);
      Object.assign(chat.style, side);
      chat.show();
      await appears(chat, 'textarea');
      const { left, right, top, bottom } = box(chat);
      expect([left >= 0, top >= 0, right <= innerWidth, bottom <= innerHeight]).to.deep.equal([true, true, true, true]);
    });

  it('grows within the window by a key, is as large on the next visit, and shrinks again', async () => {
    const chat = await chatOnPage(open);
    const button = await appears(chat, part('expand-button'));
    const before = box(chat).width;
    button.focus();
    await keys('Enter');
    await until(() => button.ariaLabel === 'Collapse' && box(chat).width > before, 'it is no larger');
    const { left, top, right, bottom, width } = box(chat);
    expect([left >= 0, top >= 0, right <= innerWidth, focused()]).to.deep.equal([true, true, true, button]);
    expect(bottom).to.be.at.most((await launcherOf(chat)).getBoundingClientRect().top);
    chat.remove();
    const second = await chatOnPage(open);
    const smaller = await appears(second, part('expand-button'));
    await until(() => box(second).width === width, 'it is not as large');
    await click(smaller);
    await until(() => smaller.ariaLabel === 'Expand' && box(second).width === before, 'it does not shrink');
    expect((await launcherOf(second)).checkVisibility()).to.equal(true);
  });

  for (const layout of ['floating', 'sidebar'] as const)
    it(`stands at the other side with \`position=start\`: ${layout}`, async () => {
      const chat = await chatOnPage({ layout, open: '', position: 'start' });
      await untilTalking(chat);
      const side = () =>
        Math.sign(middle(find(chat, layout === 'floating' ? part('launcher') : 'tool-chat-panel') ?? chat)[0] - innerWidth / 2);
      await until(() => side() < 0, 'it does not stand there');
      chat.position = 'end';
      await until(() => side() > 0, 'it stays there');
    });

  for (const layout of ['sidebar', 'fullscreen'] as const)
    it(`is closed by its button and opened by the page, says both, and stays where its page keeps it open: ${layout}`, async () => {
      const chat = await chatOnPage({ layout });
      const heard: string[] = [];
      for (const type of ['tool-chat-show', 'tool-chat-hide'] as const) chat.addEventListener(type, () => heard.push(type));
      const close = () => click(find(chat, 'header > button:last-of-type')!);
      expect(chat.open).to.equal(true);
      await close();
      expect(isShown(chat)).to.equal(false);
      chat.show();
      expect([isShown(chat), heard]).to.deep.equal([true, ['tool-chat-hide', 'tool-chat-show']]);
      chat.addEventListener('tool-chat-hide', (event) => event.preventDefault());
      await close();
      expect(isShown(chat)).to.equal(true);
    });
});

describe('a chat in little room', () => {
  it('is no higher than a window of 320 by 256, as one of 1280 by 1024 is at 400 %', async function () {
    if (!isChromium) this.skip(); // the windows of the other engines have a size of their own
    await setViewport({ width: 320, height: 256 });
    const heights: number[] = [];
    for (const layout of ['inline', 'sidebar', 'fullscreen'] as const) {
      const chat = await chatOnPage({ layout });
      if (layout === 'inline') Object.assign(chat.parentElement!.style, { position: 'static', height: 'auto' });
      heights.push(chat.getBoundingClientRect().height, (await appears(chat, 'textarea')).getBoundingClientRect().bottom);
    }
    await setViewport({ width: 800, height: 600 });
    expect(Math.max(...heights)).to.be.at.most(256);
  });

  for (const layout of ['fullscreen', 'sidebar', 'floating'] as const)
    it(`keeps its text field in view over the keyboard of a phone, and gives the room back: ${layout}`, async () => {
      const chat = await chatOnPage({ layout, open: '' });
      await untilTalking(chat);
      const field = fieldOf(chat);
      const [before, { bottom }] = [box(chat).bottom, field.getBoundingClientRect()];
      see({ height: innerHeight - 200 });
      await until(() => field.getBoundingClientRect().bottom <= bottom - 199, 'the field lies behind it');
      if (layout !== 'floating') expect(field.getBoundingClientRect().bottom).to.be.at.most(innerHeight - 200);
      see();
      await until(() => box(chat).bottom === before, 'the room stays');
      see({ height: innerHeight - 200, scale: 2 });
      expect(panelOf(chat).style.marginBlock, 'to who has zoomed in').to.equal('');
    });
});

describe('a floating panel', () => {
  it('follows its header, within the window, and stands there on the next visit', async () => {
    const chat = await floating();
    const { left, top, width, height } = box(chat);
    await drag(header(chat), -90, -20);
    await stands(chat, { left: left - 90, top: top - 20, width, height });
    await drag(header(chat), -2000, -2000);
    await stands(chat, { left: 12, top: 12 });
    chat.remove();
    const next = await chatOnPage(open);
    sized(next, 300, 340);
    await appears(next, 'textarea');
    // It was moved and not sized: its page says how large it is.
    await stands(next, { right: 352, bottom: 392, width: 300, height: 340 });
  });

  it('is sized by the corner that has room, and keeps the other one', async () => {
    const chat = await floating();
    const { left, top, right, bottom } = box(chat);
    await drag(grip(chat, 'size'), -40, -30);
    await stands(chat, { left: left - 40, top: top - 30, right, bottom });
    await drag(grip(chat, 'size'), 2000, 2000);
    await stands(chat, { width: 320, height: 360, right, bottom });
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
    await keys('Escape');
    await stands(chat, before);
    await mouse({ type: 'up' });
    expect([chat.open, localStorage.getItem(KEY)]).to.deep.equal([true, null]);
    await drag(header(chat), -60, -15);
    await stands(chat, { left: before.left - 60 });
    const twice = () => {
      const init = { bubbles: true, composed: true, button: 0, isPrimary: true };
      for (const type of ['pointerdown', 'pointerup']) header(chat).dispatchEvent(new PointerEvent(type, init));
      header(chat).dispatchEvent(new MouseEvent('dblclick', init));
    };
    twice();
    await stands(chat, before);
    expect(localStorage.getItem(KEY)).to.equal(null);
    twice();
    await stands(chat, { left: before.left - 60, top: before.top - 15 });
  });

  it('has grips for whoever goes about by keys, which move and size it; Escape and Home take that back', async () => {
    const chat = await chatOnPage({ ...open, lang: 'de' });
    sized(chat, 340, 380);
    await untilTalking(chat);
    await launcherOf(chat);
    (await appears(chat, part('expand-button'))).focus();
    expect(find(chat, part('grip'))).to.equal(undefined);
    await keys('Tab');
    await appears(chat, part('grip'));
    await until(() => grip(chat, 'move').ariaLabel === 'Verschieben' && grip(chat, 'size').ariaLabel === 'Größe ändern', 'their names');
    await atRest(chat);
    const before = box(chat);
    grip(chat, 'move').focus();
    await keys('ArrowLeft');
    await stands(chat, { left: before.left - 16, top: before.top });
    expect(getComputedStyle(grip(chat, 'move')).outlineStyle).to.equal('solid');
    await accessible(chat);
    const event = new KeyboardEvent('keydown', { key: 'ArrowLeft', shiftKey: true, bubbles: true, composed: true, cancelable: true });
    grip(chat, 'move').dispatchEvent(event);
    expect(event.defaultPrevented).to.equal(true);
    await stands(chat, { left: before.left - 80 });
    await keys('Escape');
    await stands(chat, before);
    grip(chat, 'size').focus();
    await keys('ArrowUp');
    await stands(chat, { top: before.top - 16, bottom: before.bottom });
    await keys('Home');
    await stands(chat, before);
    expect([chat.open, localStorage.getItem(KEY)]).to.deep.equal([true, null]);
    // Nothing is left to take back: it closes, as from everywhere else.
    await keys('Escape');
    await isClosed(chat);
  });

  it('stands within a window that became smaller, as before in one that is as large again, and after another document', async () => {
    const chat = await floating({ 'log-level': 'off' });
    const { left, top } = box(chat);
    await drag(header(chat), -60, -20);
    await stands(chat, { left: left - 60, top: top - 20 });
    see({ width: 370 });
    await stands(chat, { left: 12, width: 340 });
    see();
    await stands(chat, { left: left - 60, top: top - 20 });
    await thereAndBack(chat);
    await appears(chat, part('grip'));
    await stands(chat, { left: left - 60, top: top - 20 });
  });

  it('is within the window, whatever was kept, and where its page has it when that is damaged', async () => {
    for (const damaged of ['', '1', 'NaN,2', '1,2,3', '1,2,3,4,5', '{"x":1}', '1e9,2', '1,2,x,4'])
      expect(parsePosition(damaged), damaged).to.equal(undefined);
    localStorage.setItem(KEY, '99999,99999,99999,99999');
    const chat = await chatOnPage(open);
    await appears(chat, part('grip'));
    await stands(chat, { left: 12, top: 12, right: innerWidth - 12, bottom: innerHeight - 12 });
  });

  it('brings no button under a pointer that could press it', async () => {
    const chat = await floating();
    const act = tool('act', { risk: 'danger' });
    chat.registerTool(act);
    const model = answerByHand(chat);
    const { turn } = await model.begin('Act', `I will act. ${call('act', { title: 'x' })}`);
    const allow = await appears(chat, part('approve-button'));
    await arms(allow);
    await drag(header(chat), -60, -20, { drop: false });
    await until(() => !isArmed(allow), 'it can be pressed while it moves');
    await mouse({ type: 'up' });
    expect(act.ran).to.deep.equal([]);
    await arms(allow);
    // A grip that is held is put down by a press over the button, which presses nothing.
    await click(grip(chat, 'move'));
    await mouse({ type: 'click', position: middle(allow) });
    await until(() => !isArmed(allow), 'it can be pressed at once where it stands now');
    expect([act.ran.length, find(chat, part('approve-button'))]).to.deep.equal([0, allow]);
    await press(allow);
    await model.reply('');
    await turn;
    expect(act.ran).to.have.length(1);
  });
});

describe('the button of a closed chat', () => {
  /** A floating chat that was opened and closed while an answer is on its way. */
  async function closed() {
    const wipe = tool('wipe', { risk: 'danger', label: 'Wipe', describeCall: () => 'Wipe “everything”' });
    const { chat, model } = await chatWith([wipe], open);
    await untilTalking(chat);
    const turn = chat.sendMessage('Do it');
    const request = await model.next();
    chat.hide();
    expect(find(chat, part('badge'))).to.equal(undefined);
    const say = async (text: string) => {
      request.send(text);
      request.done();
      await until(() => words(find(chat, part('badge'))) === '1', 'no count');
    };
    return { chat, turn, say, bubble: () => words(find(chat, part('bubble'))) };
  }

  it('counts the answer that came, shows how it begins, and leads to it', async () => {
    const { chat, say, bubble } = await closed();
    await say(`**All** of it is done. ${'And more. '.repeat(30)}`);
    expect(bubble()).to.match(/^New answer ?All of it is done\. And more\..*…×$/u);
    expect(find(chat, '[role=status] b')).not.to.equal(undefined);
    // While it comes up it is paler than it is.
    await Promise.all((find(chat, part('bubble')) as Element).getAnimations().map(({ finished }) => finished));
    await accessible(chat);
    await click(find(chat, '[part=bubble] .text') as Element);
    await until(() => chat.open && !find(chat, part('badge')) && !find(chat, part('bubble')), 'they stay');
  });

  it('says what waits for a decision, before any answer', async () => {
    const { chat, say, bubble } = await closed();
    await say(`One moment. ${call('wipe', { title: 'x' })}`);
    expect(bubble()).to.contain('Waiting for confirmation').and.to.contain('Wipe “everything”');
    // Seen is not decided: nothing of it can be allowed from here.
    expect(find(chat, '[part=bubble] [part~=approve-button]')).to.equal(undefined);
    chat.show();
    await until(() => !find(chat, part('badge')), 'it stays');
  });

  it('keeps the count and takes back its words when they are put away', async () => {
    const { chat, say } = await closed();
    await say('Done.');
    await click(await appears(chat, '[part=bubble] .away'));
    await until(() => find(chat, part('bubble'))?.checkVisibility() === false, 'it stays');
    expect([words(find(chat, part('badge'))), focused()?.part.contains('launcher')]).to.deep.equal(['1', true]);
  });

  it('is quiet while the chat is open, and where it does not float', async () => {
    for (const attributes of [open, { layout: 'inline' }]) {
      const { chat, model } = await chatWith([], attributes);
      await model.turn('Hello', 'Hi.');
      expect([find(chat, part('badge')), find(chat, part('bubble'))]).to.deep.equal([undefined, undefined]);
    }
  });
});
