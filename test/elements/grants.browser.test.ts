/** For how long an answer holds, and what was granted so far. S2-54; threat model rows 8, 9 and 19. */
import { ContextProvider } from '@lit/context';
import { expect, fixture } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import { html, LitElement } from 'lit';
import { servicesContext, type PanelServices } from '../../src/elements/context.js';
import { allowDecisions, guardButtons } from '../../src/elements/decisions.js';
import type { Decision } from '../../src/model/decision.js';
import { defineOnce } from '../../src/elements/define-once.js';
import { shared } from '../../src/elements/shared.styles.js';
import { tokens } from '../../src/elements/tokens.styles.js';
import { createRememberChoice, renderRememberChoice } from '../../src/elements/tool-chat-approval/remember-choice.js';
import { rememberStyles } from '../../src/elements/tool-chat-approval/remember-choice.styles.js';
import { RevokeRequestEvent, ToolChatGrants } from '../../src/elements/tool-chat-grants/tool-chat-grants.js';
import { valueStyles } from '../../src/elements/value-view.styles.js';
import type { Grant } from '../../src/model/grants.js';
import { en, type Texts } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { atRest, click, deepText, find, findAll, part, until } from './helpers.js';
import { withMenu } from './with-menu.js';

const EXACT = 'Delete task with exactly `task_id` = "task_7": in this session';
const EVERY = 'Every call of Delete task: in this session';

/** A question as the approval mounts it: the choice below a button that decides. */
class TestQuestion extends LitElement {
  static override styles = [tokens, shared, valueStyles, rememberStyles];
  static override properties = { question: {}, offers: {}, texts: {} };
  declare question: string;
  declare offers: readonly string[];
  declare texts: Texts;
  changes = 0;
  readonly #choice = createRememberChoice(() => {
    this.changes += 1;
    this.requestUpdate();
  });

  constructor() {
    super();
    this.question = 'c1 digest';
    this.offers = [EXACT, EVERY];
    this.texts = en;
  }

  override render() {
    this.#choice.ask(this.question, this.offers);
    return html`<button type="button" class="allow primary">Allow</button>${this.#choice.render(this.texts)}`;
  }

  protected override firstUpdated() {
    const root = this.renderRoot as ShadowRoot;
    const allow = root.querySelector<HTMLElement>('.allow') as HTMLElement;
    this.#choice.guard(root);
    guardButtons(root, {
      buttons: [allow],
      decisions: () => {
        const remember = this.#choice.chosen(this.question);
        return [{ requestId: 'c1', digest: 'digest', verdict: 'allow', ...(remember !== undefined && { remember }) }];
      },
      settled: () => {},
    });
  }
}

async function ask(change: Partial<Pick<TestQuestion, 'offers' | 'texts'>> = {}, open = true) {
  defineOnce('test-question', TestQuestion);
  const card = await fixture<TestQuestion>(html`<test-question style="display: block; width: 420px"></test-question>`);
  const decided: (Decision & { remember?: number })[] = [];
  allowDecisions(card, (decision) => decided.push(decision));
  Object.assign(card, change);
  await card.updateComplete;
  const disclosure = find<HTMLDetailsElement>(card, part('remember-choice'));
  if (open && disclosure) disclosure.open = true;
  const choices = () => findAll(card, '[role=radio]');
  const checked = () => choices().map((choice) => choice.getAttribute('aria-checked') === 'true');
  const allow = async () => {
    await click(find(card, '.allow') as Element);
    return decided.at(-1)?.remember;
  };
  return { card, disclosure, choices, checked, allow, decided, chosenText: () => deepText(find(card, '.chosen') as Node).trim() };
}

