/** The form for arguments, on a waiting card and on a failed one, with real keys and clicks (S0-140, S0-141, X-11; faults 67, 114, 117). */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import type { CardEdit } from '../../src/model/calls.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call as checked, card, FakeSurface, user } from './fake-surface.js';
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
  readThrough,
  stage,
  until,
  type PanelOptions,
} from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const EDIT = part('edit-button');
const FIELD = part('argument-field');
const APPLY = '.apply';

const schema = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', description: 'What it is called' },
    count: { type: 'integer', title: 'How many' },
    urgent: { type: 'boolean' },
    size: { enum: ['small', 'large'] },
    notes: { type: 'string', maxLength: 500 },
    tags: { type: 'array', items: { type: 'string' } },
    pin: { type: 'string' },
  },
};

const editable = (change: Partial<CardEdit> = {}): CardEdit => ({ schema, sensitive: ['pin'], answered: 0, ...change });
const args = { title: 'milk', count: 2, tags: ['food'] };

function waiting(edit: CardEdit = editable()): FakeSurface {
  return new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [user('u1', 'Buy it'), assistant('a1', ['Please confirm.', { call: 'c1' }])],
    cards: { c1: card('c1', 'awaiting_approval', { call: checked('c1', { args }), edit }) },
  });
}

async function formOf(surface: FakeSurface, options: PanelOptions = {}) {
  const on = await stage(surface, { height: 560, ...options });
  await ready(on.panel, part('approve-button'));
  await click(await appears(on.panel, EDIT));
  await appears(on.panel, FIELD);
  const field = (name: string) => {
    const label = findAll<HTMLLabelElement>(on.panel, 'tool-chat-edit label, label').find((one) => one.textContent.includes(name));
    return label?.getRootNode() instanceof ShadowRoot
      ? ((label.getRootNode() as ShadowRoot).getElementById(label.htmlFor) as HTMLInputElement)
      : (expect.fail(`no field ${name}`) as never);
  };
  return { ...on, surface, field };
}

/** Puts a text where another stands, by keys. */
async function write(field: HTMLInputElement | HTMLTextAreaElement, text: string) {
  field.focus();
  field.select();
  await sendKeys({ press: 'Delete' });
  await sendKeys({ type: text });
}

async function ready(panel: Element, selector: string): Promise<HTMLElement> {
  const button = await appears(panel, selector);
  await until(() => button.checkVisibility(), 'the form stays');
  button.scrollIntoView({ block: 'center', behavior: 'instant' });
  return armed(panel, selector);
}

