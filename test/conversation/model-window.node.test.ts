/** What a refusal teaches: how much the model can read at once, and that it takes no temperature. */
import { expect } from 'chai';
import { loadLog } from '../../src/base/logging.js';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { requestTokens } from '../../src/conversation/request/fit-to-context.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { openaiText, refusal, scriptedFetch, type Asked } from './scripted-fetch.js';

const ENDPOINT = 'http://model.test/v1/chat/completions';
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${String(at % 7)}`).join(' ');

const llama = (needed: number, window: number) => () => {
  const message = `request (${String(needed)} tokens) exceeds the available context size (${String(window)} tokens), try increasing it`;
  const error = { code: 400, type: 'exceed_context_size_error', n_prompt_tokens: needed, n_ctx: window, message };
  return Response.json({ error }, { status: 400 });
};

function start(replies: (() => Response)[], options: ConversationOptions = {}) {
  const { fetch, asked } = scriptedFetch(replies);
  const chat = createConversation({ endpoint: ENDPOINT, fetch, logLevel: 'off', ...options });
  return { chat, asked };
}

const say = (text: string) => () => openaiText(text);
const sent = ({ body: { messages, ...body } }: Asked) => ({
  ...body,
  system: messages.flatMap(({ role, content }) => (role === 'system' ? [String(content)] : [])).join(''),
  said: messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, text: String(content) }])),
});
const size = (asked: Asked) => {
  const { system, said } = sent(asked);
  return requestTokens({ system, messages: said });
};

const tools = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${String(at)}`,
    description: `Does the thing that has the number ${String(at)}, and nothing else. ${words(20)}`,
    risk: 'query' as const,
    parameters: { type: 'object', properties: { topic: { type: 'string', description: words(10) } }, required: ['topic'] },
    execute: () => words(6000),
  }));

describe('a model’s window', () => {
  it('is learnt from a refusal, and the request is made to fit and sent once more', async () => {
    const { chat, asked } = start([say(words(200)), say(words(200)), llama(2600, 1024), say('It fits.'), say('Still.')]);
    await chat.sendMessage(`first ${words(200)}`);
    await chat.sendMessage(`second ${words(200)}`);
    expect(await chat.sendMessage('third')).to.include({ success: true, text: 'It fits.' });
    expect(asked).to.have.length(4);
    const [long, short] = [asked[2]!, asked[3]!];
    expect([sent(long).said.length, sent(short).said.at(-1)]).to.deep.equal([5, { role: 'user', text: 'third' }]);
    expect(sent(short).said[0]!, 'begins with a person’s message').to.have.property('role', 'user');
    expect(sent(short).said.length).to.be.oneOf([1, 3]);
    expect(size(short) + Number(short.body['max_tokens'])).to.be.at.most(1024);
    await chat.sendMessage('fourth');
    expect(asked, 'fits at once from then on').to.have.length(5);
    expect(size(asked[4]!)).to.be.below(1024);
    expect(chat.messages, 'nothing of what was said is lost').to.have.length(8);
  });

  it('is looked up in the list of models where the refusal does not tell it', async () => {
    const mine = { id: 'm', meta: { n_ctx: 2048 } };
    const models = () => Response.json({ data: [{ id: 'other', max_model_len: 9 }, mine] });
    const urls: string[] = [];
    const replies = [say(words(900)), () => refusal(400, 'the request exceeds the available context size'), models, say('It fits.')];
    const chat = createConversation({
      ...{ endpoint: ENDPOINT, model: 'm', logLevel: 'off' },
      fetch: (url) => {
        urls.push(new URL(url as URL).pathname);
        return Promise.resolve(replies.shift()!());
      },
    });
    await chat.sendMessage(words(900));
    expect(await chat.sendMessage('more')).to.include({ text: 'It fits.' });
    expect(urls.slice(1)).to.deep.equal(['/v1/chat/completions', '/v1/models', '/v1/chat/completions']);
  });

  it('is told the person where even the shortest request does not fit', async () => {
    const { chat, asked } = start([llama(900, 512), llama(900, 512)]);
    const { success, error } = await chat.sendMessage(words(800));
    expect([success, asked.length]).to.deep.equal([false, 2]);
    expect(error).to.include({ message: 'The conversation is too long for this model', code: 'HTTP_ERROR', retryable: false });
    expect(internalsOf(chat).surface.view.failure?.lines.join(' ')).to.include('512 tokens');
  });

  it('set as `context-size` is kept to from the first request, by paging the tools and leaving old turns behind', async () => {
    const { chat, asked } = start([say('Hi.'), say(words(400)), say('Yes.'), say('Yes.')], { contextSize: 2048 });
    for (const tool of tools(30)) chat.registerTool(tool as never);
    for (const text of ['hello', `a ${words(400)}`, `b ${words(400)}`]) await chat.sendMessage(text);
    for (const request of asked) {
      expect(sent(request).system).to.include('describe_tool').and.include('tool_29');
      expect(size(request)).to.be.below(2048);
    }
    expect(sent(asked[2]!).said.at(-1)!.text.startsWith('b ')).to.equal(true);
    expect(sent(asked[2]!).said.length).to.be.below(5);
  });

  it('cuts long results rather than what the person said', async () => {
    const call = '<tool_use>\n<invoke name="tool_0">\n<parameter name="topic">x</parameter>\n</invoke>\n</tool_use>';
    const { chat, asked } = start([say(call), say('Done.')], { contextSize: 2048 });
    for (const tool of tools(1)) chat.registerTool(tool as never);
    expect(await chat.sendMessage('look it up')).to.include({ text: 'Done.' });
    const { said } = sent(asked[1]!);
    expect([said.map(({ role }) => role), said[0]!.text]).to.deep.equal([['user', 'assistant', 'user'], 'look it up']);
    expect(said[2]!.text).to.include('<tool_result').and.include('</tool_result>');
    expect(size(asked[1]!)).to.be.below(2048);
  });
});

describe('temperature', () => {
  const openaiSays = { message: "Unsupported value: 'temperature' does not support 0.2 with this model.", param: 'temperature' };
  for (const [error, sent] of [
    [{ ...openaiSays, code: 'unsupported_value' }, [0.2, undefined, undefined]],
    [{ message: 'No.', param: 'temperature', code: 'unsupported_parameter' }, [0.2, undefined, undefined]],
    [{ message: `litellm.BadRequestError: ${JSON.stringify({ error: openaiSays })}` }, [0.2, undefined, undefined]],
    [{ message: 'temperature must be at most 0.1', param: 'temperature', code: 'invalid_value' }, [0.2, 0.2]],
  ] as const)
    it(`${sent.length === 3 ? 'is left out from then on, said once, where the model takes none' : 'stays where only the number is wrong'}: ${error.message.slice(0, 30)}`, async () => {
      const isLearnt = sent.length === 3;
      const warned: string[] = [];
      await loadLog();
      const refuse = () => Response.json({ error: { ...error, type: 'invalid_request_error' } }, { status: 400 });
      const { chat, asked } = start([refuse, say('Hi.'), say('Hi.')], {
        ...{ temperature: 0.2, protocol: isLearnt ? 'native' : 'xml-invoke', logLevel: 'warn' },
        logger: { debug() {}, info() {}, error() {}, warn: (message) => warned.push(message) },
      });
      const first = await chat.sendMessage('hello');
      await chat.sendMessage('again');
      expect(asked.map(({ body }) => body['temperature'])).to.deep.equal(sent);
      expect([first.success, warned.filter((line) => line.includes('takes no `temperature`')).length]).to.deep.equal([
        isLearnt,
        Number(isLearnt),
      ]);
    });
});