describe('the choice below a question', () => {
  afterEach(() => resetMouse());

  it('is just this once, folded, and says so', async () => {
    const { disclosure, choices, checked, chosenText, allow } = await ask({}, false);
    expect(disclosure?.open).to.equal(false);
    expect(chosenText()).to.equal('Just this once');
    expect(choices().map((choice) => deepText(choice).trim())).to.deep.equal(['Just this once', EXACT, EVERY]);
    expect(checked()).to.deep.equal([true, false, false]);
    expect(await allow()).to.equal(undefined);
  });

  it('is not there where nothing may be remembered', async () => {
    const { disclosure, allow } = await ask({ offers: [] });
    expect(disclosure).to.equal(undefined);
    expect(await allow()).to.equal(undefined);
  });

  it('travels with the decision of a real click', async () => {
    const { card, choices, checked, chosenText, allow, decided } = await ask();
    await click(choices()[2] as Element);
    await card.updateComplete;
    expect(checked()).to.deep.equal([false, false, true]);
    expect(chosenText()).to.equal(EVERY);
    expect([card.changes, decided.length]).to.deep.equal([1, 0]);
    expect(await allow()).to.equal(1);
    await click(choices()[1] as Element);
    expect(await allow()).to.equal(0);
    await click(choices()[0] as Element);
    expect(await allow()).to.equal(undefined);
    expect(card.changes).to.equal(3);
  });

  it('stays in sight when it is folded again', async () => {
    const { card, choices, disclosure, chosenText } = await ask();
    await click(choices()[1] as Element);
    await card.updateComplete;
    (disclosure as HTMLDetailsElement).open = false;
    expect(chosenText()).to.equal(EXACT);
    expect(find(card, '.chosen')?.checkVisibility()).to.equal(true);
    expect(find(card, '.chosen')?.hasAttribute('data-fact')).to.equal(true);
  });

  it('takes arrow keys, in a circle, and the focus goes with it', async () => {
    const { card, choices, checked, chosenText } = await ask();
    choices()[0]?.focus();
    for (const [key, at] of [
      ['ArrowDown', 1],
      ['ArrowRight', 2],
      ['ArrowDown', 0],
      ['ArrowUp', 2],
      ['ArrowLeft', 1],
    ] as const) {
      await sendKeys({ press: key });
      await card.updateComplete;
      expect(checked().indexOf(true), key).to.equal(at);
      expect(card.shadowRoot?.activeElement).to.equal(choices()[at]);
      expect(choices().map(({ tabIndex }) => tabIndex)).to.deep.equal([0, 1, 2].map((each) => (each === at ? 0 : -1)));
    }
    expect(chosenText()).to.equal(EXACT);
  });

  it('takes Space on the choice that has the focus', async () => {
    const { card, choices, checked } = await ask();
    choices()[2]?.focus();
    await sendKeys({ press: ' ' });
    await card.updateComplete;
    expect(checked()).to.deep.equal([false, false, true]);
  });

  it('goes back to just this once with another question, and with other offers', async () => {
    const { card, choices, checked, allow } = await ask();
    for (const change of [{ question: 'c2 digest' }, { offers: [EVERY, EXACT] }, { offers: [EVERY] }]) {
      await click(choices()[1] as Element);
      await card.updateComplete;
      expect(checked()[1]).to.equal(true);
      Object.assign(card, change);
      await card.updateComplete;
      expect(checked().indexOf(true)).to.equal(0);
      expect(await allow()).to.equal(undefined);
    }
  });

  it('is no answer to a question that was not drawn yet', async () => {
    const { card, choices, allow } = await ask();
    await click(choices()[1] as Element);
    Object.assign(card, { performUpdate: () => {} });
    card.question = 'c2 digest';
    expect(await allow()).to.equal(undefined);
  });

  it('follows no event that a script makes, and nothing that it writes', async () => {
    const { card, choices, checked, allow } = await ask();
    const [, exact, every] = choices() as [HTMLElement, HTMLElement, HTMLElement];
    for (const choice of [exact, every]) {
      choice.click();
      choice.focus();
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'change', 'input'])
        choice.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true }));
      for (const key of ['ArrowDown', ' ', 'Enter'])
        choice.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
      choice.setAttribute('aria-checked', 'true');
    }
    expect(card.changes).to.equal(0);
    expect(await allow()).to.equal(undefined);
    card.requestUpdate();
    await card.updateComplete;
    expect(checked().filter(Boolean).length).to.be.above(1); // what the script wrote is only what it wrote
  });

  it('follows no real click that a label sends on from elsewhere', async () => {
    const { card, choices, allow } = await ask();
    const label = document.createElement('label');
    label.htmlFor = (choices()[2] as HTMLElement).id = 'lent';
    label.textContent = 'Win a prize';
    card.shadowRoot?.append(label);
    await click(label);
    expect([card.changes, await allow()]).to.deep.equal([0, undefined]);
  });

  it('is not moved by methods that a page has replaced', async () => {
    const { choices, allow } = await ask();
    const { findIndex, includes, indexOf, some } = Array.prototype;
    const fragment = DocumentFragment.prototype as unknown as Record<string, unknown>;
    const { querySelectorAll } = fragment;
    const target = choices()[1] as Element;
    Object.assign(Array.prototype, { findIndex: () => 2, includes: () => true, indexOf: () => 2 });
    fragment['querySelectorAll'] = () => ({ 0: target, 1: target, 2: target });
    try {
      await click(target);
    } finally {
      Object.assign(Array.prototype, { findIndex, includes, indexOf, some });
      fragment['querySelectorAll'] = querySelectorAll;
    }
    expect(await allow()).to.equal(0);
  });

  it('holds no function in its template', () => {
    const seen: unknown[] = [];
    const walk = (value: unknown) => {
      if (typeof value === 'function') seen.push(value);
      if (Array.isArray(value)) value.forEach(walk);
      else if (typeof value === 'object' && value !== null && 'values' in value) walk(value.values);
    };
    walk(renderRememberChoice({ texts: en, offers: [EXACT, EVERY], chosen: 1 }));
    walk([html`<i @click=${walk}></i>`]); // proves that it would be found
    expect(seen).to.deep.equal([walk]);
  });

  it('shows characters that have no shape', async () => {
    const { choices } = await ask({ offers: ['Delete task with exactly `task_id` = "a\u202Eb"'] });
    expect(deepText(choices()[1] as Node)).to.contain('aU+202Eb');
  });

  it('is in the reader’s language, and axe finds nothing', async () => {
    const { card, chosenText } = await ask({ texts: zhCN });
    expect(chosenText()).to.equal('仅此一次');
    await atRest(card);
    await expect(card).to.be.accessible();
  });
});

