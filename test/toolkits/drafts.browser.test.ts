/** Arguments stand in a form of the page while they are written and while a person is asked, and leave nothing behind (R15). */
import { expect, fixture } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import { html } from 'lit';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { draftInto, formTools } from '../../src/toolkits/index.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { appears, armed, click, find, findAll, part, readThrough, until } from '../elements/helpers.js';
import { answerByHand, chatOnPage, tool } from '../elements/tool-chat-stage.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function page(change: (form: HTMLFormElement) => ToolDefinition | undefined = () => undefined) {
  const box = await fixture<HTMLElement>(
    html`<div style="position: fixed; inset: 0 0 auto 500px">
      <form tool-name="book" tool-description="Books a table." tool-risk="danger">
        <label>Name <input name="name" value="Ann" /></label>
        <label>Guests <input name="guests" type="number" /></label>
        <label>Note <textarea name="note"></textarea></label>
        <button>Book</button>
      </form>
    </div>`,
  );
  const form = box.querySelector('form') as HTMLFormElement;
  const sent: Record<string, unknown>[] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sent.push(Object.fromEntries(new FormData(form)));
  });
  const chat = await chatOnPage();
  const requests = answerByHand(chat);
  chat.registerTool(change(form) ?? (formTools(box, { logger: quiet })[0] as ToolDefinition));
  const values = () => Object.fromEntries(new FormData(form));
  const state = () => [box.innerHTML, JSON.stringify(values()), form.getAnimations({ subtree: true }).length];
  const before = state();
  const turn = chat.sendMessage('Book it');
  const request = await requests.next();
  return { chat, form, sent, values, state, before, turn, requests, request };
}

const beginning = '<tool_use><invoke name="book"><parameter name="name">B';
const rest = '</parameter><parameter name="guests">4</parameter><parameter name="note">Quiet</parameter></invoke></tool_use>';
const finish = async ({ requests, turn }: Pick<Awaited<ReturnType<typeof page>>, 'requests' | 'turn'>) => {
  (await requests.next()).done();
  await turn;
};

/** How far arguments have come is told now and then, as more of them come. */
async function grows({ request, values }: Pick<Awaited<ReturnType<typeof page>>, 'request' | 'values'>) {
  request.send(beginning);
  await until(() => {
    request.send('o');
    return String(values()['name']).startsWith('Bo');
  }, 'no draft of the name');
}

describe('arguments in a form', () => {
  afterEach(() => resetMouse());

  for (const answer of ['refused', 'allowed'] as const)
    it(`stand there, marked, while they are written and asked about; ${answer}, ${answer === 'refused' ? 'all is as it was' : 'they are sent'}`, async () => {
      const { chat, form, sent, values, state, before, turn, requests, request } = await page();
      const told: string[] = [];
      chat.addEventListener('tool-chat-approval-request', ({ calls }) => told.push(...(calls[0]?.preview ?? []).map(({ label }) => label)));
      await grows({ request, values });
      expect(form.getAnimations({ subtree: true })).to.have.length(1);
      expect(sent).to.deep.equal([]);
      request.send(rest);
      request.done();
      const button = await appears(chat, part(answer === 'refused' ? 'deny-button' : 'approve-button'));
      if (answer === 'allowed') await readThrough(chat, button);
      else await armed(chat, part('deny-button'));
      const { name = '' } = values();
      expect(name).to.match(/^Bo+$/);
      expect(values()).to.deep.equal({ name, guests: '4', note: 'Quiet' });
      // What is asked was compared with what was there without the draft.
      const [asked] = chat.messages.flatMap(({ metadata }) => metadata.toolCallsRequested ?? []);
      expect(asked?.args).to.deep.equal({ name, guests: 4, note: 'Quiet' });
      expect(told).to.deep.equal(['Name', 'Guests', 'Note']);
      expect(find(chat, 'tool-chat-approval')?.shadowRoot?.textContent).to.include('Ann').and.include(String(name));
      await click(button);
      await finish({ requests, turn });
      if (answer === 'refused') expect([state(), sent]).to.deep.equal([before, []]);
      else expect(sent).to.deep.equal([{ name, guests: '4', note: 'Quiet' }]);
      expect(form.getAnimations({ subtree: true })).to.have.length(0);
    });

  it('are gone when the answer is stopped in the middle of them, and with the element', async () => {
    for (const way of ['stopped', 'removed']) {
      const { chat, values, state, before, request } = await page();
      await grows({ request, values });
      if (way === 'stopped') chat.cancelStream();
      else chat.remove();
      await until(() => JSON.stringify(state()) === JSON.stringify(before), `the draft stays: ${way}`);
    }
  });

  it('that are sent with the form’s own button end each call that waits, once and visibly', async () => {
    const { chat, form, sent, turn, requests, request } = await page();
    (chat.parentElement as HTMLElement).style.height = '100vh';
    request.send('<tool_use><invoke name="book"><parameter name="guests">2</parameter></invoke></tool_use>');
    request.send('<tool_use><invoke name="book"><parameter name="note">Quiet</parameter></invoke></tool_use>');
    request.done();
    await until(() => findAll(chat, part('approve-button')).length === 2, 'not both are asked about');
    await until(() => (form.elements.namedItem('note') as HTMLInputElement).value === 'Quiet', 'no draft');
    await click(form.querySelector('button')!);
    await finish({ requests, turn });
    expect(findAll(chat, part('approve-button'))).to.have.length(0);
    const message = 'The form was submitted meanwhile, as it was then. This call was not run.';
    expect((chat as ToolChat).toolHistory.map((one) => [one.status, one.message])).to.deep.equal(Array(2).fill(['cancelled', message]));
    expect(sent).to.deep.equal([{ name: 'Ann', guests: '2', note: 'Quiet' }]);
    expect(form.getAnimations({ subtree: true })).to.have.length(0);
  });

  it('of a tool of the page’s own come by `draftInto`, in the types of its schema, half a number not at all', async () => {
    const seen: Record<string, unknown>[] = [];
    const { chat, state, before, values, turn, requests, request } = await page((form) => {
      const draft = draftInto(form);
      const properties = { name: { type: 'string' }, guests: { type: 'integer' }, note: { type: 'string' } };
      return tool('book', {
        risk: 'danger',
        parameters: { type: 'object', properties },
        onArguments(args: Record<string, unknown>) {
          seen.push({ ...args });
          return draft(args);
        },
      });
    });
    await grows({ request, values });
    request.send('</parameter><parameter name="guests">-');
    request.send('3</parameter></invoke></tool_use>');
    request.done();
    await click(await armed(chat, part('deny-button')));
    await finish({ requests, turn });
    expect(state()).to.deep.equal(before);
    expect(seen.at(-1)).to.include({ guests: -3 });
    expect(seen.every(({ guests }) => guests === undefined || typeof guests === 'number')).to.equal(true);
  });

  it('that cannot be shown are left alone, and the call goes on', async () => {
    let tries = 0;
    const onArguments = () => {
      tries += 1;
      throw new Error('no');
    };
    const parameters = { type: 'object', properties: { name: {}, guests: {}, note: {} } };
    const { chat, turn, requests, request } = await page(() => tool('book', { risk: 'write', parameters, onArguments }) as ToolDefinition);
    request.send(beginning);
    await until(() => {
      request.send('o');
      return tries === 1;
    }, 'it is not tried');
    request.send(rest);
    request.done();
    await finish({ requests, turn });
    expect(tries).to.equal(1);
    expect((chat as ToolChat).toolHistory.map(({ status }) => status)).to.deep.equal(['success']);
  });
});
