/** Plain text: the response body is the reply. Such servers have no common request format; this one accepts the usual shapes. */
import * as z from 'zod/mini';
import { check, content, flatText } from './wire.js';
import type { ScriptedWire } from './wire.js';

const request = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      text: z.optional(z.string()),
      content: z.optional(content),
      parts: z.optional(content),
    }),
  ),
  system: z.optional(z.string()),
  model: z.optional(z.string()),
});

export const plainText: ScriptedWire = {
  path: '/text',
  contentType: 'text/plain; charset=utf-8',
  // Otherwise Safari delays the first bytes to detect the type.
  headers: { 'x-content-type-options': 'nosniff' },
  read(body) {
    const { messages, system, model = 'scripted' } = check(request, body);
    const said = messages.map((each) => ({ role: each.role, text: each.text ?? flatText(each.content ?? each.parts) }));
    return {
      system: [system ?? [], said.flatMap(({ role, text }) => (role === 'system' ? [text] : []))].flat().join('\n\n'),
      messages: said.flatMap(({ role, text }) => (role === 'system' ? [] : [{ role: role === 'assistant' ? role : 'user', text }])),
      model,
      stream: true,
    };
  },
  speak: () => ({ start: '', text: (piece) => piece, call: () => '', end: () => '' }),
  refuse: (_status, message) => message,
};