// ---- the list

/** What a panel hands down, and what is said. */
class TestPanel extends LitElement {
  static override styles = tokens;
  readonly said: string[] = [];
  readonly #services = new ContextProvider(this, { context: servicesContext });
  offer(texts: Texts) {
    const services = { texts, lang: 'en', announce: (sentence: string) => void this.said.push(sentence) };
    this.#services.setValue(services as unknown as PanelServices);
  }
  override render() {
    return html`<tool-chat-grants></tool-chat-grants>`;
  }
}

function grant(id: string, more: Partial<Grant> = {}): Grant {
  return { id, toolName: 'delete_task', fingerprint: 'f', sentence: `${EXACT} (${id})`, scope: 'session', where: {}, ...more };
}

async function listOf(grants: readonly Grant[], texts: Texts = en) {
  defineOnce('test-panel', TestPanel);
  defineOnce('tool-chat-grants', ToolChatGrants);
  const panel = await fixture<TestPanel>(html`<test-panel></test-panel>`);
  panel.offer(texts);
  const list = find<ToolChatGrants>(panel, 'tool-chat-grants') as ToolChatGrants;
  const revoked: string[] = [];
  panel.shadowRoot?.addEventListener(RevokeRequestEvent.type, (event) => revoked.push((event as RevokeRequestEvent).grantId));
  const show = async (now: readonly Grant[]) => {
    list.grants = now;
    await list.updateComplete;
  };
  await show(grants);
  const rows = () => findAll(panel, part('grant'));
  const buttons = () => findAll(panel, part('revoke-button'));
  return { panel, list, revoked, show, rows, buttons, focused: () => list.shadowRoot?.activeElement };
}

