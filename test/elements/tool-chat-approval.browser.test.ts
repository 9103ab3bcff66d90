/** The whole element and its questions: what runs, what the model hears, and for how long an answer holds (X-11, X-12; faults 66–68, 103). */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import { armed, armedInView, click, mouse, press, pass, styled } from './doing.js';
import { appears, deepText, find, findAll, frame, frames, middle, part, until, words } from './looking.js';
import { call, chatWith, tool } from './tool-chat-stage.js';

const ALLOW = part('approve-button');
const DENY = part('deny-button');

/** A chat whose one call waits for a person. */
async function waitingChat(change: Record<string, unknown> = {}) {
  const act = tool('act', change);
  const { chat, model } = await chatWith([act]);
  const { turn } = await model.begin('Act', `I will act. ${call('act', { title: 'as shown' })}`);
  await armed(chat, ALLOW);
  const pressed = async (name: string) => press(await appears(chat, name));
  const finish = async () => {
    const last = await model.reply('');
    return { result: await turn, told: last.body.messages.at(-1)?.text ?? '' };
  };
  return { chat, act, model, turn, pressed, finish };
}

describe('approval in <tool-chat>', () => {
  it('runs the call once for one real click', async () => {
    const { chat, act, pressed, finish } = await waitingChat();
    expect([chat.isLoading, chat.matchesState('awaitingApproval'), chat.session.requiresConfirm]).to.deep.equal([true, true, true]);
    expect([chat.matches(':state(awaitingApproval)'), act.ran]).to.deep.equal([true, []]);
    await pressed(ALLOW);
    const { result } = await finish();
    expect(act.ran).to.deep.equal([{ title: 'as shown' }]);
    expect(result.results.map(({ status }) => status)).to.deep.equal(['success']);
    const requested = chat.messages.flatMap(({ metadata }) => metadata.toolCallsRequested ?? []);
    expect(requested.map(({ status }) => status)).to.deep.equal(['completed']);
  });

  it('D68 runs it once for a double click, too', async () => {
    const { chat, act, finish } = await waitingChat();
    const position = middle(find(chat, ALLOW) as Element);
    await mouse({ type: 'click', position }, { type: 'click', position });
    await finish();
    expect([act.ran.length, findAll(chat, part('tool-card')).length]).to.deep.equal([1, 1]);
  });

  it('runs nothing when it is denied, tells the model, and goes on showing the newest', async () => {
    const { chat, act, model, turn, pressed } = await waitingChat({ risk: 'danger' });
    const scroller = find(chat, part('messages')) as HTMLElement;
    await pressed(DENY);
    const last = await model.reply('line\n\n'.repeat(60));
    const result = await turn;
    expect(act.ran).to.deep.equal([]);
    expect(last.body.messages.at(-1)?.text).to.contain('denied').and.to.contain('The user declined this action');
    expect(result.results[0]).to.include({ status: 'denied', code: 'DENIED', success: false });
    const denied = () => find(chat, '[data-status=denied]');
    await until(() => words(denied()).includes(en.youDeclined), 'the card does not say it');
    expect(words(denied())).to.not.include(en.declined);
    expect(denied()?.querySelector('time')?.textContent).to.match(/\d/);
    await until(() => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 8, 'it has let go of the end');
  });

  it('grants what a person chose below the buttons, lists it, and asks again once it is revoked', async () => {
    const { chat, act, model, pressed, finish } = await waitingChat({ risk: 'danger' });
    const choice = () => findAll(chat, '.remember .choice')[1];
    await click(find(chat, '.remember summary') as Element);
    await until(() => (choice()?.getBoundingClientRect().height ?? 0) > 0, 'there is nothing to choose');
    expect(words(choice())).to.contain('title').and.to.contain('as shown');
    choice()?.scrollIntoView({ block: 'center' });
    await frame();
    await click(choice() as Element);
    await until(() => choice()?.getAttribute('aria-checked') === 'true', 'the choice is not taken');
    await armedInView(chat, ALLOW);
    await pressed(ALLOW);
    await finish();
    expect(chat.grants.map(({ toolName, scope }) => [toolName, scope])).to.deep.equal([['act', 'session']]);
    await model.turn('Act again', call('act', { title: 'as shown' }), '');
    expect(act.ran).to.have.length(2);

    for (const step of [part('menu-button'), '[data-item=grants]', part('revoke-button')]) await click(await appears(chat, step));
    await until(() => chat.grants.length === 0, 'it is not revoked');
    await click(await appears(chat, '[part~=menu] .back'));
    const third = await model.begin('And again', call('act', { title: 'as shown' }));
    await until(() => chat.matchesState('awaitingApproval'), 'it is not asked about');
    chat.cancelStream();
    await third.turn;
    expect(act.ran).to.have.length(2);
  });

  it('says in `error` that the page hides the question, does not ask meanwhile, and takes it back (fault 103)', async () => {
    const { chat, act, pressed, finish } = await waitingChat();
    const undo = styled('tool-chat::part(approval) { visibility: hidden !important; }');
    window.dispatchEvent(new Event('resize'));
    await frames(3);
    pass(1000);
    await until(() => chat.error === 'The page hides this question, so it cannot be answered here', 'the error does not say it');
    const allow = find(chat, ALLOW) as Element;
    expect(allow.getAttribute('aria-disabled')).to.equal('true');
    await click(allow);
    expect(act.ran).to.deep.equal([]);
    undo();
    let tries = 0;
    await until(() => {
      if ((tries += 1) % 10 === 0) pass(500);
      return chat.error === null;
    }, 'the error is not taken back');
    await pressed(DENY);
    await finish();
  });

  it('H121 ends the turn when the same call is denied twice', async () => {
    const { chat, act, model, turn, pressed } = await waitingChat();
    await pressed(DENY);
    const second = await model.next();
    await until(() => find(chat, '[data-status=denied]') !== undefined, 'the card does not change');
    second.send(call('act', { title: 'as shown' }));
    second.done();
    await press(await armedInView(chat, DENY));
    expect(await turn).to.include({ success: false, reason: 'denied' });
    expect(act.ran).to.deep.equal([]);
  });

  it('H114 runs what was shown, whatever a listener does to it', async () => {
    const attempt = (change: () => unknown) => {
      try {
        change();
      } catch {
        // Frozen: so much the better.
      }
    };
    const meddle = (event: Event) => {
      const { calls = [], tool: named } = event as Event & { calls?: { args: object }[]; tool?: { params: object } };
      for (const held of [...calls.map(({ args }) => args), named?.params ?? {}]) attempt(() => Object.assign(held, { title: 'changed' }));
    };
    const names = ['approval-request', 'tool-detected', 'tool-execute'].map((name) => `tool-chat-${name}`);
    for (const name of names) document.addEventListener(name, meddle);
    try {
      const { chat, act, pressed, finish } = await waitingChat({ describeCall: (args: { title: string }) => (args.title = 'changed') });
      for (const snapshot of [chat.messages, chat.currentTool, chat.session])
        attempt(() =>
          JSON.parse(JSON.stringify(snapshot), function (this: Record<string, unknown>, key, value: unknown) {
            if (key === 'title') this[key] = 'changed';
            return value;
          }),
        );
      expect(deepText(find(chat, '.arguments') as Element)).to.contain('title = as shown');
      await pressed(ALLOW);
      await finish();
      expect(act.ran).to.deep.equal([{ title: 'as shown' }]);
    } finally {
      for (const name of names) document.removeEventListener(name, meddle);
    }
  });
});
