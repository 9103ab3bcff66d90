/** What a wire makes of a reply, beyond the recorded ones (`fixtures`), the reasons for its end and its late arguments (files of their own). */
import { expect } from 'chai';
import { anthropic } from '../../src/transports/anthropic.js';
import { cutie } from '../../src/transports/cutie.js';
import { gemini } from '../../src/transports/gemini.js';
import { ollama } from '../../src/transports/ollama.js';
import { openai } from '../../src/transports/openai.js';
import { openaiResponses } from '../../src/transports/openai-responses.js';
import { plainText } from '../../src/transports/text.js';
import { cpuTime } from '../helpers/cpu-time.js';
import { bytes, describeReplies, done, events, everyByte, frames, read, type Reply, whole } from './reading.js';

const reset = { how: 'reset' } as const;

{
  const stream = (...list: string[]) => bytes(list.map((frame) => `${frame}\n\n`).join(''));
  const [a, b] = ['a', 'b'].map((content) => frames({ type: 'text', content }));
  const over = { type: 'done' };
  const failure = (error: object) => [frames({ type: 'error', error: { message: 'no', ...error } })];
  const evil = '{"__proto__":{"type":"text","content":"EVIL"},"constructor":{"prototype":{"polluted":"yes"}}}';
  const choice = (message: object, finish_reason: string) => ({ choices: [{ message, finish_reason }] });
  const json = { contentType: 'application/json' };
  const reply = bytes('{"reply":"all of it"}');

  describeReplies(cutie, {
    'has its type in the data, else in the name of the event': [
      [
        'text ab · finish stop',
        [stream('event: telemetry\ndata: {"type":"text","content":"a"}', 'event: message\ndata: {"content":"b"}', 'event: done\ndata: {}')],
      ],
    ],
    'may hold what makes no sense, and is read on': [
      [
        'text ab · finish stop · warned',
        [a!, stream('data: {oops', 'data: {"type":"banana"}', 'data:', 'data: 7', 'data: null'), b!, frames(over)],
      ],
      ['', [stream(`data: ${evil}`)]],
    ],
    'ends by nothing but its end, and says nothing after it': [
      ['text a', [a!]],
      ['text a', [a!], reset],
      ['text a', [a!, bytes('data: {"type":"done"')]],
      ['text a', [a!, bytes('data: {"type":"done"}\n')], reset],
      ['text a · finish stop', [a!, bytes('data: {"type":"done"}')]],
      ['finish stop', [frames(over), a!, frames(over)]],
    ],
    'fails with what the service says of it, and is over then': [
      ['error overloaded again busy', [frames({ type: 'error', message: 'busy', code: 'overloaded', retryable: true }, over)]],
      ['error - upstream gone', [stream('event: error\ndata: upstream gone')]],
    ],
    'fails in a way that gets better by waiting, by whatever name': [
      ['error 503 again no', failure({ code: 503 })],
      ['error 429 again no', failure({ code: '429' })],
      ['error overloaded_error again no', failure({ type: 'overloaded_error' })],
      ['error 503 no', failure({ code: 503, retryable: false })],
      ['error 400 no', failure({ code: 400 })],
      ['error constructor no', failure({ code: 'constructor' })],
      ['error - no', failure({})],
    ],
    'may be one piece: that of the seed, of a chat completion, and errors in every shape': [
      ['text 你好 · usage 1/0 m · finish stop', ...whole({ reply: '你好', usage: { prompt_tokens: 1 }, model: 'm', response_time_ms: 3 })],
      ['reasoning hm · text hi · finish length', ...whole(choice({ content: 'hi', reasoning: 'hm' }, 'length'))],
      ['text No. · finish content-filter', ...whole(choice({ content: null, refusal: 'No.' }, 'stop'))],
      ...[{ error: 'no' }, { error: { message: 'no' } }, { type: 'error', message: 'no' }, { error: { detail: 'no' } }].map(
        (body): Reply => ['error - no', ...whole(body)],
      ),
      ...[{}, [], null, 'reply', { reply: 7 }, { choices: [] }].map((body): Reply => ['error BAD_RESPONSE', ...whole(body)]),
    ],
    'of one piece is known under the content type of a stream, too': ['text/event-stream', ''].flatMap((contentType): Reply[] => [
      ...['{"error":{"message":"no"}}', ' \r\n\t{"error":"no"}', '\uFEFF{"detail":"","error":"no"}'].map((source): Reply => [
        'error - no',
        everyByte(bytes(source)),
        { contentType },
      ]),
      ['text hi · finish stop', [bytes('{"reply":"hi"}')], { contentType }],
      ['error BAD_RESPONSE', [bytes('{"reply":"hi')], { contentType }],
    ]),
    'of one piece is taken only whole, and within the limit': [
      ['', [reply], { ...json, ...reset }],
      ['error BAD_RESPONSE', [reply.subarray(0, 12)], json],
      ['error TOO_LARGE', [reply], { ...json, maxLine: 10 }],
    ],
    'is known by its first bytes under any content type': ['text/plain; charset=utf-8', 'application/json', ''].flatMap(
      (contentType): Reply[] => [
        ['text a', everyByte(a!), { contentType }],
        [`error BAD_RESPONSE${contentType === '' ? ' <p>' : ''}`, [bytes('<p>')], { contentType }],
      ],
    ),
    'has events that are parted badly': [
      ['text ab · finish stop', [bytes('data: {"content":"a"}\ndata: {"content":"b"}\ndata: {"type":"done"}\n')]],
      ['text a · finish stop', [stream('data: data: {"content":"a"}', 'data: data:{"type":"done"}')]],
      ['text a', [stream('data: {"content":"a"}\ndata: {"cont')]],
      ['text a · error - no', [stream('data: {"content":"a"}\ndata: {"type":"done"}\ndata: {"type":"error","message":"no"}')]],
    ],
    'ends in an error where what comes last is none of it': [
      ['text a · error - out of memory · warned', [a!, stream('data: out of memory')]],
      ['text a · error - no credits', [a!, stream('data: {"detail":"no credits"}')]],
      ['text a · error - no', [a!, bytes('{\n"error": {\n"message": "no"\n}\n}\n')]],
      ['error BAD_RESPONSE out of memory', [bytes('out of memory\n')]],
      ['error BAD_RESPONSE · warned', [stream('data: {oops')]],
      ['', [stream('data: {}')]],
    ],
    'fails once by a line that is too long, or an event of many lines; what came before is kept': [
      ...['data: ', ': ', 'id: '].map((giant): Reply => [
        'text a · error TOO_LARGE',
        [a!, ...everyByte(bytes(`${giant}${'x'.repeat(300)}\n\n`)), b!],
        { maxLine: 200 },
      ]),
      ['error TOO_LARGE', everyByte(bytes('data: xxxxxxxxxx\n'.repeat(50))), { maxLine: 200 }],
    ],
  });
}

