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
import { cpuTime } from '../helpers/cpu-time.js';
import { done, everyByte, frames, read } from './reading.js';

const DONE = '{"filter":"done"}';

/** The calls that come of a reply: name and arguments, or the code of what is wrong. */
function callsOf(wire: Wire, body: Uint8Array): unknown[] {
  const found: unknown[] = [];
  const native = createNativeCalls((segment: Segment) => {
    if (segment.type === 'call') found.push([segment.name, segment.arguments]);
    if (segment.type === 'call-error') found.push([segment.name, segment.code]);
  });
  const { events, finish } = read(wire, everyByte(body));
  for (const event of events) if (event.type === 'tool' && event.by === undefined) native.take(event);
  native.end(finish?.finish === 'length' ? 'length' : finish ? 'stop' : 'abort');
  return found;
}

const WANTED = [['list_all', { filter: 'done' }]];
const NOTHING = [['list_all', {}]];
const LOST = [['list_all', 'bad_json']];

function describeArguments(
  name: string,
  find: (...events: object[]) => unknown[],
  cases: Record<string, [calls: unknown[], ...object[]][]>,
) {
  describe(`late arguments, ${name}`, () => {
    for (const [title, all] of Object.entries(cases))
      it(title, () => {
        for (const [calls, ...events] of all) expect(find(...events), JSON.stringify(events)).to.deep.equal(calls);
      });
  });
}
const first = '{"filter":';
const second = '"done"}';

{
  const item = (more: object = {}) => ({ type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'list_all', arguments: '', ...more });
  const at = (output_index: number, item_id?: string) => ({ output_index, ...(item_id !== undefined && { item_id }) });
  const added = (more: object = {}, output_index = 0) => ({ type: 'response.output_item.added', output_index, item: item(more) });
  const delta = (text: string, place: object) => ({ type: 'response.function_call_arguments.delta', delta: text, ...place });
  const argsDone = (text: string, place: object) => ({ type: 'response.function_call_arguments.done', arguments: text, ...place });
  const completed = (...output: object[]) => ({ type: 'response.completed', response: { status: 'completed', output } });
  const text = { type: 'response.output_text.delta', output_index: 0, delta: 'I look.' };
  const message = { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] };
  const other = { id: 'b', call_id: 'c2' };
  const look = item({ id: 'x', call_id: 'c2', name: 'look', arguments: '{}' });
  const repeated = (spelled: string) => [
    added({ id: 'x1' }),
    delta(DONE, at(0, 'x2')),
    argsDone(spelled, at(0, 'x3')),
    { type: 'response.output_item.done', output_index: 0, item: item({ id: 'x4', arguments: spelled }) },
    completed({ type: 'reasoning' }, item({ id: 'x5', call_id: 'c9', arguments: spelled })),
  ];

  describeArguments('Responses', (...all) => callsOf(openaiResponses, frames(...all)), {
    'are taken from `arguments.done`, by number, id or call id': [
      at(0, 'fc_1'),
      at(0),
      { item_id: 'fc_1' },
      { call_id: 'c1' },
      at(0, 'other'),
    ].map((place) => [WANTED, added(), argsDone(DONE, place), completed()]),
    'are taken from pieces under another number, if one call waits for them': [at(1, 'x'), at(1)].map((place) => [
      WANTED,
      added(),
      delta(first, place),
      delta(second, place),
      completed(),
    ]),
    'go to the call at their place, whatever their id': [
      [
        [
          ['list_all', { a: 1 }],
          ['look', { b: 1 }],
        ],
        added({ id: 'a' }),
        added({ ...other, name: 'look' }, 1),
        delta('{"b":1}', at(1, 'a')),
        delta('{"a":1}', at(0, 'b')),
        completed(),
      ],
    ],
    'are taken from the response at its end, and so are calls that were not streamed': [
      [WANTED, added(), completed(item({ arguments: DONE }))],
      [WANTED, text, completed(message, item({ arguments: DONE }))],
      [WANTED, added(), completed(item({ arguments: { filter: 'done' } }))],
      [[...WANTED, ['look', {}]], added(), argsDone(DONE, at(0)), completed(item({ arguments: DONE }), look)],
    ],
    'are told once, though every event repeats them': [
      [WANTED, ...repeated(DONE)],
      [WANTED, ...repeated('{ "filter": "done" }')],
    ],
    'fail where they contradict each other or belong to nobody, and are none only where none came': [
      [LOST, added(), delta(DONE, at(0)), argsDone('{"filter":"open"}', at(0)), completed()],
      [[...LOST, ...LOST], added(), added(other, 1), delta(DONE, at(7, 'z')), completed()],
      [NOTHING, added(), completed(item())],
      [NOTHING, added(), argsDone('', at(0)), completed()],
    ],
  });
}

{
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
  const given = { input: { filter: 'done' } };
  const server = { type: 'server_tool_use', name: 'web_search' };

  describeArguments('Anthropic', (...all) => callsOf(anthropic, frames(...all, ...end)), {
    'are taken after the end of their block, and under another number': [
      [WANTED, start(0), piece(0, first), piece(0, second), stop(0)],
      [WANTED, start(0), stop(0), piece(0, first), piece(0, second)],
      [WANTED, start(0), piece(0, first), stop(0), piece(0, second)],
      [WANTED, start(2), piece(3, first), piece(3, second), stop(3)],
      [[...WANTED, ['list_all', { b: 1 }]], start(2), piece(3, DONE), stop(3), start(3), piece(4, '{"b":1}'), stop(4)],
    ],
    'fail where nobody knows whose they are': [
      [[...LOST, ...LOST], start(0), stop(0), start(1), stop(1), piece(7, DONE)],
      [LOST, start(0), piece(0, DONE), stop(0), piece(7, '{"x":1}')],
    ],
    'are those of the start of the block where no piece follows, and none where none came': [
      [WANTED, start(0, given), stop(0)],
      [WANTED, start(0, given)],
      [WANTED, start(0, given), piece(0, first), piece(0, second), stop(0)],
      [NOTHING, start(0), piece(0, ''), stop(0)],
      [NOTHING, start(0), stop(0), start(1, server), piece(1, '{"query":"x"}'), stop(1)],
    ],
  });
}

