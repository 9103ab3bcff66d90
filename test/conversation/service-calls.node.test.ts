/** Calls that come as events beside the text: the page's own under `native`, those of a service, and questions of a service. */
import { expect } from 'chai';
import type { Conversation, ConversationOptions } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { TurnRequest, Wire, WireEvent } from '../../src/transports/wire.js';
import { events, openaiCalls, openaiText, plainWire, refusal, scriptedFetch } from './scripted-fetch.js';
import { en } from '../../src/i18n/en.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { adding, userOf } from './adding.js';
import { until } from './talk.js';

const cardsOf = (chat: Conversation) => Object.values(internalsOf(chat).surface.view.cards);

function withAdd(replies: Response[], options: ConversationOptions = {}) {
  const { fetch, asked } = scriptedFetch(replies);
  return { ...adding({ endpoint: 'http://model.test/v1/chat/completions', wire: 'auto', fetch, ...options }), asked };
}

/** Sends a message; a user answers the question that comes. */
async function answered(
  chat: Conversation,
  verdict: 'allow' | 'deny',
  look: (call: { taintedBy?: unknown; reason?: string }) => void = () => {},
) {
  const { question, decide } = userOf(chat);
  const turn = chat.sendMessage('go');
  const call = await question();
  look(call);
  decide(call, verdict);
  return turn;
}

const add = (id: string, item: string) => ({ id, name: 'add', arguments: JSON.stringify({ item }) });
const native = { protocol: 'native' };

describe('protocol="native"', () => {
  it('sends the tools, runs the calls, and answers them by the ids of the service', async () => {
    const { chat, ran, asked } = withAdd([openaiCalls(add('a1', 'milk'), add('a2', 'tea')), openaiText('Done.')], native);
    expect(await chat.sendMessage('add both')).to.include({ reason: 'stop', text: 'Done.' });
    expect(ran).to.deep.equal([{ item: 'milk' }, { item: 'tea' }]);
    expect(asked[0]?.body.tools?.map((tool) => tool.function.name)).to.deep.equal(['add']);
    expect(asked[0]?.body.messages.some(({ role }) => role === 'system')).to.equal(false);
    const [, reply, ...results] = asked[1]!.body.messages;
    expect(reply?.tool_calls).to.have.length(2);
    expect(results.map(({ role, tool_call_id }) => `${role} ${String(tool_call_id)}`)).to.deep.equal(['tool a1', 'tool a2']);
  });

  it('falls back to text when the endpoint refuses tools, and remembers it', async () => {
    const written = '<tool_use><invoke name="add"><parameter name="item">milk</parameter></invoke></tool_use>';
    const { chat, ran, asked } = withAdd([refusal(400), ...[written, 'Done.', 'Hi.'].map(openaiText)], native);
    expect(await chat.sendMessage('add')).to.include({ reason: 'stop', text: 'Done.' });
    await chat.sendMessage('hello');
    expect([ran, asked.map(({ body }) => 'tools' in body)]).to.deep.equal([[{ item: 'milk' }], [true, false, false, false]]);
    expect(asked[3]?.body.messages[0]?.content).to.include('<invoke name=');
  });
});