{
  const chunk = (delta: object, finish: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const calls = (...pieces: object[]) => chunk({ tool_calls: pieces });
  const piece = (source: unknown, more: object = {}) => ({ index: 0, ...more, function: { name: 'now', arguments: source } });
  const [said, stop] = [chunk({ content: 'a' }), chunk({}, 'stop')];
  const both = 'call a now {} · call b now {}';
  const one = 'call a now {"a":1}';

  describeReplies(openai, {
    'ends proved by a finish reason and a clean close, not by a reset, and unproved by [DONE] alone': [
      ['text a · finish stop', [frames(said, stop)]],
      ['text a', [frames(said, stop)], reset],
      ['text a · finish unknown?', [frames(said), done]],
    ],
    'shows a refusal, and says that it is one': [
      ['text I cannot. · finish content-filter', [frames(chunk({ refusal: 'I ' }), chunk({ refusal: 'cannot.' }), stop), done]],
    ],
    'takes one of two reasoning fields': [
      ['reasoning ab', [frames(chunk({ reasoning_content: 'a', reasoning: 'a' }), chunk({ reasoning_content: null, reasoning: 'b' }))]],
    ],
    'fails by an error frame, whatever follows': [
      'data: {"error":{"message":"no"}}',
      'data: {"object":"error","message":"no"}',
      'event: error\ndata: no',
    ].map((frame): Reply => ['text a · error - no', [frames(said), bytes(`${frame}\n\n`), frames(stop), done]]),
    'says that tools are called, although the service says `stop`': [
      ['call a now {} · finish tool-calls', [frames(calls(piece('{}', { id: 'a' })), stop), done]],
      ['call a now {} · finish length', [frames(calls(piece('{}', { id: 'a' })), chunk({}, 'length')), done]],
    ],
    'tells calls apart whose servers do not number them': [
      [both, [frames(calls(piece('{}', { id: 'a', index: undefined })), calls(piece('{}', { id: 'b', index: undefined })))]],
      [both, [frames(calls(piece('{}', { id: 'a' })), calls(piece('{}', { id: 'b' })))]],
      [both, [frames(calls(piece('{}', { id: 'a', index: undefined }), piece('{}', { id: 'b', index: undefined })))]],
      [both, [frames(calls(piece('{}', { id: 'a', index: 7 }), piece('{}', { id: 'b', index: 3 })))]],
    ],
    'keeps the pieces of one call together, though id and name come with each, or late': [
      [one, [frames(calls(piece('{"a"', { id: 'a' })), calls(piece(':1}', { id: 'a' })))]],
      [one, [frames(calls(piece('{"a"')), calls(piece(':1}', { id: 'a' })))]],
      [one, [frames(calls(piece('{"a"', { id: 'a' })), calls(piece(':1}')))]],
    ],
    'takes arguments that are an object': [[one, [frames(calls(piece({ a: 1 }, { id: 'a' })))]]],
    'may be one piece': [
      [
        `reasoning hm · ${one} · finish tool-calls`,
        ...whole({
          choices: [{ message: { content: null, reasoning: 'hm', tool_calls: [piece('{"a":1}', { id: 'a' })] }, finish_reason: 'stop' }],
        }),
      ],
    ],
  });
}

{
  const delta = (text: string) => ({ type: 'response.output_text.delta', item_id: 'msg_1', delta: text });
  const completed = (response: object = {}) => ({ type: 'response.completed', response: { status: 'completed', output: [], ...response } });
  const message = (...content: object[]) => ({ type: 'message', role: 'assistant', content });
  const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'no' }, usage: { input_tokens: 3 } } };
  const part = (index: number) => ({ type: 'response.reasoning_summary_part.added', summary_index: index });
  const summary = (text: string) => ({ type: 'response.reasoning_summary_text.delta', delta: text });
  const output = [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }, message({ type: 'output_text', text: 'hi' })];
  const item = { type: 'function_call', call_id: 'call_a', name: 'now', arguments: '{"a":1}' };
  describeReplies(openaiResponses, {
    'ends at the terminal event, though more follows, and not by [DONE]': [
      ['text a · finish stop', [events(delta('a'), completed(), { type: 'response.rate_limits.updated', rate_limits: [] }, delta('b'))]],
      ['text a', [events(delta('a')), done]],
    ],
    'shows a refusal, and says that it is one': [
      ['text No. · finish content-filter', [events({ type: 'response.refusal.delta', delta: 'No.' }, completed())]],
    ],
    'fails by errors flat, nested, bare and failed': [
      ...[
        { type: 'error', code: 'server_error', message: 'no', param: null },
        { type: 'error', error: { type: 'server_error', message: 'no' } },
        { error: { code: 'server_error', message: 'no' } },
      ].map((frame): Reply => ['text a · error server_error again no', [frames(delta('a'), frame, completed())]]),
      ['usage 3/0 · error server_error again no', [frames(failed)]],
      ['error -', [frames({ type: 'response.failed', response: null })]],
    ],
    'sets the parts of a summary apart': [
      ['reasoning a\n\nb · finish stop', [events(part(0), summary('a'), part(1), summary('b'), completed())]],
    ],
    'takes from the last event what was not streamed': [
      ['reasoning hm · text hi · finish stop', [events(completed({ output }))]],
      ['text hi · finish stop', [events(delta('hi'), completed({ output }))]],
    ],
    'may be one piece': [
      [
        'reasoning hm · text ab · call call_a now {"a":1} · usage 3/4 m · finish tool-calls',
        ...whole({
          object: 'response',
          status: 'completed',
          error: null,
          model: 'm',
          output: [
            { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }], summary: [] },
            message({ type: 'output_text', text: 'a' }, { type: 'output_text', text: 'b' }),
            { ...item, id: 'fc_1' },
            { type: 'web_search_call', id: 'ws_1' },
          ],
          usage: { input_tokens: 3, output_tokens: 4 },
        }),
      ],
      ['finish length', ...whole({ status: 'incomplete', output: [], incomplete_details: { reason: 'max_output_tokens' } })],
      ['error server_error again no', ...whole({ status: 'failed', output: [], error: { code: 'server_error', message: 'no' } })],
      ['text No. · finish content-filter', ...whole({ status: 'completed', output: [message({ type: 'refusal', refusal: 'No.' })] })],
      ['error - no', ...whole({ error: { message: 'no' } })],
      ['error BAD_RESPONSE', ...whole({ status: 'completed' })],
    ],
  });
}

