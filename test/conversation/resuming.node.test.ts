/** A reply whose connection is lost inside a call, and found again (S0-177). */
import { expect } from 'chai';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';

const ID = 'a'.repeat(32);
const frame = (n: number, event: string, data: object) => `id: ${ID}.${n}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const said = (n: number, content: string) => frame(n, 'message', { type: 'text', content });
const done = (n: number) => frame(n, 'done', { type: 'done', finish_reason: 'stop' });

describe('a connection that is lost inside a call', () => {
  const open: Conversation[] = [];
  afterEach(() => {
    for (const chat of open.splice(0)) chat.dispose();
  });

  const call = '<tool_use>\n<invoke name="look">\n<parameter name="at">the sky</parameter>\n</invoke>\n</tool_use>';
  const [head, tail] = [call.slice(0, 50), call.slice(50)];

  function talk(rest: () => Response, options: Partial<ConversationOptions> = {}) {
    const methods: string[] = [];
    const ran: object[] = [];
    const chat = createConversation({
      endpoint: 'http://relay.test/api/ai/chat/stream',
      wire: 'cutie',
      fetch: async (_, init) => {
        const method = init?.method ?? 'GET';
        methods.push(method);
        if (method === 'DELETE') return new Response(null, { status: 204 });
        if (method === 'GET') return rest();
        const first = methods.filter((one) => one === 'POST').length === 1;
        return stream(first ? said(1, head!) : said(1, 'Seen.') + done(2), !first);
      },
      ...options,
    });
    open.push(chat);
    chat.registerTool({
      name: 'look',
      risk: 'query',
      description: 'Looks.',
      parameters: { type: 'object', properties: { at: { type: 'string' } } },
      execute: (args: object) => void ran.push({ ...args }),
    });
    return { chat, methods, ran };
  }

  /** A body that ends by itself, or is cut. */
  function stream(text: string, whole: boolean): Response {
    let sent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!sent) controller.enqueue(new TextEncoder().encode(text));
        else if (whole) controller.close();
        else controller.error(new TypeError('network'));
        sent = true;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  it('is no call that stops growing: the rest comes later than that clock, and the call runs once', async () => {
    // The first request for the rest is made after about a second.
    const { chat, methods, ran } = talk(() => stream(said(2, tail!) + done(3), true), { blockTimeout: 200 });
    const { reason, text } = await chat.sendMessage('Look');
    expect(reason).to.equal('stop');
    expect(text).to.include('Seen.');
    expect(ran).to.deep.equal([{ at: 'the sky' }]);
    expect(methods.filter((method) => method !== 'DELETE')).to.deep.equal(['POST', 'GET', 'POST']);
  });

  it('is given up all the same where the rest does not come, and runs nothing', async () => {
    const { chat, ran } = talk(() => new Response('', { status: 404 }), { blockTimeout: 200 });
    expect((await chat.sendMessage('Look')).reason).to.equal('cut');
    expect(ran).to.deep.equal([]);
  });

  it('has its clock again when the rest stops growing', async () => {
    const never = () =>
      new Response(
        new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(said(2, tail!.slice(0, 5)))) }),
        {
          headers: { 'content-type': 'text/event-stream' },
        },
      );
    const { chat, ran } = talk(never, { blockTimeout: 200 });
    expect((await chat.sendMessage('Look')).reason).to.equal('cut');
    expect(ran).to.deep.equal([]);
  });
});
