/** Arguments that come another way than in the pieces of their call are still its arguments; those that are lost are no "no arguments". */
import { expect } from 'chai';
import { createNativeCalls } from '../../src/protocols/native.js';
import type { Segment } from '../../src/protocols/protocol.js';
import { anthropic } from '../../src/transports/anthropic.js';
import { gemini } from '../../src/transports/gemini.js';
import { openai } from '../../src/transports/openai.js';
import { openaiResponses } from '../../src/transports/openai-responses.js';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import type { Wire } from '../../src/transports/wire.js';
import { bytes, cutAt, everyByte, frames, read } from './reading.js';

const DONE = '{"filter":"done"}';

/** The calls that come of a reply, however it is cut: name and arguments, or the code of what is wrong. */
function callsOf(wire: Wire, body: Uint8Array, contentType?: string): unknown[] {
  const cuts = [
    [body],
    [...everyByte(body)],
    ...[3, 7].map((part) => [...cutAt(body, [Math.floor(body.length / part), body.length - part])]),
  ];
  const [first, ...others] = cuts.map((pieces) => {
    const found: unknown[] = [];
    const native = createNativeCalls((segment: Segment) => {
      if (segment.type === 'call') found.push([segment.name, segment.arguments]);
      if (segment.type === 'call-error') found.push([segment.name, segment.code]);
    });
    const reading = read(wire, pieces, contentType === undefined ? {} : { contentType });
    for (const event of reading.events) if (event.type === 'tool' && event.by === undefined) native.take(event);
    native.end(reading.finish?.finish === 'length' ? 'length' : reading.finish ? 'stop' : 'abort');
    return found;
  });
  for (const other of others) expect(other).to.deep.equal(first);
  return first!;
}

const WANTED = [['list_all', { filter: 'done' }]];
const NOTHING = [['list_all', {}]];
const LOST = [['list_all', 'bad_json']];

describe('late arguments, Responses', () => {
  const item = (more: object = {}) => ({ type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'list_all', arguments: '', ...more });
  const added = (more: object = {}, place: object = { output_index: 0 }) => ({
    type: 'response.output_item.added',
    ...place,
    item: item(more),
  });
  const delta = (text: string, place: object) => ({ type: 'response.function_call_arguments.delta', delta: text, ...place });
  const argsDone = (text: string, place: object) => ({ type: 'response.function_call_arguments.done', arguments: text, ...place });
  const completed = (...output: object[]) => ({ type: 'response.completed', response: { status: 'completed', output } });
  const found = (...all: object[]) => callsOf(openaiResponses, frames(...all));

  it('are taken from `arguments.done`, by number, id or call id', () => {
    for (const place of [
      { item_id: 'fc_1', output_index: 0 },
      { output_index: 0 },
      { item_id: 'fc_1' },
      { call_id: 'c1' },
      { item_id: 'other', output_index: 0 },
    ])
      expect(found(added(), argsDone(DONE, place), completed()), JSON.stringify(place)).to.deep.equal(WANTED);
  });

  it('are taken from pieces under another number, if one call waits for them', () => {
    const place = { output_index: 1, item_id: 'x' };
    expect(found(added(), delta('{"filter":', place), delta('"done"}', place), completed())).to.deep.equal(WANTED);
    expect(found(added(), delta('{"filter":', { output_index: 1 }), delta('"done"}', { output_index: 1 }), completed())).to.deep.equal(
      WANTED,
    );
  });

  it('go to the call at their place, whatever their id', () => {
    const two = [added({ id: 'a', call_id: 'c1' }), added({ id: 'b', call_id: 'c2', name: 'look' }, { output_index: 1 })];
    expect(
      found(...two, delta('{"b":1}', { output_index: 1, item_id: 'a' }), delta('{"a":1}', { output_index: 0, item_id: 'b' }), completed()),
    ).to.deep.equal([
      ['list_all', { a: 1 }],
      ['look', { b: 1 }],
    ]);
  });

  it('are taken from the response at its end, and so are calls that were not streamed', () => {
    const text = { type: 'response.output_text.delta', output_index: 0, delta: 'I look.' };
    const message = { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] };
    expect(found(added(), completed(item({ arguments: DONE })))).to.deep.equal(WANTED);
    expect(found(text, completed(message, item({ arguments: DONE })))).to.deep.equal(WANTED);
    expect(found(added(), completed(item({ arguments: { filter: 'done' } })))).to.deep.equal(WANTED);
    const other = item({ id: 'x', call_id: 'c2', name: 'look', arguments: '{}' });
    expect(found(added(), argsDone(DONE, { output_index: 0 }), completed(item({ arguments: DONE }), other))).to.deep.equal([
      ...WANTED,
      ['look', {}],
    ]);
  });

  it('are told once, though every event repeats them', () => {
    const all = (id: string, spelled = DONE) => [
      added({ id: `${id}1` }),
      delta(DONE, { output_index: 0, item_id: `${id}2` }),
      argsDone(spelled, { output_index: 0, item_id: `${id}3` }),
      { type: 'response.output_item.done', output_index: 0, item: item({ id: `${id}4`, arguments: spelled }) },
      completed({ type: 'reasoning' }, item({ id: `${id}5`, call_id: 'c9', arguments: spelled })),
    ];
    expect(found(...all('x'))).to.deep.equal(WANTED);
    expect(found(...all('x', '{ "filter": "done" }'))).to.deep.equal(WANTED);
  });

  it('fail where they contradict each other or belong to nobody, and are none only where none came', () => {
    expect(found(added(), delta(DONE, { output_index: 0 }), argsDone('{"filter":"open"}', { output_index: 0 }), completed())).to.deep.equal(
      LOST,
    );
    const two = [added(), added({ id: 'b', call_id: 'c2' }, { output_index: 1 })];
    expect(found(...two, delta(DONE, { output_index: 7, item_id: 'z' }), completed())).to.deep.equal([...LOST, ...LOST]);
    expect(found(added(), completed(item()))).to.deep.equal(NOTHING);
    expect(found(added(), argsDone('', { output_index: 0 }), completed())).to.deep.equal(NOTHING);
  });
});