{
  const start = (usage: object = {}) => ({ type: 'message_start', message: { model: 'm', usage } });
  const said = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
  const because = (reason: string, usage: object = {}) => ({ type: 'message_delta', delta: { stop_reason: reason }, usage });
  const stop = { type: 'message_stop' };
  const counts = { input_tokens: 25, cache_creation_input_tokens: 4, cache_read_input_tokens: 8, output_tokens: 1 };
  const failed = (type: string) => [events(said, { type: 'error', error: { type, message: 'no' } }, stop)];
  const tool = { type: 'tool_use', id: 'a', name: 'now' };
  const strange = [
    { type: 'vote', text: 'x' },
    { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
    { type: 'content_block_delta', index: 9, delta: { type: 'input_json_delta', partial_json: '{}' } },
  ];

  describeReplies(anthropic, {
    'ends by message_stop and by nothing else': [
      ['text a', [events(said, because('end_turn'))]],
      ['text a', [events(said, because('end_turn'))], reset],
      ['text a · finish stop', [events(said, because('end_turn')), events(stop)]],
      ['finish unknown?', [events(stop)]],
    ],
    'has the latest count, with what came from a cache, told once, before the end; a reply that broke off has one too': [
      ['usage 37/17 m · finish stop', [events(start(counts), because('end_turn', { input_tokens: null, output_tokens: 17 }), stop)]],
      ['usage 37/1 m', [events(start(counts))]],
    ],
    'may hold what nobody knows, which is passed over': [['text a · finish stop', [events(...strange, said, because('end_turn'), stop)]]],
    'fails by an error, which says whether waiting helps, and nothing after it is an end': [
      ['text a · error overloaded_error again no', failed('overloaded_error')],
      ['text a · error invalid_request_error no', failed('invalid_request_error')],
    ],
    'may be one piece': [
      [
        'reasoning hm · text a · call a now {"zone":"UTC"} · usage 5/4 m · finish tool-calls',
        ...whole({
          type: 'message',
          model: 'm',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'text', text: 'a' },
            { ...tool, input: { zone: 'UTC' } },
            { type: 'redacted_thinking', data: 'x' },
          ],
          stop_reason: 'tool_use',
          usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 4 },
        }),
      ],
      ['error not_found_error no', ...whole({ type: 'error', error: { type: 'not_found_error', message: 'no' } })],
      ['error BAD_RESPONSE', ...whole({ type: 'message' })],
    ],
  });
}

