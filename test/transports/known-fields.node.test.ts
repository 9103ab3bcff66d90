/** Nothing that arrives is dropped silently: what a reader does not understand has a name. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createChunkLog } from '../../src/conversation/reply/chunk-log.js';
import { createLog, loadLog } from '../../src/base/logging.js';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { createUnknownParts } from '../../src/transports/known-fields.js';
import { bytes } from './reading.js';
import { bodyOf, recorded, wholeReplies } from './recorded.js';

async function unknownIn(id: string, body: Uint8Array, contentType = 'text/event-stream'): Promise<string[]> {
  const wire = await builtInWires.find((one) => one.id === id)!.load();
  const unknown = createUnknownParts(id);
  const reader = wire.createReader(() => undefined, { status: 200, contentType, heard: unknown.hear } as never);
  reader.push(body);
  reader.end('close');
  return [...unknown.parts];
}

/** What the recorded bodies hold on purpose, or what this reader leaves out. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'ag-ui': ['type=CUSTOM'],
  anthropic: ['type=an_event_from_the_future'],
  cutie: ['type=usage_hint', 'type=telemetry'],
  'openai-responses': ['type=response.a_type_from_the_future'],
  'ui-message-stream': ['type=data-weather', 'type=data-toast', 'type=source-url'],
};

/** One frame with a field that nobody knows, and what it is called. */
const planted: Readonly<Record<string, readonly [frame: object, name: string]>> = {
  openai: [{ choices: [{ index: 0, delta: { content: 'Hi', foo: { bar: 1 } } }] }, 'choices[].delta.foo'],
  'openai-responses': [{ type: 'response.output_item.done', item: { type: 'web_search_call', id: 'w' } }, 'item.type=web_search_call'],
  anthropic: [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [{ a: 1 }] } },
    'content_block.citations',
  ],
  gemini: [{ candidates: [{ content: { parts: [{ inlineData: { data: 'x' } }] } }] }, 'candidates[].content.parts[].inlineData'],
  ollama: [{ message: { content: 'Hi', audio: 'x' }, done: false }, 'message.audio'],
  cutie: [{ type: 'text', content: 'Hi', sources: ['x'] }, 'sources'],
  'ag-ui': [{ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hi', extra: 1 }, 'extra'],
  'ui-message-stream': [{ type: 'text-delta', id: '1', delta: 'Hi', extra: 1 }, 'extra'],
  text: [{ reply: 'Hi', sources: ['x'] }, 'sources'],
};

/** Fields in what the table leaves open, and of what is sent. */
const INNER = new Set(
  'candidatesTokenCount promptTokenCount blockReason inputTokens outputTokens totalUsage description parameters'.split(' '),
);

describe('parts of a reply that are not understood', () => {
  for (const { id, cases } of recorded)
    it(`are named in ${id}, and nothing that is known`, async () => {
      const found = new Set<string>();
      for (const { file, contentType } of cases) for (const part of await unknownIn(id, bodyOf(id, file), contentType)) found.add(part);
      if (wholeReplies[id])
        for (const part of await unknownIn(id, bytes(JSON.stringify(wholeReplies[id])), 'application/json')) found.add(part);
      expect([...found]).to.have.members(expected[id] ?? []);
      const [frame, name] = planted[id]!;
      const source = JSON.stringify(frame);
      const body = id === 'text' ? source : id === 'ollama' ? `${source}\n${source}\n` : `data: ${source}\n\n`;
      expect(await unknownIn(id, bytes(body), id === 'text' ? 'application/json' : undefined)).to.deep.equal([name]);
    });

  it('are none that a reader looks at', () => {
    const table = readFileSync(new URL('../../src/transports/known-fields.ts', import.meta.url), 'utf8');
    for (const file of [
      'openai',
      'openai-responses',
      'anthropic',
      'gemini',
      'ollama',
      'cutie',
      'ag-ui-events',
      'ui-message-stream',
      'whole-reply',
      'offered-tools',
    ]) {
      const source = readFileSync(new URL(`../../src/transports/${file}.ts`, import.meta.url), 'utf8');
      const looked = [...source.matchAll(/field\((?:[^()']|\([^()]*\))*, '(\w+)'\)/g)].map(([, name]) => name!);
      expect(looked, file).to.not.have.length(0);
      for (const name of looked.filter((one) => !INNER.has(one)))
        expect(new RegExp(`\\b${name}\\b`).test(table), `${file}: ${name}`).to.equal(true);
    }
  });

  it('are bounded in number, length and depth', () => {
    const unknown = createUnknownParts('openai');
    unknown.hear(
      Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${'x'.repeat(500)}${String(at)}`.slice(-400 - (at % 7)), 1])),
    );
    unknown.hear(JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`n${String(at)}`, 1]))));
    unknown.hear('['.repeat(100_000) + ']'.repeat(100_000));
    unknown.hear('[DONE]');
    expect(unknown.parts.size).to.be.at.most(100);
    for (const part of unknown.parts) expect(part.length).to.be.below(100);
  });

  it('are said once in a conversation, at the lowest level, without a value', async () => {
    await loadLog();
    const lines: unknown[] = [];
    const keep = (_: string, context?: unknown) => void lines.push(context);
    const log = createLog({ level: 'debug', logger: { debug: keep, info: keep, warn: keep, error: keep } });
    for (let reply = 0; reply < 3; reply += 1) {
      const chunks = createChunkLog(log, 'openai');
      chunks.heard('{"foo":"secret"}');
      chunks.end();
    }
    expect(lines).to.deep.equal([{ wire: 'openai', part: 'foo' }]);
  });
});
