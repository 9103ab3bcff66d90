/** A visitor without a mouse: from the launcher through a conversation and back to it, by keys alone. */
import { expect } from 'chai';
import { type Driver, launch } from './driver.js';
import { card, type DemoUnderTest, DENY, INPUT, part, serveTasks, untilIdle, untilOnBoard, untilReady } from './widget.js';

describe('by keys alone', () => {
  let driver: Driver;
  let demo: DemoUnderTest;

  before(async () => {
    driver = await launch();
    demo = await serveTasks(4);
  });
  after(async () => {
    await driver.close();
    await demo.close();
  });

  /** What has the focus, innermost: its parts, else its name; and whether it can be seen that it has it. */
  const focused = () =>
    driver.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      if (!at) return { name: '', seen: false, inChat: false };
      const styles = [at, at.closest('.box, .field, form')].flatMap((one) => (one ? [getComputedStyle(one)] : []));
      const seen = styles.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1);
      return {
        name: `${at.localName} ${at.getAttribute('part') ?? at.className} ${at.getAttribute('aria-label') ?? ''}`,
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
        return at && `${at.localName} ${at.getAttribute('part') ?? ''}`.includes(wanted);
      },
      5000,
      name,
    );

  it('opens, asks, declines, allows, looks at the list of conversations, begins another, closes, and never loses the focus', async function () {
    this.timeout(90_000);
    await driver.open(`${demo.url}/?lang=en`);
    await untilReady(driver);
    await driver.waitFor('.task-title');
    await driver.evaluate(() => {
      const chat = document.querySelector('tool-chat') as HTMLElement & { hide(): void };
      chat.setAttribute('layout', 'floating');
      chat.removeAttribute('open');
      (document.activeElement as HTMLElement | null)?.blur();
    });

    // In: the launcher is reached, shows that it is, and the field has the focus once it is open.
    await driver.waitFor(part('launcher'));
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
    const say = async (text: string) => {
      await tabTo('textarea', 'Tab', 60);
      for (const letter of text) await driver.press(letter);
      await driver.press('Enter');
    };
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
    expect(await driver.evaluate(() => document.querySelector('tool-chat')?.hasAttribute('open'))).to.equal(true);
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
    expect(await driver.evaluate(() => document.querySelector('tool-chat')?.hasAttribute('open'))).to.equal(false);
    expect(driver.complaints).to.deep.equal([]);
  });
});
