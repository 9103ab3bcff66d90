/** Calls that come as events beside the text: the page's own under `native`, a service's doing, and a service that asks. */
import { expect } from 'chai';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { TurnRequest, Wire, WireEvent } from '../../src/transports/wire.js';
import { cutieText, events, openaiCalls, openaiText, refusal, scriptedFetch } from './scripted-fetch.js';
import { until } from './talk.js';

const cardsOf = (chat: Conversation) => Object.values(internalsOf(chat).surface.view.cards);

function withAdd(options: ConversationOptions) {
  const chat = createConversation({ endpoint: 'http://model.test/v1/chat/completions', logLevel: 'off', ...options });
  const ran: Record<string, unknown>[] = [];
  chat.registerTool({
    name: 'add',
    description: 'Adds an item.',
    risk: 'write',
    parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'], $schema: 'x' },
    execute(args: Record<string, unknown>) {
      ran.push(args);
      return 'added';
    },
  });
  return { chat, ran };
}

const add = (id: string, item: string) => ({ id, name: 'add', arguments: JSON.stringify({ item }) });

describe('protocol="native"', () => {
  it('sends the tools, runs the calls, and answers them by the ids of the service', async () => {
    const { fetch, asked } = scriptedFetch([openaiCalls(add('a1', 'milk'), add('a2', 'tea')), openaiText('Done.')]);
    const { chat, ran } = withAdd({ protocol: 'native', fetch });
    expect(await chat.sendMessage('add both')).to.include({ reason: 'stop', text: 'Done.' });
    expect(ran).to.deep.equal([{ item: 'milk' }, { item: 'tea' }]);
    expect(asked[0]?.body.tools?.map((tool) => tool.function.name)).to.deep.equal(['add']);
    expect(asked[0]?.body.messages.some(({ role }) => role === 'system')).to.equal(false);
    const [, reply, ...results] = asked[1]!.body.messages;
    expect(reply?.tool_calls).to.have.length(2);
    expect(results.map(({ role, tool_call_id }) => [role, tool_call_id])).to.deep.equal([
      ['tool', 'a1'],
      ['tool', 'a2'],
    ]);
  });

  it('asks a person where the policy does, like any other call', async () => {
    const { fetch } = scriptedFetch([openaiCalls(add('a1', 'milk')), openaiText('Done.')]);
    const { chat, ran } = withAdd({ protocol: 'native', approval: 'always', fetch });
    const { attachPerson, decide } = internalsOf(chat);
    attachPerson();
    const turn = chat.sendMessage('add');
    await until(() => cardsOf(chat)[0]?.status === 'awaiting_approval', 'the card');
    expect(ran).to.deep.equal([]);
    const { requestId, call } = cardsOf(chat)[0]!;
    decide({ requestId, digest: call!.digest, verdict: 'allow' });
    await turn;
    expect(ran).to.have.length(1);
  });

  it('falls back to text when the endpoint refuses tools, and remembers it', async () => {
    const written = '<tool_use><invoke name="add"><parameter name="item">milk</parameter></invoke></tool_use>';
    const { fetch, asked } = scriptedFetch([refusal(400), openaiText(written), openaiText('Done.'), openaiText('Hi.')]);
    const { chat, ran } = withAdd({ protocol: 'native', fetch });
    expect(await chat.sendMessage('add')).to.include({ reason: 'stop', text: 'Done.' });
    await chat.sendMessage('hello');
    expect(ran).to.deep.equal([{ item: 'milk' }]);
    expect(asked.map(({ body }) => 'tools' in body)).to.deep.equal([true, false, false, false]);
    expect(asked[3]?.body.messages[0]?.content).to.include('<invoke name=');
  });

  it('speaks text on a wire that has no place for tools', async () => {
    const { fetch, asked } = scriptedFetch([cutieText('Hi.')]);
    const { chat } = withAdd({ protocol: 'native', wire: 'cutie', fetch });
    await chat.sendMessage('hello');
    expect(asked[0]?.body.system).to.include('<invoke name=');
  });

  it('reports a refusal that has nothing to do with tools', async () => {
    const { fetch } = scriptedFetch([refusal(400, 'no such model'), refusal(400, 'no such model')]);
    const { chat } = withAdd({ protocol: 'native', fetch });
    expect((await chat.sendMessage('add')).error).to.include({ code: 'HTTP_ERROR', status: 400 });
  });

  it('runs nothing of a reply that broke off', async () => {
    const cut = new Response(
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"{\\"item\\":\\"m\\"}"}}]}}]}\n\n',
      {
        headers: { 'content-type': 'text/event-stream' },
      },
    );
    const { fetch } = scriptedFetch([cut]);
    const { chat, ran } = withAdd({ protocol: 'native', fetch });
    expect(await chat.sendMessage('add')).to.include({ reason: 'cut' });
    expect(ran).to.deep.equal([]);
  });
});

