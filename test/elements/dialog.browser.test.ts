/** `approval-ui="dialog"`: questions one at a time over an inert page; Escape decides nothing (X-11; faults 117, 119, 123). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import {
  appears,
  atRest,
  clickInView as click,
  armed,
  deepText,
  find,
  findAll,
  isArmed,
  part,
  stage,
  until,
  waiting,
  type PanelOptions,
} from './helpers.js';

const DIALOG = 'dialog';
const approve = part('approve-button');

async function dialogs(surface: FakeSurface, options: PanelOptions = {}) {
  const on = await stage(surface, options);
  on.panel.approvalUi = 'dialog';
  return { ...on, surface };
}

async function opened(surface: FakeSurface = waiting(), options: PanelOptions = {}) {
  const on = await dialogs(surface, options);
  await until(() => find<HTMLDialogElement>(on.panel, DIALOG)?.open === true, 'the dialog does not open');
  return { ...on, dialog: find<HTMLDialogElement>(on.panel, DIALOG) as HTMLDialogElement };
}

/** What has the focus, through all shadow roots. */
function focused(): Element | null {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

function many(count: number): FakeSurface {
  const ids = Array.from({ length: count }, (_, at) => `c${String(at + 1)}`);
  return new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [
      user('u1', 'Delete them'),
      assistant(
        'a1',
        ids.map((id) => ({ call: id })),
      ),
    ],
    cards: Object.fromEntries(ids.map((id) => [id, card(id, 'awaiting_approval', { call: call(id, { args: { task_id: id } }) })])),
  });
}

async function ready(panel: Element, selector: string): Promise<HTMLElement> {
  (await appears(panel, selector)).scrollIntoView({ block: 'center', behavior: 'instant' });
  return armed(panel, selector);
}