describe('late arguments, Anthropic', () => {
  const start = (index: number, more: object = {}) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: `t${String(index)}`, name: 'list_all', input: {}, ...more },
  });
  const piece = (index: number, partial_json: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json },
  });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }];
  const found = (...all: object[]) => callsOf(anthropic, frames(...all, ...end));

  it('are taken after the end of their block, and under another number', () => {
    expect(found(start(0), piece(0, '{"filter":'), piece(0, '"done"}'), stop(0))).to.deep.equal(WANTED);
    expect(found(start(0), stop(0), piece(0, '{"filter":'), piece(0, '"done"}'))).to.deep.equal(WANTED);
    expect(found(start(0), piece(0, '{"filter":'), stop(0), piece(0, '"done"}'))).to.deep.equal(WANTED);
    expect(found(start(2), piece(3, '{"filter":'), piece(3, '"done"}'), stop(3))).to.deep.equal(WANTED);
    expect(found(start(2), piece(3, DONE), stop(3), start(3), piece(4, '{"b":1}'), stop(4))).to.deep.equal([
      ...WANTED,
      ['list_all', { b: 1 }],
    ]);
  });

  it('fail where nobody knows whose they are', () => {
    expect(found(start(0), stop(0), start(1), stop(1), piece(7, DONE))).to.deep.equal([...LOST, ...LOST]);
    expect(found(start(0), piece(0, DONE), stop(0), piece(7, '{"x":1}'))).to.deep.equal(LOST);
  });

  it('are those of the start of the block where no piece follows, and none where none came', () => {
    expect(found(start(0, { input: { filter: 'done' } }), stop(0))).to.deep.equal(WANTED);
    expect(found(start(0, { input: { filter: 'done' } }))).to.deep.equal(WANTED);
    expect(found(start(0), stop(0))).to.deep.equal(NOTHING);
    const server = { type: 'server_tool_use', name: 'web_search' };
    expect(found(start(0), stop(0), start(1, server), piece(1, '{"query":"x"}'), stop(1))).to.deep.equal(NOTHING);
  });
});

