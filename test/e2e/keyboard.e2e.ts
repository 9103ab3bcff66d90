/** A visitor without a mouse: from the launcher through a conversation and back to it, by keys alone. */
import { expect } from 'chai';
import { type Driver, launch } from './driver.js';
import { ALLOW, card, type DemoUnderTest, DENY, INPUT, part, serveTasks, untilIdle, untilOnBoard, untilReady } from './widget.js';

describe('by keys alone', () => {
  let driver: Driver;
  let demo: DemoUnderTest;

  before(async () => {
    demo = await serveTasks(4);
  });
  // A window each: in Firefox, keys that have left a page do not come back to the next one by themselves.
  beforeEach(async () => {
    driver = await launch();
  });
  afterEach(() => driver.close());
  after(() => demo.close());

  /** What has the focus, innermost: its parts, else its name; and whether it can be seen that it has it. */
  const focused = () =>
    driver.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      if (!at) return { name: '', seen: false, inChat: false };
      const styles = [at, at.closest('.box, .field, form')].flatMap((one) => (one ? [getComputedStyle(one)] : []));
      const seen = styles.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1);
      return {
        name: `${at.localName} ${at.getAttribute('part') ?? at.className} ${at.getAttribute('data-item') ?? ''} ${at.getAttribute('aria-label') ?? ''}`,
        seen,
        inChat: document.activeElement?.localName === 'tool-chat',
      };
    });

  async function tabTo(name: string, key = 'Tab', most = 24): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < most; presses += 1) {
      const now = await focused();
      if (now.inChat && now.name.includes(name)) return;
      passed.push(now.name);
      await driver.press(key);
    }
    throw new Error(`${key} does not lead to ${name}: ${passed.join(' → ')}`);
  }

  const focusComesTo = (name: string) =>
    driver.waitFor(
      (wanted: string) => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return at && `${at.localName} ${at.getAttribute('part') ?? at.className} ${at.getAttribute('data-item') ?? ''}`.includes(wanted);
      },
      5000,
      name,
    );

  const isOpen = () => driver.evaluate(() => document.querySelector('tool-chat')?.hasAttribute('open'));

  async function say(text: string): Promise<void> {
    await tabTo('textarea', 'Tab', 60);
    await write(text);
    await driver.press('Enter');
  }

  /** A press each: WebKit's driver loses what is repeated in one go. */
  async function write(text: string): Promise<void> {
    for (const letter of text) await driver.press(letter);
  }

  /** What has the focus is in this part of the widget. */
  const focusIsIn = (element: string) =>
    driver.waitFor(
      (wanted: string) => {
        let at = document.activeElement;
        while (at && at.localName !== wanted) at = at.shadowRoot?.activeElement ?? null;
        return at !== null;
      },
      5000,
      element,
    );

  const versionIs = (version: string) =>
    driver.waitFor(
      (wanted: string) => {
        const panel = document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel')?.shadowRoot;
        const messages = [...(panel?.querySelectorAll('tool-chat-message') ?? [])];
        return messages.some((one) => one.shadowRoot?.querySelector('[part=branch-picker]')?.textContent?.includes(wanted));
      },
      10_000,
      version,
    );

  /** At the demo, with the panel floating and closed, and nothing that has the focus. */
  async function begin(options: Record<string, string> = {}): Promise<void> {
    await driver.open(`${demo.url}/?lang=en`);
    await untilReady(driver);
    await driver.waitFor('.task-title');
    await driver.evaluate((given: Record<string, string>) => {
      const chat = document.querySelector('tool-chat') as HTMLElement;
      for (const [name, value] of Object.entries({ layout: 'floating', ...given })) chat.setAttribute(name, value);
      chat.removeAttribute('open');
      (document.activeElement as HTMLElement | null)?.blur();
    }, options);
    await driver.waitFor(part('launcher'));
  }

  it('opens, asks, declines, allows, looks at the list of conversations, begins another, closes, and never loses the focus', async function () {
    this.timeout(90_000);
    await begin();

    // In: the launcher is reached, shows that it is, and the field has the focus once it is open.
    await tabTo('launcher', 'Tab', 150);
    expect((await focused()).seen, 'the launcher shows its focus').to.equal(true);
    await driver.press('Enter');
    await focusComesTo('textarea');

    // Escape closes; the focus is back at the launcher.
    await driver.press('Escape');
    await focusComesTo('launcher');
    await driver.press('Enter');
    await focusComesTo('textarea');

    // Decline.
    await say('Delete the task Call the dentist');
    await driver.waitFor(DENY);
    await tabTo('deny-button');
    expect((await focused()).seen, 'a button shows its focus').to.equal(true);
    await driver.press('Enter');
    await driver.waitFor(card('denied', 'delete_task'));
    await untilIdle(driver);

    // Allow.
    await say('Delete the task Call the dentist');
    await driver.waitFor(DENY);
    await tabTo('approve-button');
    await driver.press(' ');
    await driver.waitFor(card('success', 'delete_task'));
    await untilIdle(driver);
    await untilOnBoard(driver, 'Call the dentist', false);

    // The list of conversations: in by its button, Escape takes back to that button and closes nothing else.
    await tabTo('history-button', 'Shift+Tab', 40);
    expect((await focused()).seen, 'the list’s button shows its focus').to.equal(true);
    await driver.press('Enter');
    await driver.waitFor(part('history'));
    await driver.waitFor(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return (at?.getRootNode() as ShadowRoot | undefined)?.host?.localName === 'tool-chat-history';
    });
    await driver.press('Escape');
    await focusComesTo('history-button');
    expect(await isOpen()).to.equal(true);
    await tabTo('new-chat-button', 'Shift+Tab', 3);
    await driver.press('Enter');
    await focusComesTo('textarea');

    // No trap: all that takes the focus lies on one round, and each stop can be seen.
    await driver.evaluate(() => {
      const panel = document.querySelector('tool-chat')?.shadowRoot?.querySelector('tool-chat-panel');
      (panel?.shadowRoot?.querySelector('tool-chat-composer')?.shadowRoot?.querySelector('textarea') as HTMLElement).focus();
    });
    const unseen: string[] = [];
    let left = false;
    for (let presses = 0; presses < 60 && !left; presses += 1) {
      await driver.press('Tab');
      const now = await focused();
      left = !now.inChat;
      if (!left && !now.seen) unseen.push(now.name);
    }
    expect(left, 'Tab leads out of the widget').to.equal(true);
    expect(unseen, 'stops that do not show the focus').to.deep.equal([]);

    // Out.
    await driver.click(INPUT);
    await driver.press('Escape');
    await focusComesTo('launcher');
    expect(await isOpen()).to.equal(false);
    expect(driver.complaints).to.deep.equal([]);
  });

  it('changes what is asked, takes back what was done, looks into the menu, says something otherwise and goes through the versions', async function () {
    this.timeout(120_000);
    await begin({ approval: 'always', settings: 'on' });
    await tabTo('launcher', 'Tab', 150);
    await driver.press('Enter');
    await focusComesTo('textarea');

    // An argument, in the card that asks: left as it is, then changed.
    await say('Create a task "Water lemon"');
    await driver.waitFor(part('edit-button'));
    await tabTo('edit-button', 'Tab', 60);
    await driver.press('Enter');
    await focusComesTo('argument-field');
    await tabTo('cancel');
    await driver.press('Enter');
    await focusComesTo('edit-button');
    await driver.press('Enter');
    await focusComesTo('argument-field');
    await driver.press('End');
    await driver.press('s');
    await tabTo('apply');
    await driver.press('Enter');
    await driver.waitFor(part('run-edited-button'));
    await focusIsIn('tool-chat-approval');
    await driver.waitFor(ALLOW);
    await tabTo('approve-button');
    await driver.press(' ');
    await driver.waitFor(card('success', 'create_task'));
    await untilIdle(driver);
    await untilOnBoard(driver, 'Water lemons');
    await focusComesTo('textarea');

    // Taken back.
    await tabTo('undo-button', 'Shift+Tab', 40);
    expect((await focused()).seen, '“Undo” shows its focus').to.equal(true);
    await driver.press('Enter');
    await driver.waitFor(card('undone', 'create_task'));
    await untilOnBoard(driver, 'Water lemons', false);
    await focusIsIn('tool-chat-panel');

    // The menu: each page has the focus, and Escape gives it back to its entry.
    await tabTo('menu-button', 'Shift+Tab', 60);
    await driver.press('Enter');
    await focusComesTo('acts');
    for (const page of ['acts', 'grants', 'settings', 'shortcuts', 'clear']) {
      const entry = ` ${page} `;
      for (let presses = 0; presses < 8 && !(await focused()).name.includes(entry); presses += 1) await driver.press('ArrowDown');
      expect(await focused(), 'the arrows lead there')
        .to.include({ seen: true })
        .and.to.have.property('name')
        .which.includes(entry);
      await driver.press('Enter');
      await focusComesTo(page === 'clear' ? 'keep' : 'up');
      await driver.press('Escape');
      await focusComesTo(page);
    }
    await driver.press('Escape');
    await focusComesTo('menu-button');
    expect(await isOpen(), 'the chat is still open').to.equal(true);

    // Said otherwise: left as it is, then changed.
    await say('Hello');
    await driver.waitFor(part('regenerate-button'));
    await untilIdle(driver);
    await tabTo('edit-message-button', 'Shift+Tab', 40);
    await driver.press('Enter');
    await focusIsIn('tool-chat-rewrite');
    await driver.press('Escape');
    await focusComesTo('edit-message-button');
    await driver.press('Enter');
    await focusIsIn('tool-chat-rewrite');
    await write(' you');
    await driver.press('Enter');
    await versionIs('2/2');
    await untilIdle(driver);
    await focusComesTo('textarea');

    // Answered anew.
    await tabTo('regenerate-button', 'Shift+Tab', 12);
    await driver.press('Enter');
    await focusComesTo('textarea');
    await driver.waitFor(part('regenerate-button'));
    await untilIdle(driver);

    // The versions, there and back, with the focus where it was.
    await tabTo('previous', 'Shift+Tab', 24);
    expect((await focused()).seen, 'the way to the version before shows its focus').to.equal(true);
    await driver.press('Enter');
    await versionIs('1/2');
    await focusIsIn('tool-chat-message');
    await tabTo('next', 'Tab', 4);
    await driver.press('Enter');
    await versionIs('2/2');
    await focusIsIn('tool-chat-message');

    // Out.
    await driver.press('Escape');
    await focusComesTo('launcher');
    expect(await isOpen()).to.equal(false);
    expect(driver.complaints).to.deep.equal([]);
  });
});
