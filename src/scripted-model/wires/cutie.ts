/** The `relay` API format: `message` and `done` events at `…/chat/stream`, or one JSON body at `…/chat`. */
import * as z from 'zod/mini';
import { check, frame, temperature } from './wire.js';
import type { ScriptedWire } from './wire.js';

const request = z.strictObject({
  // A `tool` message contains results in the protocol.
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant', 'tool']), text: z.string() })),
  system: z.optional(z.string()),
  max_tokens: z.optional(z.int()),
  temperature: temperature(2),
  stream: z.optional(z.boolean()),
  model: z.optional(z.string()),
  config: z.optional(z.looseObject({})),
});

const usageOf = ({ input, output }: { input: number; output: number }) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

export const cutie: ScriptedWire = {
  path: '/api/ai/chat/stream',
  contentType: 'text/event-stream',
  read(body, { url }) {
    const { messages, system = '', model = 'scripted' } = check(request, body);
    return {
      system,
      messages: messages.map(({ role, text }) => ({ role: role === 'assistant' ? role : 'user', text })),
      model,
      stream: url.pathname.endsWith('/stream'),
    };
  },
  speak: ({ model }) => ({
    start: '',
    text: (content) => frame({ type: 'text', content }, 'message'),
    call: () => '',
    end: ({ usage }) => frame({ type: 'done', finish_reason: 'stop', usage: usageOf(usage), model }, 'done'),
  }),
  whole: ({ model }, { text, usage }) => ({ reply: text, usage: usageOf(usage), model, response_time_ms: 1 }),
  refuse: (_status, message) => ({ type: 'error', message }),
};
