/** Whatever a service sends, a reader does not throw, says nothing after the end, and hears the same in any slicing. */
import { expect } from 'chai';
import fc from 'fast-check';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import type { Wire, WireEvent } from '../../src/transports/wire.js';
import { bytes, everyByte } from './reading.js';

const RUNS = 200;

/** Frames as the services send them; the test breaks them. Those of one wire are strange to all others. */
const real: Record<string, object[]> = {
  cutie: [
    { type: 'text', content: 'a' },
    { type: 'reasoning', content: 'b' },
    { type: 'error', message: 'no', code: 'x' },
    { type: 'done', usage: { input_tokens: 1, output_tokens: 2 }, finish_reason: 'stop', model: 'm' },
    { reply: 'a', usage: {}, model: 'm' },
  ],
  openai: [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'a', reasoning_content: 'b' }, finish_reason: null }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'now', arguments: '{}' } }] } }] },
    { choices: [{ delta: { refusal: 'no' }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 1 } },
    { error: { message: 'no', code: 500 } },
    {
      choices: [{ message: { content: 'a', tool_calls: [{ id: 'c', function: { name: 'now', arguments: {} } }] }, finish_reason: 'stop' }],
    },
  ],
  'openai-responses': [
    { type: 'response.output_text.delta', item_id: 'm', delta: 'a' },
    { type: 'response.reasoning_text.delta', delta: 'b' },
    { type: 'response.output_item.added', item: { type: 'function_call', id: 'f', call_id: 'c', name: 'now', arguments: '' } },
    { type: 'response.function_call_arguments.delta', item_id: 'f', delta: '{}' },
    { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 1 }, output: [{ content: [{ text: 'a' }] }] } },
    { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
    { type: 'response.failed', response: { error: { code: 'x', message: 'no' } } },
    { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }, { type: 'function_call' }] },
  ],
  anthropic: [
    { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1, cache_read_input_tokens: 2 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'now', input: { a: 1 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'a' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'thinking_delta', thinking: 'b' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
    { type: 'error', error: { type: 'overloaded_error', message: 'no' } },
    {
      type: 'message',
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool_use', input: {} },
      ],
      stop_reason: 'end_turn',
      usage: {},
    },
  ],
  ollama: [
    { message: { content: 'a', thinking: 'b' }, done: false },
    { message: { tool_calls: [{ id: 'c', function: { name: 'now', arguments: { a: 1 } } }] }, done: false },
    { message: { content: 'a' }, done: true, done_reason: 'stop', prompt_eval_count: 1, eval_count: 2 },
    { error: 'no' },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b', thought: true }] } }], usageMetadata: { promptTokenCount: 1 } },
    {
      candidates: [
        { content: { parts: [{ functionCall: { name: 'now', args: { a: 1 } }, thoughtSignature: 's' }] }, finishReason: 'STOP' },
      ],
    },
    { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'no' }] },
    { promptFeedback: { blockReason: 'SAFETY' } },
    { error: { code: 503, message: 'no', status: 'UNAVAILABLE' } },
  ],
  'ui-message-stream': [
    { type: 'start', messageId: 'm' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'b' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'now' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{}' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'now', input: { a: 1 } },
    { type: 'tool-output-available', toolCallId: 'c', output: { b: 2 } },
    { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'p' },
    { type: 'finish', finishReason: 'stop' },
    { type: 'abort', reason: 'no' },
    { type: 'error', errorText: 'no' },
  ],
  'ag-ui': [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'a' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'a' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'm', delta: 'b' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'now' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{}' },
    { type: 'TOOL_CALL_RESULT', toolCallId: 'c', content: 'x' },
    { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id: 'i', toolCallId: 'c' }] }, usage: [{ inputTokens: 1 }] },
    { type: 'RUN_ERROR', message: 'no', code: 'x' },
  ],
  text: [{ a: 1 }],
};

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, '', 'a', '😀', '{"a":', '__proto__', 'constructor', [], {}, [null], {
    length: 3,
  }),
  fc.constantFrom(...Object.values(real).flat()),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Every place inside a value, as the object that holds it and the key. */
function placesIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

