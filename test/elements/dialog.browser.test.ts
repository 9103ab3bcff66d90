// engines: top layer, focus, scrolling, layout
/** Questions over what lies behind them: in a dialog, as a sheet in little room, and under the keyboard of a phone (X-11; faults 117, 119, 123). */
import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import '../../src/elements/tool-chat-edit/tool-chat-edit.js';
import { en, fullEnglish } from '../../src/i18n/en.js';

import { assistant, card, FakeSurface, user } from './fake-surface.js';
import { armed, armedInView, click, clickInView, isArmed, keys, mouse, press, pretend, readThrough, see } from './doing.js';
import { several, stage, waiting, type PanelOptions } from './helpers.js';
import {
  appears,
  atRest,
  cannotHoldKeys,
  deepText,
  fieldOf,
  find,
  findAll,
  focused,
  frame,
  hitOf,
  isWithin,
  part,
  until,
  words,
} from './looking.js';

const ALLOW = part('approve-button');
const DENY = part('deny-button');
const EDIT = part('edit-button');
const FIELD = part('argument-field');
const deletion = {
  ...{ label: 'Delete task', sentence: 'Delete the task “Call the dentist”', verbs: { allow: 'Delete task', deny: 'Keep it' } },
  stated: { args: ['task_id'], changes: [] },
};
const fields = (count: number) => Array.from({ length: count }, (_, at) => `field_${String(at)}`);
const filled = (count: number) => Object.fromEntries(fields(count).map((name) => [name, 'value']));

/** A question whose arguments can be changed. */
function editable(names: string[], surface = waiting()) {
  const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
  surface.setCard({ ...surface.view.cards['c1']!, edit: { schema, sensitive: false, answered: 0 } });
  return surface;
}

const dialogOf = (panel: Element) => find<HTMLDialogElement>(panel, 'dialog') as HTMLDialogElement;
const opens = (panel: Element) =>
  until(() => (dialogOf(panel) as HTMLDialogElement | undefined)?.open === true, 'the dialog does not open');

async function dialogs(surface: FakeSurface = waiting(), options: PanelOptions = {}) {
  const on = await stage(surface, options);
  on.panel.approvalUi = 'dialog';
  const verdicts = () => on.decided.map(({ requestId, verdict }) => `${verdict} ${requestId}`);
  return { ...on, surface, verdicts };
}

async function opened(...given: Parameters<typeof dialogs>) {
  const on = await dialogs(...given);
  await opens(on.panel);
  const dialog = dialogOf(on.panel);
  const closes = () => until(() => !dialog.open, 'the dialog stays');
  return { ...on, dialog, closes };
}