describe('questions in a dialog', () => {
  afterEach(() => resetMouse());

  it('stand over an inert page, with the focus on the heading and on no button', async () => {
    const { panel, dialog, decided } = await opened();
    expect(dialog.matches(':modal')).to.equal(true);
    expect(dialog.getAttribute('role')).to.equal('alertdialog');
    await until(() => focused()?.id === 'heading', 'the focus is elsewhere');
    await ready(panel, approve);
    expect(focused()?.id, 'the focus stays').to.equal('heading');
    await sendKeys({ press: 'Enter' });
    expect(decided).to.deep.equal([]);
    find<HTMLElement>(panel, 'textarea')?.focus();
    expect(focused()?.localName, 'what is behind').to.not.equal('textarea');
    expect(findAll(panel, 'tool-chat-approval'), 'one question, once').to.have.length(1);
  });

  it('decide by a real click, once', async () => {
    const { panel, dialog, decided, surface } = await opened();
    await click(await ready(panel, approve));
    expect(decided).to.deep.equal([{ requestId: 'c1', digest: 'digest of c1', verdict: 'allow' }]);
    surface.setCard(card('c1', 'executing'));
    await until(() => !dialog.open, 'the dialog stays');
  });

  it('H123 are put off by Escape: nothing is decided, the card asks, and opens the dialog again', async () => {
    const { panel, dialog, decided } = await dialogs(new FakeSurface()).then(async (on) => {
      (await appears(on.panel, 'textarea')).focus();
      on.surface.set(waiting().view);
      await until(() => find<HTMLDialogElement>(on.panel, DIALOG)?.open === true, 'the dialog does not open');
      return { ...on, dialog: find<HTMLDialogElement>(on.panel, DIALOG) as HTMLDialogElement };
    });
    await until(() => focused()?.id === 'heading', 'the focus is elsewhere');
    await sendKeys({ press: 'Escape' });
    await until(() => !dialog.open, 'the dialog stays');
    expect(decided).to.deep.equal([]);
    await until(() => focused()?.localName === 'textarea', 'the focus is lost');
    const inline = await ready(panel, `tool-chat-call ${approve}, ${approve}`);
    expect(inline.checkVisibility()).to.equal(true);
    expect(focused()?.localName, 'and stays there').to.equal('textarea');
    const again = findAll(panel, 'button').find((button) => button.textContent.trim() === 'Open as a dialog') as HTMLElement;
    await click(again);
    await until(() => dialog.open, 'the dialog does not open again');
    await click(await ready(panel, part('deny-button')));
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny']);
  });

  it('come one at a time, in order', async () => {
    const { panel, dialog, decided, surface } = await opened(many(3));
    const shown = () => find(panel, 'tool-chat-dialog')?.shadowRoot?.querySelector('tool-chat-approval')?.card?.requestId;
    expect(shown()).to.equal('c1');
    expect(deepText(dialog).replace(/\s+/g, ' ')).to.contain('2 more after this');
    await click(await ready(panel, approve));
    surface.setCard(card('c1', 'queued'));
    await until(() => shown() === 'c2', 'the next question does not come');
    await until(() => focused()?.id === 'heading', 'the focus is elsewhere');
    const next = find(panel, approve);
    expect(isArmed(next), 'the next has to stand still, too').to.equal(false);
    await click(await ready(panel, part('deny-button')));
    expect(decided.map(({ requestId, verdict }) => [requestId, verdict])).to.deep.equal([
      ['c1', 'allow'],
      ['c2', 'deny'],
    ]);
  });

  it('are all decided by the bar, once they stand in the conversation', async () => {
    const { panel, dialog, decided } = await opened(many(4));
    await sendKeys({ press: 'Escape' });
    await until(() => !dialog.open, 'the dialog stays');
    await click(await ready(panel, part('deny-all-button')));
    expect(decided.map(({ requestId, verdict }) => `${verdict} ${requestId}`)).to.deep.equal(['deny c1', 'deny c2', 'deny c3', 'deny c4']);
  });

  it('do not come over a sentence being written', async () => {
    const on = await dialogs(new FakeSurface());
    const { panel, surface } = on;
    const field = (await appears<HTMLTextAreaElement>(panel, 'textarea')) as HTMLTextAreaElement;
    field.focus();
    await sendKeys({ type: 'Wait, ' });
    surface.set(waiting().view);
    await ready(panel, approve);
    expect(find<HTMLDialogElement>(panel, DIALOG)?.open ?? false).to.equal(false);
    await sendKeys({ type: 'please' });
    expect(field.value).to.equal('Wait, please');
    field.blur();
    await until(() => find<HTMLDialogElement>(panel, DIALOG)?.open === true, 'the dialog does not open');
    expect(field.value).to.equal('Wait, please');
  });

  it('leave the page usable when the widget is put away', async () => {
    const { panel, dialog } = await opened();
    const box = (panel.getRootNode() as ShadowRoot).host as HTMLElement;
    box.style.display = 'none';
    await until(() => !dialog.open, 'the page stays inert');
    box.style.display = '';
    await until(() => dialog.open, 'the question is lost');
  });

  it('keep what was written into their form', async () => {
    const surface = waiting();
    const edit = { schema: { properties: { task_id: { type: 'string' } } }, sensitive: false, answered: 0 } as const;
    surface.setCard(card('c1', 'awaiting_approval', { edit }));
    const { panel, dialog } = await opened(surface);
    await click(await appears(panel, part('edit-button')));
    await appears(panel, part('argument-field'));
    await sendKeys({ type: 'X' });
    await sendKeys({ press: 'Escape' });
    await until(() => !dialog.open, 'the dialog stays');
    await click(await appears(panel, part('edit-button')));
    expect((await appears<HTMLInputElement>(panel, part('argument-field'))).value).to.contain('X');
  });

  it('are in the reader’s language, and axe finds nothing', async () => {
    const { panel, dialog } = await opened(many(2), { texts: zhCN, lang: 'zh-CN' });
    expect(deepText(dialog)).to.contain('之后还有 1 项');
    await ready(panel, approve);
    await atRest(panel);
    await expect(panel).to.be.accessible();
  });
});

describe('questions on their cards', () => {
  it('H123 are dialogs for a screen reader where they could do harm, named by their heading', async () => {
    const { panel } = await stage(waiting());
    const question = await appears(panel, part('approval'));
    expect([question.getAttribute('role'), question.getAttribute('aria-labelledby')]).to.deep.equal(['dialog', 'heading']);
    const { panel: mild } = await stage(waiting({ risk: 'write' }));
    expect((await appears(mild, part('approval'))).getAttribute('role')).to.equal('group');
  });
});
