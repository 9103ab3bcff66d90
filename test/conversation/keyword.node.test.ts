/** Links of a chain: a person confirms each by a button or by a word (S4-10, S4-11, S4-51, S4-52), after a reload, too (S4-56). */
import { expect } from 'chai';
import { confirmWords, isConfirmation } from '../../src/conversation/chart/keyword-confirmation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { holdsQuestion } from '../../src/conversation/chart/own-question.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { call, talk, tick, until, useFaultServer, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';
import { cpuTime } from '../helpers/cpu-time.js';
import { useSessionStorage } from '../helpers/session-storage.js';

const chain = { callsPerTurn: 'confirm-chain', person: true } as const satisfies TalkOptions;

/** First a step that runs by policy, then one that waits. */
function twoSteps(replies: string[], options: TalkOptions = {}): Talk {
  const one = talk([call('look'), call('change', { title: 'a' }), ...replies], { ...chain, ...options });
  one.with({ look: 'query', change: 'write', erase: 'danger' });
  return one;
}

const say = (one: Talk, text: string) => internalsOf(one.chat).surface.send(text);

/** As the elements do it after a person has typed the word. */
function confirm(one: Talk, card: Awaited<ReturnType<Talk['asked']>>[number], word: string): void {
  internalsOf(one.chat).decide({ requestId: card.requestId, digest: card.call?.digest ?? '', verdict: 'allow', word });
}

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
  it('is told from what only looks like one', () => {
    const yes = [
      'Blue?',
      '**“Blue?”**',
      '蓝色吗？',
      '蓝色吗?是或否',
      'blue?yes',
      'هل؟',
      'Blue❓',
      'YES / NO',
      '`a` b? `c`',
      '~~~\na\n~~~\nb?',
      '`open b?',
      'https://example.com/?a=b, or not?',
      'Shall I go on with blue',
      'Good. **Would the** blue one do',
      '- is it blue',
      '你喜欢蓝色吗。好',
      '要不要蓝色',
      '请说是否喜欢蓝色',
      'Reply “yes” if you like blue.',
      '如果喜欢蓝色，请回复“确认”',
    ];
    const no = [
      '',
      'Blue.',
      '`blue?`',
      '```\nblue?\n```',
      '~~~\nblue?',
      'https://example.com/?a=b',
      'Yes, I will.',
      'Then I delete the second one. Reply “confirm” to continue.',
      '接下来删除第二个。回复“确认”继续。',
      'I will do it. It is blue, and can be seen.',
      'If it is blue, it is seen.',
      '不，它不是蓝色。',
    ];
    for (const text of yes) expect(holdsQuestion(text), text).to.equal(true);
    for (const text of no) expect(holdsQuestion(text), text).to.equal(false);
  });

  it('is looked for in linear time', () => {
    const cost = (text: string) => {
      const from = cpuTime();
      holdsQuestion(text);
      return cpuTime() - from;
    };
    for (const unit of ['`', '` `` ', '```\n', 'a', '://?a', 'yes ', '*', '吗', '吗。', ' ', 'if ']) {
      const [small, large] = [2_000, 64_000].map((times) => cost(`do${unit.repeat(times)}`));
      expect(large! / Math.max(small!, 2), unit).to.be.below(150);
    }
  });
});

