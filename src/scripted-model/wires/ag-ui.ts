/** AG-UI 1.0: an agent behind one URL. The page's tools are part of every run. */
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
} from './wire.js';
import type { ParsedRequest, ScriptedWire } from './wire.js';

const id = z.string().check(z.minLength(1));
const message = z.discriminatedUnion('role', [
  z.looseObject({ id, role: z.enum(['system', 'developer', 'user']), content }),
  z.looseObject({
    id,
    role: z.literal('assistant'),
    content: z.optional(content),
    toolCalls: z.optional(
      z.array(z.looseObject({ id, type: z.literal('function'), function: z.looseObject({ name: z.string(), arguments: z.string() }) })),
    ),
  }),
  z.looseObject({ id, role: z.literal('tool'), toolCallId: z.string(), content, error: z.optional(z.string()) }),
]);

const request = z.strictObject({
  threadId: id,
  runId: id,
  parentRunId: z.optional(z.string()),
  protocolVersion: z.optional(z.string()),
  state: z.optional(z.unknown()),
  messages: z.array(message),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string(), parameters: z.optional(schemaOfArguments) })),
  context: z.array(z.strictObject({ description: z.string(), value: z.string() })),
  forwardedProps: z.optional(z.looseObject({ model: z.optional(z.string()) })),
  resume: z.optional(z.array(z.unknown())),
});

/** A run, with the ids that its events repeat. */
interface Run extends ParsedRequest {
  threadId: string;
  runId: string;
}

export const agUi: ScriptedWire = {
  path: '/agent',
  contentType: 'text/event-stream',

  read(body): Run {
    const { threadId, runId, messages, tools, context, forwardedProps } = check(request, body);
    const told = messages.flatMap((each) => (each.role === 'system' || each.role === 'developer' ? [flatText(each.content)] : []));
    return {
      system: [...told, ...context.map(({ description, value }) => `${description}: ${value}`)].join('\n\n'),
      messages: readMessages(messages),
      ...(tools.length > 0 && { tools }),
      model: forwardedProps?.model ?? 'scripted',
      stream: true,
      threadId,
      runId,
    };
  },

  speak(asked) {
    const { threadId, runId, model } = asked as Run;
    const messageId = `message-${runId}`;
    let isOpen = false;
    let hasSpoken = false;
    const closeText = () => {
      const wasOpen = isOpen;
      isOpen = false;
      return wasOpen ? frame({ type: 'TEXT_MESSAGE_END', messageId }) : '';
    };
    return {
      start: frame({ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' }),
      text(delta) {
        const before = isOpen ? '' : frame({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
        isOpen = hasSpoken = true;
        return before + frame({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
      },
      call: (call) =>
        closeText() +
        frame({
          type: 'TOOL_CALL_START',
          toolCallId: call.id,
          toolCallName: call.name,
          ...(hasSpoken && { parentMessageId: messageId }),
        }) +
        argumentPieces(call)
          .map((delta) => frame({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta }))
          .join('') +
        frame({ type: 'TOOL_CALL_END', toolCallId: call.id }),
      end: ({ calls, usage }) =>
        closeText() +
        frame({
          type: 'RUN_FINISHED',
          threadId,
          runId,
          outcome: { type: 'success', ...(calls.length > 0 && { pendingToolCallIds: calls.map((call) => call.id) }) },
          usage: [
            {
              provider: 'scripted',
              model,
              inputTokens: usage.input,
              outputTokens: usage.output,
              totalTokens: usage.input + usage.output,
            },
          ],
        }),
    };
  },

  refuse: (_status, text) => ({ message: text }),
};

function readMessages(messages: z.infer<typeof request>['messages']): ScriptedMessage[] {
  const book = createPendingCalls();
  const said = messages.flatMap((each): ScriptedMessage[] => {
    if (each.role === 'tool') {
      const failed = each.error !== undefined;
      return [toolMessage(book.answered(each.toolCallId), flatText(each.content) || (each.error ?? ''), failed)];
    }
    if (each.role === 'assistant') {
      for (const call of each.toolCalls ?? []) {
        parseArguments(call.function.arguments);
        book.called(call.id, call.function.name);
      }
    }
    return each.role === 'user' || each.role === 'assistant' ? [{ role: each.role, text: flatText(each.content) }] : [];
  });
  book.settled();
  return said;
}