{
  const call = (more: object = {}) => ({ index: 0, id: 'c1', type: 'function', function: { name: 'list_all', arguments: '', ...more } });
  const chunk = (tool_calls?: object[], message?: object, finish_reason: string | null = null) => ({
    choices: [{ delta: tool_calls ? { tool_calls } : {}, ...(message && { message }), finish_reason }],
  });
  const whole = (source: unknown, id: string | undefined = 'c1') => ({
    role: 'assistant',
    tool_calls: [{ ...call({ arguments: source }), id }],
  });
  const last = (source: unknown, id?: string) => chunk(undefined, whole(source, id), 'tool_calls');
  const pieces = [chunk([call({ arguments: first })], whole(first)), chunk([{ index: 0, function: { arguments: second } }], whole(DONE))];

  describeArguments('Chat Completions', (...all) => callsOf(openai, new Uint8Array([...frames(...all), ...done])), {
    'are taken from the whole message of the last chunk': [
      [WANTED, chunk([call()]), last(DONE)],
      [WANTED, chunk([call()]), last(DONE, 'c9')],
      [WANTED, chunk([call()]), last({ filter: 'done' })],
      [WANTED, last(DONE)],
    ],
    'are told once, though the message repeats them': [DONE, '{ "filter": "done" }', ''].flatMap((source) =>
      ['c1', 'c9'].map((id) => [WANTED, ...pieces, last(source, id)] as [unknown[], ...object[]]),
    ),
    'fail where the message contradicts them, and are none where none came': [
      [LOST, chunk([call({ arguments: DONE })]), last('{"filter":"open"}')],
      [NOTHING, chunk([call()]), chunk(undefined, undefined, 'tool_calls')],
      [NOTHING, chunk([call()]), last('')],
    ],
  });
}

{
  const start = { type: 'tool-input-start', toolCallId: 'a', toolName: 'list_all' };
  const piece = { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: DONE };
  const available = { type: 'tool-input-available', toolCallId: 'a', toolName: 'list_all' };
  describeArguments('AI SDK', (...all) => callsOf(uiMessageStream, new Uint8Array([...frames(...all, { type: 'finish' }), ...done])), {
    'are the pieces where a call ends without its input, and fail where it never ends': [
      [WANTED, start, piece, { ...available, input: { filter: 'done' } }],
      [WANTED, start, piece, available],
      [NOTHING, start, available],
      [LOST, start, piece],
    ],
  });
}

const part = (functionCall: object) => frames({ candidates: [{ content: { parts: [{ functionCall }] }, finishReason: 'STOP' }] });
describeArguments('Gemini', (more) => callsOf(gemini, part({ name: 'list_all', ...more })), {
  'fail where they come in pieces': [
    [LOST, { partialArgs: [{ jsonPath: '$.filter', stringValue: 'done' }] }],
    [LOST, { willContinue: true }],
    [WANTED, { args: { filter: 'done' } }],
    [NOTHING, {}],
  ],
});

describe('calls that a hostile line repeats', () => {
  const whole = (count: number) => [
    {
      choices: [{ delta: {}, message: { tool_calls: Array.from({ length: count }, (_, at) => called({ id: `i${at}` }, `{"x":${at}}`)) } }],
    },
  ];
  const called = (more: object, args: string) => ({ ...more, function: { name: 'a', arguments: args } });
  const open = (at: number) => (at === 0 ? '{"x":"' : 'y'.repeat(200));
  const pieces = (count: number) => [
    { choices: [{ delta: { tool_calls: Array.from({ length: count }, (_, at) => called({ index: 0 }, open(at))) } }] },
  ];
  const joined = (count: number) => [
    { choices: [{ delta: { tool_calls: Array.from({ length: count }, (_, at) => called({ index: at, id: 'one' }, open(at))) } }] },
  ];
  const twins = (count: number) => [
    {
      choices: [
        {
          delta: {
            tool_calls: Array.from({ length: count }, (_, at) =>
              called({ index: at, id: 'one' }, at === 0 ? `{"x":"${'y'.repeat(count * 100)}"}` : '{}'),
            ),
          },
        },
      ],
    },
  ];

  for (const [title, line, most] of [
    ['whole ones', whole, 500],
    ['pieces without an id', pieces, 1000],
    ['pieces of one id under ever new numbers', joined, 1000],
    ['arguments that differ under one id', twins, 500],
  ] as const)
    it(`are read in linear time: ${title}`, () => {
      const cost = (count: number) => {
        const body = new Uint8Array([...frames(...line(count)), ...done]);
        const native = createNativeCalls(() => undefined);
        const began = cpuTime();
        const reader = openai.createReader((event) => event.type === 'tool' && native.take(event), {
          status: 200,
          contentType: 'text/event-stream',
        });
        reader.push(body);
        native.end();
        return cpuTime() - began;
      };
      cost(most);
      const best = (count: number) => Math.min(...[1, 2, 3, 4, 5].map(() => cost(count)));
      expect(best(most * 8)).to.be.below(Math.max(best(most), 1) * 30);
    });
});