describe('confirm-chain', () => {
  useFaultServer({ settles: true });

  it('runs the second step when the word decides, and keeps what was said on screen, not in the history', async () => {
    const one = twoSteps(['Done.']);
    const done = one.send();
    const [card] = await one.asked();
    expect(card?.confirm).to.equal('both');
    expect(one.view().session.requiresConfirm).to.equal(true);
    confirm(one, card!, 'no');
    await tick();
    expect(one.runs, 'a word that is none').to.have.length(1);
    confirm(one, card!, '确认');
    const { results } = await done;
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look', 'change']);
    expect(results.map(({ status }) => status)).to.deep.equal(['success', 'success']);
    const shown = one.view().views.map(({ message }) => `${message.role}: ${message.text.trim()}`);
    expect(shown).to.deep.equal(['user: hello', 'assistant: ', 'assistant: ', 'user: 确认', 'assistant: Done.']);
    expect(one.chat.messages.filter(({ role }) => role === 'user').map(({ text }) => text)).to.deep.equal(['hello']);
    expect(JSON.stringify(one.bodies())).to.not.include('确认');
  });

  for (const [what, first, second] of [
    ['in the same reply', '', 'By the way, do you like blue? yes or no\n'],
    ['in an earlier reply of the turn', 'Do you like blue?\n', ''],
  ] as const)
    it(`leaves the step to its button while the assistant asks a question of its own, ${what}`, async () => {
      const one = talk([first + call('look'), second + call('change', { title: 'a' }), 'Done.'], chain);
      one.with({ look: 'query', change: 'write' });
      const done = one.send();
      const [card] = await one.asked();
      expect(card?.confirm).to.equal('button');
      expect(one.view().confirmWords).to.equal(undefined);
      for (const word of ['yes', '确认', 'confirm']) confirm(one, card!, word);
      await tick();
      expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
      expect((await one.asked()).length, 'nor is it closed').to.equal(1);
      one.decide('allow', card!);
      await done;
      expect(one.runs.map(({ name }) => name)).to.deep.equal(['look', 'change']);
    });

  for (const text of ['```js\nconst a = b ? c : d\n```\n', 'Reply “confirm” to go on.\n'])
    it(`takes the word below ${JSON.stringify(text)}`, async () => {
      const one = talk([call('look'), text + call('change', { title: 'a' }), 'Done.'], chain).with({ look: 'query', change: 'write' });
      const done = one.send();
      const [card] = await one.asked();
      expect(card?.confirm).to.equal('both');
      confirm(one, card!, 'confirm');
      await done;
      expect(one.runs.map(({ name }) => name)).to.deep.equal(['look', 'change']);
    });

  it('confirms exactly one step: the next one waits for a word of its own', async () => {
    const one = twoSteps([call('change', { title: 'b' }), 'Done.']);
    const done = one.send();
    const [first] = await one.asked();
    confirm(one, first!, 'yes');
    confirm(one, first!, 'yes');
    await until(() => one.runs.length === 2, 'the second step');
    const [second] = await one.asked();
    expect(second?.requestId).to.not.equal(first?.requestId);
    await tick();
    expect(one.runs).to.have.length(2);
    confirm(one, second!, 'yes');
    await done;
    expect(one.runs).to.have.length(3);
  });

  it('takes no message for a confirmation, whoever sends it', async () => {
    const one = twoSteps(['I see.', 'All right.']);
    const done = one.send();
    await one.asked();
    const queued = one.chat.sendMessage('确认');
    await tick();
    expect((await one.asked()).length, 'a script’s message queues').to.equal(1);
    say(one, '确认');
    expect((await done).reason).to.equal('cancelled');
    await queued;
    await until(() => !one.chat.isLoading, 'the end');
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
  });

  it('refuses the same step in the next turn, and says why (S4-11)', async () => {
    const one = twoSteps([call('change', { title: 'a' }), 'Please confirm.', call('change', { title: 'a' }), 'Done.']);
    const done = one.send();
    await one.asked();
    say(one, 'wait a moment');
    await done;
    await until(() => one.requests().length === 4 && !one.chat.isLoading, 'the refusal');
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
    expect(one.chat.toolHistory.at(-1)).to.include({ status: 'denied', code: 'DENIED' });
    expect(one.bodies().at(-1)?.messages.at(-1)?.text).to.contain('the user has not confirmed this step');
    await one.chat.sendMessage('yes');
    const names = one.runs.map(({ name }) => name);
    expect(names, 'after the word it is a first step like any other').to.deep.equal(['look', 'change']);
  });

  it('asks in the next turn, too, where one argument is another now, and from then on once it was answered no more', async () => {
    const one = twoSteps([call('change', { title: 'b' }), 'Done.', call('change', { title: 'c' }) + call('other'), 'Done.']);
    one.tool('other');
    const done = one.send();
    await one.asked();
    say(one, 'wait a moment');
    await done;
    const [card] = await one.asked();
    expect(card?.call?.args).to.deep.equal({ title: 'b' });
    one.decide('deny', card!);
    await until(() => !one.chat.isLoading, 'the end of the turn');
    void one.send('and c');
    await until(() => one.runs.length === 2, 'the first step of the turn');
    expect(one.runs[1]).to.deep.include({ name: 'change', args: { title: 'c' } });
  });

  it('wants the button for what could do harm, or does not say', async () => {
    const one = talk([call('look'), call('erase') + call('change'), 'Done.'], { ...chain, confirmVia: 'keyword' });
    one.with({ look: 'query', change: 'write', erase: 'danger' });
    const done = one.send();
    const [erase, change] = await one.asked(2);
    expect([erase?.confirm, change?.confirm]).to.deep.equal(['button', 'keyword']);
    confirm(one, erase!, 'yes');
    await tick();
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['look']);
    one.decide('deny', erase!);
    one.decide('deny', change!);
    await done;
  });

  for (const [what, confirmVia, named] of [
    ['names the words', undefined, '(confirm, yes, continue)'],
    ['names the host’s words', 'keyword', '(los)'],
    ['only asks for agreement under buttons', 'buttons', 'after the user has agreed'],
  ] as const)
    it(`${what} in the prompt (S4-51)`, async () => {
      const one = talk(['Done.'], { ...chain, confirmVia, ...(confirmVia === 'keyword' && { confirmKeywords: ['los'] }) });
      one.tool('look');
      await one.send();
      expect(one.bodies()[0]?.system).to.contain(named);
    });
});

