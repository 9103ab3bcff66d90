/** The AI SDK's UI message stream, version 1: the back end of a chat application. System prompt and page tools are custom fields. */
import * as z from 'zod/mini';
import type { ScriptedMessage } from '../scripted-request.js';
import { argumentPieces, BadRequest, check, frame, schemaOfArguments, toolMessage } from './wire.js';
import type { ScriptedWire } from './wire.js';

const request = z.looseObject({
  id: z.string(),
  messages: z.array(
    z.looseObject({
      id: z.string().check(z.minLength(1)),
      role: z.enum(['system', 'user', 'assistant']),
      parts: z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })).check(z.minLength(1)),
    }),
  ),
  trigger: z.enum(['submit-message', 'regenerate-message']),
  messageId: z.optional(z.nullable(z.string())),
  system: z.optional(z.string()),
  model: z.optional(z.string()),
  tools: z.optional(
    z.array(z.looseObject({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(schemaOfArguments) })),
  ),
});

type Part = z.infer<typeof request>['messages'][number]['parts'][number];

export const uiMessageStream: ScriptedWire = {
  path: '/chat',
  contentType: 'text/event-stream',
  headers: { 'x-vercel-ai-ui-message-stream': 'v1', 'x-accel-buffering': 'no' },

  read(body) {
    const { messages, system, model = 'scripted', tools } = check(request, body);
    const said = messages.flatMap((each) => (each.role === 'system' ? [wordsOf(each.parts)] : []));
    return {
      system: [system ?? [], said].flat().join('\n\n'),
      messages: messages.flatMap((each) => (each.role === 'system' ? [] : readParts(each.role, each.parts))),
      ...(tools && { tools }),
      model,
      stream: true,
    };
  },

  speak() {
    let texts = 0;
    let isOpen = false;
    const id = () => `text-${texts}`;
    const closeText = () => {
      const wasOpen = isOpen;
      isOpen = false;
      return wasOpen ? frame({ type: 'text-end', id: id() }) : '';
    };
    return {
      start: frame({ type: 'start', messageId: 'scripted' }) + frame({ type: 'start-step' }),
      text(delta) {
        let before = '';
        if (!isOpen) {
          texts += 1;
          isOpen = true;
          before = frame({ type: 'text-start', id: id() });
        }
        return before + frame({ type: 'text-delta', id: id(), delta });
      },
      call(call) {
        const head = { toolCallId: call.id, toolName: call.name };
        return (
          closeText() +
          frame({ type: 'tool-input-start', ...head }) +
          argumentPieces(call)
            .map((inputTextDelta) => frame({ type: 'tool-input-delta', toolCallId: call.id, inputTextDelta }))
            .join('') +
          frame({ type: 'tool-input-available', ...head, input: call.arguments })
        );
      },
      end: ({ calls, usage }) =>
        closeText() +
        frame({ type: 'finish-step' }) +
        frame({
          type: 'finish',
          finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
          messageMetadata: { usage: { inputTokens: usage.input, outputTokens: usage.output } },
        }) +
        frame('[DONE]'),
    };
  },

  refuse: (_status, message) => message,
};

const wordsOf = (parts: readonly Part[]) => parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');

/** Reads the parts of a message. The part of a call also contains its result. */
function readParts(role: 'user' | 'assistant', parts: readonly Part[]): ScriptedMessage[] {
  const said: ScriptedMessage[] = [{ role, text: wordsOf(parts) }];
  for (const part of parts) {
    const name = part.type === 'dynamic-tool' ? String(part['toolName']) : /^tool-(.+)$/.exec(part.type)?.[1];
    if (name === undefined) continue;
    const { state, output, errorText } = part;
    if (state === 'output-available') said.push(toolMessage(name, typeof output === 'string' ? output : JSON.stringify(output)));
    else if (state === 'output-error') said.push(toolMessage(name, String(errorText), true));
    else if (state === 'output-denied') said.push({ ...toolMessage(name, '', true), status: 'denied' });
    else throw new BadRequest(`The call ${String(part['toolCallId'])} has no result`);
  }
  return said;
}
