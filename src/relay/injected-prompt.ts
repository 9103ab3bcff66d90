/** `prompt-injection="relay"`: the page sends its tools, and the relay writes them into the system prompt (S3-03, S3-13 … S3-15). */
import { z } from 'zod';
import { buildSystemPrompt, exampleTurns, type ExampleTurn } from '../prompts/index.js';
import { protocols } from '../protocols/index.js';
import { claimsSchema } from './gate/claims.js';

/** Levels of JSON in what a page sends of a tool; people's schemas have a dozen. */
const MOST_LEVELS = 200;

const record = z.record(z.string(), z.unknown()).refine((value) => !isDeeper(value, MOST_LEVELS));

/** Without recursion: the stack would end before the value. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one) => Object.values(one as Record<string, unknown>)).filter((one) => typeof one === 'object' && one !== null);
  }
  return false;
}

const methodSchema = z.object({
  name: z.string().regex(/^[^\s<>"'`&=「」]{1,64}$/),
  description: z.string().max(10_000),
  parameters: record.optional(),
  example: record.optional(),
  risk: z.enum(['query', 'write', 'danger']).optional(),
  said: z
    .array(z.object({ say: z.string().max(2_000), args: record }))
    .max(20)
    .optional(),
});

const section = z.string().max(20_000).optional();

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
  /** The page's own sections, its macros filled in. */
  sections: z.object({ format: section, tools: section, rules: section, behaviour: section }).default({}),
  counterExamples: z.boolean().default(false),
  wording: z.enum(['plain', 'seed']).default('plain'),
  /** Sends examples that have a sentence as turns before the messages. */
  exampleTurns: z.boolean().default(true),
  /** The tool that the person has chosen (S4-50). */
  lockedTool: z.string().max(64).optional(),
  /** The words by which a person lets a chain go on (S4-51). */
  confirmKeywords: z.array(z.string().max(100)).max(50).default([]),
  /** The day where the page is: examples count from it. */
  today: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .optional(),
  /** Where the page stands, for `orchestration: 'relay-gated'`. */
  orchestration: claimsSchema.optional(),
});

const paradigms = new Map(Object.entries({ json: 'json-tool-calls', xml: 'tool-code' }));

/** The client's system text and all about the tools, as one text; and the turns that teach them. */
export async function spliceTools(
  system: string,
  config: z.infer<typeof toolConfigSchema>,
): Promise<{ system: string; examples: readonly ExampleTurn[] }> {
  const { enabledTools, toolParadigm, tools, lang, callsPerTurn, counterExamples, wording, lockedTool, confirmKeywords, today } = config;
  const protocol = protocols[paradigms.get(toolParadigm) ?? toolParadigm] ?? protocols['json-tool-calls']!;
  const enabled = tools
    .map((tool) => ({ ...tool, methods: tool.methods.filter(({ name }) => enabledTools.includes(name)).map(withoutUndefined) }))
    .filter(({ methods }) => methods.length > 0);
  const section = await buildSystemPrompt({
    // Braces in the client's text are its own: it has filled in its variables already.
    systemPrompt: '',
    ...{ protocol, tools: enabled, lang, callsPerTurn, counterExamples, wording, lockedTool, confirmKeywords, today },
    sections: withoutUndefined(config.sections),
  });
  return {
    system: [system, section].filter(Boolean).join('\n\n'),
    examples: config.exampleTurns ? exampleTurns(protocol, enabled, { lang, today }) : [],
  };
}

const withoutUndefined = <Given extends object>(given: Given) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Given]: NonNullable<Given[Key]>;
  };