describe('a chain that waits when the page is reloaded', () => {
  useFaultServer({ settles: true });
  const area = useSessionStorage();
  let pages = 0;

  function page(turns: ScriptedTurn[], sessionId: string): Talk {
    const one = talk(turns, { ...chain, storage: 'session', sessionId }).with({ look: 'query', change: 'write', erase: 'danger' });
    return one;
  }

  /** The same conversation on the next page, with a chain that waits. */
  async function reloaded(step: string, turns: ScriptedTurn[]): Promise<Talk> {
    const sessionId = `chain-${String((pages += 1))}`;
    const before = page([call('look'), step], sessionId);
    void before.send();
    await before.asked();
    await until(() => [...area.values()].some((text) => text.includes('awaiting_approval')), 'what is stored');
    return page(turns, sessionId);
  }

  it('still takes the word that was named', async () => {
    const one = await reloaded(call('change', { title: 'a' }), ['Done.']);
    const [card] = await one.asked();
    expect([card?.confirm, one.view().confirmWords]).to.deep.equal(['both', ['confirm', 'yes', 'continue']]);
    confirm(one, card!, '确认');
    await until(() => !one.chat.isLoading, 'the end');
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['change']);
    expect(one.chat.messages.filter(({ role }) => role === 'user').map(({ text }) => text)).to.deep.equal(['hello']);
    expect(JSON.stringify(one.bodies())).to.not.include('确认');
  });

  for (const [what, step] of [
    ['a danger call', call('erase')],
    ['a step below a question', `Is blue nice?\n${call('change', { title: 'a' })}`],
  ] as const)
    it(`says of ${what} that only its button confirms`, async () => {
      const one = await reloaded(step, ['Done.']);
      const [card] = await one.asked();
      expect([card?.confirm, one.view().confirmWords]).to.deep.equal(['button', undefined]);
      confirm(one, card!, 'yes');
      await tick();
      expect(one.runs).to.deep.equal([]);
      one.decide('allow', card!);
      await until(() => !one.chat.isLoading, 'the end');
      expect(one.runs).to.have.length(1);
    });
});