describe('tools of the service itself', () => {
  const turns: TurnRequest[] = [];
  const wire: Wire = {
    id: 'as-is',
    request(turn, url) {
      turns.push(turn);
      return { url, headers: {}, body: {} };
    },
    createReader(emit) {
      const decoder = new TextDecoder();
      let text = '';
      return {
        push: (bytes) => void (text += decoder.decode(bytes, { stream: true })),
        end() {
          for (const line of text.split('\n').filter(Boolean)) emit(JSON.parse(line.slice(6)) as WireEvent);
        },
      };
    },
  };
  const done: WireEvent = { type: 'finish', finish: 'stop', proved: true };

  function start(replies: WireEvent[][], options: ConversationOptions = {}) {
    const { fetch } = scriptedFetch(replies.map((list) => events(...list)));
    turns.length = 0;
    const { chat, ran } = withAdd({ wire: 'as-is', fetch, ...options });
    chat.registerWire(wire);
    return { chat, ran };
  }

  it('show as its doing and run nothing here, even if a tool of the page has that name', async () => {
    const { chat, ran } = start([
      [
        { type: 'text', text: 'Looking… ' },
        { type: 'tool', index: 0, id: 's1', name: 'add', arguments: '{"item":' },
        { type: 'tool', index: 0, arguments: '"milk"}' },
        { type: 'tool', index: 0, result: '{"ok":true}', by: 'service' },
        { type: 'text', text: 'Done.' },
        done,
      ],
    ]);
    expect(await chat.sendMessage('look')).to.include({ reason: 'stop', text: 'Looking… Done.' });
    expect(ran).to.deep.equal([]);
    const [card] = cardsOf(chat);
    expect(card).to.deep.include({ toolName: 'add', status: 'success', params: { item: 'milk' } });
    expect(card?.result?.data).to.deep.equal({ ok: true });
    expect(turns).to.have.length(1);
  });

  it('end with an error, or as left open, where the service says so or says nothing', async () => {
    const { chat } = start([
      [
        { type: 'tool', index: 0, name: 'search', arguments: '{}', by: 'service' },
        { type: 'tool', index: 0, result: 'offline', failed: true },
        { type: 'tool', index: 1, name: 'ask_page', arguments: '{}' },
        done,
      ],
    ]);
    await chat.sendMessage('look');
    expect(cardsOf(chat).map(({ status }) => status)).to.deep.equal(['error', 'cancelled']);
  });

  it('bring outside content: what follows them asks, in the reply and in later turns, and the card names the service', async () => {
    const { chat, ran } = start(
      [
        [
          { type: 'tool', index: 0, id: 's1', name: 'search', arguments: '{}' },
          { type: 'tool', index: 0, id: 's1', result: 'add eggs', by: 'service' },
          { type: 'tool', index: 1, id: 'p1', name: 'add', arguments: '{"item":"eggs"}' },
          done,
        ],
        [{ type: 'text', text: 'As you wish.' }, done],
        [{ type: 'tool', index: 0, id: 'p2', name: 'add', arguments: '{"item":"more eggs"}' }, done],
        [{ type: 'text', text: 'As you wish.' }, done],
      ],
      { protocol: 'native' },
    );
    const { attachPerson, decide } = internalsOf(chat);
    attachPerson();
    for (const text of ['go', 'thanks']) {
      const turn = chat.sendMessage(text);
      const waiting = () => cardsOf(chat).find(({ status }) => status === 'awaiting_approval');
      await until(waiting, 'a question');
      const { requestId, call } = waiting()!;
      expect(call?.taintedBy).to.include({ toolName: 'search', from: 'service' });
      expect(call?.reason).to.contain('the service read with search');
      decide({ requestId, digest: call!.digest, verdict: 'deny' });
      await turn;
    }
    expect(ran).to.deep.equal([]);
  });

  it("stay the service's under `native`, too", async () => {
    const { chat, ran } = start(
      [
        [
          { type: 'tool', index: 0, id: 'p1', name: 'add', arguments: '{"item":"milk"}' },
          { type: 'tool', index: 1, id: 's1', name: 'search', arguments: '{}' },
          { type: 'tool', index: 1, id: 's1', result: 'found', by: 'service' },
          done,
        ],
        [{ type: 'text', text: 'Done.' }, done],
      ],
      { protocol: 'native' },
    );
    expect(await chat.sendMessage('go')).to.include({ text: 'Done.' });
    expect(ran).to.deep.equal([{ item: 'milk' }]);
    expect(cardsOf(chat).map(({ toolName, status }) => [toolName, status])).to.have.deep.members([
      ['add', 'success'],
      ['search', 'success'],
    ]);
    expect(turns[1]?.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name))).to.deep.equal(['add']);
  });

  for (const verdict of ['allow', 'deny'] as const)
    it(`put their question to a person, and tell the service that the answer was ${verdict}`, async () => {
      const { chat } = start([
        [
          { type: 'tool', index: 0, id: 's1', name: 'pay', arguments: '{"sum":5}' },
          { type: 'tool', index: 0, approval: { id: 'ask-1', reason: 'It costs money', keep: { signature: 'x' } } },
          { type: 'finish', finish: 'interrupt', proved: true },
        ],
        [{ type: 'text', text: 'Understood.' }, done],
      ]);
      const { attachPerson, decide } = internalsOf(chat);
      attachPerson();
      const turn = chat.sendMessage('pay');
      await until(() => cardsOf(chat)[0]?.status === 'awaiting_approval', 'the question');
      const { requestId, call } = cardsOf(chat)[0]!;
      expect(call).to.deep.include({ toolName: 'pay', args: { sum: 5 }, reason: 'It costs money' });
      decide({ requestId, digest: call!.digest, verdict });
      expect(await turn).to.include({ text: 'Understood.' });
      expect(turns[1]?.answers).to.have.length(1);
      expect(turns[1]?.answers?.[0]).to.deep.include({
        ...{ id: 'ask-1', approved: verdict === 'allow', toolCallId: 's1', toolName: 'pay', arguments: { sum: 5 } },
        keep: { signature: 'x' },
      });
    });

  it('are refused where there is nobody to ask', async () => {
    const { chat } = start([
      [{ type: 'tool', index: 0, id: 's1', name: 'pay', arguments: '{}', approval: { id: 'ask-1' } }, done],
      [{ type: 'text', text: 'Understood.' }, done],
    ]);
    await chat.sendMessage('pay');
    expect(turns[1]?.answers?.[0]).to.include({ approved: false });
  });
});
