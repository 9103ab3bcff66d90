/** OpenAI chat completions. */
import * as z from 'zod/mini';
import type { ScriptedCall } from '../model.js';
import type { ScriptedMessage } from '../scripted-request.js';
import {
  argumentPieces,
  createPendingCalls,
  check,
  content,
  frame,
  parseArguments,
  schemaOfArguments,
  flatText,
  toolMessage,
  temperature,
} from './wire.js';
import type { ScriptedWire, Usage } from './wire.js';

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer', 'user']), content }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.optional(z.nullable(content)),
    tool_calls: z.optional(
      z
        .array(
          z.strictObject({
            id: z.string(),
            type: z.literal('function'),
            function: z.strictObject({ name: z.string(), arguments: z.string() }),
          }),
        )
        .check(z.minLength(1)),
    ),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
]);

const request = z.strictObject({
  model: z.optional(z.string()),
  messages: z.array(message).check(z.minLength(1)),
  max_tokens: z.optional(z.int()),
  max_completion_tokens: z.optional(z.int()),
  temperature: temperature(2),
  stream: z.optional(z.boolean()),
  stream_options: z.optional(z.strictObject({ include_usage: z.optional(z.boolean()) })),
  tools: z.optional(
    z.array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().check(z.regex(/^[\w-]{1,64}$/)),
          description: z.optional(z.string()),
          parameters: z.optional(schemaOfArguments),
          strict: z.optional(z.boolean()),
        }),
      }),
    ),
  ),
  tool_choice: z.optional(z.unknown()),
  parallel_tool_calls: z.optional(z.boolean()),
});

export const openai: ScriptedWire = {
  path: '/v1/chat/completions',
  contentType: 'text/event-stream',

  read(body) {
    const { messages, model = 'scripted', stream = false, tools } = check(request, body);
    return {
      system: messages
        .flatMap((each) => (each.role === 'system' || each.role === 'developer' ? [flatText(each.content)] : []))
        .join('\n\n'),
      messages: readMessages(messages),
      ...(tools && { tools: tools.map((tool) => tool.function) }),
      model,
      stream,
    };
  },

  speak({ model }) {
    const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 0, model };
    const chunk = (delta: object, finish_reason: string | null = null) => frame({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    let index = 0;
    return {
      start: chunk({ role: 'assistant', content: '' }),
      text: (piece) => chunk({ content: piece }),
      call(call) {
        const at = index++;
        const piece = (json: string) => chunk({ tool_calls: [{ index: at, function: { arguments: json } }] });
        const first = { index: at, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
        return chunk({ tool_calls: [first] }) + argumentPieces(call).map(piece).join('');
      },
      end: ({ calls, usage }) => chunk({}, finish(calls)) + frame({ ...head, choices: [], usage: usageOf(usage) }) + frame('[DONE]'),
    };
  },

  whole: ({ model }, { text, calls, usage }) => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text || null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, arguments: values }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(values) },
            })),
          }),
        },
        finish_reason: finish(calls),
      },
    ],
    usage: usageOf(usage),
  }),

  refuse: (_status, text) => ({ error: { message: text, type: 'scripted_fault', param: null, code: null } }),
};

const finish = (calls: readonly ScriptedCall[]) => (calls.length > 0 ? 'tool_calls' : 'stop');

const usageOf = ({ input, output }: Usage) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output });

function readMessages(messages: readonly z.infer<typeof message>[]): ScriptedMessage[] {
  const book = createPendingCalls();
  return messages.flatMap((each): ScriptedMessage[] => {
    if (each.role === 'tool') return [toolMessage(book.answered(each.tool_call_id), flatText(each.content))];
    book.settled();
    if (each.role === 'system' || each.role === 'developer') return [];
    if (each.role === 'assistant') {
      for (const { id, function: called } of each.tool_calls ?? []) {
        parseArguments(called.arguments);
        book.called(id, called.name);
      }
    }
    return [{ role: each.role, text: flatText(each.content) }];
  });
}
