import { expect } from 'chai';
import { cutie } from '../../src/transports/cutie.js';
import { ollama } from '../../src/transports/ollama.js';
import { openai } from '../../src/transports/openai.js';
import type { Wire } from '../../src/transports/wire.js';
import { bytes, everyByte } from './reading.js';
import { bodyOf, recorded, wholeReplies } from './recorded.js';
import { askFor } from './reply.js';

interface Answer {
  wire?: Wire;
  auto?: boolean;
  type?: string;
  headers?: Record<string, string>;
  endpoint?: string;
}

async function hear(body: string, { wire = cutie, auto = true, type = 'text/event-stream', headers = {}, endpoint }: Answer = {}) {
  const chosen: [string, string][] = [];
  const pieces = everyByte(bytes(body));
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value } = pieces.next();
      if (value) controller.enqueue(value);
      else controller.close();
    },
  });
  const fetch = () => Promise.resolve(new Response(stream, { headers: { 'content-type': type, ...headers } }));
  const warned: string[] = [];
  const reply = await askFor(
    { wire, auto, fetch, ...(endpoint && { endpoint }) },
    { chose: (id, why) => void chosen.push([id, why]), warn: (message) => void warned.push(message) },
  );
  return { ...reply, chosen, warned };
}

const sse = (...frames: (object | string)[]) =>
  frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('');
const done = { type: 'ended', finish: 'stop', proof: 'proved' };

describe('wire auto: a stream that is not the default’s', () => {
  const plain = (id: string) => {
    const sample = recorded.find((wire) => wire.id === id)!.cases.find(({ file }) => file.startsWith('plain'))!;
    return { ...sample, body: new TextDecoder().decode(bodyOf(id, sample.file)) };
  };
  for (const id of ['openai', 'openai-responses', 'anthropic', 'gemini', 'ui-message-stream', 'ag-ui'])
    it(`is known for ${id} by its first events, and loses none of them`, async () => {
      const { body, text: said } = plain(id);
      const { outcome, text, chosen } = await hear(`: hello\n\n${body}`);
      expect(text).to.equal(said);
      expect(outcome).to.deep.equal(done);
      expect(chosen).to.deep.equal([[id, 'the first events']]);
    });

  it('stays unread where the wire was named', async () => {
    const { outcome, text, chosen } = await hear(plain('openai').body, { auto: false });
    expect([outcome.type, text, chosen.length]).to.deep.equal(['failed', '', 0]);
  });

  it('is known by the header of its protocol before anything has come', async () => {
    const body = sse({ type: 'error', errorText: 'out of words' }, '[DONE]');
    const { outcome, chosen } = await hear(body, { headers: { 'x-vercel-ai-ui-message-stream': 'v1' } });
    expect(chosen).to.deep.equal([['ui-message-stream', 'the header of its protocol']]);
    expect(outcome.type === 'failed' && outcome.error.detail).to.equal('out of words');
  });

  it('that is nobody’s is held for 8 KiB and no longer', async () => {
    const noise = sse(...Array.from({ length: 400 }, (_, at) => ({ type: 'noise', at })));
    const { text, chosen } = await hear(noise + sse({ type: 'RUN_STARTED' }, { type: 'text', content: 'a' }, { type: 'done' }));
    expect([noise.length > 8192, text, chosen.length]).to.deep.equal([true, 'a', 0]);
  });
});

