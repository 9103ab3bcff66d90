/** Forms of the page as tools. */
import { expect, fixture, waitUntil } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import { html } from 'lit';
import { formTools, type FormOptions } from '../../src/toolkits/index.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { validateArguments } from '../../src/tools/validate.js';
import { en } from '../../src/i18n/en.js';
import { isLinear } from '../helpers/cost.js';
import values from '../fixtures/toolkits/form-values.json' with { type: 'json' };

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
/** The page of these tests stops each submit. */
const handled = 'The form was submitted. The page shows what came of it.';
const failure = async (run: unknown) => Promise.resolve(run).then(nothing, (error: Error) => error);

const shows = (form: HTMLFormElement) => Object.fromEntries(new FormData(form));
const press = async (target: Element) => {
  const { x, y } = target.getBoundingClientRect();
  await sendMouse({ type: 'click', position: [Math.ceil(x) + 5, Math.ceil(y) + 5] });
};
const progressOf = () => {
  const told: unknown[] = [];
  return { told, progress: ({ message }: { message?: string }) => void told.push(message) };
};

describe('a form as a tool', () => {
  beforeEach(() => document.body.insertAdjacentHTML('afterbegin', '<input id="elsewhere" />'));
  afterEach(async () => {
    document.querySelector('#elsewhere')!.remove();
    await resetMouse();
  });

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
    expect(await tool.execute(args, context())).to.deep.equal({ success: true, message: handled });
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
      ['a reaction of the page', (form) => (form.oninput = () => form.querySelector<HTMLInputElement>('[value=cake]')!.click()), false],
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

  it('is sent as by the button whose text was shown, with what that adds; its labels cost no more than their length', async () => {
    const post = (label: string) =>
      html`<form tool-name="post" tool-description="Posts">
        <label>${label}<input name="text" /></label><button name="as" value="draft">Save</button>
      </form>`;
    const { tool, form } = await page(post('Text'));
    const by: unknown[] = [];
    form.addEventListener('submit', ({ submitter }) => by.push(submitter));
    await tool.execute({ text: 'x' }, context());
    expect(by).to.deep.equal([form.querySelector('button')]);
    const own = await page(post('Text'), { submit: (_form, data) => [...data.keys()] });
    expect(await own.tool.execute({ text: 'x' }, context())).to.deep.equal(['text', 'as']);
    const boxes = new Map<number, HTMLElement>();
    for (const size of [10_000, 40_000]) boxes.set(size, (await page(post(`${':'.repeat(size)}x`))).box);
    expect(await isLinear((size) => () => formTools(boxes.get(size), { logger: quiet }), 10_000)).to.equal(true);
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
      expect(sent).to.deep.equal([]);
      form.querySelector('button')?.click();
      expect(await run).to.deep.equal({ success: true, message: handled });
      expect([sent, form.getAnimations({ subtree: true })]).to.deep.equal([[{ question: 'When?' }], []]);
    });

    for (const place of ['a button', 'an editor in a frame', 'another form'])
      it(`leaves the focus where it is: in ${place}`, async () => {
        const { tool, box, form } = await page(asked);
        const other = document.createElement(place === 'a button' ? 'button' : 'iframe');
        if (place === 'another form') box.insertAdjacentHTML('beforeend', '<form><input id="other" /></form>');
        else box.append(other);
        const at = box.querySelector<HTMLElement>('#other') ?? other;
        at.focus();
        const run = Promise.resolve(tool.execute({ question: 'When?' }, context()));
        expect([document.activeElement, shows(form)]).to.deep.equal([at, { question: 'When?' }]);
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
  });

  describe('with drafts', () => {
    const transfer = html`<form tool-name="transfer" tool-description="Transfers.">
      <label>To <input name="to" value="my savings" /></label>
      <label><input type="radio" name="when" value="now" />Now</label
      ><label><input type="radio" name="when" value="later" checked />Later</label>
      <button>Send</button>
    </form>`;
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

    for (const way of ['by its own button', 'by the page'])
      it(`ends calls that wait when the form is sent ${way}, and what was sent stays`, async () => {
        const { tool, form, sent } = await page(transfer);
        const told: Record<string, unknown>[] = [];
        const waits = new AbortController();
        const draft = (requestId: string, args: object) => {
          const progress = ({ message }: { message?: string }) => void told.push({ [requestId]: message });
          return tool.onArguments!(args as never, context({ requestId, progress, signal: waits.signal })) as () => void;
        };
        const takeBack = draft('c0', { to: 'Eve' });
        draft('while another call runs', { when: 'now' })();
        if (way === 'by the page') form.requestSubmit();
        else await press(form.querySelector('button')!);
        expect(sent).to.deep.equal([{ to: 'Eve', when: 'later' }]);
        await waitUntil(() => told.length > 0);
        const message = 'The form was submitted meanwhile, as it was then. This call was not run.';
        expect(told).to.deep.equal([{ c0: message }, ...(way === 'by the page' ? [] : [{ 'while another call runs': message }])]);
        takeBack();
        expect(shows(form)).to.deep.equal({ to: 'Eve', when: 'later' });
        await press(document.querySelector('#elsewhere')!);
        expect(await failure(tool.execute({ to: 'Eve' }, context({ requestId: 'c0' })))).to.include({ code: 'CANCELLED', message });
        expect(sent).to.have.length(1);
        draft('c2', { to: 'Bob' })();
        await tool.execute({ to: 'Bob' }, context({ requestId: 'c2' }));
        expect([sent.length, told.filter((one) => 'c2' in one)], 'another call').to.deep.equal([2, []]);
      });

    it('are not in the form while another call of any chat sends it', async () => {
      const { tool, form, sent } = await drafted({ to: 'Eve' });
      await tool.execute({ when: 'now' }, context());
      expect(sent).to.deep.equal([{ to: 'my savings', when: 'now' }]);
      expect(shows(form), 'it still waits').to.deep.equal({ to: 'Eve', when: 'now' });
    });
  });

  describe('while a person is in it', () => {
    const transfer = (submit = 'call') =>
      page(
        html`<form tool-name="transfer" tool-description="Transfers." tool-submit=${submit}>
          <input name="to" /><input name="amount" /><input name="agreed" type="checkbox" /><button>Send</button>
        </form>`,
      );
    const typed = { to: 'bo', amount: '1' };
    const type = async (form: HTMLFormElement) => {
      for (const [name, keys] of Object.entries(typed)) {
        const field = form.querySelector<HTMLInputElement>(`[name=${name}]`)!;
        field.focus();
        await sendKeys({ type: keys });
        // WebKit may not be done yet. Its driver drops the second of two equal letters.
        await waitUntil(() => field.value === keys);
      }
    };
    const leave = () => press(document.querySelector('#elsewhere')!);
    const model = { to: 'EVE', amount: '5000' };

    it('shows no draft, and gives the fields back when they are entered', async () => {
      const { tool, form, sent } = await transfer();
      await type(form);
      const takeBack = tool.onArguments!(model, context()) as () => void;
      expect(shows(form)).to.deep.equal(typed);
      await leave();
      await waitUntil(() => shows(form)['to'] === 'EVE', 'the draft when they have left');
      form.querySelector('input')!.focus();
      expect(shows(form)).to.deep.equal(typed);
      (document.activeElement as HTMLElement).blur();
      await leave();
      await waitUntil(() => shows(form)['to'] === 'EVE', 'the draft once more');
      await press(form.querySelector('[name=agreed]')!);
      expect(shows(form), 'a box without the focus').to.include(typed);
      await sendKeys({ press: 'Enter' });
      expect(sent.filter(({ to }) => to !== 'bo')).to.deep.equal([]);
      await leave();
      takeBack();
      expect(shows(form)).to.include(typed);
    });

    it('is not sent over what is being typed', async () => {
      const { tool, form, sent } = await transfer();
      await type(form);
      const failed = await failure(tool.execute(model, context()));
      expect(String(failed)).to.include('The form is being filled in at this moment. Nothing was sent.');
      expect([shows(form), sent]).to.deep.equal([typed, []]);
      await leave();
      await tool.execute(model, context());
      expect(sent).to.deep.equal([model]);
    });

    for (const end of ['sent', 'stopped, and as they had it'])
      it(`is filled in for them when they have left it: ${end}`, async () => {
        const { tool, form, sent } = await transfer('person');
        const { told, progress } = progressOf();
        const stop = new AbortController();
        await type(form);
        const run = Promise.resolve(tool.execute(model, context({ progress, signal: stop.signal }))).catch(String);
        expect([shows(form), told]).to.deep.equal([typed, ['Waiting until the form is left']]);
        await leave();
        await waitUntil(() => told.length === 2);
        expect([shows(form), told[1]]).to.deep.equal([model, 'Filled in. Check the form, and send it with its own button.']);
        form.querySelector<HTMLElement>('[name=amount]')!.focus();
        await sendKeys({ press: 'End' });
        await sendKeys({ type: '0' });
        if (end === 'sent') form.querySelector('button')!.click();
        else stop.abort();
        expect(await run).to.deep.equal(end === 'sent' ? { success: true, message: handled } : 'ToolError: The form was not sent');
        expect(end === 'sent' ? sent : [shows(form)]).to.deep.equal([end === 'sent' ? { ...model, amount: '50000' } : typed]);
      });
  });

  it('takes the values that were shown and no others', async () => {
    const { tool, form, sent } = await page(
      html`<form tool-name="f" tool-description="F">
        <input name="text" /><input name="count" type="number" /><input name="level" type="range" />
        <input name="tone" type="color" value="#000000" /><input name="at" type="datetime-local" /> <input name="twice" value="a" /><input
          name="twice"
          value="z"
          aria-label="Twice"
        />
        <select name="one">
          <option>a</option>
          <option>b</option>
        </select>
        <textarea name="note"></textarea><input name="news" type="checkbox" />
      </form>`,
    );
    for (const [name, value, isTaken] of values as [name: string, value: unknown, isTaken: boolean][]) {
      form.reset();
      const count = sent.length;
      const failed = await failure(tool.execute({ [name]: value }, context()));
      expect([String(failed).includes('does not take this value'), sent.length], `${name}: ${String(value)}`).to.deep.equal([
        !isTaken,
        count + (isTaken ? 1 : 0),
      ]);
    }
    const shown = await tool.preview!({ twice: 'b' }, context());
    expect(shown.find(({ after }) => after === 'z')?.label).to.equal('Also sent: Twice');
  });

  it('works with controls that are named like what a form has', async () => {
    const names = ['elements', 'querySelector', 'getAttribute', 'hasAttribute', 'requestSubmit', 'isConnected', 'addEventListener'];
    for (const name of [...names, 'removeEventListener', 'scrollIntoView', 'getRootNode', 'ownerDocument', 'form', 'children'])
      for (const byPerson of [false, true]) {
        const box = await fixture<HTMLElement>(html`<div></div>`);
        box.innerHTML = `<form tool-name="f" tool-description="F" ${byPerson ? 'tool-submit="person"' : ''}><input name="${name}"><button>Go</button></form>`;
        const sent: unknown[] = [];
        box.addEventListener('submit', (event) => {
          event.preventDefault();
          sent.push(shows(event.target as HTMLFormElement));
        });
        const [tool] = formTools(box, { logger: quiet });
        await tool!.preview!({ [name]: 'x' }, context());
        (tool!.onArguments!({ [name]: 'y' }, context()) as () => void)();
        const run = Promise.resolve(tool!.execute({ [name]: 'x' }, context()));
        if (byPerson) box.querySelector('button')!.click();
        await run;
        expect(sent, name).to.deep.equal([{ [name]: 'x' }]);
      }
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
