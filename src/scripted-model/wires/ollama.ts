/** Ollama's `/api/chat`: one JSON object per line. Calls have no id; a result names its tool. */
import * as z from 'zod/mini';
import type { ScriptedMessage } from '../scripted-request.js';
import type { ScriptedCall } from '../model.js';
import { BadRequest, check, schemaOfArguments, toolMessage } from './wire.js';
import type { ScriptedWire, FinishedReply } from './wire.js';

const called = z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }) });

const request = z.strictObject({
  model: z.optional(z.string()),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string(),
      tool_calls: z.optional(z.array(called)),
      tool_name: z.optional(z.string()),
    }),
  ),
  stream: z.optional(z.boolean()),
  think: z.optional(z.union([z.boolean(), z.enum(['high', 'medium', 'low'])])),
  options: z.optional(z.looseObject({ num_predict: z.optional(z.int()) })),
  tools: z.optional(
    z.array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(schemaOfArguments) }),
      }),
    ),
  ),
  keep_alive: z.optional(z.unknown()),
  format: z.optional(z.unknown()),
});

export const ollama: ScriptedWire = {
  path: '/api/chat',
  contentType: 'application/x-ndjson',

  read(body) {
    // The service streams by default.
    const { messages, model = 'scripted', stream = true, tools } = check(request, body);
    const said = (role: string) => messages.filter((each) => each.role === role).map((each) => each.content);
    return {
      system: said('system').join('\n\n'),
      messages: readMessages(messages),
      ...(tools && { tools: tools.map((tool) => tool.function) }),
      model,
      stream,
    };
  },

  speak({ model }) {
    let index = 0;
    const row = (message: object, fields: object = {}) => `${JSON.stringify(reply(model, message, { done: false, ...fields }))}\n`;
    return {
      start: '',
      text: (content) => row({ content }),
      call: (call) => row({ content: '', tool_calls: [callOf(call, index++)] }),
      end: ({ usage }) => row({ content: '' }, ended(usage)),
    };
  },

  whole: ({ model }, { text, calls, usage }) =>
    reply(model, { content: text, ...(calls.length > 0 && { tool_calls: calls.map(callOf) }) }, ended(usage)),
  refuse: (_status, error) => ({ error }),
};

const reply = (model: string, message: object, fields: object) => ({
  model,
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', ...message },
  ...fields,
});

const callOf = ({ name, arguments: values }: ScriptedCall, index: number) => ({ function: { index, name, arguments: values } });

const ended = ({ input, output }: FinishedReply['usage']) => ({
  done: true,
  done_reason: 'stop',
  total_duration: 1_000_000,
  prompt_eval_count: input,
  eval_count: output,
});

function readMessages(messages: z.infer<typeof request>['messages']): ScriptedMessage[] {
  let open: string[] = [];
  return messages.flatMap(({ role, content, tool_calls = [], tool_name: name }): ScriptedMessage[] => {
    if (role === 'system') return [];
    if (role === 'tool') {
      if (name === undefined || !open.includes(name)) throw new BadRequest(`A result of ${name ?? 'no tool'}, which was not called`);
      open.splice(open.indexOf(name), 1);
      return [toolMessage(name, content)];
    }
    open = tool_calls.map((call) => call.function.name);
    return [{ role, text: content }];
  });
}
