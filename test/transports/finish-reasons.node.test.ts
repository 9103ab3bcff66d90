/** A reply has ended well only if its reason is known to say so: every other reason lets nothing but queries run unasked. */
import { expect } from 'chai';
import { createConversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import { agUi } from '../../src/transports/ag-ui.js';
import { anthropic } from '../../src/transports/anthropic.js';
import { cutie } from '../../src/transports/cutie.js';
import { gemini } from '../../src/transports/gemini.js';
import { ollama } from '../../src/transports/ollama.js';
import { openai } from '../../src/transports/openai.js';
import { openaiResponses } from '../../src/transports/openai-responses.js';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import type { Finish, Wire } from '../../src/transports/wire.js';
import { readActed } from '../../src/transports/acted-answer.js';
import { bytes, events, everyByte, frames, read } from './reading.js';

const done = bytes('data: [DONE]\n\n');
const openaiEnd = (finish_reason: unknown) => [
  frames({ choices: [{ delta: { content: 'a' } }] }, { choices: [{ delta: {}, finish_reason }] }),
  done,
];

/** The reply of each wire that ends with this reason. */
const endings: Record<string, (reason: unknown) => ReturnType<typeof read>> = {
  openai: (reason) => read(openai, openaiEnd(reason)),
  'openai, byte by byte': (reason) =>
    read(
      openai,
      openaiEnd(reason).flatMap((piece) => [...everyByte(piece)]),
    ),
  'openai, one body': (finish_reason) =>
    read(openai, [bytes(JSON.stringify({ choices: [{ message: { content: 'a' }, finish_reason }] }))], { contentType: 'application/json' }),
  cutie: (finish_reason) => read(cutie, [frames({ type: 'text', content: 'a' }, { type: 'done', finish_reason })]),
  'cutie, one body': (finish_reason) =>
    read(cutie, [bytes(JSON.stringify({ reply: 'a', finish_reason }))], { contentType: 'application/json' }),
  anthropic: (stop_reason) =>
    read(anthropic, [events({ type: 'message_delta', delta: { stop_reason } } as { type: string }, { type: 'message_stop' })]),
  ollama: (done_reason) =>
    read(ollama, [bytes(`${JSON.stringify({ message: { content: 'a' }, done: true, done_reason })}\n`)], {
      contentType: 'application/x-ndjson',
    }),
  gemini: (finishReason) => read(gemini, [frames({ candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason }] })]),
  'ui-message-stream': (finishReason) => read(uiMessageStream, [frames({ type: 'finish', finishReason }), done]),
  'model of the page': (finish) => read({ createReader: readActed } as unknown as Wire, [frames({ type: 'done', finish })]),
};

const known: [Finish, string[]][] = [
  ['stop', ['stop', 'STOP', 'Stop', 'end_turn', 'END_TURN', 'stop_sequence', 'eos_token', 'COMPLETE']],
  ['length', ['length', 'LENGTH', 'MAX_TOKENS', 'max_tokens', 'max-tokens', 'model_length', 'model_context_window_exceeded']],
  ['tool-calls', ['tool_calls', 'tool-calls', 'TOOL_CALLS', 'tool_use', 'function_call']],
  ['content-filter', ['content_filter', 'CONTENT_FILTER', 'SAFETY', 'safety', 'sensitive', 'refusal', 'PROHIBITED_CONTENT']],
  ['aborted', ['abort', 'aborted', 'ABORT', 'cancelled']],
  ['error', ['error', 'ERROR', 'network_error', 'insufficient_system_resource']],
];
const unknown = ['banana', 'OTHER', 'load', 'unknown', 'constructor', '__proto__', 'stop2', 'not finished'];
const none = ['null', 'NULL', 'None', '', ' ', null, undefined, 7, { type: 'stop' }];

