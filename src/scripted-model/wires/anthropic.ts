/** Anthropic Messages: content blocks, and the rules on their order that the service enforces. */
import * as z from 'zod/mini';
import type { ScriptedMessage } from '../scripted-request.js';
import {
  argumentPieces,
  BadRequest,
  createPendingCalls,
  check,
  frame,
  schemaOfArguments,
  flatText,
  toolMessage,
  temperature,
} from './wire.js';
import type { ScriptedWire, FinishedReply } from './wire.js';

const text = z.strictObject({ type: z.literal('text'), text: z.string().check(z.minLength(1)), cache_control: z.optional(z.unknown()) });

const block = z.discriminatedUnion('type', [
  text,
  z.strictObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.optional(z.union([z.string(), z.array(text)])),
    is_error: z.optional(z.boolean()),
  }),
  z.looseObject({ type: z.literal('image') }),
]);

const request = z.strictObject({
  model: z.optional(z.string()),
  max_tokens: z.int().check(z.positive()),
  temperature: temperature(1),
  system: z.optional(z.union([z.string(), z.array(text)])),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.union([z.string().check(z.minLength(1)), z.array(block).check(z.minLength(1))]),
      }),
    )
    .check(z.minLength(1)),
  stream: z.optional(z.boolean()),
  tools: z.optional(
    z.array(
      z.strictObject({
        name: z.string(),
        description: z.optional(z.string()),
        input_schema: schemaOfArguments,
        strict: z.optional(z.boolean()),
      }),
    ),
  ),
  tool_choice: z.optional(z.unknown()),
});

export const anthropic: ScriptedWire = {
  path: '/v1/messages',
  contentType: 'text/event-stream',

  read(body, { headers }) {
    const version = headers.get('anthropic-version') ?? '';
    if (!/^20\d\d-\d\d-\d\d$/.test(version)) throw new BadRequest('anthropic-version: header is required');
    const { messages, system, model = 'scripted', stream = false, tools, temperature: given } = check(request, body);
    if (given !== undefined && version > '2023-06-01') throw new BadRequest(`temperature: not supported by version ${version}`);
    return {
      system: flatText(system),
      messages: readMessages(messages),
      ...(tools && { tools: tools.map(({ input_schema: parameters, ...tool }) => ({ ...tool, parameters })) }),
      model,
      stream,
    };
  },

  speak(asked) {
    let index = -1;
    let isOpen = false;
    const event = (type: string, fields: object = {}) => frame({ type, ...fields }, type);
    const open = (content_block: object) => event('content_block_start', { index: ++index, content_block });
    const delta = (fields: object) => event('content_block_delta', { index, delta: fields });
    const stop = () => event('content_block_stop', { index });
    const closeText = () => {
      const wasOpen = isOpen;
      isOpen = false;
      return wasOpen ? stop() : '';
    };
    return {
      start:
        event('message_start', {
          message: { ...message(asked.model, undefined), usage: { input_tokens: 0, output_tokens: 1 } },
        }) + event('ping'),
      text(piece) {
        const before = isOpen ? '' : open({ type: 'text', text: '' });
        isOpen = true;
        return before + delta({ type: 'text_delta', text: piece });
      },
      call: (call) =>
        closeText() +
        open({ type: 'tool_use', id: call.id, name: call.name, input: {} }) +
        // A call without arguments has one empty piece: the empty string means `{}`.
        (Object.keys(call.arguments).length > 0 ? argumentPieces(call) : [''])
          .map((partial_json) => delta({ type: 'input_json_delta', partial_json }))
          .join('') +
        stop(),
      end: ({ calls, usage }) =>
        closeText() +
        event('message_delta', {
          delta: { stop_reason: stopReason(calls), stop_sequence: null },
          usage: { input_tokens: usage.input, output_tokens: usage.output },
        }) +
        event('message_stop'),
    };
  },

  whole: ({ model }, spoken) => message(model, spoken),
  refuse: (status, detail) => ({ type: 'error', error: { type: errorType(status), message: detail } }),
};

const stopReason = (calls: FinishedReply['calls']) => (calls.length > 0 ? 'tool_use' : 'end_turn');

/** Returns the message, or its initial state without `spoken`. */
function message(model: string, spoken: FinishedReply | undefined): object {
  const { text: words = '', calls = [], usage } = spoken ?? {};
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(words ? [{ type: 'text', text: words }] : []),
      ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: spoken ? stopReason(calls) : null,
    stop_sequence: null,
    ...(usage && { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
  };
}

function errorType(status: number): string {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    429: 'rate_limit_error',
    503: 'overloaded_error',
  };
  return types[status] ?? 'api_error';
}

function readMessages(messages: z.infer<typeof request>['messages']): ScriptedMessage[] {
  const book = createPendingCalls();
  const read = messages.flatMap(({ role, content }, n): ScriptedMessage[] => {
    if (role !== (n % 2 === 0 ? 'user' : 'assistant')) throw new BadRequest(`messages.${n}: roles start with user and alternate`);
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    const results: ScriptedMessage[] = [];
    const words: string[] = [];
    for (const each of blocks) {
      if (each.type === 'tool_use') {
        if (role === 'user') throw new BadRequest(`messages.${n}: a user does not call tools`);
        book.called(each.id, each.name);
      } else if (each.type === 'tool_result') {
        if (words.length > 0) throw new BadRequest(`messages.${n}: results come before text`);
        results.push(toolMessage(book.answered(each.tool_use_id), flatText(each.content), each.is_error));
      } else if (each.type === 'text') words.push(each.text);
    }
    if (role === 'user') book.settled();
    return words.length > 0 ? [...results, { role, text: words.join('\n') }] : results;
  });
  if (messages.at(-1)?.role === 'assistant') throw new BadRequest('This model does not support prefill: the last message is the user’s');
  return read;
}