describe('the list of what is granted', () => {
  afterEach(() => resetMouse());

  it('says each in words and names its tool', async () => {
    const { rows, buttons } = await listOf([grant('g1'), grant('g2', { sentence: 'Every call of \u202Eevil', toolName: 'search' })]);
    expect(rows().map((row) => deepText(row).replace(/\s+/g, ' ').trim())).to.deep.equal([
      `${EXACT} (g1)delete_task Revoke`,
      'Every call of U+202Eevilsearch Revoke',
    ]);
    expect(buttons()[0]?.getAttribute('aria-label')).to.equal(`Revoke: ${EXACT} (g1)`);
  });

  it('says when there is nothing', async () => {
    const { list, rows } = await listOf([]);
    expect(rows()).to.deep.equal([]);
    expect(deepText(list)).to.contain('Nothing beyond single calls');
  });

  it('asks the panel to revoke, tells nobody beyond it and changes nothing itself', async () => {
    const { panel, buttons, revoked, rows } = await listOf([grant('g1'), grant('g2')]);
    const beyond: string[] = [];
    panel.addEventListener(RevokeRequestEvent.type, () => beyond.push('told'));
    await click(buttons()[1] as Element);
    expect([revoked, beyond, rows().length, panel.said]).to.deep.equal([['g2'], [], 2, []]);
  });

  it('says so when it is gone, and gives the focus to the next row, at last to what says that there is none', async () => {
    const { panel, show, buttons, focused } = await listOf([grant('g1'), grant('g2'), grant('g3')]);
    await click(buttons()[1] as Element);
    buttons()[1]?.focus(); // Safari focuses no button by a click
    await show([grant('g1'), grant('g3')]);
    expect(panel.said).to.deep.equal([`Revoked: ${EXACT} (g2)`]);
    expect(focused()).to.equal(buttons()[1]);
    await show([grant('g1')]);
    expect(focused()).to.equal(buttons()[0]);
    await show([]);
    expect(focused()?.className).to.equal('none');
    expect(panel.said).to.have.length(1);
  });

  it('leaves the focus alone where it was elsewhere', async () => {
    const { show, buttons, focused } = await listOf([grant('g1'), grant('g2')]);
    await show([grant('g2')]);
    expect(focused()).to.equal(null);
    buttons()[0]?.focus();
    await show([grant('g0'), grant('g2')]);
    expect(focused()).to.equal(buttons()[1]);
  });

  it('lets a grant go when its time is over', async () => {
    const { rows } = await listOf([grant('g1', { expiresAt: Date.now() + 300 }), grant('g2'), grant('g3', { expiresAt: 1 })]);
    expect(rows()).to.have.length(2);
    await until(() => rows().length === 1, 'it stays');
    expect(deepText(rows()[0] as Node)).to.contain('(g2)');
  });

  it('is a page of the menu, and takes back there', async () => {
    const { surface, panel } = await withMenu({ grants: [grant('g1')] });
    await click(find(panel, '[data-item=grants]') as Element);
    await until(() => find(panel, part('revoke-button')) !== undefined, 'the list');
    await click(find(panel, part('revoke-button')) as Element);
    expect(surface.asked).to.deep.equal(['revoke g1']);
    surface.set({ grants: [] });
    await until(() => deepText(find(panel, part('grants')) as Node).includes('Nothing beyond single calls'), 'it stays');
  });

  it('is in the reader’s language, and axe finds nothing', async () => {
    const { panel, list } = await listOf([grant('g1'), grant('g2')], zhCN);
    expect(find(panel, part('grants'))?.ariaLabel).to.equal('你已允许的操作');
    expect(deepText(list)).to.contain('撤回');
    await atRest(panel);
    await expect(panel).to.be.accessible();
  });
});