/** A frame, whole or with one of its values lost or exchanged. */
const frameOf = (samples: object[]) =>
  fc.tuple(fc.constantFrom(...samples), fc.option(fc.tuple(fc.nat(), fc.option(junk, { nil: undefined })))).map(([sample, broken]) => {
    const frame = structuredClone(sample);
    const places = placesIn(frame);
    const place = broken === null ? undefined : places[broken[0] % places.length];
    if (place && broken) Object.defineProperty(place.holder, place.key, { value: broken[1], enumerable: true });
    return frame;
  });

const inEvents = (frames: object[], named: boolean) =>
  frames
    .map((one) => `${named && 'type' in one && typeof one.type === 'string' ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`)
    .join('');

/** Mostly what this wire is used to, under its own content type. */
function bodies(id: string): fc.Arbitrary<{ source: Uint8Array; type: string }> {
  const own = id === 'ollama' ? 'application/x-ndjson' : id === 'text' ? 'text/plain' : 'text/event-stream';
  const frame = fc.oneof({ weight: 6, arbitrary: frameOf(real[id] ?? []) }, { weight: 1, arbitrary: frameOf(Object.values(real).flat()) });
  const stream = fc
    .tuple(fc.array(frame, { maxLength: 12 }), fc.boolean(), fc.boolean())
    .map(([all, named, done]) =>
      id === 'ollama' ? all.map((one) => `${JSON.stringify(one)}\n`).join('') : inEvents(all, named) + (done ? 'data: [DONE]\n\n' : ''),
    );
  const anyType = fc.constantFrom(own, '', 'application/json', 'application/x-ndjson', 'text/plain', 'text/event-stream', 'text/html', ';');
  return fc.oneof(
    { weight: 6, arbitrary: stream.map((source) => ({ source: bytes(source), type: own })) },
    { weight: 2, arbitrary: frame.map((one) => ({ source: bytes(JSON.stringify(one)), type: 'application/json' })) },
    { weight: 1, arbitrary: fc.record({ source: stream.map(bytes), type: anyType }) },
    { weight: 1, arbitrary: fc.record({ source: fc.uint8Array({ maxLength: 400 }), type: anyType }) },
  );
}

/** What was said, without regard to how it was cut. */
function hear(wire: Wire, pieces: Iterable<Uint8Array>, type: string, ending: 'close' | 'reset') {
  const heard: WireEvent[] = [];
  let ended = false;
  let late = 0;
  const reader = wire.createReader(
    (event) => {
      if (ended) late += 1;
      ended ||= event.type === 'finish' || event.type === 'error';
      const last = heard.at(-1);
      if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) last.text += event.text;
      else if (event.type !== 'ping') heard.push({ ...event });
    },
    { status: 200, contentType: type, maxLine: 5000 },
  );
  for (const piece of pieces) reader.push(piece);
  reader.end(ending);
  reader.push(bytes('data: {"type":"text","content":"late"}\n\n{"done":true}\n'));
  reader.end('close');
  return { heard, late };
}

/** Their bytes are made in the page itself. */
const inTheBrowser = new Set(['prompt-api', 'wllama']);

describe('readers', () => {
  for (const { id, load } of builtInWires.filter((wire) => !inTheBrowser.has(wire.id))) {
    it(`of ${id} take anything`, async () => {
      const wire = await load();
      const heard = new Set<string>();
      fc.assert(
        fc.property(bodies(id), fc.constantFrom('close' as const, 'reset' as const), ({ source, type }, ending) => {
          const whole = hear(wire, [source], type, ending);
          expect(whole.late).to.equal(0);
          expect(hear(wire, everyByte(source), type, ending)).to.deep.equal(whole);
          for (const event of whole.heard) heard.add(event.type);
        }),
        { numRuns: RUNS },
      );
      // Else nothing was put to the test.
      expect([...heard]).to.include.members(['text', 'error', 'finish', ...(id === 'text' ? [] : ['reasoning'])]);
      if (id !== 'text' && id !== 'cutie') expect([...heard]).to.include('tool');
    });
  }

  it('that say more than they should are found out', () => {
    const chatty: Wire = {
      id: 'chatty',
      request: (_, url) => ({ url, headers: {}, body: {} }),
      createReader: (emit) => ({
        push: () => emit({ type: 'error', message: '' }),
        end: () => emit({ type: 'finish', finish: 'stop', proved: true }),
      }),
    };
    expect(hear(chatty, [bytes('a')], '', 'close').late).to.be.above(0);
  });
});
