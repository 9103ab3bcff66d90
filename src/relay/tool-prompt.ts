/** `prompt-injection="relay"`: the page sends its tools, and the relay writes them into the system prompt (S3-03, S3-13 … S3-15). */
import { z } from 'zod';
import { buildSystemPrompt } from '../prompts/index.js';
import { protocols } from '../protocols/index.js';
import { claimsSchema } from './gate/claims.js';

const methodSchema = z.object({
  name: z.string().regex(/^[^\s<>"'`&=「」]{1,64}$/),
  description: z.string().max(10_000),
  parameters: z.record(z.string(), z.unknown()).optional(),
  example: z.record(z.string(), z.unknown()).optional(),
  risk: z.enum(['query', 'write', 'danger']).optional(),
});

/** What seed 003's page sends, and the descriptions that a page's own tools need. */
export const toolConfigSchema = z.object({
  /** Names the model may use; those that are not listed are not taught. */
  enabledTools: z.array(z.string().max(64)).max(500).default([]),
  /** One of our protocols, or the seed's `json` and `xml`; what nobody knows is `json`. */
  toolParadigm: z.string().max(64).default('json'),
  tools: z
    .array(z.object({ toolId: z.string().max(200), toolName: z.string().max(200), methods: z.array(methodSchema).max(500) }))
    .max(500)
    .default([]),
  lang: z.string().max(35).default('en'),
  callsPerTurn: z.enum(['one', 'many', 'confirm-chain']).default('many'),
  /** Where the page stands, for `orchestration: 'relay-gated'`. */
  orchestration: claimsSchema.optional(),
});

const paradigms = new Map(Object.entries({ json: 'json-tool-calls', xml: 'tool-code' }));

/** The client's system text and the tools, as one text. */
export function spliceTools(system: string, config: z.infer<typeof toolConfigSchema>): Promise<string> {
  const { enabledTools, toolParadigm, tools, lang, callsPerTurn } = config;
  const protocol = protocols[paradigms.get(toolParadigm) ?? toolParadigm] ?? protocols['json-tool-calls']!;
  const enabled = tools
    .map((tool) => ({ ...tool, methods: tool.methods.filter(({ name }) => enabledTools.includes(name)).map(withoutUndefined) }))
    .filter(({ methods }) => methods.length > 0);
  // Braces in the client's text are its own: it has filled in its variables already.
  return buildSystemPrompt({ systemPrompt: '', protocol, tools: enabled, lang, callsPerTurn }).then((section) =>
    [system, section].filter(Boolean).join('\n\n'),
  );
}

type Method = z.infer<typeof methodSchema>;

const withoutUndefined = (method: Method) =>
  Object.fromEntries(Object.entries(method).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Method]: NonNullable<Method[Key]>;
  };
