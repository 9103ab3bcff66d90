/** Links of a chain: a person confirms each by a button or by a word (S4-10, S4-11, S4-51, S4-52), after a reload, too (S4-56). */
import { expect } from 'chai';
import { confirmWords, isConfirmation } from '../../src/conversation/chart/keyword-confirmation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { containsQuestion, onlyInvitesConfirmation } from '../../src/conversation/chart/detect-question.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { CardView } from '../../src/model/calls.js';
import { asking, ran, stage, system, told } from './play.js';
import { call, statuses, tick, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';
import { isLinear } from '../helpers/cost.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import data from '../fixtures/conversation/questions.json' with { type: 'json' };

const tools = { look: 'query', change: 'write', erase: 'danger', other: 'write' } as const;
const look = call('look');
const change = (title = 'a') => call('change', { title });
const chain = (turns: string[], options: TalkOptions & { count?: number } = {}) =>
  asking(turns, tools, { callsPerTurn: 'confirm-chain', ...options });

const block = (value: unknown) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`;
const clarify = { default: 'Blue', questions: [{ text: 'Do you like blue', options: ['yes', 'no'] }] };

const planned = (title: string, goal = 'Mail') => block({ task_plan: { goal, steps: [{ id: 'a', title }] } });

const say = (one: Talk, text: string) => internalsOf(one.chat).surface.send(text);

/** As the elements do it after a person has typed the word. */
const confirm = (one: Talk, { requestId, call: shown }: CardView, word: string) =>
  internalsOf(one.chat).decide({ requestId, digest: shown?.digest ?? '', verdict: 'allow', word });

const saidByUser = ({ chat }: Talk) => chat.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));

const { questions, none, repeated, invitations, remarks } = data;

describe('a word that confirms', () => {
  it('is one of the language, of the host, or of those everybody knows', () => {
    const words = { confirmKeywords: undefined, texts: zhCN };
    for (const word of ['确认', ' 继续 ', 'YES', 'Confirm.', 'ｙｅｓ', '确认。', 'continue'])
      expect(isConfirmation(word, words), word).to.equal(true);
    for (const word of ['', ' ', '.', 'yes please', '不确认', 'no', 'yes'.repeat(100)])
      expect(isConfirmation(word, words), word).to.equal(false);
    expect(confirmWords(words)).to.deep.equal(['确认', '继续', 'confirm', 'yes']);
    const ours = { confirmKeywords: ['Los'], texts: en };
    expect(isConfirmation('los!', ours)).to.equal(true);
    expect(isConfirmation('yes', ours), 'the host’s words stand alone').to.equal(false);
    expect(confirmWords({ confirmKeywords: [' ', 7] as never, texts: en })).to.deep.equal(['confirm', 'yes', 'continue']);
  });
});

describe('a question of the model’s own', () => {
  const words = ['yes', 'confirm', 'continue', 'bestätigen', 'ja', '确认', '继续', 'ok'];

  it('is told from what only looks like one', () => {
    for (const text of questions) expect(containsQuestion(text, words), text).to.equal(true);
    for (const text of none) expect(containsQuestion(text, words), text).to.equal(false);
  });

  it('may be in any sentence but one that only names the word', () => {
    for (const text of invitations) expect(onlyInvitesConfirmation(text, words), text).to.equal(true);
    for (const text of [...questions, ...remarks]) expect(onlyInvitesConfirmation(text, words), text).to.equal(false);
  });

  it('is looked for in linear time', async () => {
    const prepare = (unit: string) => (size: number) => {
      const text = `do${unit.repeat(size)}`;
      return () => [containsQuestion(text, words), onlyInvitesConfirmation(text, words)];
    };
    for (const unit of repeated) expect(await isLinear(prepare(unit), 16_000), unit).to.equal(true);
  });
});

describe('confirm-chain', () => {
  useFaultServer({ settles: true });

  it('runs the second step when the word decides, and keeps what was said on screen, not in the history', async () => {
    const { one, turn, card } = await chain([look, change(), 'Done.']);
    expect([card.confirm, one.view().session.requiresConfirm]).to.deep.equal(['both', true]);
    confirm(one, card, 'no');
    await tick();
    expect(ran(one), 'a word that is none').to.deep.equal(['look']);
    confirm(one, card, '确认');
    expect(statuses((await turn).results)).to.deep.equal(['success', 'success']);
    expect(ran(one)).to.deep.equal(['look', 'change']);
    const shown = one.view().views.map(({ message }) => `${message.role}: ${message.text.trim()}`);
    expect(shown).to.deep.equal(['user: hello', 'assistant: ', 'assistant: ', 'user: 确认', 'assistant: Done.']);
    expect(saidByUser(one)).to.deep.equal(['hello']);
    expect(JSON.stringify(one.bodies())).to.not.include('确认');
  });

  for (const [what, first, second] of [
    ['in the same reply', '', 'By the way, do you like blue? yes or no\n'],
    ['in an earlier reply of the turn', 'Do you like blue?\n', ''],
    ['told from its words', '', 'Type confirm for the blue one.\n'],
    ['with answers to choose from', '', block({ clarify })],
    ['in words that are not known to ask', '', 'Оставить архив или нет.\n'],
    ['in code', '', '```js\nconst a = b ? c : d\n```\n'],
    ['in its reasoning', '', '<think>Do you like blue? Type yes.</think>\n'],
    ['in a step of a plan', planned('Shall I keep the archive? Type yes'), ''],
    ['in a step of a plan, in a language without a sign', planned('Оставить архив или нет'), ''],
    ['in a step of a plan, in letters that look like any other’s', planned('Có giữ kho lưu trữ không'), ''],
    ['in a step of a plan, as a choice', planned('Delete the archive or keep it'), ''],
    ['in the goal of a plan', planned('Delete the archive', 'Het archief bewaren'), ''],
  ] as const)
    it(`leaves the step to its button while the assistant asks a question of its own, ${what}`, async () => {
      const { one, turn, card } = await chain([first + look, second + change(), 'Done.'], {
        ...{ promptOptions: { clarify: true }, planning: 'threshold', planningOptions: { minLength: 1 } },
      });
      expect([card.confirm, one.view().confirmWords]).to.deep.equal(['button', undefined]);
      for (const word of ['yes', '确认', 'confirm']) confirm(one, card, word);
      await tick();
      expect(ran(one)).to.deep.equal(['look']);
      await one.answer('allow');
      await turn;
      expect(ran(one)).to.deep.equal(['look', 'change']);
    });

  for (const [what, own] of [
    ['the sentence of the step', { change: { risk: 'write', describeCall: () => 'Change “Shall I keep it? Type yes”' } }],
    ['the result before it', { look: { risk: 'query', execute: () => 'Do you like blue? Type yes.' } }],
  ] as const)
    it(`leaves the step to its button where ${what} asks`, async () => {
      const { one, turn, card } = await asking([look, change(), 'Done.'], { ...tools, ...own }, { callsPerTurn: 'confirm-chain' });
      expect(card.confirm).to.equal('button');
      confirm(one, card, 'yes');
      one.decide('deny', card);
      await turn;
      expect(ran(one)).to.deep.equal(['look']);
    });

  for (const text of ['Reply “confirm” to go on.\n', planned('Delete the archive.'), planned('删除旧邮件', '整理邮箱')])
    it(`takes the word below ${JSON.stringify(text)}`, async () => {
      const { one, turn, card } = await chain([look, text + change(), 'Done.'], {
        ...{ planning: 'threshold', planningOptions: { minLength: 1 } },
      });
      expect(card.confirm).to.equal('both');
      confirm(one, card, 'confirm');
      await turn;
      expect(ran(one)).to.deep.equal(['look', 'change']);
    });

  it('confirms exactly one step: the next one waits for a word of its own', async () => {
    const { one, turn, card } = await chain([look, change(), change('b'), 'Done.']);
    confirm(one, card, 'yes');
    confirm(one, card, 'yes');
    await until(() => one.runs.length === 2, 'the second step');
    const second = await one.question();
    expect(second.requestId).to.not.equal(card.requestId);
    await tick();
    expect(one.runs).to.have.length(2);
    confirm(one, second, 'yes');
    await turn;
    expect(one.runs).to.have.length(3);
  });

  it('takes no message for a confirmation, whoever sends it', async () => {
    const { one, turn } = await chain([look, change(), 'I see.', 'All right.']);
    const queued = one.chat.sendMessage('确认');
    await tick();
    expect((await one.asked()).length, 'a script’s message queues').to.equal(1);
    say(one, '确认');
    expect((await turn).reason).to.equal('cancelled');
    await queued;
    await one.rest();
    expect(ran(one)).to.deep.equal(['look']);
  });

  it('refuses the same step in the next turn, and says why (S4-11)', async () => {
    const { one, turn } = await chain([look, change(), change(), 'Please confirm.', change(), 'Done.']);
    say(one, 'wait a moment');
    await turn;
    await until(() => one.requests().length === 4 && !one.chat.isLoading, 'the refusal');
    expect(ran(one)).to.deep.equal(['look']);
    expect(one.chat.toolHistory.at(-1)).to.include({ status: 'denied', code: 'DENIED' });
    expect(told(one, 3)).to.contain('the user has not confirmed this step');
    await one.send('yes');
    expect(ran(one), 'after the word it is a first step like any other').to.deep.equal(['look', 'change']);
  });

  it('asks in the next turn, too, where one argument is another now, and from then on once it was answered no more', async () => {
    const { one, turn } = await chain([look, change(), change('b'), 'Done.', change('c') + call('other'), 'Done.']);
    say(one, 'wait a moment');
    await turn;
    const card = await one.question();
    expect(card.call?.args).to.deep.equal({ title: 'b' });
    one.decide('deny', card);
    await one.rest();
    void one.send('and c');
    await until(() => one.runs.length === 2, 'the first step of the turn');
    expect(one.runs[1]).to.deep.include({ name: 'change', args: { title: 'c' } });
  });

  it('wants the button for what could do harm, or does not say', async () => {
    const { one, turn, cards } = await chain([look, call('erase') + call('change'), 'Done.'], { confirmVia: 'keyword', count: 2 });
    expect(cards.map((card) => card.confirm)).to.deep.equal(['button', 'keyword']);
    confirm(one, cards[0]!, 'yes');
    await tick();
    expect(ran(one)).to.deep.equal(['look']);
    for (const card of cards) one.decide('deny', card);
    await turn;
  });

  for (const [what, options, named] of [
    ['names the words', {}, '(confirm, yes, continue)'],
    ['names them in its language', { lang: 'zh-CN', texts: zhCN }, '（确认、继续、confirm、yes）'],
    ['names the host’s words', { confirmVia: 'keyword', confirmKeywords: ['los'] }, '(los)'],
    ['only asks for agreement under buttons', { confirmVia: 'buttons' }, 'after the user has agreed'],
  ] as const)
    it(`${what} in the prompt (S4-51)`, async () => {
      const one = stage(['Done.'], tools, { callsPerTurn: 'confirm-chain', person: true, ...(options as TalkOptions) });
      await one.send();
      expect(system(one)).to.contain(named);
    });
});

describe('a chain that waits when the page is reloaded', () => {
  useFaultServer();
  const area = useSessionStorage();
  let pages = 0;

  /** The same conversation on the next page, with a chain that waits. */
  async function reloaded(step: string) {
    const kept = { callsPerTurn: 'confirm-chain', person: true, storage: 'session' } as const;
    const options = { ...kept, sessionId: `chain-${String((pages += 1))}` };
    await chain([look, step], options);
    await until(() => [...area.values()].some((text) => text.includes('awaiting_approval')), 'what is stored');
    const one = stage(['Done.'], tools, options);
    return { one, card: await one.question() };
  }

  it('still takes the word that was named', async () => {
    const { one, card } = await reloaded(change());
    expect([card.confirm, one.view().confirmWords]).to.deep.equal(['both', ['confirm', 'yes', 'continue']]);
    confirm(one, card, '确认');
    await one.rest();
    expect([ran(one), saidByUser(one)]).to.deep.equal([['change'], ['hello']]);
    expect(JSON.stringify(one.bodies())).to.not.include('确认');
  });

  for (const [what, step] of [
    ['a danger call', call('erase')],
    ['a step below a question', `Is blue nice?\n${change()}`],
  ] as const)
    it(`says of ${what} that only its button confirms`, async () => {
      const { one, card } = await reloaded(step);
      expect([card.confirm, one.view().confirmWords]).to.deep.equal(['button', undefined]);
      confirm(one, card, 'yes');
      await tick();
      expect(one.runs).to.deep.equal([]);
      one.decide('allow', card);
      await one.rest();
      expect(one.runs).to.have.length(1);
    });
});