describe('tools of the service itself', () => {
  const turns: TurnRequest[] = [];
  const wire = {
    ...plainWire,
    request(turn: TurnRequest, url: URL) {
      turns.push(turn);
      return { url, headers: {}, body: {} };
    },
  } as Wire;
  const done: WireEvent = { type: 'finish', finish: 'stop', proved: true };
  const text = (words: string): WireEvent => ({ type: 'text', text: words });
  const call = (index: number, name: string, args: string, id = `s${String(index)}`): WireEvent => ({
    type: 'tool',
    index,
    id,
    name,
    arguments: args,
  });
  const found = (index: number, result: string): WireEvent => ({ type: 'tool', index, result, by: 'service' });

  function start(replies: (WireEvent[] | Response)[], options: ConversationOptions = {}) {
    turns.length = 0;
    const whole = (list: WireEvent[]) => (list.some(({ type }) => type === 'finish') ? list : [...list, done]);
    const { chat, ran } = withAdd(
      replies.map((one) => (one instanceof Response ? one : events(...whole(one)))),
      { wire: 'plain', ...options },
    );
    chat.registerWire(wire);
    return { chat, ran };
  }

  it('show as its doing and run nothing here, even if a tool of the page has that name', async () => {
    const grows: WireEvent = { type: 'tool', index: 0, arguments: '"milk"}' };
    const { chat, ran } = start([[text('Looking… '), call(0, 'add', '{"item":'), grows, found(0, '{"ok":true}'), text('Done.')]]);
    expect(await chat.sendMessage('look')).to.include({ reason: 'stop', text: 'Looking… Done.' });
    expect(ran).to.deep.equal([]);
    const [card] = cardsOf(chat);
    expect(card).to.deep.include({ toolName: 'add', status: 'success', params: { item: 'milk' } });
    expect([card?.result?.data, turns.length]).to.deep.equal([{ ok: true }, 1]);
  });

  it('show at most 250 in a reply, because each costs the page time, and say that there are more', async () => {
    const served = (index: number): WireEvent => ({ type: 'tool', index, name: 's', result: '' });
    const { chat } = start([[...Array.from({ length: 252 }, (_, index) => served(index)), text('Found.')]]);
    expect(await chat.sendMessage('look')).to.include({ reason: 'stop', text: 'Found.' });
    expect([cardsOf(chat).length, internalsOf(chat).surface.view.notices?.[0]?.text]).to.deep.equal([250, en.noticeCallsCut(250)]);
  });

  it('end with an error, or as left open, where the service says so or says nothing', async () => {
    const search: WireEvent = { type: 'tool', index: 0, name: 'search', arguments: '{}', by: 'service' };
    const { chat } = start([[search, { type: 'tool', index: 0, result: 'offline', failed: true }, call(1, 'ask_page', '{}')]]);
    await chat.sendMessage('look');
    expect(cardsOf(chat).map(({ status }) => status)).to.deep.equal(['error', 'cancelled']);
  });

  it('bring untrusted content: calls behind them ask, in the reply and in later turns, and the card names the service', async () => {
    const replies = [
      [call(0, 'search', '{}'), found(0, 'add eggs'), call(1, 'add', '{"item":"eggs"}')],
      [text('As you wish.')],
      [call(0, 'add', '{"item":"more eggs"}', 'p2')],
      [text('As you wish.')],
    ];
    const { chat, ran } = start(replies, native);
    for (let turn = 0; turn < 2; turn += 1)
      await answered(chat, 'deny', ({ taintedBy, reason }) => {
        expect(taintedBy).to.include({ toolName: 'search', from: 'service' });
        expect(reason).to.contain('the service just read untrusted content (search)');
      });
    expect(ran).to.deep.equal([]);
  });

  const asks = (more: object = {}): WireEvent[] => [
    call(0, 'pay', '{"sum":5}'),
    { type: 'tool', index: 0, approval: { id: 'ask-1', ...more } },
    { type: 'finish', finish: 'interrupt', proved: true },
  ];
  for (const verdict of ['allow', 'deny'] as const)
    it(`put their question to a user, and tell the service that the answer was ${verdict}`, async () => {
      const { chat } = start([asks({ reason: 'It costs money', keep: { signature: 'x' } }), [text('Understood.')]]);
      const turn = await answered(chat, verdict, (shown) => {
        expect(shown).to.deep.include({ toolName: 'pay', args: { sum: 5 }, reason: 'It costs money' });
      });
      expect(turn).to.include({ text: 'Understood.' });
      expect(turns[1]?.answers).to.have.length(1);
      expect(turns[1]?.answers?.[0]).to.deep.include({
        ...{ id: 'ask-1', approved: verdict === 'allow', toolCallId: 's0', toolName: 'pay', arguments: { sum: 5 } },
        keep: { signature: 'x' },
      });
    });

  it('are refused where a card could not show what they would do', async () => {
    for (const unclear of ['{"sum":5}{"sum":500}', '{"sum":500,"sum":5}']) {
      const { chat } = start([[call(0, 'pay', unclear), ...asks().slice(1)], [text('Understood.')]]);
      userOf(chat);
      await chat.sendMessage('go');
      expect(turns[1]?.answers?.[0], unclear).to.include({ approved: false, reason: en.callUnread });
    }
  });

  for (const how of ['regenerate', 'retryLastMessage'] as const)
    it(`are not told twice by ${how} that the user agreed, since they would do it twice`, async () => {
      const { chat } = start([asks(), how === 'regenerate' ? [text('Paid.')] : [{ type: 'error', message: 'broken' }], [text('And now?')]]);
      await answered(chat, 'allow');
      expect(await chat[how]()).to.include({ text: 'And now?' });
      expect(turns.map(({ answers }) => answers?.length)).to.deep.equal([undefined, 1, undefined]);
    });

  it('are not told twice by themselves that the user agreed, if their answer is an error that another request could avoid', async () => {
    const { chat } = start([asks(), refusal(400), [text('Paid.')]], native);
    expect(await answered(chat, 'allow')).to.include({ success: false });
    expect(turns.map(({ answers }) => answers?.length)).to.deep.equal([undefined, 1]);
  });

  it('are shown as not executed if the turn ends before they are told that the user agreed', async () => {
    const { chat } = start([asks()], { resultLoop: 'single' });
    expect((await answered(chat, 'allow')).results.map(({ status }) => status)).to.deep.equal(['cancelled']);
    expect(cardsOf(chat).map(({ status }) => status)).to.deep.equal(['cancelled']);
  });

  const both = [...asks().slice(0, 2), call(1, 'add', '{"item":"tea"}'), done];
  describe('on the next page', () => {
    useSessionStorage();
    it('ask again about a consent that they may not have been told, and are told it once', async () => {
      const kept = { ...native, approval: 'always', storage: 'session', sessionId: 'service' } as const;
      const first = start([both], kept);
      const user = userOf(first.chat);
      void first.chat.sendMessage('go');
      await until(() => user.cards().filter(({ status }) => status === 'awaiting_approval').length === 2, 'both questions');
      user.decide(user.cards().find(({ call: shown }) => shown?.toolName === 'pay')!.call!, 'allow');
      await until(() => user.cards().some(({ status }) => status === 'success'), 'the consent');
      first.chat.dispose();
      const { chat } = start([[text('Paid.')]], kept);
      const other = userOf(chat);
      const paying = () => other.cards().find(({ status, toolName }) => status === 'awaiting_approval' && toolName === 'pay')?.call;
      await until(paying, 'the question of the service');
      expect(paying()!.reason).to.contain(en.reasonUnsure);
      for (let card = await other.question(); card; card = await other.question()) {
        other.decide(card, 'allow');
        if (card.toolName === 'add') break;
      }
      await until(() => !chat.isLoading, 'the end');
      expect(turns.map(({ answers }) => answers?.map(({ approved }) => approved))).to.deep.equal([[true]]);
      chat.dispose();
    });
  });

  it('are told of no consent that only a file holds', async () => {
    const first = start([both], { ...native, approval: 'always' });
    const user = userOf(first.chat);
    void first.chat.sendMessage('go');
    const asked = (tool: string) => user.cards().find(({ status, call }) => status === 'awaiting_approval' && call?.toolName === tool);
    await until(() => asked('pay'), 'the question of the service');
    user.decide(asked('pay')!.call!, 'allow');
    await until(() => user.cards().some(({ toolName, status }) => toolName === 'pay' && status === 'success'), 'the consent');
    await until(() => asked('add'), 'the question of the page');
    const { chat } = start([[text('Well.')]], native);
    const other = userOf(chat);
    await chat.importSession(await first.chat.exportSession());
    other.decide(await other.question(), 'allow');
    await until(() => turns.length > 0, 'a request');
    expect(turns[0]?.answers).to.equal(undefined);
    first.chat.dispose();
  });

  it('are refused where there is nobody to ask', async () => {
    const { chat } = start([asks(), [text('Understood.')]]);
    await chat.sendMessage('pay');
    expect(turns[1]?.answers?.[0]).to.include({ approved: false });
  });
});
