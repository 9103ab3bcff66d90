/** The form for arguments, on a waiting card and on a failed one, with real keys and clicks (S0-140, S0-141, X-11; faults 67, 114, 117). */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import type { CardEdit } from '../../src/model/calls.js';

import { call as checked, card } from './fake-surface.js';
import { armedInView, clickInView as click, isArmed, keys, pass, press, readThrough } from './doing.js';
import { stage, waiting, type PanelOptions } from './helpers.js';
import { appears, find, findAll, focused, frames, isWithin, part, until, words } from './looking.js';
import { call, chatWith, tool } from './tool-chat-stage.js';
import schemas from '../fixtures/elements/argument-forms.json' with { type: 'json' };

const EDIT = part('edit-button');
const FIELD = part('argument-field');
const RUN = part('run-edited-button');

const args = { title: 'milk', count: 2, tags: ['food'] };
const editable = (change: Partial<CardEdit> = {}): CardEdit => ({ schema: schemas.edited, sensitive: ['pin'], answered: 0, ...change });

/** A question whose form is open. */
async function form(options: PanelOptions = {}, asked = checked('c1', { args }), edit = editable()) {
  const surface = waiting(asked, edit);
  const on = await stage(surface, options);
  await armedInView(on.panel, part('approve-button'));
  await click(await appears(on.panel, EDIT));
  await appears(on.panel, FIELD);
  const field = (name: string) => {
    const label = findAll<HTMLLabelElement>(on.panel, 'label').find((one) => one.textContent.includes(name)) as HTMLLabelElement;
    return (label.getRootNode() as ShadowRoot).getElementById(label.htmlFor) as HTMLInputElement;
  };
  const isWrong = (name: string) => until(() => field(name).getAttribute('aria-invalid') === 'true', 'the field is not marked');
  return { ...on, surface, field, isWrong, apply: find(on.panel, '.apply') as HTMLElement };
}

/** Puts a text where another stands, by keys. */
async function write(field: HTMLInputElement, text: string) {
  field.focus();
  field.select();
  await keys('Delete', `type: ${text}`);
}

