/** The whole element and its questions: what runs, what the model hears, and for how long an answer holds (X-11, X-12; faults 66–68, 103). */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import { armed, armedInView, click, press } from './doing.js';
import { appears, find, findAll, frame, part, until, words } from './looking.js';
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
});
