/** Conversations that outlive their page, in the storage of a tab: what is never stored, other tools on the next page, answers whose page is left. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { createScrubbing } from '../../src/conversation/persistence/secrets.js';
import { acceptsDialects } from '../../src/conversation/reply/segment-sink.js';
import { vcp } from '../../src/protocols/vcp.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { digestCall } from '../../src/tools/digest.js';
import { isLinear } from '../helpers/cost.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { fresh, until } from '../storage/helpers.js';
import { call, closeAll, left, page as openPage, relay, slowly, type Page, type PageOptions, type Reply } from './kept.js';

describe('a conversation that is kept for its tab', () => {
  const area = useSessionStorage();
  afterEach(closeAll);
  let id = '';
  beforeEach(() => (id = fresh('kept')));

  const page = (replies: Reply[] = [], options: PageOptions = {}): Page => openPage(id, replies, { storage: 'session', ...options });
  const leave = (replies: Reply[], text: string, options: PageOptions = {}) => left(id, replies, text, { storage: 'session', ...options });
  const everything = () => [...area].flat().join('\n');
  const stored = (part: string) => until(() => everything().includes(part));

  const login: Partial<ToolDefinition> = {
    risk: 'query',
    sensitive: ['password', 'pin'],
    parameters: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' }, pin: { type: 'string' } } },
    describeCall: ({ password }) => `Log in with ${String(password)}`,
    execute: ({ password }: { password: string }) => ({ success: true, message: `Logged in with ${password}`, data: { used: [password] } }),
  };
  const pay = { parameters: { type: 'object', properties: { amount: { type: 'integer' }, note: { type: 'string' } } } };

  it('stores no sensitive value, where a person, a model, a result or another call repeats it, and not while a reply arrives', async () => {
    const arriving = slowly();
    const replies = [
      `I take hunter2. ${call('login', { user: 'ann', password: 'hunter2', pin: 'in' })}`,
      `In, with hunter2 as said. ${call('pay', { amount: 5, note: 'hunter2' })}`,
      () => arriving.response,
    ];
    const before = page(replies, { register: { login, pay } });
    const card = await before.ask('Log in with hunter2, then pay');
    expect(before.runs[0]?.args).to.include({ password: 'hunter2' });
    await stored('In, with [hidden] as said');
    expect(everything()).to.include('ann').and.include('Log in with [hidden], then pay').and.not.include('hunter2');
    before.decide('allow', card);
    // While it arrives, and before its end is there.
    await until(() => before.chat.state === 'respond');
    arriving.say('It was hunt');
    await stored('It was');
    expect(everything()).to.not.include('hunt');
    arriving.say('er2, in the end.');
    arriving.end();
    await before.idle();
    expect(before.texts().at(-1)).to.equal('It was hunter2, in the end.');
    before.leave();
    await stored('It was [hidden], in the end.');
    expect(everything()).to.not.include('hunt');
    const after = page(['Yes.'], { register: { login } });
    await after.chat.sendMessage('And?');
    expect(JSON.stringify(after.asked)).to.include('[hidden]').and.not.include('hunter2');
  });

  for (const password of ['login', 'success', 'complete'])
    it(`takes a sensitive value for no name of its own: not for a tool, not for a status (${password})`, async () => {
      await leave([call('login', { user: 'ann', password }), `It was ${password}.`], 'Log in', { register: { login } });
      await stored('It was [hidden].');
      const after = page([], { register: { login } });
      await until(() => after.texts().length > 0);
      expect(after.cards().map(({ status, toolName }) => [status, toolName])).to.deep.equal([['success', 'login']]);
      expect(after.notices()).to.deep.equal([]);
    });

  it('says that it is not saved until it is', async () => {
    const [one, { setItem }] = [page(['A.', 'B.']), sessionStorage];
    sessionStorage.setItem = () => {
      throw new DOMException('It is full.', 'QuotaExceededError');
    };
    await one.chat.sendMessage('Hi');
    await until(() => one.notices().join().includes(en.storageMemory));
    sessionStorage.setItem = setItem;
    await one.chat.sendMessage('Still there?');
    await until(() => one.notices().length === 0);
  });

  it('does not run with hidden words what a person was to allow before the reload', async () => {
    const replies = [call('login', { user: 'ann', password: 'hunter2' }) + call('pay', { note: 'hunter2' })];
    await leave(replies, 'Log in and pay', { register: { login, pay } });
    const after = page(['I see.'], { approval: 'auto', register: { login, pay } });
    await after.said('I see.');
    expect([after.runs, after.statuses()]).to.deep.equal([[], ['success', 'cancelled']]);
  });

  it('asks where a person had changed sensitive values before the reload, although none of them is kept', async () => {
    const register = { login: { ...login, risk: 'danger' as const } };
    const written = call('login', { user: 'ann', password: 'hunter2' });
    const before = page([written, 'In.'], { register });
    before.decide('allow', await before.ask('Log in'), { verdict: 'edit', args: { user: 'ann', password: 'another' } });
    await until(() => before.cards()[0]?.edited?.length);
    before.decide('allow', await before.card());
    await before.said('In.');
    before.leave();
    const after = page([written], { approval: 'auto', register });
    expect((await after.ask('Again')).call?.reason).to.equal(en.reasonChangedBefore);
    expect(after.runs).to.deep.equal([]);
  });

  it('stores no digest from which a PIN can be guessed, and asks after a No all the same', async () => {
    const register = { login: { ...login, risk: 'danger' as const } };
    const args = (pin: string) => ({ user: 'ann', pin });
    const before = page([call('login', args('1234')), 'Not in.'], { register });
    before.decide('deny', await before.ask('Log in'));
    await before.said('Not in.');
    before.leave();
    await stored('Not in.');
    expect(everything()).to.not.include(await digestCall('login', args('1234')));
    const after = page([call('login', args('5678'))], { approval: 'auto', register });
    expect((await after.ask('Again')).call?.reason).to.equal(en.reasonDeniedBefore);
  });

  it('looks for the beginning of a sensitive value in time in proportion to it', async () => {
    const prepare = (size: number) => {
      const scrub = createScrubbing().of([`${'a'.repeat(size)}b`]);
      const text = `${'a'.repeat(size)}c`;
      return () => scrub.arriving(text);
    };
    expect(await isLinear(prepare, 20_000)).to.equal(true);
    const scrub = createScrubbing().of(['abcabcd']);
    for (const [text, kept] of Object.entries({ 'x abcabc': 'x ', abcabcabc: 'abc', abcabcdx: '[hidden]x', 'x abc': 'x abc' }))
      expect(scrub.arriving(text)).to.equal(kept);
  });

  it('keeps why a turn stopped at a limit, and lets it go on after a reload', async () => {
    const register = { note: { risk: 'query' } } as const;
    await leave([call('note'), call('note', { n: 2 })], 'Note', { maxIterations: 1, register });
    const after = page(['Going on.'], { lang: 'zh-CN', texts: zhCN, register });
    await until(() => after.view().views.length > 0);
    expect(after.view().failure, 'nothing failed on this page').to.equal(null);
    expect(after.view().views.at(-1)).to.include({ note: zhCN.limitReached(1), canContinue: true });
    after.internals.surface.continue();
    await until(() => after.texts().includes('Going on.'));
    expect(after.view().views.filter(({ message }) => message.role === 'user')).to.have.length(1);
    expect(after.asked[0]?.messages.at(-1)).to.include({ role: 'user', text: zhCN.continueAnswer });
    expect(after.view().views.some(({ canContinue }) => canContinue)).to.equal(false);
  });

  it('keeps what a model was seen to write, for that model alone; it decides how its replies are read and what is taught', async () => {
    const dialect = '<tool_call>{"name":"note","arguments":{}}</tool_call>';
    const options: PageOptions = { protocol: 'auto', model: 'unheard-of', register: { note: { risk: 'query' } } };
    const before = page([dialect, 'Noted.', vcp.writeCall!('note', {}), 'Sorry.'], options);
    for (const text of ['Note', 'Note more']) await before.chat.sendMessage(text);
    before.leave();
    await stored('vcp');
    for (const [at, value] of area) area.set(at, value.replaceAll('model.test', 'other.test'));
    const other = { ...options, endpoint: 'https://other.test/chat' };
    expect(acceptsDialects({ ...other, model: 'unheard-of' })).to.equal(false);
    const after = page(['Hi.'], other);
    await after.chat.sendMessage('Hello');
    expect(after.asked[0]!.system).to.include('<<<[TOOL_REQUEST]>>>');
    expect([acceptsDialects({ ...other, model: 'unheard-of' }), acceptsDialects({ ...other, model: 'another' })]).to.deep.equal([
      true,
      false,
    ]);
  });

  describe('with an answer that arrives (S0-177)', () => {
    async function arriving(more: PageOptions = {}) {
      const { methods, options } = relay();
      const one = page([], { ...options, ...more });
      void one.chat.sendMessage('Count');
      await until(() => one.chat.streamingText === 'One, ');
      return { one, methods, options };
    }

    it('reads it on in the next element when its own is taken away, and the service hears of no stop', async () => {
      const { one, methods, options } = await arriving();
      one.internals.leave();
      await until(() => one.chat.state === 'idle');
      one.leave();
      await page([], options).said('One, two.');
      expect(methods).to.deep.equal(['POST', 'GET']);
    });

    for (const [when, storage, act, stops] of [
      ['a person stops it', 'session', (one: Page) => one.chat.cancelStream(), true],
      ['the conversation is forgotten', 'session', (one: Page) => void one.chat.forget(), true],
      ['the element is taken away and nothing is kept', 'none', (one: Page) => one.internals.leave(), true],
      ['the page is left for good and nothing is kept', 'none', (one: Page) => one.internals.leavePage(), true],
      ['the page is left for good and it is kept', 'session', (one: Page) => one.internals.leavePage(), false],
    ] as const)
      it(`is ${stops ? '' : 'not '}stopped at the service when ${when}`, async () => {
        const { one, methods } = await arriving({ storage });
        act(one);
        if (stops) await until(() => methods.includes('DELETE'));
        else await new Promise((resolve) => setTimeout(resolve)); // that nothing is asked has no event
        expect(methods).to.deep.equal(stops ? ['POST', 'DELETE'] : ['POST']);
      });
  });
});