describe('questions in a dialog', () => {
  it('stand over an inert page, with the focus on the heading and on no button, and decide by a real click', async () => {
    const { panel, dialog, closes, decided, surface } = await opened();
    expect([dialog.matches(':modal'), dialog.getAttribute('role')]).to.deep.equal([true, 'alertdialog']);
    await until(() => focused()?.id === 'heading', 'the focus is elsewhere');
    await armedInView(panel, ALLOW);
    expect(focused()?.id, 'the focus stays').to.equal('heading');
    await keys('Enter');
    expect(decided).to.deep.equal([]);
    fieldOf(panel).focus();
    expect(focused()?.localName, 'what is behind').to.not.equal('textarea');
    expect(findAll(panel, 'tool-chat-approval'), 'one question, once').to.have.length(1);
    await press(await armedInView(panel, ALLOW));
    expect(decided).to.deep.equal([{ requestId: 'c1', digest: 'digest of c1', verdict: 'allow' }]);
    surface.setCard(card('c1', 'executing'));
    await closes();
  });

  it('H123 are put off by Escape: nothing is decided, the card asks, and opens the dialog again', async () => {
    const { panel, surface, verdicts } = await dialogs(new FakeSurface());
    (await appears(panel, 'textarea')).focus();
    surface.set(waiting().view);
    await opens(panel);
    await until(() => focused()?.id === 'heading', 'the focus is elsewhere');
    await keys('Escape');
    await until(() => !dialogOf(panel).open, 'the dialog stays');
    expect(verdicts()).to.deep.equal([]);
    await until(() => focused()?.localName === 'textarea', 'the focus is lost');
    expect((await armedInView(panel, ALLOW)).checkVisibility()).to.equal(true);
    expect(focused()?.localName, 'and stays there').to.equal('textarea');
    await clickInView(findAll(panel, 'button').find((button) => words(button) === 'Open in dialog') as HTMLElement);
    await opens(panel);
    await press(await armedInView(panel, DENY));
    expect(verdicts()).to.deep.equal(['deny c1']);
  });

  it('come one at a time, in order, and each has to stand still', async () => {
    const { panel, dialog, verdicts, surface } = await opened(several(3));
    const shown = () => find(panel, 'tool-chat-dialog')?.shadowRoot?.querySelector('tool-chat-approval')?.card?.requestId;
    expect(shown()).to.equal('c1');
    expect(words(dialog)).to.contain('2 more after this');
    await press(await armedInView(panel, ALLOW));
    surface.setCard(card('c1', 'queued'));
    await until(() => shown() === 'c2', 'the next question does not come');
    await until(() => focused()?.id === 'heading', 'the focus is elsewhere');
    expect(isArmed(find(panel, ALLOW))).to.equal(false);
    await press(await armedInView(panel, DENY));
    expect(verdicts()).to.deep.equal(['allow c1', 'deny c2']);
  });

  it('do not come over a sentence being written', async () => {
    const { panel, surface } = await dialogs(new FakeSurface());
    const field = await appears<HTMLTextAreaElement>(panel, 'textarea');
    field.focus();
    await keys('type: Wait, ');
    surface.set(waiting().view);
    await armedInView(panel, ALLOW);
    expect(find<HTMLDialogElement>(panel, 'dialog')?.open ?? false).to.equal(false);
    await keys('type: please');
    field.blur();
    await opens(panel);
    expect(field.value).to.equal('Wait, please');
  });

  it('leave the page usable when the widget is put away', async () => {
    const { panel, closes } = await opened();
    const box = (panel.getRootNode() as ShadowRoot).host as HTMLElement;
    box.style.display = 'none';
    await closes();
    box.style.display = '';
    await opens(panel);
  });

  it('keep what was written into their form', async () => {
    const { panel, closes } = await opened(editable(['task_id']));
    const edit = async () => {
      await clickInView(await appears(panel, EDIT));
      return appears<HTMLInputElement>(panel, FIELD);
    };
    await edit();
    await keys('type: X', 'Escape');
    await closes();
    expect((await edit()).value).to.contain('X');
  });
});