describe('the form for arguments', () => {
  afterEach(() => resetMouse());

  it('has a field for each parameter, named, described and filled', async () => {
    const { panel, field } = await formOf(waiting());
    const kinds = findAll<HTMLInputElement>(panel, FIELD).map((one) => (one.localName === 'input' ? one.type : one.localName));
    expect(kinds).to.deep.equal(['text', 'text', 'select', 'select', 'textarea', 'textarea', 'password']);
    expect([field('title').value, field('How many').value, field('tags').value]).to.deep.equal(['milk', '2', '[\n  "food"\n]']);
    expect(field('title').getAttribute('aria-required')).to.equal('true');
    const described = field('title').getAttribute('aria-describedby') ?? '';
    expect((field('title').getRootNode() as ShadowRoot).getElementById(described)?.textContent).to.equal('What it is called');
    await until(() => find(panel, 'tool-chat-edit')?.shadowRoot?.activeElement === field('title'), 'the focus is elsewhere');
    expect(find(panel, part('approve-button'))?.checkVisibility(), 'nothing can be allowed meanwhile').to.equal(false);
  });

  it('keeps an id that the sentence calls by a name behind the other fields, and opens it where it is wrong', async () => {
    const surface = waiting(editable({ schema: { properties: { task_id: { type: 'string' }, title: { type: 'string' } } } }));
    const call = checked('c1', { sentence: 'Rename “Call the dentist”', args: { task_id: 't-7', title: 'Call Ada' } });
    surface.set({ cards: { c1: card('c1', 'awaiting_approval', { call, edit: surface.view.cards['c1']!.edit! }) } });
    const { panel } = await formOf(surface);
    const boxes = findAll<HTMLInputElement>(panel, FIELD);
    expect(boxes.map(({ value }) => value)).to.deep.equal(['Call Ada', 't-7']);
    const details = boxes[1]!.closest('details') as HTMLDetailsElement;
    expect(boxes[0]!.closest('details')).to.equal(null);
    expect(details.open).to.equal(false);
    await click(await appears(panel, APPLY));
    const edit = { ...surface.view.cards['c1']!.edit!, answered: 1, problem: { parameter: 'task_id', message: 'No such task' } };
    surface.set({ cards: { c1: card('c1', 'awaiting_approval', { call, edit }) } });
    await until(() => details.open && deepText(details).includes('No such task'), 'what is wrong is hidden');
  });

  it('asks for what was written, by a real click and by no other', async () => {
    const { panel, decided, field } = await formOf(waiting());
    await write(field('title'), 'tea');
    const urgent = field('urgent') as unknown as HTMLSelectElement;
    expect([...urgent.options].map(({ text }) => text)).to.deep.equal([en.notSet, en.yes, en.no]);
    urgent.value = '0';
    urgent.dispatchEvent(new Event('change'));
    const apply = find(panel, APPLY) as HTMLElement;
    apply.click();
    apply.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
    expect(decided).to.deep.equal([]);
    await click(apply);
    expect(decided).to.deep.equal([
      {
        ...{ requestId: 'c1', digest: 'digest of c1', verdict: 'edit' },
        args: { title: 'tea', count: 2, urgent: true, tags: ['food'] },
      },
    ]);
    await click(apply);
    expect(decided, 'while it is checked').to.have.length(1);
  });

  it('is sent by Enter in a field of one line', async () => {
    const { decided, field } = await formOf(waiting());
    await write(field('title'), 'tea');
    await sendKeys({ press: 'Enter' });
    expect(decided.map(({ verdict, args: sent }) => [verdict, sent?.['title']])).to.deep.equal([['edit', 'tea']]);
  });

  it('keeps what was written when it is refused, and leads to the field', async () => {
    const { panel, surface, field } = await formOf(waiting());
    await write(field('title'), 'tea');
    await write(field('How many'), 'many');
    await click(find(panel, APPLY) as HTMLElement);
    const problem = { message: 'Invalid parameter count: expected a whole number', parameter: 'count' };
    surface.setCard({ ...(surface.view.cards['c1'] as ReturnType<typeof card>), edit: editable({ answered: 1, problem }) });
    await until(() => field('How many').getAttribute('aria-invalid') === 'true', 'the field is not marked');
    await until(() => find(panel, 'tool-chat-edit')?.shadowRoot?.activeElement === field('How many'), 'the focus is elsewhere');
    expect([field('title').value, field('How many').value]).to.deep.equal(['tea', 'many']);
    expect(deepText(find(panel, 'tool-chat-edit') as Element)).to.contain(problem.message);
    await write(field('How many'), '3');
    expect(field('How many').hasAttribute('aria-invalid'), 'put right').to.equal(false);
  });

  it('says at the field what is not JSON, and sends nothing', async () => {
    const { panel, decided, field } = await formOf(waiting());
    await write(field('tags'), '["food"');
    await click(find(panel, APPLY) as HTMLElement);
    await until(() => field('tags').getAttribute('aria-invalid') === 'true', 'the field is not marked');
    expect(decided).to.deep.equal([]);
  });

  it('goes back to the question when it is given up, with the focus where it was opened', async () => {
    const { panel, decided, field } = await formOf(waiting());
    await write(field('title'), 'tea');
    await click(find(panel, '.cancel') as HTMLElement);
    await until(() => !find(panel, 'tool-chat-edit'), 'the form stays');
    const edit = find(panel, EDIT) as HTMLElement;
    await until(() => (edit.getRootNode() as ShadowRoot).activeElement === edit, 'the focus is lost');
    await ready(panel, part('approve-button'));
    expect(decided).to.deep.equal([]);
    await click(edit);
    await appears(panel, FIELD);
    expect(field('title').value, 'given up is given up').to.equal('milk');
  });

  it('asks anew for a change that was taken: what it was, what it is, after standing still', async () => {
    const { panel, surface, decided, field } = await formOf(waiting());
    await write(field('title'), 'tea');
    await click(find(panel, APPLY) as HTMLElement);
    surface.setCard(
      card('c1', 'awaiting_approval', {
        call: checked('c1', { args: { ...args, title: 'tea' }, digest: 'another', describeFailed: true }),
        edit: editable({ answered: 1 }),
        edited: [{ label: 'title', before: 'milk', after: 'tea' }],
      }),
    );
    const run = await appears(panel, part('run-edited-button'));
    expect([isArmed(run), run.part.contains('approve-button'), run.textContent.trim()]).to.deep.equal([
      false,
      true,
      'Run with these changes',
    ]);
    await readThrough(panel, run);
    const heading = find(panel, 'tool-chat-approval')?.shadowRoot?.activeElement;
    expect(heading?.id, 'the focus').to.equal('heading');
    const text = deepText(find(panel, 'tool-chat-approval') as Element).replace(/\s+/g, ' ');
    expect(text).to.contain('You changed:').and.to.contain('Before: milk').and.to.contain('After: tea');
    expect(text).to.contain('What exactly would change could not be found out');
    await click(run);
    expect(decided.at(-1)).to.deep.equal({ requestId: 'c1', digest: 'another', verdict: 'allow' });
  });

  it('does not call the page a liar while the question stands behind the form', async () => {
    let complaints = 0;
    const { panel } = await formOf(waiting(), { conditions: { onCannotAsk: (_, why) => void (complaints += why ? 1 : 0) } });
    const begin = performance.now();
    await until(() => performance.now() - begin > 1600, 'time stands still'); // hidden questions are reported after a second
    expect(find(panel, 'tool-chat-edit')).to.not.equal(undefined);
    expect(complaints).to.equal(0);
  });

  it('is in the reader’s language, and axe finds nothing, also in a form with problems', async () => {
    const problem = { message: '参数 title 不对', parameter: 'title' };
    const { panel, surface } = await formOf(waiting(), { texts: zhCN, lang: 'zh-CN' });
    expect(deepText(find(panel, APPLY) as Element).trim()).to.equal('预览');
    await click(find(panel, APPLY) as HTMLElement);
    surface.setCard({ ...(surface.view.cards['c1'] as ReturnType<typeof card>), edit: editable({ answered: 1, problem }) });
    await until(() => find(panel, '[aria-invalid=true]') !== undefined, 'the field is not marked');
    await atRest(panel);
    await expect(panel).to.be.accessible();
  });

  it('has no button where there is nothing to change', async () => {
    const { panel } = await stage(
      new FakeSurface({
        views: [assistant('a1', [{ call: 'c1' }])],
        cards: {
          c1: card('c1', 'awaiting_approval', { call: checked('c1', { args: {} }), edit: { sensitive: false, answered: 0 } }),
        },
      }),
    );
    await ready(panel, part('approve-button'));
    expect(find(panel, EDIT)).to.equal(undefined);
  });
});

