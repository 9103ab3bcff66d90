/** A reply has ended well only if its reason is known to say so: every other reason lets nothing but queries run unasked. */
import { expect } from 'chai';
import { agUi } from '../../src/transports/ag-ui.js';
import { anthropic } from '../../src/transports/anthropic.js';
import { cutie } from '../../src/transports/cutie.js';
import { gemini } from '../../src/transports/gemini.js';
import { ollama } from '../../src/transports/ollama.js';
import { openai } from '../../src/transports/openai.js';
import { openaiResponses } from '../../src/transports/openai-responses.js';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import type { Finish, Wire } from '../../src/transports/wire.js';
import { readLocalModelStream } from '../../src/transports/local-model-fetch.js';
import { call, talk, useFaultServer } from '../conversation/talk.js';
import { bytes, done, events, frames, read, story, whole } from './reading.js';
import knownReasons from '../fixtures/finish-reasons.json' with { type: 'json' };

const endings: Record<string, (reason: unknown) => ReturnType<typeof read>> = {
  openai: (finish_reason) =>
    read(openai, [frames({ choices: [{ delta: { content: 'a' } }] }, { choices: [{ delta: {}, finish_reason }] }), done]),
  'openai, one body': (finish_reason) => read(openai, ...whole({ choices: [{ message: { content: 'a' }, finish_reason }] })),
  cutie: (finish_reason) => read(cutie, [frames({ type: 'text', content: 'a' }, { type: 'done', finish_reason })]),
  'cutie, one body': (finish_reason) => read(cutie, ...whole({ reply: 'a', finish_reason })),
  anthropic: (stop_reason) =>
    read(anthropic, [events({ type: 'message_delta', delta: { stop_reason } } as { type: string }, { type: 'message_stop' })]),
  ollama: (done_reason) =>
    read(ollama, [bytes(`${JSON.stringify({ message: { content: 'a' }, done: true, done_reason })}\n`)], {
      contentType: 'application/x-ndjson',
    }),
  gemini: (finishReason) => read(gemini, [frames({ candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason }] })]),
  'ui-message-stream': (finishReason) => read(uiMessageStream, [frames({ type: 'finish', finishReason }), done]),
  'model of the page': (finish) => read({ createReader: readLocalModelStream } as unknown as Wire, [frames({ type: 'done', finish })]),
};

const known = knownReasons as [Finish, string[]][];
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
    expect(story(read(cutie, [frames({ type: 'done', ...end })]))).to.equal('finish stop?');
    expect(story(read(cutie, ...whole({ reply: 'a', ...end })))).to.equal('text a · finish stop?');
  });

  it('of Responses: a response that is not whole, whatever the event is called', () => {
    const incomplete = (reason?: string) => ({ status: 'incomplete', incomplete_details: { reason } });
    for (const [kind, response, finish] of [
      ['completed', {}, 'stop'],
      ['completed', { status: 'in_progress' }, 'stop'],
      ['completed', { status: 'cancelled' }, 'aborted'],
      ['completed', incomplete('max_output_tokens'), 'length'],
      ['incomplete', incomplete('content_filter'), 'content-filter'],
      ['incomplete', incomplete(), 'length'],
      ['incomplete', incomplete('banana'), 'length?'],
    ] as const)
      expect(story(read(openaiResponses, [frames({ type: `response.${kind}`, response })])), kind).to.equal(`finish ${finish}`);
    for (const [status, finish] of Object.entries({ completed: 'stop', cancelled: 'aborted', in_progress: 'unknown?' }))
      expect(story(read(openaiResponses, ...whole({ status, output: [] })))).to.equal(`finish ${finish}`);
  });

  it('of AG-UI: an outcome that nobody knows', () => {
    const end = (outcome?: unknown) => story(read(agUi, [frames({ type: 'RUN_FINISHED', ...(outcome !== undefined && { outcome }) })]));
    for (const outcome of [undefined, { type: 'success' }, 'success']) expect(end(outcome)).to.equal('finish stop');
    expect(end({ type: 'broken' })).to.equal('finish stop?');
  });
});

describe('a call in a reply whose end', () => {
  useFaultServer();

  it('is a failure does not run, and the turn says so', async () => {
    for (const failed of ['network_error', 'abort', 'insufficient_system_resource', 'ERROR']) {
      const one = talk([{ text: `${call('look')}\n${call('act')}`, q: `finish=${failed}` }]).with({ look: 'query', act: 'write' });
      expect((await one.send()).reason, failed).to.equal('error');
      expect(one.runs, failed).to.deep.equal([]);
    }
  });
});
