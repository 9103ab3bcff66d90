// engines: focus
/** A user without a mouse: from the launcher through a conversation and back to it, by keys alone. */
import { expect } from 'chai';
import { type Driver, launch } from './driver.js';
import { until } from './kept-call.js';
import * as widget from './widget.js';
import { ALLOW, card, DENY, INPUT, part, untilIdle, untilOnBoard } from './widget.js';

describe('by keys alone', () => {
  let driver: Driver;
  let demo: widget.DemoUnderTest;

  before(async () => {
    demo = await widget.serveTasks(4);
  });
  // A window each: in Firefox, keys that have left a page do not come back to the next one by themselves.
  beforeEach(async () => {
    driver = await launch();
  });
  afterEach(() => driver.close());
  after(() => demo.close());

  const focused = () => widget.focused(driver);
  const tabTo = (name: string, key?: string, most?: number) => widget.tabTo(driver, name, key, most);

  /** The focus comes to what has this name, or into the element of this name. */
  async function focusComesTo(name: string) {
    await until(async () => {
      const now = await focused();
      return now.name.includes(name) || now.inside.includes(name);
    }, `the focus to come to ${name}`);
  }

  const isOpen = () => driver.evaluate(() => document.querySelector('tool-chat')?.open);

  /** A press each: WebKit's driver loses what is repeated in one go. */
  async function write(text: string): Promise<void> {
    for (const letter of text) await driver.press(letter);
  }

  async function say(text: string): Promise<void> {
    await tabTo('textarea');
    await write(text);
    await driver.press('Enter');
  }

  /** Tab leads to a button, which is pressed. */
  async function use(name: string, then: string, key = 'Tab') {
    await tabTo(name, key);
    await driver.press('Enter');
    await focusComesTo(then);
  }

  /** At the demo, with the panel floating and closed, and nothing that has the focus; then in by the launcher. */
  async function begin(options: Record<string, string> = {}): Promise<void> {
    await driver.open(`${demo.url}/?lang=en`);
    await widget.untilReady(driver);
    await driver.waitFor('.task-title');
    await driver.evaluate((given: Record<string, string>) => {
      const chat = document.querySelector('tool-chat') as HTMLElement;
      for (const [name, value] of Object.entries({ layout: 'floating', ...given })) chat.setAttribute(name, value);
      chat.removeAttribute('open');
      (document.activeElement as HTMLElement | null)?.blur();
    }, options);
    await driver.waitFor(part('launcher'));
    await tabTo('launcher', 'Tab', 150);
    await driver.press('Enter');
    await focusComesTo('textarea');
  }

  async function leave() {
    await driver.press('Escape');
    await focusComesTo('launcher');
    expect(await isOpen()).to.equal(false);
    expect(driver.complaints).to.deep.equal([]);
  }

  it('opens, asks, declines, allows, looks at the list of conversations, begins another, closes, and never loses the focus', async function () {
    this.timeout(90_000);
    await begin();

    for (const [answer, status] of [
      ['deny-button', 'denied'],
      ['approve-button', 'success'],
    ] as const) {
      await say('Delete the task Call the dentist');
      await driver.waitFor(DENY);
      await tabTo(answer);
      await driver.press(answer === 'deny-button' ? 'Enter' : ' ');
      await driver.waitFor(card(status, 'delete_task'));
      await untilIdle(driver);
    }
    await untilOnBoard(driver, 'Call the dentist', false);

    // Escape takes back from the list to its button, and closes nothing else.
    await use('history-button', 'tool-chat-history', 'Shift+Tab');
    await driver.press('Escape');
    await focusComesTo('history-button');
    expect(await isOpen()).to.equal(true);
    await use('new-chat-button', 'textarea', 'Shift+Tab');

    // No trap: all that takes the focus lies on one round, and each stop can be seen.
    const unseen: string[] = [];
    await until(async () => {
      await driver.press('Tab');
      const now = await focused();
      const isInside = now.inside.includes('tool-chat');
      if (isInside && !now.seen) unseen.push(now.name);
      return !isInside;
    }, 'Tab to lead out of the widget');
    expect(unseen, 'stops that do not show the focus').to.deep.equal([]);

    await driver.click(INPUT);
    await leave();
  });

  it('changes what is asked, undoes what was done, looks into the menu, and edits a message', async function () {
    this.timeout(120_000);
    await begin({ approval: 'always', settings: 'on' });

    // An argument, in the card that asks: left as it is, then changed.
    await say('Create a task "Water lemon"');
    await driver.waitFor(part('edit-button'));
    await use('edit-button', 'argument-field');
    await use('cancel', 'edit-button');
    await use('edit-button', 'argument-field');
    await driver.press('End');
    await driver.press('s');
    await tabTo('apply');
    await driver.press('Enter');
    await driver.waitFor(part('run-edited-button'));
    await focusComesTo('tool-chat-approval');
    await driver.waitFor(ALLOW);
    await tabTo('approve-button');
    await driver.press(' ');
    await driver.waitFor(card('success', 'create_task'));
    await untilIdle(driver);
    await untilOnBoard(driver, 'Water lemons');
    await focusComesTo('textarea');

    await tabTo('undo-button', 'Shift+Tab');
    await driver.press('Enter');
    await driver.waitFor(card('undone', 'create_task'));
    await untilOnBoard(driver, 'Water lemons', false);
    await focusComesTo('tool-chat-panel');

    // The menu: each page has the focus, and Escape gives it back to its entry.
    await use('menu-button', 'acts', 'Shift+Tab');
    for (const page of ['acts', 'grants', 'settings', 'shortcuts', 'clear']) {
      const entry = ` ${page} `;
      for (let presses = 0; presses < 8 && !(await focused()).name.includes(entry); presses += 1) await driver.press('ArrowDown');
      const now = await focused();
      expect([now.name.includes(entry), now.seen], `the arrows lead to ${page}`).to.deep.equal([true, true]);
      await driver.press('Enter');
      await focusComesTo(page === 'clear' ? 'keep' : 'up');
      await driver.press('Escape');
      await focusComesTo(page);
    }
    await driver.press('Escape');
    await focusComesTo('menu-button');
    expect(await isOpen(), 'the chat is still open').to.equal(true);

    // A message is edited: left as it is, then changed.
    await say('Hello');
    await driver.waitFor(part('regenerate-button'));
    await untilIdle(driver);
    await use('edit-message-button', 'tool-chat-rewrite', 'Shift+Tab');
    await driver.press('Escape');
    await focusComesTo('edit-message-button');
    await use('edit-message-button', 'tool-chat-rewrite');
    await write(' you');
    await driver.press('Enter');
    await driver.waitFor(() => document.querySelector<widget.Chat>('tool-chat')?.messages.some(({ text }) => text === 'Hello you'));
    await untilIdle(driver);
    await focusComesTo('textarea');

    await use('regenerate-button', 'textarea', 'Shift+Tab');
    await driver.waitFor(part('regenerate-button'));
    await untilIdle(driver);

    await leave();
  });
});
