import { expect } from 'chai';
import fc from 'fast-check';
import { readAsText, withoutCalls } from '../../src/conversation/reply/unread-text.js';
import { createNameCheck, readForeign } from '../../src/conversation/reply/foreign-text.js';
import { createDialectFilter } from '../../src/protocols/dialects.js';
import { nativeReader } from '../../src/protocols/native-reader.js';
import { adding } from './adding.js';
import { until } from './talk.js';
import { rounds } from '../helpers/effort.js';
import type { EndReason, Segment } from '../../src/protocols/protocol.js';

/** Neighbours of one kind are one: how a text is cut says nothing. */
function joined(segments: readonly Segment[]): Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in segment && last.type === segment.type)
      all[all.length - 1] = { ...last, text: last.text + segment.text } as Segment;
    else all.push(segment);
  }
  return all;
}

async function read(chunks: readonly string[], reason: EndReason = 'stop', open = withoutCalls) {
  const found: Segment[] = [];
  const live = { heldText: '' };
  const reader = readAsText((segment) => found.push(segment), live, open);
  for (const chunk of chunks) {
    reader.push(chunk);
    // Sometimes the rest comes while it is loaded, sometimes later.
    if (chunk.length % 2 === 0) await reader.pending;
  }
  await reader.end(reason);
  return { found, live };
}

describe('a reply where nothing can be called', () => {
  const marks = ['\n', '\n\n', '`', '```\n', '> ', '- ', '<think>', '</think>', '<', '<th', 'ink>', '<tool_use>', '1 < 2'];
  const piece = fc.constantFrom('Hello', ' world', '😀', '\ud83d', '\ude00', '\ufeff', ...marks);

  it('is read as text mode reads it, however it is cut and whenever that is loaded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), fc.constantFrom<EndReason>('stop', 'length'), async (chunks, reason) => {
        const expected: Segment[] = [];
        const parser = nativeReader.createParser!((segment) => expected.push(segment));
        for (const chunk of chunks) parser.push(chunk);
        parser.end(reason);
        expect(joined((await read(chunks, reason)).found)).to.deep.equal(joined(expected));
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('loses nothing that waits when it is cut off, and shows what cannot be told apart', async () => {
    const never = () => new Promise<never>(() => undefined);
    const found: Segment[] = [];
    const live = { heldText: '' };
    const reader = readAsText((segment) => found.push(segment), live, never);
    for (const chunk of ['One ', '<two', ' three']) reader.push(chunk);
    expect(live.heldText).to.equal('<two three');
    void reader.end('abort');
    expect([joined(found), live.heldText]).to.deep.equal([[{ type: 'text', text: 'One <two three' }], '']);

    const refused = () => Promise.reject(new Error('offline'));
    expect(joined((await read(['a <th', 'ink>', ' b'], 'stop', refused)).found)).to.deep.equal([{ type: 'text', text: 'a <think> b' }]);
  });
});

describe('the first word of a reply', () => {
  const names = ['get_weather', 'read.file', 'Yesterday'];
  const isWord = createNameCheck(() => names);
  const ways: Record<string, (take: (segment: Segment) => void) => { take(segment: Segment): void }> = {
    'before what reads calls is loaded': (take) => readForeign(take, { heldText: '' }, () => new Promise<never>(() => undefined), isWord),
    'where the model was seen to write calls': (take) => createDialectFilter(take, { isTool: (name) => names.includes(name), isWord }),
  };
  const rows: [begins: string, waits: boolean][] = [
    ...['Yes.', 'No', 'Certainly', 'Yes.x(', ' \nHello', 'get_weathers', 'get_weather.x', 'mine.get_weather('].map(
      (word): [string, boolean] => [word, false],
    ),
    ...['get_', 'Yes', 'read.fi', 'functions.get_w', 'default_', 'get_weather:1', 'get_weather.cal', 'get_weather(', 'to', ' \n'].map(
      (word): [string, boolean] => [word, true],
    ),
  ];
  for (const [way, open] of Object.entries(ways))
    for (const [begins, waits] of rows)
      it(`${waits ? 'waits where it may become a call' : 'is shown at once where it calls none of the tools'}, ${way}: ${JSON.stringify(begins)}`, () => {
        const found: Segment[] = [];
        const reader = open((segment) => void found.push(segment));
        reader.take({ type: 'text', text: begins });
        expect(joined(found)).to.deep.equal(waits ? [] : [{ type: 'text', text: begins }]);
      });

  for (const protocol of ['xml-invoke', 'native'])
    it(`is on screen before the next has come, under ${protocol}`, async () => {
      let body!: ReadableStreamDefaultController<string>;
      const stream = new ReadableStream<string>({ start: (controller) => void (body = controller) }).pipeThrough(new TextEncoderStream());
      const fetch = () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
      const { chat } = adding({ wire: 'openai', protocol, fetch });
      const turn = chat.sendMessage('May I?');
      const say = (content: string) => body.enqueue(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      await until(() => (body.desiredSize ?? 0) > 0, 'the request');
      say('Yes.');
      await until(() => chat.streamingText === 'Yes.', 'the first word', 2_000);
      say(' You may.');
      body.enqueue('data: [DONE]\n\n');
      body.close();
      expect((await turn).text).to.equal('Yes. You may.');
    });
});
