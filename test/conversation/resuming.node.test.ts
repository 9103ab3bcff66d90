/** A reply whose connection is lost inside a call, and found again (S0-177). */
import { expect } from 'chai';
import { adding } from './adding.js';
import { until } from './talk.js';

const ID = 'a'.repeat(32);
const frame = (n: number, event: string, data: object) => `id: ${ID}.${n}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const said = (n: number, content: string) => frame(n, 'message', { type: 'text', content });
const done = (n: number) => frame(n, 'done', { type: 'done', finish_reason: 'stop' });

/** A body that ends by itself, is cut, or goes on in silence. */
function stream(text: string, then: 'close' | 'error' | 'silence'): Response {
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!isSent) controller.enqueue(new TextEncoder().encode(text));
      else if (then === 'close') controller.close();
      else if (then === 'error') controller.error(new TypeError('network'));
      isSent = true;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

describe('a connection that is lost inside a call', () => {
  const call = '<tool_use>\n<invoke name="add">\n<parameter name="item">milk</parameter>\n</invoke>\n</tool_use>';
  const [head, tail] = [call.slice(0, 50), call.slice(50)];

  /** The outcome of a turn whose first reply is cut; `rest` is the answer to the request for the rest. The product waits about a second. */
  async function turn(rest: () => Response) {
    const methods: string[] = [];
    const { chat, ran } = adding({
      blockTimeout: 200,
      fetch: async (_, init) => {
        const method = init?.method ?? 'GET';
        methods.push(method);
        if (method === 'DELETE') return new Response(null, { status: 204 });
        if (method === 'GET') return rest();
        const isFirst = methods.filter((one) => one === 'POST').length === 1;
        return isFirst ? stream(said(1, head), 'error') : stream(said(1, 'Seen.') + done(2), 'close');
      },
    });
    const { reason, text } = await chat.sendMessage('Look');
    await until(() => !chat.isLoading, 'rest');
    chat.dispose();
    return { reason, text, ran, methods: methods.filter((method) => method !== 'DELETE') };
  }

  it('is no call that stops growing: the rest comes later than that clock, and the call runs once', async () => {
    const { reason, text, ran, methods } = await turn(() => stream(said(2, tail) + done(3), 'close'));
    expect(reason).to.equal('stop');
    expect(text).to.include('Seen.');
    expect([ran, methods]).to.deep.equal([[{ item: 'milk' }], ['POST', 'GET', 'POST']]);
  });

  for (const [what, rest] of [
    ['the rest does not come', () => new Response('', { status: 404 })],
    ['the rest stops growing', () => stream(said(2, tail.slice(0, 5)), 'silence')],
  ] as const)
    it(`is given up where ${what}, and runs nothing`, async () => {
      const { reason, ran } = await turn(rest);
      expect([reason, ran]).to.deep.equal(['cut', []]);
    });
});