describe('the form for arguments', () => {
  it('has a field for each parameter, named, described and filled', async () => {
    const { panel, field } = await form();
    const kinds = findAll<HTMLInputElement>(panel, FIELD).map((one) => (one.localName === 'input' ? one.type : one.localName));
    expect(kinds).to.deep.equal(['text', 'text', 'select', 'select', 'textarea', 'textarea', 'password']);
    expect(['title', 'How many', 'tags'].map((name) => field(name).value)).to.deep.equal(['milk', '2', '[\n  "food"\n]']);
    expect(field('title').getAttribute('aria-required')).to.equal('true');
    const described = field('title').getAttribute('aria-describedby') ?? '';
    expect((field('title').getRootNode() as ShadowRoot).getElementById(described)?.textContent).to.equal('What it is called');
    await until(() => focused() === field('title'), 'the focus is elsewhere');
    expect(find(panel, part('approve-button'))?.checkVisibility(), 'nothing can be allowed meanwhile').to.equal(false);
  });

  it('keeps an id that the sentence calls by a name behind the other fields, and opens it where it is wrong', async () => {
    const stated = { args: ['task_id'], changes: [] };
    const asked = checked('c1', { sentence: 'Rename “Call the dentist”', args: { task_id: 't-7', title: 'Call Ada' }, stated });
    const edit = editable({ schema: { properties: { task_id: { type: 'string' }, title: { type: 'string' } } } });
    const { panel, surface, apply } = await form({}, asked, edit);
    const boxes = findAll<HTMLInputElement>(panel, FIELD);
    expect(boxes.map(({ value }) => value)).to.deep.equal(['Call Ada', 't-7']);
    const [before, details] = boxes.map((box) => box.closest('details'));
    expect([before, details?.open]).to.deep.equal([null, false]);
    await click(apply);
    const problem = { parameter: 'task_id', message: 'No such task' };
    surface.setCard(card('c1', 'awaiting_approval', { call: asked, edit: { ...edit, answered: 1, problem } }));
    await until(() => details?.open === true && words(details).includes('No such task'), 'what is wrong is hidden');
  });

  it('asks for what was written, by a real click and by no other, or by Enter in a field of one line', async () => {
    const { decided, field, apply } = await form();
    await write(field('title'), 'tea');
    const urgent = field('urgent') as unknown as HTMLSelectElement;
    expect([...urgent.options].map(({ text }) => text)).to.deep.equal([en.notSet, en.yes, en.no]);
    urgent.value = '0';
    urgent.dispatchEvent(new Event('change'));
    apply.click();
    apply.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
    expect(decided).to.deep.equal([]);
    await click(apply);
    const changed = { title: 'tea', count: 2, urgent: true, tags: ['food'] };
    expect(decided).to.deep.equal([{ requestId: 'c1', digest: 'digest of c1', verdict: 'edit', args: changed }]);
    await click(apply);
    expect(decided, 'while it is checked').to.have.length(1);
    const other = await form();
    await write(other.field('title'), 'tea');
    await keys('Enter');
    expect(other.decided.map(({ verdict, args: sent }) => [verdict, sent?.['title']])).to.deep.equal([['edit', 'tea']]);
  });

  it('keeps what was written when it is refused, leads to the field, and says what is no JSON before it sends', async () => {
    const { panel, surface, decided, field, isWrong, apply } = await form();
    await write(field('tags'), '["food"');
    await click(apply);
    await isWrong('tags');
    expect(decided).to.deep.equal([]);
    await write(field('tags'), '[]');
    await write(field('title'), 'tea');
    await write(field('How many'), 'many');
    await click(apply);
    const problem = { message: 'Invalid parameter count: expected a whole number', parameter: 'count' };
    surface.setCard({ ...surface.view.cards['c1']!, edit: editable({ answered: 1, problem }) });
    await isWrong('How many');
    await until(() => focused() === field('How many'), 'the focus is elsewhere');
    expect([field('title').value, field('How many').value]).to.deep.equal(['tea', 'many']);
    expect(words(find(panel, 'tool-chat-edit'))).to.contain(problem.message);
    await write(field('How many'), '3');
    expect(field('How many').hasAttribute('aria-invalid'), 'put right').to.equal(false);
  });

  it('asks anew for a change that was taken: what it was, what it is, after standing still', async () => {
    const { panel, surface, decided, field, apply } = await form();
    await write(field('title'), 'tea');
    await click(apply);
    const changed = checked('c1', { args: { ...args, title: 'tea' }, digest: 'another', describeFailed: true });
    const edited = [{ label: 'title', before: 'milk', after: 'tea' }];
    surface.setCard(card('c1', 'awaiting_approval', { call: changed, edit: editable({ answered: 1 }), edited }));
    const run = await appears(panel, RUN);
    expect([isArmed(run), run.part.contains('approve-button'), words(run)]).to.deep.equal([false, true, 'Run with changes']);
    await readThrough(panel, run);
    expect(focused()?.id, 'the focus').to.equal('heading');
    const text = words(find(panel, 'tool-chat-approval'));
    for (const said of ['You changed:', 'Before: milk', 'After: tea', 'No preview of the changes available']) expect(text).to.contain(said);
    await press(run);
    expect(decided.at(-1)).to.deep.equal({ requestId: 'c1', digest: 'another', verdict: 'allow' });
  });

  it('tells whose call is changed, and does not call the page a liar while the question stands behind the form', async () => {
    let complaints = 0;
    const changed: string[] = [];
    const onEdit = (id: string) => void changed.push(id);
    const { panel } = await form({ conditions: { onEdit, onCannotAsk: (_, why) => void (complaints += why ? 1 : 0) } });
    for (let step = 0; step < 12; step += 1) {
      await frames(2);
      pass(250); // hidden questions are reported after a second
    }
    expect([find(panel, 'tool-chat-edit') !== undefined, complaints, changed]).to.deep.equal([true, 0, ['c1']]);
  });
});

it('a failed call of <tool-chat> runs again with other arguments, and each card leads to the other', async () => {
  const ran: string[] = [];
  const execute = ({ title }: { title: string }) => {
    ran.push(title);
    if (title === 'milk') throw Object.assign(new Error('Conflict'), { status: 409 });
    return { success: true, message: `${title} is there` };
  };
  const { chat, model } = await chatWith([tool('act', { risk: 'write', execute })]);
  await model.turn('Act', `I will act. ${call('act', { title: 'milk' })}`, '');
  await click(await appears(chat, EDIT));
  await write(await appears<HTMLInputElement>(chat, FIELD), 'tea');
  await keys('Enter');
  await appears(chat, RUN);
  // The question has come up further down: who asked for it stands before it, and the failed card does not claim that it ran.
  await until(() => focused()?.id === 'heading', 'the focus is not at the question');
  expect(isWithin(focused()!, find(chat, part('messages'))!), 'the question is in view').to.equal(true);
  const failed = find(chat, '[data-status=error]') as HTMLElement;
  expect(words(failed)).to.contain('Approval requested below');
  await armedInView(chat, RUN);
  expect(ran).to.deep.equal(['milk']);
  await press(find(chat, RUN) as HTMLElement);
  const last = await model.reply('');
  expect(last.body.messages.at(-1)?.text).to.contain('The user ran this call again').and.to.contain('tea is there');
  await until(() => !chat.isLoading, 'it goes on');
  expect(ran).to.deep.equal(['milk', 'tea']);
  await click([...failed.querySelectorAll('button')].find((one) => words(one) === 'Run again below') as HTMLElement);
  await until(() => focused() === find(chat, '[data-status=success]'), 'the other card is not found');
});
