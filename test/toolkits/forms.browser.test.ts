/** Forms of the page as tools. */
import { expect, fixture, waitUntil } from '@open-wc/testing';
import { html } from 'lit';
import { formTools, type FormOptions } from '../../src/toolkits/index.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { validateArguments } from '../../src/tools/validate.js';
import { en } from '../../src/i18n/en.js';

const nothing = () => undefined;
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  ...{ requestId: 'call-1', sessionId: 's', signal: new AbortController().signal, progress: nothing, logger: quiet, ...more },
});

async function page(markup: ReturnType<typeof html>, options: FormOptions = {}) {
  const box = await fixture<HTMLElement>(html`<div>${markup}</div>`);
  const form = box.querySelector('form')!;
  const sent: Record<string, unknown>[] = [];
  const told: string[] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sent.push(Object.fromEntries(new FormData(form)));
  });
  for (const type of ['input', 'change'])
    form.addEventListener(type, ({ target }) => told.push(`${type} ${(target as HTMLInputElement).name}`));
  const [tool] = formTools(box, { logger: quiet, ...options });
  return { box, form, tool: tool!, sent, told };
}

const table = html`<form tool-name="book_table" tool-description="Books a table in the restaurant.">
  <h2>Book a table</h2>
  <label>Name: <input name="name" required maxlength="40" value="Ann" /></label>
  <label for="guests-1">Guests *</label><input id="guests-1" name="guests" type="number" min="1" max="12" required />
  <label>Day <input name="day" type="date" tool-param-description="The day, not in the past" /></label>
  <label
    >Where
    <select name="place">
      <option value="">Anywhere</option>
      <option value="in">Inside</option>
      <option value="out">On the terrace</option>
    </select></label
  >
  <fieldset>
    <legend>Menu</legend>
    <label><input type="radio" name="menu" value="a" checked />Card</label>
    <label><input type="radio" name="menu" value="b" />Seasonal menu</label>
  </fieldset>
  <label><input type="checkbox" name="extras" value="flowers" />Flowers</label>
  <label><input type="checkbox" name="extras" value="cake" />Cake</label>
  <label><input type="checkbox" name="news" />News by mail</label>
  <textarea name="note" aria-label="Note"></textarea>
  <input type="hidden" name="csrf" value="secret-1" />
  <input type="password" name="pin" />
  <input name="card" autocomplete="cc-number" />
  <input name="fixed" readonly value="x" />
  <input name="off" disabled />
  <button>Book now</button>
</form>`;

const args = { name: 'Bob', guests: 4, day: '2026-12-24', place: 'out', menu: 'b', extras: ['cake'], news: true, note: 'Quiet, please' };
const failure = async (run: unknown) => Promise.resolve(run).then(nothing, (error: Error) => error);