{
  const response = (parts: object[], finishReason?: string, more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason !== undefined && { finishReason }) }],
    ...more,
  });
  const counts = (input: number, output: number) => ({ usageMetadata: { promptTokenCount: input, candidatesTokenCount: output } });
  const [a, b] = [response([{ text: 'a' }]), response([{ text: 'b' }], 'STOP')];
  const error = { error: { code: 503, message: 'no', status: 'UNAVAILABLE' } };
  const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(x)' }] };
  const parts = [{ text: 'hm', thought: true }, { executableCode: {} }, { text: 'a' }, { text: '', thoughtSignature: 'x' }];

  describeReplies(gemini, {
    'ends by a finish reason and then a clean close, not by a reset': [
      ['text ab · finish stop', [frames(a, b)]],
      ['text ab', [frames(a, b)], reset],
    ],
    'fails by a call that the model got wrong, which may pass': [['error MALFORMED_FUNCTION_CALL again print(x)', [frames(malformed)]]],
    'has the last of the counts, once, before the end': [
      [
        'text a · usage 9/5 m · finish stop',
        [frames({ ...a, ...counts(9, 1), modelVersion: 'm' }, response([], 'STOP', { ...counts(9, 5), modelVersion: 'm' }))],
      ],
    ],
    'has thoughts apart, and parts that nobody knows are passed over': [
      ['reasoning hm · text a · finish stop', [frames(response(parts), {}, response([], 'STOP'))]],
    ],
    'keeps the signature of a call, and says that tools are called': [
      [
        'call now {} signed c2ln · call now {"a":1} · finish tool-calls',
        [
          frames(
            response(
              [{ functionCall: { name: 'now' }, thoughtSignature: 'c2ln' }, { functionCall: { name: 'now', args: { a: 1 } } }],
              'STOP',
            ),
          ),
        ],
      ],
    ],
    'fails by errors in frames, in bodies and in lists': [
      ['text a · error 503 again no', [frames(a, error, b)]],
      ['error 503 again no', [bytes(JSON.stringify(error, null, 2))]],
      ['error 503 again no', ...whole(error)],
      ['text a · error 503 again no', ...whole([a, error])],
    ],
    'may be one piece, or in a list': [
      ['text a · usage 3/4 · finish length', ...whole(response([{ text: 'a' }], 'MAX_TOKENS', counts(3, 4)))],
      ['text ab · finish stop', ...whole([a, b])],
      ['finish content-filter', ...whole({ promptFeedback: { blockReason: 'SAFETY' } })],
      ...[{}, [], null, [a]].map((body): Reply => ['error BAD_RESPONSE', ...whole(body)]),
    ],
  });
}