describe('in little room', function () {
  this.timeout(20_000); // of which the first takes most, to load

  // A window that gets the focus asks anew: it has it before anything is asked.
  before(async () => {
    fullEnglish();
    await mouse({ type: 'move', position: [1, 1] });
  });

  /** Below an answer that is longer than the room. */
  function afterLongAnswer(text = 'A line of the answer.\n\n'.repeat(30)) {
    const surface = waiting({ ...deletion, risk: 'danger' });
    surface.set({ views: [user('u1', 'Delete it'), assistant('a1', [text, { call: 'c1' }])] });
    return surface;
  }

  const sheetOf = (panel: Element) => find(panel, '[data-sheet][part=tool-card]');
  const isSheet = (panel: Element) => {
    const sheet = sheetOf(panel);
    return sheet !== undefined && getComputedStyle(sheet).position === 'absolute';
  };
  const putBack = (panel: Element) => until(() => !isSheet(panel), 'it stays');

  async function sheet(surface: FakeSurface, [width, height]: readonly [number, number] = [740, 340]) {
    const on = await stage(surface, { width, height });
    await armed(on.panel, DENY);
    await atRest(on.panel);
    const log = find(on.panel, part('messages')) as Element;
    const isWhole = (selectors: string[]) => {
      for (const selector of selectors) expect(isWithin(find(on.panel, selector) as Element, log), `${selector} is cut`).to.equal(true);
    };
    return { ...on, log, isWhole };
  }

  for (const [room, size] of [
    ['a phone on its side', [740, 340]],
    ['a window at 200 %', [640, 360]],
    ['a narrow window at 400 %', [320, 300]],
  ] as const)
    it(`a question is a sheet with sentence, risk and both buttons at once: ${room}`, async () => {
      const { panel, decided, isWhole } = await sheet(afterLongAnswer(), size);
      expect(isSheet(panel)).to.equal(true);
      isWhole(['#heading', '.risk', DENY, ALLOW]);
      await press(await appears(panel, ALLOW));
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow']);
    });

  it('a question stands among the messages where there is room, or where several wait', async () => {
    const { panel } = await sheet(afterLongAnswer(), [480, 560]);
    expect([isSheet(panel), find(panel, '.later')?.checkVisibility()]).to.deep.equal([false, false]);
    const two = await stage(several(2), { width: 740, height: 340 });
    await appears(two.panel, '[part=tool-card]');
    expect(sheetOf(two.panel)).to.equal(undefined);
  });

  it('a sheet scrolls what it says under a top and buttons that stay, and "allow" waits until it is read', async () => {
    const { panel, isWhole } = await sheet(waiting({ ...deletion, args: filled(12) }));
    const facts = find(panel, '.facts') as HTMLElement;
    expect([facts.scrollTop, facts.scrollHeight > facts.clientHeight + 20]).to.deep.equal([0, true]);
    expect(isArmed(find(panel, ALLOW))).to.equal(false);
    await until(() => deepText(sheetOf(panel) as Element).includes(en.scrollToDecide), 'it does not say why');
    await armed(panel, DENY);
    const top = () => (find(panel, DENY) as Element).getBoundingClientRect().top;
    const before = top();
    await readThrough(panel, find(panel, ALLOW) as Element);
    isWhole([DENY, ALLOW]);
    expect(top()).to.be.closeTo(before, 30);
  });

  it('a sheet takes the focus of a person who is here, and Escape puts it back among the messages, undecided', async () => {
    const surface = new FakeSurface({ views: [user('u1', 'Delete it')], isLoading: true });
    const { panel, decided } = await stage(surface, { width: 740, height: 340 });
    await appears(panel, 'textarea');
    panel.focus();
    surface.set({ ...afterLongAnswer().view });
    await armed(panel, DENY);
    await until(() => focused()?.id === 'heading', 'its heading does not get the focus');
    expect(isSheet(panel)).to.equal(true);
    await keys('Escape');
    await putBack(panel);
    expect([decided, focused()?.id]).to.deep.equal([[], 'heading']);
    // It has moved, so it waits anew: a press before that counts for nothing.
    for (let tries = 0; tries < 5 && decided.length === 0; tries += 1) await press(await armedInView(panel, DENY));
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny']);
    await until(() => focused()?.localName === 'textarea', 'the focus does not come back');
  });

  it('a sheet is put back by its button, which keeps the focus on the question', async () => {
    const { panel } = await sheet(afterLongAnswer());
    const later = find(panel, '.later') as HTMLElement;
    expect(later.ariaLabel).to.match(new RegExp(`^${en.decideLater}: \\S`));
    await click(later);
    await putBack(panel);
    await until(() => focused()?.id === 'heading', 'the focus is lost');
  });

  it('a sheet gives way to what lies under it when that gets the focus', async () => {
    const { panel } = await sheet(afterLongAnswer('[Read this](https://example.org)\n\n'.repeat(9)));
    await until(() => findAll(panel, 'a[href]').length > 8, 'there are no links');
    findAll(panel, 'a[href]').at(-1)?.focus();
    await putBack(panel);
  });

  for (const [what, surface, selectors] of [
    ['one question has', afterLongAnswer, ['#heading', '.risk', DENY, ALLOW]],
    ['several questions have', () => several(3), []],
  ] as const)
    it(`${what} the room of the text field where there is hardly any, until somebody writes`, async () => {
      const { panel } = await stage(surface(), { width: 320, height: 256 });
      await appears(panel, `${DENY}, ${part('deny-all-button')}`);
      pretend(panel, 'max-height: 320px');
      const composer = find(panel, 'tool-chat-composer') as Element;
      await until(() => composer.getBoundingClientRect().height === 0, 'the field keeps its room');
      await atRest(panel);
      for (const selector of selectors)
        await until(() => isWithin(find(panel, selector) as Element, find(panel, part('messages')) as Element), `${selector} is cut`);
      panel.focus();
      await until(() => composer.getBoundingClientRect().height > 30, 'the field does not come back');
    });

  for (const [name, width, height] of [
    ['above an on-screen keyboard', 390, 300],
    ['a narrow window at 400 %', 320, 256],
  ] as const)
    it(`several questions keep the row of buttons in reach while their rows scroll: ${name}`, async () => {
      const surface = several(3, (id) => ({ args: { task_id: id }, sentence: `Delete the task “${id}”` }));
      const { panel, decided } = await stage(surface, { width, height });
      const [all, none] = [await appears(panel, part('approve-all-button')), await appears(panel, part('deny-all-button'))];
      // A window is as low as that; above a keyboard it is not.
      pretend(panel, 'max-height: 420px');
      if (height < 300) pretend(panel, 'max-height: 320px');
      await armed(panel, part('deny-all-button'));
      const scroller = find(panel, part('messages')) as HTMLElement;
      for (const place of [0, scroller.scrollHeight / 2, scroller.scrollHeight]) {
        scroller.scrollTop = place;
        await frame();
        for (const button of [all, none]) {
          const { left, top, right, bottom, height: its } = button.getBoundingClientRect();
          const isInReach =
            its > 20 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && button.contains(hitOf(button));
          expect(isInReach, `${button.part.value} at ${String(place)}`).to.equal(true);
        }
      }
      await press(none);
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny', 'deny', 'deny']);
    });

  for (const [name, args] of [
    ['a short one', {}],
    ['a long one', filled(12)],
  ] as const)
    it(`a dialog shows its top and its buttons at once, and scrolls between them: ${name}`, async () => {
      const surface = waiting({ args: { task_id: 'task_7', ...args }, sentence: deletion.sentence, stated: deletion.stated });
      const { panel, dialog } = await opened(surface, { width: 740, height: 340 });
      await appears(dialog, DENY);
      pretend(panel, 'max-height: 420px');
      await atRest(panel);
      await armed(dialog, DENY);
      expect(dialog.getBoundingClientRect().height).to.be.at.most(340);
      expect(dialog.scrollHeight).to.be.at.most(dialog.clientHeight + 1);
      for (const selector of ['#title', '#heading', DENY, ALLOW]) {
        const rect = (find(dialog, selector) as Element).getBoundingClientRect();
        const box = dialog.getBoundingClientRect();
        expect([rect.top >= box.top, rect.bottom <= box.bottom], selector).to.deep.equal([true, true]);
      }
      const facts = find(dialog, '.facts') as HTMLElement;
      expect(facts.scrollHeight > facts.clientHeight + 20).to.equal('field_0' in args);
    });
});

