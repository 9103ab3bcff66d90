/** OpenAI Responses: a list of items as input, named events as output. */
import * as z from 'zod/mini';
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
import type { ParsedRequest, ScriptedWire, FinishedReply } from './wire.js';

const item = z.union([
  z.strictObject({
    type: z.optional(z.literal('message')),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content,
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.optional(z.string()),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status: z.optional(z.string()),
  }),
  z.strictObject({ type: z.literal('function_call_output'), call_id: z.string(), output: content }),
]);

const request = z.strictObject({
  model: z.optional(z.string()),
  input: z.array(item).check(z.minLength(1)),
  instructions: z.optional(z.string()),
  max_output_tokens: z.optional(z.int().check(z.minimum(16))),
  temperature: temperature(2),
  stream: z.optional(z.boolean()),
  // The default is true, and the service would then store the conversation.
  store: z.literal(false),
  include: z.optional(z.array(z.string())),
  tools: z.optional(
    z.array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string(),
        description: z.optional(z.string()),
        parameters: z.nullable(schemaOfArguments),
        strict: z.optional(z.nullable(z.boolean())),
      }),
    ),
  ),
  tool_choice: z.optional(z.unknown()),
  parallel_tool_calls: z.optional(z.boolean()),
});

export const openaiResponses: ScriptedWire = {
  path: '/v1/responses',
  contentType: 'text/event-stream',

  read(body) {
    const { input, instructions = '', model = 'scripted', stream = false, tools } = check(request, body);
    return {
      system: instructions,
      messages: readItems(input),
      ...(tools && { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, ...(parameters && { parameters }) })) }),
      model,
      stream,
    };
  },

  speak(asked) {
    let number = 0;
    let index = -1;
    let text = '';
    let isOpen = false;
    const event = (type: string, fields: object) => frame({ type, sequence_number: number++, ...fields }, type);
    const place = () => ({ item_id: `msg_${index}`, output_index: index, content_index: 0 });
    const openMessage = () => {
      isOpen = true;
      index += 1;
      return (
        event('response.output_item.added', { output_index: index, item: messageItem(index, undefined) }) +
        event('response.content_part.added', { ...place(), part: part('') })
      );
    };
    const closeMessage = () => {
      if (!isOpen) return '';
      isOpen = false;
      return (
        event('response.output_text.done', { ...place(), text }) +
        event('response.content_part.done', { ...place(), part: part(text) }) +
        event('response.output_item.done', { output_index: index, item: messageItem(index, text) })
      );
    };
    return {
      start: event('response.created', { response: response(asked, 'in_progress', undefined) }),
      text(delta) {
        const before = isOpen ? '' : openMessage();
        text += delta;
        return before + event('response.output_text.delta', { ...place(), delta });
      },
      call(call) {
        const before = closeMessage();
        const at = { item_id: `fc_${call.id}`, output_index: ++index };
        const whole = { ...callItem(call), id: at.item_id };
        return (
          before +
          event('response.output_item.added', { output_index: index, item: { ...whole, status: 'in_progress', arguments: '' } }) +
          argumentPieces(call)
            .map((delta) => event('response.function_call_arguments.delta', { ...at, delta }))
            .join('') +
          event('response.function_call_arguments.done', { ...at, name: call.name, arguments: whole.arguments }) +
          event('response.output_item.done', { output_index: index, item: whole })
        );
      },
      end: (spoken) => closeMessage() + event('response.completed', { response: response(asked, 'completed', spoken) }),
    };
  },

  whole: (asked, spoken) => response(asked, 'completed', spoken),
  refuse: (_status, message) => ({ error: { message, type: 'scripted_fault', param: null, code: null } }),
};

const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

/** Returns the item, or its initial state without a text. */
const messageItem = (index: number, text: string | undefined) => ({
  id: `msg_${index}`,
  type: 'message',
  status: text === undefined ? 'in_progress' : 'completed',
  role: 'assistant',
  content: text === undefined ? [] : [part(text)],
});

const callItem = ({ id, name, arguments: values }: FinishedReply['calls'][number]) => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  call_id: id,
  name,
  arguments: JSON.stringify(values),
});

function response({ model }: ParsedRequest, status: string, spoken: FinishedReply | undefined): object {
  const { text = '', calls = [], usage } = spoken ?? {};
  return {
    id: 'resp_scripted',
    object: 'response',
    created_at: 0,
    status,
    error: null,
    incomplete_details: null,
    model,
    output: [...(text ? [messageItem(0, text)] : []), ...calls.map(callItem)],
    usage: usage
      ? {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.input + usage.output,
        }
      : null,
  };
}

function readItems(items: readonly z.infer<typeof item>[]): ScriptedMessage[] {
  const book = createPendingCalls();
  const messages = items.flatMap((each): ScriptedMessage[] => {
    if (each.type === 'function_call_output') return [toolMessage(book.answered(each.call_id), flatText(each.output))];
    if (each.type === 'function_call') {
      parseArguments(each.arguments);
      book.called(each.call_id, each.name);
      return [];
    }
    return each.role === 'user' || each.role === 'assistant' ? [{ role: each.role, text: flatText(each.content) }] : [];
  });
  book.settled();
  return messages;
}