{
  const row = (message: object, more: object = {}) =>
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', ...message }, done: false, ...more })}\n`;
  const over = { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4 };
  const [a, last] = [row({ content: 'a' }), row({ content: '' }, over)];
  const open = (a + last).trimEnd();
  const call = (name: string) => ({ function: { index: 0, name, arguments: { a: 1 } } });
  const tools = row({ tool_calls: [call('x'), call('y')] }) + row({ tool_calls: [call('z')] });
  const giant = bytes(`${a}${'x'.repeat(300)}\n${row({ content: 'b' })}`);
  const calling = { content: 'a', thinking: 'hm', tool_calls: [{ id: 'c', function: { name: 'now', arguments: {} } }] };

  describeReplies(
    ollama,
    {
      'ends by a row that says so and by nothing else': [
        ['text a', [bytes(a)]],
        ['text a', [bytes(a)], reset],
        ['text a · usage 3/4 m · finish stop', [bytes(a + last)], reset],
        ['text a · finish stop', [bytes(row({ content: 'a' }, { done: true }))]],
      ],
      'may lack its last line end, if the last row is whole and the body ends well': [
        ['text a · usage 3/4 m · finish stop', [bytes(open)]],
        ['text a · usage 3/4 m · finish stop', everyByte(bytes(open))],
        ['text a', [bytes(open)], reset],
        ...Array.from(last, (_, length): Reply => ['text a', [bytes(a + last.slice(0, length))], reset]),
        ['error - no', [bytes('{"error":"no"}')]],
      ],
      'numbers calls itself, and says that tools are called': [
        ['call x {"a":1} · call y {"a":1} · call z {"a":1} · usage 3/4 m · finish tool-calls', [bytes(tools + last)]],
      ],
      'may hold what makes no sense, and is read on': [
        ['text a · usage 3/4 m · finish stop · warned', [bytes(`{oops\nnull\n7\n[]\n{"message":7,"done":"yes"}\n${a}${last}`)]],
      ],
      'holds the limit, and keeps what came before': [[giant], everyByte(giant)].map((pieces): Reply => [
        'text a · error TOO_LARGE',
        pieces,
        { maxLine: 200 },
      ]),
      'may be one piece': [
        ['reasoning hm · text a · call c now {} · finish tool-calls', ...whole({ message: { role: 'assistant', ...calling }, done: true })],
        ['error - no', ...whole({ error: 'no' })],
        ['error BAD_RESPONSE', ...whole({})],
        ['error BAD_RESPONSE', ...whole(JSON.parse(a))],
      ],
      'is known by its first bytes under any content type': ['text/event-stream', 'application/json', ''].flatMap(
        (contentType): Reply[] => [
          ['usage 3/4 m · finish stop', [bytes(last)], { contentType }],
          ['text a · usage 3/4 m · finish stop', [bytes(`data: ${a}\n\ndata: ${last}\n`)], { contentType }],
        ],
      ),
    },
    { contentType: 'application/x-ndjson' },
  );
}

{
  const family = '家族 👨‍👩‍👧 é=é';
  const half = [bytes('a👧').subarray(0, 4)];
  const events = 'data: [DONE]\n\n{"error":"no"}';
  describeReplies(
    plainText,
    {
      'ends unproved by a clean close, and not by a reset or in half a character': [
        [`text ${family} · finish stop?`, everyByte(bytes(family))],
        [`text ${family}`, [bytes(family)], reset],
        ['text a', half],
        ['text a', half, reset],
      ],
      'means nothing where it looks like another wire, is JSON as JSON, and refused as all else': [
        [`text ${events} · finish stop?`, [bytes(events)]],
        ['text {"a":1} · finish stop?', [bytes('{"a":1}')]],
        ['text {"a":1} · finish stop?', [bytes('{"a":1}')], { contentType: '' }],
        ['error - no', ...whole({ error: 'no' })],
        ...['text/html', 'text/event-stream', 'image/png'].map((contentType): Reply => [
          'error BAD_RESPONSE',
          [bytes('<p>')],
          { contentType },
        ]),
      ],
    },
    { contentType: 'text/plain; charset=utf-8' },
  );
}

it('100,000 blank lines and a line of 4 MB in small pieces are read in linear time', () => {
  const started = cpuTime();
  read(ollama, [bytes('\n'.repeat(100_000))], { contentType: 'application/x-ndjson' });
  const small = Array<Uint8Array>(65_000).fill(bytes('x'.repeat(64)));
  read(ollama, small, { contentType: 'application/x-ndjson' });
  expect(cpuTime() - started).to.be.below(2000);
});
