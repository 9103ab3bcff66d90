/** Rehearsal on the screen: a person sees what all steps would do before the first runs, and is asked again about what differs by then. */
import { expect } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import type { SimulateContext } from '../../src/tools/tool.js';
import { appears, clickInView, deepText, findAll, isArmed, part, readThrough, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

/** A list of notes, and a tool that takes one away. */
async function desk() {
  const chat = await chatOnPage({ rehearse: 'on' });
  const state = { notes: ['milk', 'bread', 'tea'], ran: [] as string[], held: undefined as Promise<void> | undefined };
  const titleOf = (args: Record<string, unknown>) => String(args['title']);
  chat.registerTool(
    tool('drop', {
      risk: 'danger',
      describeCall: (args: Record<string, unknown>) => `Drop the note “${titleOf(args)}”`,
      simulate(args: Record<string, unknown>, { earlier }: SimulateContext) {
        const before = state.notes.filter((note) => !earlier.some((step) => titleOf(step.args as Record<string, unknown>) === note));
        const then = before.filter((note) => note !== titleOf(args));
        return { changes: [{ label: 'Notes', before: before.join(', '), after: then.join(', ') }] };
      },
      async execute(args: Record<string, unknown>) {
        state.ran.push(titleOf(args));
        state.notes = state.notes.filter((note) => note !== titleOf(args));
        await state.held;
        return { success: true, message: `${titleOf(args)} is gone` };
      },
    }),
  );
  const model = answerByHand(chat);
  const turn = chat.sendMessage('Drop milk and bread');
  const first = await model.next();
  first.send(call('drop', { title: 'milk' }) + call('drop', { title: 'bread' }));
  first.done('stop');
  return { chat, state, model, turn };
}

describe('a rehearsal on the screen', () => {
  afterEach(() => resetMouse());

  it('shows what each step would do after those before it, runs nothing yet, and then all of it in order', async () => {
    const { chat, state, model, turn } = await desk();
    const all = await appears(chat, part('approve-all-button'));
    await readThrough(chat, all);
    const shown = deepText(chat);
    expect(shown).to.contain('milk, bread, tea').and.to.contain('bread, tea');
    expect(shown, 'what is there after both').to.match(/bread, tea[^]*tea/);
    expect(state.ran).to.deep.equal([]);
    await clickInView(all);
    const second = await model.next();
    expect(state.ran).to.deep.equal(['milk', 'bread']);
    second.send('Both are gone.');
    second.done();
    expect((await turn).results.map(({ status }) => status)).to.deep.equal(['success', 'success']);
  });

  it('asks again, and says why, where a step would do something else by the time it is due', async () => {
    const { chat, state, model, turn } = await desk();
    let goOn = () => {};
    state.held = new Promise((resolve) => (goOn = resolve));
    const all = await appears(chat, part('approve-all-button'));
    await readThrough(chat, all);
    await clickInView(all);
    await until(() => state.ran.length === 1, 'the first step does not run');
    // Somebody else writes while the first step is under way.
    state.notes = [...state.notes, 'sugar'];
    goOn();
    await until(() => deepText(chat).includes('it would now do something else than was shown'), 'it does not ask again');
    expect(state.ran).to.deep.equal(['milk']);
    expect(deepText(chat)).to.contain('tea, sugar');
    const allow = await appears(chat, part('approve-button'));
    await readThrough(chat, allow);
    await until(() => isArmed(allow), 'the button does not arm');
    await clickInView(allow);
    const second = await model.next();
    expect(state.ran).to.deep.equal(['milk', 'bread']);
    second.done();
    await turn;
    expect(findAll(chat, part('approve-button'))).to.have.length(0);
  });
});
