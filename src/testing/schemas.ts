/** The schemas of all data that parts pass to each other, in zod: for tests and for hosts that record traffic. */
import * as z from 'zod/mini';

/** The public state of a conversation. */
export const chatMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  text: z.string(),
  createdAt: z.number(),
  status: z.object({ type: z.enum(['running', 'complete', 'cut', 'cancelled', 'error']) }),
  reasoning: z.optional(z.string()),
  raw: z.optional(z.string()),
  metadata: z.record(z.string(), z.unknown()),
});

/** The request of the wire `cutie`. No `tools`: calls travel as text. */
export const aiChatRequest = z.strictObject({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  system: z.string(),
  max_tokens: z.int(),
  stream: z.boolean(),
  model: z.optional(z.string()),
});

/** One event of the response. */
export const streamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), content: z.string() }),
  z.object({ type: z.literal('reasoning'), content: z.string() }),
  z.object({ type: z.literal('done'), finish_reason: z.optional(z.string()) }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);

/** A detected call. */
export const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  name: z.string(),
  params: z.record(z.string(), z.unknown()),
  partial: z.boolean(),
});

/** The outcome of a tool call. */
export const resultShape = z.object({
  requestId: z.string(),
  toolName: z.string(),
  success: z.boolean(),
  status: z.enum(['success', 'error', 'denied', 'cancelled', 'interrupted']),
  message: z.string(),
  result: z.string(),
  durationMs: z.number(),
  data: z.optional(z.unknown()),
  code: z.optional(z.string()),
  errorType: z.optional(z.string()),
});

/** The result that `sendMessage` resolves with. */
export const turnResult = z.object({
  success: z.boolean(),
  reason: z.enum(['stop', 'length', 'cut', 'cancelled', 'error', 'limit', 'budget', 'denied']),
  text: z.string(),
  results: z.array(resultShape),
});