describe('reasons why a reply ends', () => {
  for (const [wire, ends] of Object.entries(endings)) {
    it(`are known in any case (${wire})`, () => {
      for (const [finish, reasons] of known)
        for (const reason of reasons) expect(ends(reason).finish, reason).to.deep.equal({ type: 'finish', finish, proved: true });
    });

    it(`prove nothing where nobody knows them (${wire})`, () => {
      for (const reason of unknown) expect(ends(reason).finish, reason).to.deep.equal({ type: 'finish', finish: 'unknown', proved: false });
    });

    it(`are none as a word for none (${wire})`, () => {
      const nothing = JSON.stringify(ends(null).finish);
      for (const reason of none) expect(JSON.stringify(ends(reason).finish), String(reason)).to.equal(nothing);
    });
  }

  it('are not taken from a word for none that stands in every chunk', () => {
    const chunk = (content: string, finish_reason: string) => ({ choices: [{ delta: { content }, finish_reason }] });
    const all = read(openai, [frames(chunk('a', 'null'), chunk('b', 'null'), chunk('', 'stop'), chunk('', 'null')), done]);
    expect([all.text, all.finish]).to.deep.equal(['ab', { type: 'finish', finish: 'stop', proved: true }]);
    expect(read(openai, [frames(chunk('a', 'null'), chunk('b', 'null'))]).finish, 'closed without a reason').to.equal(undefined);
    expect(read(openai, [frames(chunk('a', 'null')), done]).finish).to.deep.equal({ type: 'finish', finish: 'unknown', proved: false });
  });

  it('of our relay do not prove what it says is unproved', () => {
    const end = { finish_reason: 'stop', proved: false };
    const [streamed, whole] = [
      read(cutie, [frames({ type: 'done', ...end })]),
      read(cutie, [bytes(JSON.stringify({ reply: 'a', ...end }))], { contentType: 'application/json' }),
    ];
    for (const { finish } of [streamed, whole]) expect(finish).to.deep.equal({ type: 'finish', finish: 'stop', proved: false });
  });

  it('of Responses: a response that is not whole, whatever the event is called', () => {
    const end = (kind: string, response: object) => read(openaiResponses, [frames({ type: `response.${kind}`, response })]).finish;
    const expected = (finish: Finish, proved = true) => ({ type: 'finish', finish, proved });
    expect(end('completed', {})).to.deep.equal(expected('stop'));
    expect(end('completed', { status: 'in_progress' })).to.deep.equal(expected('stop'));
    expect(end('completed', { status: 'cancelled' })).to.deep.equal(expected('aborted'));
    const incomplete = (reason?: string) => ({ status: 'incomplete', incomplete_details: { reason } });
    expect(end('completed', incomplete('max_output_tokens'))).to.deep.equal(expected('length'));
    expect(end('incomplete', incomplete('content_filter'))).to.deep.equal(expected('content-filter'));
    expect(end('incomplete', incomplete())).to.deep.equal(expected('length'));
    expect(end('incomplete', incomplete('banana'))).to.deep.equal(expected('length', false));
    const whole = (status: unknown) =>
      read(openaiResponses, [bytes(JSON.stringify({ status, output: [] }))], { contentType: 'application/json' }).finish;
    expect(whole('completed')).to.deep.equal(expected('stop'));
    expect(whole('cancelled')).to.deep.equal(expected('aborted'));
    expect(whole('in_progress')).to.deep.equal(expected('unknown', false));
  });

  it('of AG-UI: an outcome that nobody knows', () => {
    const end = (outcome?: unknown) => read(agUi, [frames({ type: 'RUN_FINISHED', ...(outcome !== undefined && { outcome }) })]).finish;
    for (const outcome of [undefined, { type: 'success' }, 'success'])
      expect(end(outcome)).to.deep.equal({ type: 'finish', finish: 'stop', proved: true });
    expect(end({ type: 'broken' })).to.deep.equal({ type: 'finish', finish: 'stop', proved: false });
  });
});

describe('a call in a reply whose end', () => {
  /** Each tool is called once, under its own kind of risk; `ran` once nothing goes on or a card waits. */
  async function play(reason: unknown, tools = ['look', 'act']) {
    const ran: string[] = [];
    const call = (name: string, index: number) => ({ index, id: `c${String(index)}`, function: { name, arguments: '{"title":"x"}' } });
    const first = [...openaiEnd(null).slice(0, 1), frames({ choices: [{ delta: { tool_calls: tools.map(call) } }] }), ...openaiEnd(reason)];
    const replies = [first, openaiEnd('stop')];
    const chat = createConversation({
      endpoint: 'https://x.example/v1/chat/completions',
      wire: 'openai',
      protocol: 'native',
      fetch: () =>
        Promise.resolve(new Response(Buffer.concat(replies.shift() ?? []), { headers: { 'content-type': 'text/event-stream' } })),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    for (const name of tools)
      chat.registerTool({
        name,
        description: name,
        risk: name === 'look' ? 'query' : 'write',
        parameters: { type: 'object', properties: { title: { type: 'string' } } },
        execute: () => {
          ran.push(name);
          return { success: true, message: 'done' };
        },
      });
    const internals = internalsOf(chat);
    internals.attachPerson();
    const asked = new Promise<string | undefined>((resolve) => {
      internals.surface.subscribe(() => {
        const card = Object.values(internals.surface.view.cards).find(({ status }) => status === 'awaiting_approval');
        if (card && (!tools.includes('look') || ran.includes('look'))) resolve(card.call?.reason);
      });
    });
    const turn = chat.sendMessage('go');
    const reasonAsked = await Promise.race([asked, turn.then(() => undefined)]);
    const result = reasonAsked === undefined ? await turn : undefined;
    chat.dispose();
    return { ran, asked: reasonAsked, reason: result?.reason };
  }

  it('is known runs', async () => {
    for (const reason of ['tool_calls', 'stop', 'TOOL_CALLS']) expect((await play(reason)).ran, reason).to.deep.equal(['look', 'act']);
  });

  it('nobody knows runs only if it is a query, and else asks', async () => {
    for (const reason of ['banana', 'repetition', 'null']) {
      const { ran, asked } = await play(reason);
      expect(ran, reason).to.deep.equal(['look']);
      expect(asked).to.equal(en.reasonUnproved);
    }
  });

  it('is a failure does not run, and the turn says so', async () => {
    for (const failed of ['network_error', 'abort', 'insufficient_system_resource', 'ERROR']) {
      const { ran, reason } = await play(failed);
      expect(ran, failed).to.deep.equal([]);
      expect(reason, failed).to.equal('error');
    }
  });
});