describe('a form as a tool', () => {
  it('has what a person can fill in as parameters, and nothing that the page hides', async () => {
    const { tool } = await page(table);
    createRegistry().register(tool);
    const { properties, required } = tool.parameters as { properties: Record<string, JsonSchema>; required: string[] };
    expect(Object.keys(properties)).to.deep.equal(Object.keys(args));
    expect(required).to.deep.equal(['name', 'guests']);
    const expected: Record<string, object> = {
      name: { title: 'Name', type: 'string', maxLength: 40, description: 'Name' },
      guests: { title: 'Guests', type: 'integer', minimum: 1, maximum: 12, description: 'Guests' },
      day: { type: 'string', format: 'date', description: 'The day, not in the past' },
      place: { enum: ['', 'in', 'out'], description: 'Where. in = Inside, out = On the terrace' },
      menu: { title: 'Menu', enum: ['a', 'b'], description: 'Menu. a = Card, b = Seasonal menu' },
      extras: { type: 'array', items: { type: 'string', enum: ['flowers', 'cake'] } },
      news: { type: 'boolean', title: 'News by mail' },
    };
    for (const [name, property] of Object.entries(expected)) expect(properties[name], name).to.deep.include(property);
    expect(tool).to.deep.include({ label: 'Book a table', verbs: { allow: 'Book now', deny: 'Don’t send' } });
    expect([tool.risk, JSON.stringify(tool).includes('secret-1')]).to.deep.equal([undefined, false]);
    expect(await validateArguments(tool, args, en)).to.include({ ok: true });
  });

  it('shows what would change, changes nothing, and fills and sends it when it is allowed', async () => {
    const { tool, form, sent, told } = await page(table);
    const before = form.outerHTML;
    const changes = await tool.preview?.({ ...args, name: 'Ann' }, context());
    expect(changes?.map(({ label, before: from, after }) => [label, from, after])).to.deep.equal([
      ['Guests', undefined, 4],
      ['Day', undefined, '2026-12-24'],
      ['Where', undefined, 'out'],
      ['Menu', 'a', 'b'],
      ['Flowers', [], ['cake']],
      ['News by mail', false, true],
      ['Note', undefined, 'Quiet, please'],
      ['Also sent: fixed', undefined, 'x'],
    ]);
    expect(changes?.[0]?.target).to.equal(form.elements.namedItem('guests'));
    expect([sent, told, form.outerHTML]).to.deep.equal([[], [], before]);
    expect(await tool.execute(args, context())).to.deep.equal({ success: true, message: 'The form was sent' });
    expect(sent).to.deep.equal([
      {
        ...{ name: 'Bob', guests: '4', day: '2026-12-24', place: 'out', menu: 'b', extras: 'cake', news: 'on' },
        ...{ note: 'Quiet, please', csrf: 'secret-1', pin: '', card: '', fixed: 'x' },
      },
    ]);
    expect(told).to.include.members(['input name', 'change name', 'change place', 'input menu']);
  });

  it('shows what else is sent, private values masked, and sends nothing when that has changed by then', async () => {
    const order = html`<form tool-name="order" tool-description="Orders">
      <label>To <input name="to" /></label>
      <label>Amount <input name="amount" value="1" /></label>
      <label>PIN <input name="pin" type="password" value="1234" /></label>
      <fieldset>
        <legend>Extras</legend>
        <label><input type="checkbox" name="extras" value="flowers" checked />Flowers</label>
        <label><input type="checkbox" name="extras" value="cake" />Cake</label>
      </fieldset>
      <label>Note <input name="note" /></label>
      <input name="csrf" type="hidden" value="secret" />
      <input name="off" value="off" disabled />
      <button name="how" value="now">Send</button>
    </form>`;
    const changes: [what: string, act: (form: HTMLFormElement) => void, isSent: boolean][] = [
      ['another amount', (form) => (form.querySelector<HTMLInputElement>('[name=amount]')!.value = '1000000'), false],
      ['another tick', (form) => form.querySelector<HTMLInputElement>('[value=cake]')!.click(), false],
      ['a note', (form) => (form.querySelector<HTMLInputElement>('[name=note]')!.value = 'x'), false],
      ['nothing', nothing, true],
      ['the PIN', (form) => (form.querySelector<HTMLInputElement>('[name=pin]')!.value = '4321'), true],
      ['what is hidden', (form) => (form.querySelector<HTMLInputElement>('[name=csrf]')!.value = 'next'), true],
    ];
    for (const [what, act, isSent] of changes) {
      const { tool, form, sent } = await page(order);
      // Another call of the form waits, and shows its draft.
      const takeBack = tool.onArguments!({ amount: '7' }, context({ requestId: 'other' })) as () => void;
      const shown = await tool.preview!({ to: 'Bob' }, context());
      expect(shown.map(({ label, after }) => [label, after])).to.deep.equal([
        ['To', 'Bob'],
        ...[
          ['Also sent: Amount', '1'],
          ['Also sent: PIN', '•••'],
          ['Also sent: Extras', 'flowers'],
        ],
      ]);
      takeBack();
      act(form);
      const result = await Promise.resolve(tool.execute({ to: 'Bob' }, context())).catch(String);
      expect(sent, what).to.have.length(isSent ? 1 : 0);
      if (!isSent) expect(result).to.equal('ToolError: The form has changed since this was asked. Nothing was sent.');
    }
  });

  it('refuses a value that no field takes, and puts back what was there', async () => {
    const { tool, form, sent } = await page(table);
    const before = JSON.stringify([...new FormData(form)]);
    const wrongs = [{ place: 'roof' }, { menu: 'z' }, { day: 'tomorrow' }, { guests: 99 }, { guests: '' }, { nothing: 1 }, { csrf: 'x' }];
    for (const wrong of wrongs) {
      const failed = await failure(tool.execute({ ...args, ...wrong }, context()));
      expect(failed, JSON.stringify(wrong)).to.include({ name: 'ToolError', code: 'INVALID_PARAMETER' });
      expect(String(failed)).to.include('Nothing was sent');
      expect(JSON.stringify([...new FormData(form)])).to.equal(before);
    }
    expect(sent).to.deep.equal([]);
  });

  it('says so when the form is gone, before or while it is filled in', async () => {
    for (const when of ['before', 'while']) {
      const { form, tool, sent } = await page(table);
      if (when === 'before') form.remove();
      else form.addEventListener('input', () => form.remove());
      expect(String(await failure(tool.execute(args, context()))), when).to.include('no longer on this page');
      expect(sent).to.deep.equal([]);
    }
  });

  it('is sent in the page’s own way where it has one', async () => {
    const { tool, sent } = await page(table, { submit: (_, data) => ({ table: data.get('guests') }) });
    expect(await tool.execute(args, context())).to.deep.equal({ table: '4' });
    expect(sent).to.deep.equal([]);
  });

  describe('that a person sends', () => {
    const asked = html`<form toolname="ask_us" tooldescription="Asks a question.">
      <input name="question" toolparamdescription="What to ask" required /><button>Ask</button><button type="reset">Empty</button>
    </form>`;

    it('is filled in and marked; the call ends when it is sent', async () => {
      const { tool, form, sent } = await page(asked);
      expect([tool.name, tool.risk, tool.verbs]).to.deep.equal(['ask_us', 'write', undefined]);
      const run = Promise.resolve(tool.execute({ question: 'When?' }, context()));
      expect(form.querySelector('input')?.value).to.equal('When?');
      expect([sent, document.activeElement === form.querySelector('input')]).to.deep.equal([[], true]);
      form.querySelector('button')?.click();
      expect(await run).to.deep.include({ success: true });
      expect([sent, form.getAnimations({ subtree: true })]).to.deep.equal([[{ question: 'When?' }], []]);
    });

    it('leaves the focus where somebody is writing', async () => {
      const { tool, box, form } = await page(asked);
      const composer = document.createElement('div');
      composer.attachShadow({ mode: 'open' }).innerHTML = '<textarea></textarea>';
      box.append(composer);
      composer.shadowRoot!.querySelector('textarea')!.focus();
      const run = Promise.resolve(tool.execute({ question: 'When?' }, context()));
      expect(document.activeElement).to.equal(composer);
      form.querySelector('button')?.click();
      await run;
    });

    it('is put back when the call ends otherwise', async () => {
      for (const end of ['reset', 'abort', 'remove']) {
        const { tool, form, sent } = await page(asked);
        const stop = new AbortController();
        const run = failure(tool.execute({ question: 'When?' }, context({ signal: stop.signal })));
        if (end === 'reset') form.reset();
        if (end === 'abort') stop.abort();
        if (end === 'remove') form.remove();
        expect(await run, end).to.include({ name: 'ToolError', code: end === 'remove' ? 'EXECUTION_FAILED' : 'CANCELLED' });
        if (end !== 'remove') expect(form.querySelector('input')?.value).to.equal('');
        expect(sent).to.deep.equal([]);
      }
    });

    it('asks and is sent at once with toolautosubmit', async () => {
      const { tool, sent } = await page(html`<form toolname="x" tooldescription="X" toolautosubmit><input name="a" /></form>`);
      expect(tool.risk).to.equal(undefined);
      await tool.execute({ a: '1' }, context());
      expect(sent).to.deep.equal([{ a: '1' }]);
    });
  });

  describe('with drafts', () => {
    const transfer = html`<form tool-name="transfer" tool-description="Transfers.">
      <label>To <input name="to" value="my savings" /></label>
      <label><input type="radio" name="when" value="now" />Now</label
      ><label><input type="radio" name="when" value="later" checked />Later</label>
      <button>Send</button>
    </form>`;
    const shows = (form: HTMLFormElement) => Object.fromEntries(new FormData(form));
    const before = { to: 'my savings', when: 'later' };
    const drafted = async (...all: Record<string, unknown>[]) => {
      const { tool, form, sent } = await page(transfer);
      const takeBack = all.map((args, at) => tool.onArguments!(args, context({ requestId: `c${String(at)}` })) as () => void);
      return { tool, form, sent, takeBack };
    };

    for (const order of [
      [0, 1],
      [1, 0],
    ])
      it(`puts back what was there before two of them, ended in the order ${order.join(', ')}`, async () => {
        const { form, takeBack } = await drafted({ to: 'Eve', when: 'now' }, { to: 'Bob' });
        expect(shows(form)).to.deep.equal({ to: 'Bob', when: 'now' });
        takeBack[order[0]!]!();
        expect(shows(form)).to.deep.equal(order[0] === 0 ? { to: 'Bob', when: 'later' } : { to: 'Eve', when: 'now' });
        takeBack[order[1]!]!();
        expect(shows(form)).to.deep.equal(before);
      });

    it('leaves what a person has written over one', async () => {
      const { form, takeBack } = await drafted({ to: 'Eve', when: 'now' });
      form.querySelector('input')!.value = 'Ann';
      takeBack[0]!();
      expect(shows(form)).to.deep.equal({ to: 'Ann', when: 'later' });
    });

    it('sends nothing once more that a person has sent by the button of the form', async () => {
      const { tool, form, sent, takeBack } = await drafted({ to: 'Eve' });
      form.querySelector('button')!.click();
      takeBack[0]!();
      expect(await tool.execute({ to: 'Eve' }, context({ requestId: 'c0' }))).to.deep.include({ success: true });
      expect(sent).to.deep.equal([{ to: 'Eve', when: 'later' }]);
      await tool.execute({ to: 'Bob' }, context({ requestId: 'c1' }));
      expect(sent, 'another call').to.have.length(2);
    });
  });

  it('is left out, with a warning, where it can be no tool', async () => {
    const said: string[] = [];
    const box = await fixture<HTMLElement>(
      html`<div>
        <form tool-name="a b" tool-description="x"></form>
        <form tool-name="twice" tool-description="x" tool-risk="danger"></form>
        <form tool-name="twice" tool-description="x"></form>
        <form tool-name="silent"></form>
        <form></form>
      </div>`,
    );
    const tools = formTools(box, { logger: { ...quiet, warn: (message) => void said.push(message) } });
    expect(tools.map(({ name, risk }) => [name, risk])).to.deep.equal([['twice', 'danger']]);
    await waitUntil(() => said.length === 3, 'three warnings', { timeout: 10_000 });
  });
});