describe('editing in <tool-chat>', () => {
  afterEach(() => resetMouse());

  async function chatWith(change: Record<string, unknown>) {
    const chat = await chatOnPage();
    const act = tool('act', change);
    chat.registerTool(act);
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Act');
    const first = await model.next();
    first.send(`I will act. ${call('act', { title: 'milk' })}`);
    first.done();
    return { chat, act, model, turn };
  }

  const field = (chat: Element) => find<HTMLInputElement>(chat, FIELD) as HTMLInputElement;

  it('runs a waiting call with what the person wrote, and the model hears of it', async () => {
    const { chat, act, model, turn } = await chatWith({ risk: 'danger' });
    await ready(chat, part('approve-button'));
    await click(find(chat, EDIT) as Element);
    await appears(chat, FIELD);
    await write(field(chat), 'tea');
    await sendKeys({ press: 'Enter' });
    await click(await ready(chat, part('run-edited-button')));
    const last = await model.next();
    expect(last.body.messages.at(-1)?.text).to.contain('The user changed the arguments to: {"title":"tea"}');
    last.done();
    await turn;
    expect(act.ran).to.deep.equal([{ title: 'tea' }]);
    await until(() => deepText(find(chat, '[data-status=success]') as Element).includes('tea'), 'the card shows something else');
  });

  it('runs a failed call again, and each card leads to the other', async () => {
    const ran: string[] = [];
    const execute = ({ title }: { title: string }) => {
      ran.push(title);
      if (title === 'milk') throw Object.assign(new Error('Conflict'), { status: 409 });
      return { success: true, message: `${title} is there` };
    };
    const { chat, model, turn } = await chatWith({ risk: 'write', execute });
    (await model.next()).done();
    await turn;
    await click(await appears(chat, EDIT));
    await appears(chat, FIELD);
    await write(field(chat), 'tea');
    await click(find(chat, APPLY) as Element);
    await appears(chat, part('run-edited-button'));
    // The question has come up further down: who asked for it stands before it, and the failed card does not claim that it ran.
    const question = find(chat, 'tool-chat-approval')?.shadowRoot;
    await until(() => question?.activeElement?.id === 'heading', 'the focus is not at the question');
    const { top, bottom } = question!.activeElement!.getBoundingClientRect();
    const log = find(chat, part('messages'))!.getBoundingClientRect();
    expect(top >= log.top - 1 && bottom <= log.bottom + 1, 'the question is in view').to.equal(true);
    expect(deepText(find(chat, '[data-status=error]') as Element)).to.contain('Asked about further down');
    const run = await ready(chat, part('run-edited-button'));
    expect(ran).to.deep.equal(['milk']);
    await click(run);
    const last = await model.next();
    expect(last.body.messages.at(-1)?.text).to.contain('The user ran this call again by hand').and.to.contain('tea is there');
    last.done();
    await until(() => !chat.isLoading, 'it goes on');
    expect(ran).to.deep.equal(['milk', 'tea']);
    const failed = find(chat, '[data-status=error]') as HTMLElement;
    const link = [...failed.querySelectorAll('button')].find((one) => one.textContent.trim() === 'Run again further down');
    await click(link as HTMLElement);
    const again = find(chat, '[data-status=success]') as HTMLElement;
    await until(() => (again.getRootNode() as ShadowRoot).activeElement === again, 'the other card is not found');
  });
});