describe('the form of a question in a dialog over the keyboard of a phone', function () {
  this.timeout(20_000);
  /** WebDriver, by which WebKit is driven, leaves the window as it is; a question fits into that, too. */
  const resize = (width: number, height: number) => (cannotHoldKeys ? Promise.resolve() : setViewport({ width, height }));

  before(() => {
    fullEnglish();
  });
  beforeEach(() => resize(390, 760));
  afterEach(() => resize(800, 600));

  for (const top of [0, 120])
    it(`shows the field that is written in and both verbs, and gives the room back: shifted by ${String(top)} px`, async () => {
      const surface = editable(fields(8), waiting({ args: filled(8), sentence: 'Write the form “A”' }));
      const { panel, dialog } = await opened(surface, { width: 390, height: 700 });
      await armed(dialog, DENY);
      find(dialog, EDIT)?.click();
      await appears(dialog, '.apply');
      await atRest(panel);
      see({ height: 360, offsetTop: top });
      /** Whole, in what is seen, and before all else that is drawn there. */
      const isSeen = (element: Element) => {
        const rect = element.getBoundingClientRect();
        return rect.height > 20 && rect.top >= top - 1 && rect.bottom <= top + 361 && element.contains(hitOf(element));
      };
      const boxes = findAll(dialog, FIELD);
      expect(boxes).to.have.length(8);
      for (const field of boxes) {
        field.focus();
        visualViewport?.dispatchEvent(new Event('resize'));
        await frame();
        await until(() => isSeen(field), `${field.id} is covered`);
        for (const button of findAll(dialog, '.cancel, .apply')) expect(isSeen(button), button.className).to.equal(true);
      }
      see();
      await frame();
      expect([dialog.style.maxBlockSize, dialog.style.marginBlock]).to.deep.equal(['', '']);
    });
});