describe('late arguments, Chat Completions', () => {
  const call = (more: object = {}) => ({ index: 0, id: 'c1', type: 'function', function: { name: 'list_all', arguments: '', ...more } });
  const chunk = (tool_calls?: object[], message?: object, finish_reason: string | null = null) => ({
    choices: [{ delta: tool_calls ? { tool_calls } : {}, ...(message && { message }), finish_reason }],
  });
  const whole = (more: object, id: string | undefined = 'c1') => ({ role: 'assistant', tool_calls: [{ ...call(more), id }] });
  const found = (...all: object[]) => callsOf(openai, new Uint8Array([...frames(...all), ...bytes('data: [DONE]\n\n')]));

  it('are taken from the whole message of the last chunk', () => {
    for (const id of ['c1', undefined, 'c9'])
      expect(found(chunk([call()]), chunk(undefined, whole({ arguments: DONE }, id), 'tool_calls')), id).to.deep.equal(WANTED);
    expect(found(chunk([call()]), chunk(undefined, whole({ arguments: { filter: 'done' } }), 'tool_calls'))).to.deep.equal(WANTED);
    expect(found(chunk(undefined, whole({ arguments: DONE }), 'tool_calls'))).to.deep.equal(WANTED);
  });

  it('are told once, though the message repeats them', () => {
    const pieces = [
      chunk([call({ arguments: '{"filter":' })], whole({ arguments: '{"filter":' })),
      chunk([{ index: 0, function: { arguments: '"done"}' } }], whole({ arguments: DONE })),
    ];
    for (const last of [DONE, '{ "filter": "done" }', ''])
      expect(found(...pieces, chunk(undefined, whole({ arguments: last }), 'tool_calls')), last).to.deep.equal(WANTED);
    expect(found(...pieces, chunk(undefined, whole({ arguments: DONE }, 'c9'), 'tool_calls'))).to.deep.equal(WANTED);
  });

  it('fail where the message contradicts them, and are none where none came', () => {
    expect(
      found(chunk([call({ arguments: DONE })]), chunk(undefined, whole({ arguments: '{"filter":"open"}' }), 'tool_calls')),
    ).to.deep.equal(LOST);
    expect(found(chunk([call()]), chunk(undefined, undefined, 'tool_calls'))).to.deep.equal(NOTHING);
    expect(found(chunk([call()]), chunk(undefined, whole({ arguments: '' }), 'tool_calls'))).to.deep.equal(NOTHING);
  });
});

describe('late arguments, other wires', () => {
  it('are the pieces where the AI SDK ends a call without its input, and fail where it never ends', () => {
    const found = (...all: object[]) =>
      callsOf(uiMessageStream, new Uint8Array([...frames(...all, { type: 'finish' }), ...bytes('data: [DONE]\n\n')]));
    const start = { type: 'tool-input-start', toolCallId: 'a', toolName: 'list_all' };
    const piece = { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: DONE };
    const available = { type: 'tool-input-available', toolCallId: 'a', toolName: 'list_all' };
    expect(found(start, piece, { ...available, input: { filter: 'done' } })).to.deep.equal(WANTED);
    expect(found(start, piece, available)).to.deep.equal(WANTED);
    expect(found(start, available)).to.deep.equal(NOTHING);
    expect(found(start, piece)).to.deep.equal(LOST);
  });

  it('fail where Gemini sends them in pieces', () => {
    const part = (functionCall: object) => frames({ candidates: [{ content: { parts: [{ functionCall }] }, finishReason: 'STOP' }] });
    expect(callsOf(gemini, part({ name: 'list_all', partialArgs: [{ jsonPath: '$.filter', stringValue: 'done' }] }))).to.deep.equal(LOST);
    expect(callsOf(gemini, part({ name: 'list_all', willContinue: true }))).to.deep.equal(LOST);
    expect(callsOf(gemini, part({ name: 'list_all', args: { filter: 'done' } }))).to.deep.equal(WANTED);
    expect(callsOf(gemini, part({ name: 'list_all' }))).to.deep.equal(NOTHING);
  });
});