describe('wire auto: by content type', () => {
  const row = (content: string, more: object = {}) =>
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done: false, ...more })}\n`;

  it('reads rows of JSON as Ollama’s, and plain text as text', async () => {
    const rows = await hear(row('h') + row('i') + row('', { done: true, done_reason: 'stop' }), { type: 'application/x-ndjson' });
    expect([rows.text, rows.outcome, rows.chosen[0]]).to.deep.equal(['hi', done, ['ollama', 'the first rows']]);
    const plain = await hear('hi 你好', { type: 'text/plain; charset=utf-8' });
    expect([plain.text, plain.outcome]).to.deep.equal(['hi 你好', { ...done, proof: 'unproved' }]);
  });

  it('lets a wire that fits the address read what it can, and gives the rest to others', async () => {
    const kept = await hear(sse({ type: 'RUN_STARTED' }, { type: 'text', content: 'a' }), { wire: openai });
    expect(kept.chosen).to.have.length(0);
    const rows = row('hi') + row('', { done: true });
    for (const type of ['application/json', 'text/plain', 'text/event-stream', 'application/x-ndjson'])
      expect(await hear(rows, { type }), type).to.deep.include({ text: 'hi', outcome: done });
    const labelled = await hear(sse({ choices: [{ delta: { content: 'hi' }, finish_reason: 'stop' }] }), { type: 'text/plain' });
    expect(labelled).to.deep.include({ text: 'hi', outcome: done });
    expect((await hear('[Note] {hi}', { type: 'text/plain' })).text).to.equal('[Note] {hi}');
    const body = sse({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'hi' }, { type: 'finish' }, '[DONE]');
    const { text, chosen } = await hear(body, { wire: ollama });
    expect([text, chosen[0]?.[0]]).to.deep.equal(['hi', 'ui-message-stream']);
    const back = await hear(sse({ type: 'text', content: 'a' }, { type: 'done' }), { type: 'application/x-ndjson' });
    expect([back.text, back.chosen.length]).to.deep.equal(['a', 0]);
  });
});

describe('wire auto: plain text', () => {
  const wall = 'Please accept the terms of “Hotel Sun” to use the internet.';
  const rows: [wire: Wire, endpoint: string, isAnswer: boolean][] = [
    [cutie, 'https://shop.example/api/ai/chat/stream', false],
    [cutie, 'https://shop.example/under/a/path/api/ai/chat/', false],
    [openai, 'https://api.example/v1/chat/completions', false],
    [ollama, 'http://localhost:11434/api/chat', false],
    [cutie, 'https://shop.example/ask', true],
    [{ ...openai, id: 'ours' }, 'https://api.example/v1/chat/completions', true],
  ];
  for (const [wire, endpoint, isAnswer] of rows)
    for (const type of ['text/plain', 'text/markdown; charset=utf-8'])
      it(`${isAnswer ? 'is an answer' : 'is no answer'} of ${wire.id} at ${endpoint} as ${type}`, async () => {
        for (const body of [wall, `[Note] {${wall}}`, `{${wall}`]) {
          const { text, outcome, chosen, warned } = await hear(body, { wire, endpoint, type });
          if (isAnswer) expect([text, chosen.length, warned]).to.deep.equal([body, 1, []]);
          else {
            expect([text, chosen, outcome.type, warned.length]).to.deep.equal(['', [], 'failed', 1]);
            expect(outcome).to.deep.nested.include({ 'error.kind': 'bad-response', retry: 'none' });
            expect(outcome).to.have.nested.property('error.detail').that.contains('set wire="text"');
            expect(warned[0]).to.contain('set wire="text"').and.not.to.contain('Hotel');
          }
        }
      });
});

describe('wire auto: replies in one piece', () => {
  for (const [id, body] of Object.entries(wholeReplies).filter(([id]) => id !== 'cutie' && id !== 'openai')) {
    it(`are known for ${id} by their shape`, async () => {
      const { outcome, text, chosen } = await hear(JSON.stringify({ padding: 'x'.repeat(9000), ...body }), { type: 'application/json' });
      expect([text, outcome, chosen]).to.deep.equal(['hi', done, [[id, id === 'ollama' ? 'the first rows' : 'the shape of the reply']]]);
    });
  }

  it('are read by the default where it can', async () => {
    for (const body of [wholeReplies['cutie'], wholeReplies['openai']]) {
      const { text, chosen } = await hear(JSON.stringify(body), { type: 'application/json' });
      expect([text, chosen.length]).to.deep.equal(['hi', 0]);
    }
  });

  it('are refused where nobody knows them, and where they were cut', async () => {
    expect((await hear('<p>', { type: 'text/html' })).outcome).to.have.nested.property('error.kind', 'bad-response');
    for (const body of ['{"what":"ever"}', '[]', '{"candidates":', '{"__proto__":{"reply":"EVIL"}}']) {
      const { outcome, text } = await hear(body, { type: 'application/json' });
      expect(outcome.type === 'failed' && outcome.error.kind).to.equal('bad-response');
      expect(text).to.equal('');
    }
  });
});
