/** Conversations that outlive their page: reload, crash, the next page, several tabs (X-14, X-17, S4-56, faults.md D and E). */
import { expect } from 'chai';
import { sharedDatabase } from '../../src/storage/indexeddb.js';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { createLastingJournal } from '../../src/storage/lasting-journal.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { fresh, replace, until } from '../storage/helpers.js';
import { callOf, checkedCall, fullConversation } from '../storage/sample.js';
import { call, closeAll, everything, forever, frame, page, slowly, stored } from './kept.js';

describe('a kept conversation', () => {
  afterEach(closeAll);

  describe('after a reload', () => {
    it('shows what was said, and goes on from there', async () => {
      const id = fresh('kept');
      const before = page(id, ['Hello!']);
      await before.chat.sendMessage('Hi');
      before.leave();
      const after = page(id, ['Again!']);
      await until(() => after.texts().length === 2);
      expect(after.texts()).to.deep.equal(['Hi', 'Hello!']);
      expect(after.asked).to.have.length(0);
      await after.chat.sendMessage('Still there?');
      expect(after.asked[0]?.messages.map(({ text }) => text)).to.deep.equal(['Hi', 'Hello!', 'Still there?']);
    });

    it('has every version of the conversation, and what a person thinks of an answer', async () => {
      const id = fresh('kept');
      const before = page(id, [call('add', { amount: 2 }), 'Added.', 'Other.'], { approval: 'auto' });
      before.tool('add', { risk: 'write' });
      await before.chat.sendMessage('Add');
      before.internals.surface.messageActions!.rate(before.chat.messages.at(-1)!.id, { value: 'down', reason: 'slow' });
      await before.chat.editMessage(before.chat.messages[0]!.id, 'Say');
      before.leave();
      const after = page(id, ['On.'], { approval: 'auto' });
      after.tool('add', { risk: 'write' });
      await until(() => after.texts().length === 2);
      expect(after.view().views[0]?.branch).to.deep.equal({ from: '', at: 2, of: 2, previous: 1, stay: 1 });
      after.internals.surface.messageActions!.switchTo('', 1);
      await until(() => after.texts()[0] === 'Add');
      expect(after.chat.messages.at(-1)?.metadata.feedback).to.deep.equal({ value: 'down', reason: 'slow' });
      expect(after.cards().map(({ status }) => status)).to.deep.equal(['success']);
      await after.chat.sendMessage('On');
      expect(after.runs).to.have.length(0);
      expect(after.asked[0]?.messages.map(({ text }) => text).join(' '))
        .to.contain('Add ')
        .and.not.to.contain('Say');
    });

    it('keeps nothing without storage, and nothing of another conversation', async () => {
      const id = fresh('kept');
      const before = page(id, ['Hello!'], { storage: 'none' });
      await before.chat.sendMessage('Hi');
      before.leave();
      const other = page(fresh('kept'));
      const after = page(id, ['x']);
      await after.chat.sendMessage('new');
      expect(after.texts()).to.deep.equal(['new', 'x']);
      expect(other.texts()).to.deep.equal([]);
    });

    it('waits with what is sent before it is loaded', async () => {
      const id = fresh('kept');
      const before = page(id, ['Hello!']);
      await before.chat.sendMessage('Hi');
      before.leave();
      const after = page(id, ['Again!']);
      const sent = after.chat.sendMessage('second');
      expect(after.chat.isLoading).to.equal(true);
      expect(after.view().queue).to.deep.equal(['second']);
      await until(() => after.asked.length === 1);
      expect(after.view().queue).to.deep.equal([]);
      expect((await sent).success).to.equal(true);
      expect(after.texts()).to.deep.equal(['Hi', 'Hello!', 'second', 'Again!']);
    });

    it('D76 shows a card that waited as waiting, runs nothing by itself, and goes on after the click', async () => {
      const id = fresh('kept');
      const before = page(id, [`I will. ${call('pay', { amount: 5 })}`]);
      before.tool('pay');
      void before.chat.sendMessage('Pay');
      await before.card();
      before.leave();
      // Whatever the page allows by now.
      const after = page(id, ['Paid.'], { approval: 'auto' });
      after.tool('pay');
      const card = await after.card();
      expect(card.call).to.deep.include({ toolName: 'pay', args: { amount: 5 } });
      expect(card.call?.reason).to.include('Asks again');
      expect(after.runs).to.have.length(0);
      after.decide('allow', card);
      await until(() => after.texts().includes('Paid.'));
      await after.idle();
      expect(after.runs).to.deep.equal([{ name: 'pay', args: { amount: 5 }, requestId: card.requestId }]);
      expect(before.runs).to.have.length(0);
      expect(after.asked).to.have.length(1);
      expect(after.asked[0]?.messages.at(-1)?.text).to.include('pay done');
    });

    it('D74 shows an effect that was under way as interrupted, once, tells the model, and does not run it again', async () => {
      const id = fresh('kept');
      const killed = await frame();
      const before = page(id, [call('pay', { amount: 5 })], { frame: killed, approval: 'auto' });
      before.tool('pay', { execute: forever });
      void before.chat.sendMessage('Pay');
      await until(() => before.runs.length === 1);
      await before.card('executing');
      killed.kill();
      const after = page(id, ['It may have happened.'], { approval: 'auto' });
      after.tool('pay');
      await until(() => after.texts().includes('It may have happened.'));
      expect(after.cards().map(({ status }) => status)).to.deep.equal(['interrupted']);
      expect(after.asked[0]?.messages.at(-1)?.text).to.include('interrupted');
      expect(after.runs).to.have.length(0);
      after.leave();
      const third = page(id);
      third.tool('pay');
      await until(() => third.cards().length === 1);
      expect(third.cards()[0]?.status).to.equal('interrupted');
      expect(third.runs).to.have.length(0);
    });

    /** A page that is killed while its tool is at work. */
    async function killedAtWork(id: string, tool: Partial<ToolDefinition>) {
      const inside = await frame();
      const before = page(id, [call('pay', { amount: 5 })], { frame: inside, approval: 'auto' });
      before.tool('pay', { ...tool, execute: forever });
      void before.chat.sendMessage('Pay');
      const { requestId } = await before.card('executing');
      inside.kill();
      return requestId;
    }

    for (const [answer, status] of [
      ['done', 'success'],
      ['not-done', 'cancelled'],
      ['unknown', 'interrupted'],
    ] as const)
      it(`asks the tool whether it has happened: ${answer} is ${status}`, async () => {
        const id = fresh('kept');
        const requestId = await killedAtWork(id, {});
        const after = page(id, ['So.'], { approval: 'auto' });
        const verified: unknown[] = [];
        after.tool('pay', {
          verify(args, context) {
            verified.push([args, context.requestId]);
            return Promise.resolve(answer);
          },
        });
        await until(() => after.texts().includes('So.'));
        expect(verified).to.deep.equal([[{ amount: 5 }, requestId]]);
        expect(after.cards().map((card) => card.status)).to.deep.equal([status]);
        expect(after.runs).to.have.length(0);
        expect(await createLastingJournal({ sessionId: id }).find(requestId)).to.have.nested.property('result.status', status);
      });

    it('runs again what may run again, under the same id', async () => {
      const id = fresh('kept');
      const requestId = await killedAtWork(id, { idempotent: true });
      const after = page(id, ['So.'], { approval: 'auto' });
      after.tool('pay', { idempotent: true });
      await until(() => after.texts().includes('So.'));
      expect(after.runs).to.deep.equal([{ name: 'pay', args: { amount: 5 }, requestId }]);
      expect(await createLastingJournal({ sessionId: id }).find(requestId)).to.include({ attempt: 2 });
    });

    it('does not run again what only said so before', async () => {
      const id = fresh('kept');
      await killedAtWork(id, { idempotent: true });
      const after = page(id, ['So.'], { approval: 'auto' });
      after.tool('pay', { idempotent: false });
      await until(() => after.texts().includes('So.'));
      expect(after.cards()[0]?.status).to.equal('interrupted');
      expect(after.runs).to.have.length(0);
    });

    it('D73 shows what had arrived of a reply as cut, and asks for nothing by itself', async () => {
      const id = fresh('kept');
      const inside = await frame();
      const reply = slowly();
      const before = page(id, [reply.response], { frame: inside });
      void before.chat.sendMessage('Tell me');
      reply.say('Once upon a ');
      reply.say('time');
      await until(() => before.chat.streamingText === 'Once upon a time');
      await stored(id, (found) => found?.reply?.text === 'Once upon a time');
      inside.kill();
      const after = page(id, ['Once more.']);
      await until(() => after.texts().length === 2);
      expect(after.texts()[1]).to.equal('Once upon a time');
      expect(after.chat.messages.at(-1)?.status).to.deep.equal({ type: 'cut' });
      expect(after.chat.isLoading).to.equal(false);
      expect(after.view().failure).to.deep.include({ canRetry: true });
      expect(after.asked).to.have.length(0);
      await after.chat.retryLastMessage();
      expect(after.texts()).to.deep.equal(['Tell me', 'Once more.']);
    });

    it('stores a draft once, 300 ms after the last key, or when the page is left (S0-152)', async () => {
      const id = fresh('kept');
      const one = page(id, ['Hello!']);
      await one.chat.sendMessage('Hi');
      await stored(id, (found) => found?.messages[1]?.text === 'Hello!');
      const write = (text: string) => one.internals.surface.draft?.(text);
      const writes: { draft: string; at: number }[] = [];
      const undo = replace(
        IDBObjectStore.prototype,
        'put',
        (original) =>
          function (this: IDBObjectStore, value: { row?: { draft?: string } }, ...more) {
            if (value.row?.draft) writes.push({ draft: value.row.draft, at: performance.now() });
            return original.call(this, value, ...more);
          },
      );
      try {
        let written = '';
        let last = 0;
        for (const key of 'twenty keys in a row') {
          write((written += key));
          last = performance.now();
          await new Promise((resolve) => setTimeout(resolve, 15)); // a person's pace: the draft is saved once the keys rest
        }
        await until(() => writes.length > 0);
        await stored(id, (found) => found?.draft === 'twenty keys in a row');
        expect(writes.map(({ draft }) => draft)).to.deep.equal(['twenty keys in a row']);
        expect((writes[0]?.at ?? 0) - last).to.be.at.least(299);
        write('left in mid-word');
        dispatchEvent(new PageTransitionEvent('pagehide'));
        expect(writes.map(({ draft }) => draft)).to.deep.equal(['twenty keys in a row', 'left in mid-word']);
        dispatchEvent(new PageTransitionEvent('pageshow'));
      } finally {
        undo();
      }
    });

    it('puts back what stood in the composer, and sends what was to be sent next', async () => {
      const id = fresh('kept');
      const before = page(id, [call('pay', { amount: 5 })]);
      before.tool('pay');
      void before.chat.sendMessage('Pay');
      await before.card();
      void before.chat.sendMessage('and then');
      before.internals.surface.draft?.('half a sen');
      before.leave();
      const after = page(id, ['Not done.', 'Then what?']);
      after.tool('pay');
      const card = await after.card();
      expect(after.view()).to.deep.include({ draft: 'half a sen', queue: ['and then'] });
      after.decide('deny', card);
      await until(() => after.texts().includes('Then what?'));
      expect(after.texts()).to.deep.equal(['Pay', 'Not done.', 'and then', 'Then what?']);
    });

    it('shows the same cards, offers the same to do about them, and tells the model the same', async () => {
      const id = fresh('kept');
      const undone: unknown[] = [];
      const tools = (one: ReturnType<typeof page>) => {
        one.tool('pay', { undo: ({ requestId }) => Promise.resolve(void undone.push(requestId)) });
        one.tool('fail', { risk: 'write', execute: () => Promise.reject(new Error('No.')) });
        one.tool('look', { risk: 'query' });
      };
      const replies = [call('look') + call('pay', { amount: 5 }), `Next. ${call('fail', { amount: 1 })}`, 'Over.'];
      const before = page(id, replies, { callsPerTurn: 'confirm-chain' });
      tools(before);
      void before.chat.sendMessage('Pay');
      before.decide('allow', await before.card());
      const link = await until(() => before.cards().find((card) => card.toolName === 'fail' && card.status === 'awaiting_approval'));
      before.internals.decide({ requestId: link.requestId, digest: link.call?.digest ?? '', verdict: 'allow', word: 'yes' });
      await until(() => before.texts().includes('Over.'));
      await before.idle();
      await until(() => before.cards()[1]?.undo && before.cards()[2]?.edit);
      const shown = { cards: before.cards(), texts: before.texts() };
      expect(shown.texts).to.include('yes');
      expect(shown.cards.map(({ status, call: made }) => [status, made?.decidedBy])).to.deep.equal([
        ['success', 'policy'],
        ['success', 'person'],
        ['error', 'person'],
      ]);
      expect(shown.cards.map(({ undo, edit }) => [undo, edit !== undefined])).to.deep.equal([
        [undefined, false],
        ['offered', false],
        [undefined, true],
      ]);
      await stored(id, (found) => found?.messages.at(-1)?.text === 'Over.' && found.messages.at(-1)?.status.type === 'complete');
      before.leave();

      const after = page(id, ['On.', call('fail'), 'x'], { callsPerTurn: 'confirm-chain' });
      await until(() => after.cards().length === 3);
      // Nothing is offered for tools that are not here.
      expect(after.cards().map(({ undo, edit }) => undo ?? edit)).to.deep.equal([undefined, undefined, undefined]);
      tools(after);
      await until(() => after.cards()[1]?.undo && after.cards()[2]?.edit);
      expect({ cards: after.cards(), texts: after.texts() }).to.deep.equal(shown);
      await after.chat.sendMessage('And?');
      expect(after.asked[0]?.messages.slice(0, -2)).to.deep.equal(before.asked.at(-1)?.messages);

      const pay = shown.cards[1]!.requestId;
      await after.chat.undo(pay);
      expect(undone).to.deep.equal([pay]);
      await stored(id, (found) => found?.calls.some(({ status }) => status === 'undone'));
      after.leave();
      const third = page(id);
      tools(third);
      await until(() => third.cards()[2]?.edit);
      expect(third.cards()[1]).to.include({ status: 'undone' }).and.not.have.property('undo');
    });

    it('offers nothing to take back where the taking back was begun, or the tool is another one', async () => {
      const id = fresh('kept');
      const before = page(id, [call('pay'), 'Paid.'], { approval: 'auto' });
      before.tool('pay', { undo: forever });
      await before.chat.sendMessage('Pay');
      const other = page(fresh('kept'));
      other.tool('pay', { undo: forever });
      await other.chat.importSession(await before.chat.exportSession());
      before.leave();
      const changed = page(id);
      changed.tool('pay', { undo: forever, description: 'Something else.' });
      const again = changed.tool('note', { undo: forever });
      await until(() => changed.cards().length === 1);
      expect(changed.cards()[0]).to.not.have.property('undo');
      again();
      changed.leave();
      const same = page(id);
      same.tool('pay', { undo: forever });
      await until(() => same.cards()[0]?.undo === 'offered');
      void same.chat.undo(same.cards()[0]!.requestId).catch(() => undefined);
      await stored(id, (found) => found?.calls[0]?.keepsEffect);
      same.leave();
      const last = page(id, ['x']);
      last.tool('pay', { undo: forever });
      await last.chat.sendMessage('So?');
      expect(last.cards()[0]).to.not.have.property('undo');
      // Nor out of a file, whatever stands in it.
      expect(other.cards()[0]).to.not.have.property('undo');
    });

    it('asks for the arguments that a person had written', async () => {
      const id = fresh('kept');
      const before = page(id, [call('pay', { amount: 5 })]);
      before.tool('pay');
      void before.chat.sendMessage('Pay');
      const { requestId, call: asked } = await before.card();
      before.internals.decide({ requestId, digest: asked?.digest ?? '', verdict: 'edit', args: { amount: 7 } });
      await until(() => before.cards()[0]?.call?.args['amount'] === 7);
      await stored(id, (found) => found?.calls[0]?.original);
      before.leave();
      const after = page(id, ['Paid.'], { approval: 'auto' });
      after.tool('pay');
      const card = await after.card();
      expect(card.call?.args).to.deep.equal({ amount: 7 });
      expect(card.edited).to.deep.equal([{ label: 'amount', before: 5, after: 7 }]);
      after.decide('allow', card);
      await until(() => after.texts().includes('Paid.'));
      expect(after.runs.map(({ args }) => args)).to.deep.equal([{ amount: 7 }]);
      expect(after.asked[0]?.messages.at(-1)?.text).to.include('7');
    });

    it('stores no sensitive argument, in whatever form', async () => {
      const id = fresh('kept');
      const before = page(id, [`Ok ${call('login', { user: 'ann', password: 'hunter2' })}`, 'In.']);
      before.tool('login', {
        sensitive: ['password'],
        parameters: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } },
        describeCall: ({ password }) => `Log in with ${String(password)}`,
      });
      void before.chat.sendMessage('Log in');
      before.decide('allow', await before.card());
      await before.idle();
      expect(before.runs[0]?.args).to.include({ password: 'hunter2' });
      before.leave();
      await stored(id, (found) => found?.messages.length === 4);
      expect(await everything(id))
        .to.include('ann')
        .and.not.include('hunter2');
      const after = page(id, ['Yes.']);
      await after.chat.sendMessage('And?');
      expect(JSON.stringify(after.asked)).to.include('[hidden]').and.not.include('hunter2');
    });

    const login: Partial<ToolDefinition> = {
      sensitive: ['password', 'pin'],
      parameters: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' }, pin: { type: 'string' } } },
      execute: ({ password }: { password: string }) => ({
        success: true,
        message: `Logged in with ${password}`,
        data: { used: [password] },
      }),
    };

    it('stores no sensitive value where a person, a model, a result or another call repeats it', async () => {
      const id = fresh('kept');
      const arriving = slowly();
      const before = page(id, [
        `I take hunter2. ${call('login', { user: 'ann', password: 'hunter2', pin: 'in' })}`,
        `In, with hunter2 as said. ${call('pay', { amount: 5, note: 'hunter2' })}`,
        () => arriving.response,
      ]);
      before.tool('login', { ...login, risk: 'query' });
      before.tool('pay', {
        parameters: { type: 'object', properties: { amount: { type: 'integer' }, note: { type: 'string' } } },
      });
      void before.chat.sendMessage('Log in with hunter2, then pay');
      const card = await before.card();
      await stored(id, (found) => found?.calls.length === 2 && found.messages.at(-1)?.text.startsWith('In, with'));
      expect(await everything(id))
        .to.include('Log in with [hidden], then pay')
        .and.include('In, with [hidden] as said')
        .and.not.include('hunter2');
      before.decide('allow', card);
      // While it arrives, and before its end is there.
      await until(() => before.chat.state === 'respond');
      arriving.say('It was hunt');
      await stored(id, (found) => found?.reply?.text.startsWith('It was'));
      expect(await everything(id)).to.not.include('hunt');
      arriving.say('er2, in the end.');
      arriving.end();
      await before.idle();
      expect(before.texts().at(-1)).to.equal('It was hunter2, in the end.');
      before.leave();
      await stored(id, (found) => found?.messages.at(-1)?.text === 'It was [hidden], in the end.');
      expect(await everything(id)).to.not.include('hunt');
      const after = page(id, ['Yes.']);
      after.tool('login', login);
      await after.chat.sendMessage('And?');
      expect(JSON.stringify(after.asked)).to.not.include('hunter2');
    });

    it('takes a sensitive value for no name of its own: not for a tool, not for a status', async () => {
      for (const password of ['login', 'success', 'complete']) {
        const id = fresh('kept');
        const before = page(id, [call('login', { user: 'ann', password }), `It was ${password}.`]);
        before.tool('login', { ...login, risk: 'query' });
        await before.chat.sendMessage('Log in');
        before.leave();
        await stored(id, (found) => found?.messages.at(-1)?.text === 'It was [hidden].');
        const after = page(id, ['Yes.']);
        after.tool('login', login);
        await until(() => after.texts().length > 0);
        expect(after.cards().map(({ status, toolName }) => [status, toolName])).to.deep.equal([['success', 'login']]);
        expect(after.notices()).to.deep.equal([]);
        after.leave();
      }
    });

    it('does not run with hidden words what a person was to allow before the reload', async () => {
      const id = fresh('kept');
      const before = page(id, [call('login', { user: 'ann', password: 'hunter2' }), call('pay', { note: 'hunter2' })]);
      const pay = { parameters: { type: 'object', properties: { note: { type: 'string' } } } };
      before.tool('login', { ...login, risk: 'query' });
      before.tool('pay', pay);
      void before.chat.sendMessage('Log in and pay');
      await before.card();
      await stored(id, (found) => found?.calls[1]?.status === 'awaiting_approval');
      before.leave();
      const after = page(id, ['I see.']);
      after.tool('login', login);
      after.tool('pay', pay);
      await until(() => after.texts().length > 0);
      await after.idle();
      expect(after.runs).to.deep.equal([]);
      expect(after.cards().map(({ status }) => status)).to.deep.equal(['success', 'cancelled']);
    });

    it('stores no key and no password that a model says, and everything else as it was said', async () => {
      const id = fresh('kept');
      const said = 'Use sk-abcdef123456 and password: s3cret! Your order 4711001234 goes to ann@example.org; `password: string` is a type.';
      const before = page(id, [said]);
      await before.chat.sendMessage('What do I use? Mail me at ann@example.org');
      before.leave();
      await stored(id, (found) => found?.messages[1]?.text.includes('order'));
      const after = page(id, ['Yes.']);
      await until(() => after.texts().length === 2);
      expect(after.texts()).to.deep.equal([
        'What do I use? Mail me at ann@example.org',
        'Use [key] and password: [hidden] Your order 4711001234 goes to ann@example.org; `password: string` is a type.',
      ]);
      expect(await everything(id)).to.not.match(/abcdef|s3cret/);
    });
  });

  describe('on the next page', () => {
    async function leftWaiting(id: string, tool: Partial<ToolDefinition> = {}) {
      const before = page(id, [call('pay', { amount: 5 })]);
      before.tool('pay', tool);
      void before.chat.sendMessage('Pay');
      await before.card();
      before.leave();
    }

    it('waits for the tool to be registered, and says so', async () => {
      const id = fresh('kept');
      await leftWaiting(id);
      const after = page(id, ['Paid.']);
      await until(() => after.cards()[0]?.progress?.message?.startsWith('Waiting for this page'));
      after.tool('pay');
      const card = await after.card();
      after.decide('allow', card);
      await until(() => after.texts().includes('Paid.'));
      expect(after.runs).to.have.length(1);
    });

    it('does not run a tool that has changed, and tells the model', async () => {
      const id = fresh('kept');
      await leftWaiting(id);
      const after = page(id, ['I see.'], { approval: 'auto' });
      after.tool('pay', { parameters: { type: 'object', properties: { amount: { type: 'integer' }, to: { type: 'string' } } } });
      await until(() => after.texts().includes('I see.'));
      expect(after.cards()[0]?.result).to.include({ status: 'error', code: 'TOOL_NOT_FOUND' });
      expect(after.asked[0]?.messages.at(-1)?.text).to.include('has changed');
      expect(after.runs).to.have.length(0);
    });

    it('tells the model which tools there are when the tool is gone', async () => {
      const id = fresh('kept');
      await leftWaiting(id);
      const after = page(id, ['I see.'], { approval: 'auto' });
      after.tool('refund');
      await until(() => after.texts().includes('I see.'));
      expect(after.cards()[0]?.result).to.include({ status: 'error', code: 'TOOL_NOT_FOUND' });
      expect(after.asked[0]?.messages.at(-1)?.text).to.include('refund');
    });
  });

  describe('in two tabs', () => {
    it('shows the same, live, and acts in one of them', async () => {
      const id = fresh('kept');
      const reply = slowly();
      const one = page(id, [reply.response]);
      one.tool('pay');
      const sent = one.chat.sendMessage('Tell me');
      await until(() => one.asked.length === 1);
      const two = page(id);
      two.tool('pay');
      await until(() => two.texts().includes('Tell me'));
      reply.say('Once upon');
      await until(() => two.view().streamingText === 'Once upon');
      expect(two.chat.isLoading).to.equal(true);
      let followed = '';
      const running = two.view().views.at(-1)?.message.id ?? '';
      two.internals.surface.follow(running, {
        text: (text) => (followed += text),
        reasoning() {},
        call() {},
        end: () => (followed += '|'),
      });
      reply.say(' a time');
      await until(() => followed === 'Once upon a time');
      reply.say(call('pay', { amount: 5 }));
      reply.end();
      await one.card();
      const mirrored = await two.card();
      expect(mirrored.call).to.deep.include({ args: { amount: 5 } });
      expect(followed).to.equal('Once upon a time|');
      one.decide('deny', await one.card());
      await until(() => two.cards()[0]?.status === 'denied');
      expect(two.view().views.map(({ note }) => note)).to.include('Handled in another tab');
      await sent;
      await until(() => !two.chat.isLoading);
      expect(one.runs.length + two.runs.length).to.equal(0);
      expect(two.asked).to.have.length(0);
    });

    it('E86 loses no message when both send at once, and shows both in the same order', async () => {
      const id = fresh('kept');
      const replies = Array.from({ length: 8 }, (_, at) => `Answer ${String(at)}`);
      const one = page(id, replies);
      await one.chat.sendMessage('first');
      const two = page(id, ['never']);
      await until(() => two.texts().length === 2);
      const results = await Promise.all([1, 2, 3].flatMap((at) => [one.chat.sendMessage(`one ${at}`), two.chat.sendMessage(`two ${at}`)]));
      expect(results.every(({ success }) => success)).to.equal(true);
      expect(results.map(({ text }) => text).sort()).to.deep.equal(replies.slice(1, 7));
      await until(() => two.texts().length === 14);
      expect(two.texts()).to.deep.equal(one.texts());
      expect(one.texts().filter((text) => text.startsWith('one'))).to.deep.equal(['one 1', 'one 2', 'one 3']);
      expect(one.texts().filter((text) => text.startsWith('two'))).to.deep.equal(['two 1', 'two 2', 'two 3']);
      expect(two.asked).to.have.length(0);
    });

    it('E84 runs a call once when both allow it at the same moment', async () => {
      for (const first of ['one', 'two'] as const) {
        const id = fresh('kept');
        const one = page(id, [call('pay', { amount: 5 }), 'Paid.']);
        one.tool('pay');
        void one.chat.sendMessage('Pay');
        await one.card();
        const two = page(id, ['Paid.']);
        two.tool('pay');
        const [here, there] = [await one.card(), await two.card()];
        const click = { one: () => one.decide('allow', here), two: () => two.decide('allow', there) };
        click[first]();
        click[first === 'one' ? 'two' : 'one']();
        // Whoever holds the card at the end may have to be asked once more.
        await until(() => {
          if (one.texts().includes('Paid.')) return true;
          if (one.runs.length + two.runs.length === 0 && two.chat.state === 'tool_call')
            for (const card of two.cards()) if (card.status === 'awaiting_approval') two.decide('allow', card);
          return two.texts().includes('Paid.');
        });
        expect(one.runs.length + two.runs.length, `${first} first`).to.equal(1);
        closeAll();
      }
    });

    it('moves to the tab of the click, which asks again: a click on what another tab shows allows nothing', async () => {
      const id = fresh('kept');
      const one = page(id, [call('pay', { amount: 5 })]);
      one.tool('pay');
      void one.chat.sendMessage('Pay');
      await one.card();
      const two = page(id, ['Paid.']);
      two.tool('pay');
      two.decide('allow', await two.card());
      await until(() => two.notices().some((text) => text.includes('decide once more')));
      const card = await two.card();
      expect(card.call?.reason).to.include('Asks again');
      expect(one.runs.length + two.runs.length).to.equal(0);
      two.decide('allow', card);
      await until(() => two.texts().includes('Paid.'));
      await until(() => one.texts().includes('Paid.'));
      expect(one.runs).to.have.length(0);
      expect(two.runs).to.have.length(1);
      expect(one.cards().map(({ status }) => status)).to.deep.equal(['success']);
    });

    it('is not taken out of the hands of a tab whose tool is at work', async () => {
      const id = fresh('kept');
      let finish = (_: unknown) => {};
      const one = page(id, [call('pay') + call('mail'), 'Done.']);
      one.tool('pay', { execute: () => new Promise((resolve) => (finish = resolve)) });
      one.tool('mail');
      void one.chat.sendMessage('Both');
      await until(() => one.cards().filter(({ status }) => status === 'awaiting_approval').length === 2);
      const [pay, mail] = one.cards();
      one.decide('allow', pay!);
      await one.card('executing');
      const two = page(id);
      two.decide('allow', await two.card());
      await until(() => two.notices().some((text) => text.includes('another tab')));
      expect(one.cards().map(({ status }) => status)).to.deep.equal(['executing', 'awaiting_approval']);
      finish({ success: true, message: 'paid' });
      one.decide('deny', mail!);
      await until(() => two.texts().includes('Done.'));
    });

    it('is not taken out of the hands of a tab that is reading a reply, though nothing but a card waits there', async () => {
      const id = fresh('kept');
      const { response, say, end } = slowly();
      const one = page(id, [response, 'Done.'], { dispatch: 'on-block' });
      one.tool('pay');
      void one.chat.sendMessage('Pay');
      say(call('pay'));
      const card = await one.card();
      const two = page(id, [], { dispatch: 'on-block' });
      two.tool('pay');
      // What goes on over there is seen here.
      await until(() => two.chat.matchesState('awaitingApproval') && two.chat.matchesState('streaming'));
      expect(two.chat.state).to.equal('tool_call');
      two.decide('allow', await two.card());
      await until(() => two.notices().some((text) => text.includes('another tab')));
      expect(one.cards().map(({ status }) => status)).to.deep.equal(['awaiting_approval']);
      one.decide('allow', card);
      end();
      await until(() => one.texts().includes('Done.'));
      expect([one.runs.length, two.runs.length]).to.deep.equal([1, 0]);
    });

    it('shows that the tab that leads sums up what was said, and that it no longer does', async () => {
      const id = fresh('kept');
      const memoryOptions = { summaryEvery: 1, summarise: () => new Promise<never>(() => undefined) };
      const one = page(id, ['Hello!'], { memory: 'layered', memoryOptions });
      await one.chat.sendMessage('Hi');
      await until(() => one.chat.matchesState('summarising'));
      const two = page(id);
      await until(() => two.chat.matchesState('summarising'));
      expect(two.chat.state).to.equal('idle');
      one.chat.cancelStream();
      await until(() => !two.chat.matchesState('summarising'));
    });

    it('goes on in the other tab when the one that leads is killed', async () => {
      const id = fresh('kept');
      const inside = await frame();
      const one = page(id, [call('pay', { amount: 5 })], { frame: inside });
      one.tool('pay');
      void one.chat.sendMessage('Pay');
      await one.card();
      const two = page(id, ['Paid.']);
      two.tool('pay');
      await two.card();
      await stored(id, (found) => found?.calls[0]?.status === 'awaiting_approval');
      inside.kill();
      await until(() => two.cards()[0]?.call?.reason.includes('Asks again'));
      two.decide('allow', await two.card());
      await until(() => two.texts().includes('Paid.'));
      expect(two.runs).to.have.length(1);
    });

    it('believes nothing that is said on the channel', async () => {
      const id = fresh('kept');
      const one = page(id, [call('pay', { amount: 5 }), 'x']);
      one.tool('pay');
      void one.chat.sendMessage('Pay');
      const card = await one.card();
      const two = page(id);
      two.tool('pay');
      await two.card();
      const channel = new BroadcastChannel(`tool-chat:${id}`);
      const decision = { requestId: card.requestId, digest: card.call?.digest, verdict: 'allow' };
      for (const name of ['turn', 'decide', 'allow', 'user.allow', 'undo', 'state', 'ended']) {
        channel.postMessage({ type: 'ask', from: 'me', id: name, name, body: { ...decision, type: 'allow' } });
        channel.postMessage({ type: 'note', from: 'me', id: '', name, body: { ...decision, head: {}, messages: [{}], calls: 3 } });
      }
      const heard = new Promise((resolve) => (channel.onmessage = ({ data }) => (data as { id?: string }).id === 'end' && resolve(data)));
      channel.postMessage({ type: 'ask', from: 'me', id: 'end', name: 'nothing' });
      await heard;
      channel.close();
      expect(one.runs.length + two.runs.length).to.equal(0);
      expect(one.cards().map(({ status }) => status)).to.deep.equal(['awaiting_approval']);
      expect(two.cards().map(({ status }) => status)).to.deep.equal(['awaiting_approval']);
    });
  });

  describe('with a storage that fails', () => {
    const repair: (() => void)[] = [];
    afterEach(() => {
      for (const undo of repair.splice(0)) undo();
    });

    /** Every write fails as if the quota were used up. */
    function fill() {
      const full = () => {
        throw new DOMException('Full', 'QuotaExceededError');
      };
      repair.push(
        replace(IDBObjectStore.prototype, 'put', () => full),
        replace(Storage.prototype, 'setItem', () => full),
      );
    }

    it('E87 goes on in memory, with one notice; what only reads runs, all else is refused with a sentence', async () => {
      const id = fresh('kept');
      const chat = page(id, [call('look') + call('pay', { amount: 5 }), 'So.', 'On.'], { approval: 'auto' });
      chat.tool('look', { risk: 'query' });
      chat.tool('pay');
      fill();
      await chat.chat.sendMessage('Both');
      expect(chat.runs.map(({ name }) => name)).to.deep.equal(['look']);
      expect(chat.cards().map(({ status }) => status)).to.deep.equal(['success', 'error']);
      expect(chat.cards()[1]?.result?.message).to.include('could not record');
      await until(() => chat.notices().length > 0);
      await chat.chat.sendMessage('More');
      expect(chat.notices()).to.deep.equal(['The storage of this site is full. The conversation goes on, but will be gone with this page']);
      expect(chat.events.filter(({ type }) => type === 'error')).to.have.length(1);
      expect(
        chat.events.some((event) => event.type === 'log' && event.entry.level === 'warn' && event.entry.code === 'storage.failed'),
      ).to.equal(true);
    });

    it('E87 goes on in memory where there is none', async () => {
      repair.push(
        replace(IDBFactory.prototype, 'open', () => () => {
          throw new DOMException('No', 'SecurityError');
        }),
      );
      sharedDatabase().close();
      const chat = page(fresh('kept'), ['Hello!']);
      await chat.chat.sendMessage('Hi');
      expect(chat.texts()).to.deep.equal(['Hi', 'Hello!']);
      expect(chat.notices()).to.have.length(1);
    });

    it('does not write over what it could not read', async () => {
      const id = fresh('kept');
      const before = page(id, ['Hello!']);
      await before.chat.sendMessage('Hi');
      before.leave();
      await stored(id, (found) => found?.messages.length === 2);
      const fail = replace(IDBDatabase.prototype, 'transaction', () => () => {
        throw new DOMException('No', 'UnknownError');
      });
      const blind = page(id, ['Who are you?']);
      await blind.chat.sendMessage('Hi again');
      fail();
      blind.leave();
      const after = page(id);
      await until(() => after.texts().length === 2);
      expect(after.texts()).to.deep.equal(['Hi', 'Hello!']);
    });

    it('E91 survives that all data is cleared while it runs', async () => {
      const id = fresh('kept');
      const chat = page(id, ['One.', call('pay'), 'Two.'], { approval: 'auto' });
      chat.tool('pay');
      await chat.chat.sendMessage('1');
      sharedDatabase().close();
      await new Promise((resolve, reject) => {
        const asked = indexedDB.deleteDatabase('tool-chat');
        asked.onsuccess = resolve;
        asked.onerror = reject;
      });
      await chat.chat.sendMessage('2');
      expect(chat.texts()).to.deep.equal(['1', 'One.', '2', 'Two.']);
      expect(chat.runs).to.have.length(1);
    });

    it('sets aside what is damaged, says so, and begins anew', async () => {
      const id = fresh('kept');
      const before = page(id, ['Hello!']);
      await before.chat.sendMessage('Hi');
      before.leave();
      await stored(id, (found) => found?.messages.length === 2);
      await sharedDatabase().transact('conversations', 'readwrite', async (table) => {
        const head = (await table.get(['live', id, 'head'])) as { row: object };
        await table.put({ ...head, row: { ...head.row, queue: 'all' } }, ['live', id, 'head']);
      });
      const after = page(id, ['Anew.']);
      await until(() => after.notices().length === 1);
      expect(after.notices()[0]).to.include('set aside');
      await after.chat.sendMessage('Hi');
      after.leave();
      const third = page(id);
      await until(() => third.texts().includes('Anew.'));
      expect(third.notices()).to.deep.equal([]);
    });
  });

  it('runs nothing out of hostile stored data', async () => {
    const id = fresh('kept');
    const store = createConversationStore({ sessionId: id, area: 'indexeddb' });
    const whole = fullConversation(id);
    const statuses = ['pending', 'queued', 'awaiting_approval', 'executing'] as const;
    const calls = statuses.flatMap((status) =>
      [true, false].map((rerun) =>
        callOf(`${id}-${status}-${String(rerun)}`, {
          ...{ status, rerun, messageId: 'a1', params: { amount: 5 }, started: status === 'executing' },
          call: checkedCall(`${id}-${status}-${String(rerun)}`, { status, decidedBy: 'person', risk: 'query' }),
        }),
      ),
    );
    const { reply: _, ...rest } = whole;
    store.save({
      ...rest,
      messages: whole.messages.slice(0, 3),
      calls: [...whole.calls.slice(0, 1), ...calls],
      parts: { a1: calls.map(({ requestId }) => ({ type: 'call', requestId })) },
      turn: { ...whole.turn!, round: [...calls.map(({ requestId }) => requestId), 'nobody'].reverse() },
      queue: [],
      grants: [],
    });
    await store.close();
    const after = page(id, ['So.'], { approval: 'auto', execution: 'parallel' });
    after.tool('pay');
    await until(() => after.cards().filter(({ status }) => status === 'awaiting_approval').length === 6);
    await until(() => after.cards().filter(({ status }) => status === 'interrupted').length === 2);
    expect(after.runs).to.have.length(0);
    expect(after.asked).to.have.length(0);
  });

  it('keeps why a turn stopped at a limit, and lets it go on after a reload', async () => {
    const id = fresh('limit');
    const before = page(id, [call('note'), call('note', { n: 2 })], { maxIterations: 1 });
    before.tool('note', { risk: 'query' });
    expect((await before.chat.sendMessage('Note')).reason).to.equal('limit');
    before.leave();
    const after = page(id, ['Going on.'], { lang: 'zh-CN', texts: zhCN });
    after.tool('note', { risk: 'query' });
    await until(() => after.view().views.length > 0);
    expect(after.view().failure, 'nothing failed on this page').to.equal(null);
    expect(after.view().views.at(-1)).to.include({ note: zhCN.limitReached(1), canContinue: true });
    after.internals.surface.continue();
    await until(() => after.texts().includes('Going on.'));
    expect(after.view().views.filter(({ message }) => message.role === 'user')).to.have.length(1);
    expect(after.asked[0]?.messages.at(-1)).to.include({ role: 'user', text: zhCN.continueAnswer });
    expect(after.view().views.some(({ canContinue }) => canContinue)).to.equal(false);
  });

  it('keeps what is granted for always, and nothing that was granted for the session', async () => {
    const id = fresh('kept');
    const before = page(id, [call('note'), 'Noted.']);
    before.tool('note', { risk: 'write' });
    const asking = { approval: 'always' } as const;
    before.leave();
    const one = page(id, [call('note'), 'Noted.'], asking);
    one.tool('note', { risk: 'write' });
    void one.chat.sendMessage('Note');
    const card = await one.card();
    const always = card.offers?.findIndex((offer) => offer.includes('always')) ?? -1;
    expect(always).to.be.at.least(0);
    one.internals.decide({ requestId: card.requestId, digest: card.call?.digest ?? '', verdict: 'allow', remember: always });
    await until(() => one.texts().includes('Noted.'));
    one.leave();
    const two = page(id, [call('note'), 'Noted again.'], asking);
    two.tool('note', { risk: 'write' });
    await until(() => two.chat.grants.length === 1);
    await two.chat.sendMessage('Note');
    expect(two.runs).to.have.length(1);
    expect(two.cards().at(-1)?.call?.decidedBy).to.equal('grant');
    two.leave();
    const changed = page(id, [call('note'), 'x'], asking);
    changed.tool('note', { risk: 'write', description: 'Something else.' });
    await until(() => changed.chat.grants.length === 1);
    void changed.chat.sendMessage('Note');
    await changed.card();
    expect(changed.runs).to.have.length(0);
  });

  it('offers nothing for always without a lasting storage', async () => {
    for (const storage of ['none', 'session'] as const) {
      const one = page(fresh('kept'), [call('note')], { storage, approval: 'always' });
      one.tool('note', { risk: 'write' });
      void one.chat.sendMessage('Note');
      const { offers = [] } = await one.card();
      expect(offers.filter((offer) => offer.includes('always'))).to.deep.equal([]);
      expect(offers).to.not.have.length(0);
    }
  });

  it('is kept for the tab under storage="session"', async () => {
    const id = fresh('kept');
    const before = page(id, [call('pay', { amount: 5 })], { storage: 'session' });
    before.tool('pay');
    void before.chat.sendMessage('Pay');
    await before.card();
    before.leave();
    expect(await everything(id)).to.include('tool-chat:conversation');
    const after = page(id, ['Paid.'], { storage: 'session' });
    after.tool('pay');
    after.decide('allow', await after.card());
    await until(() => after.texts().includes('Paid.'));
    expect(after.runs).to.have.length(1);
  });

  it('is left to the first of two tabs when one was duplicated', async () => {
    const id = fresh('kept');
    const first = page(id, [call('pay', { amount: 5 }), 'Paid.'], { storage: 'session' });
    first.tool('pay');
    void first.chat.sendMessage('Pay');
    await first.card();
    await until(() => sessionStorage.getItem(`tool-chat:conversation:${id}`)?.includes('awaiting_approval'));
    const copy = page(id, ['And?'], { storage: 'session' });
    copy.tool('pay');
    await until(() => copy.cards().length === 1);
    expect(copy.cards()[0]?.result).to.include({ status: 'cancelled', message: 'Handled in another tab' });
    await copy.chat.sendMessage('So?');
    expect(copy.asked[0]?.messages.some(({ text }) => text.includes('Handled in another tab'))).to.equal(true);
    first.decide('allow', await first.card());
    await until(() => first.texts().includes('Paid.'));
    expect(first.runs.length + copy.runs.length).to.equal(1);
  });

  it('is forgotten by clear() and forget(), before and after it is loaded', async () => {
    for (const forget of ['clear', 'forget'] as const) {
      const id = fresh('kept');
      const before = page(id, [call('pay', { amount: 5 }), 'Paid.'], { approval: 'auto' });
      before.tool('pay');
      await before.chat.sendMessage('Pay secretly');
      before.leave();
      await stored(id, (found) => found?.messages.length === 4);
      const after = page(id, ['x']);
      await after.chat[forget]();
      expect(after.texts()).to.deep.equal([]);
      expect(await everything(id))
        .to.not.include('secretly')
        .and.not.include('Paid');
      after.leave();
      const third = page(id, ['Hello!']);
      await third.chat.sendMessage('Hi');
      expect(third.texts()).to.deep.equal(['Hi', 'Hello!']);
    }
  });

  it('has its calls recorded in little time', async () => {
    const id = fresh('kept');
    const journal = createLastingJournal({ sessionId: id });
    const one = page(id, [call('look'), 'x']);
    one.tool('look', { risk: 'query' });
    await one.chat.sendMessage('warm up');
    const from = performance.now();
    for (let at = 0; at < 100; at += 1) {
      const requestId = `${id}-${String(at)}`;
      await journal.intent({ requestId, toolName: 'look', digest: 'd', args: { at } });
      await journal.settle(requestId, { ...one.chat.toolHistory[0]!, requestId });
    }
    const each = (performance.now() - from) / 100;
    console.log(`A journalled call costs ${each.toFixed(2)} ms`);
    expect(each).to.be.below(100);
  });
});
