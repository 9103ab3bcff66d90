/** `prompt-injection="relay"`: the page sends its tools, and the relay writes them into the system prompt. */
import { z } from 'zod';
import { buildSystemPrompt, exampleTurns, type ExampleTurn } from '../prompts/index.js';
import { protocols } from '../protocols/index.js';
import type { Breath } from '../tools/breathe.js';
import { arrayOf, field } from '../transports/read-fields.js';
import { atMost } from './bounded-list.js';
import { claimsSchema } from './gate/claims.js';

/** Methods of all tools together: what is enabled beyond that is no help to a model. */
const MAX_METHODS = 500;

/** Values of one schema or example; a prompt tells 2,000 of them. */
const MAX_VALUES = 5_000;

const record = z.record(z.string(), z.unknown()).refine((value) => !isLarger(value, MAX_VALUES), {
  error: `has more than ${MAX_VALUES} values`,
});

/** Without recursion; how deep it is was checked before the request was parsed. */
function isLarger(value: unknown, most: number): boolean {
  const values: unknown[] = [value];
  for (let at = 0; at < values.length; at += 1) {
    const one = values[at];
    if (typeof one === 'object' && one !== null) for (const child of Object.values(one)) values.push(child);
    if (values.length > most) return true;
  }
  return false;
}

const methodSchema = z.object({
  name: z.string().regex(/^[^\s<>"'`&=「」]{1,64}$/),
  description: z.string().max(10_000),
  parameters: record.optional(),
  example: record.optional(),
  risk: z.enum(['query', 'write', 'danger']).optional(),
  said: atMost(20, z.object({ say: z.string().max(2_000), args: record })).optional(),
});

const section = z.string().max(20_000).optional();

/** What seed 003's page sends, and the descriptions that a page's own tools need. */
export const toolConfigSchema = z.object({
  /** Names the model may use; those that are not listed are not taught. */
  enabledTools: atMost(500, z.string().max(64)).default([]),
  /** One of our protocols, or the seed's `json` and `xml`; what nobody knows is `json`. */
  toolParadigm: z.string().max(64).default('json'),
  tools: z
    .unknown()
    .refine((tools) => !Array.isArray(tools) || countMethods(tools) <= MAX_METHODS, {
      error: `has more than ${MAX_METHODS} methods in all; leave out those that are not enabled`,
      abort: true,
    })
    .pipe(atMost(500, z.object({ toolId: z.string().max(200), toolName: z.string().max(200), methods: z.array(methodSchema) })))
    .default([]),
  lang: z.string().max(35).default('en'),
  callsPerTurn: z.enum(['one', 'many', 'confirm-chain']).default('many'),
  /** The page's own sections, its macros filled in. */
  sections: z.object({ format: section, tools: section, rules: section, behaviour: section }).default({}),
  counterExamples: z.boolean().default(false),
  wording: z.enum(['plain', 'seed']).default('plain'),
  /** Sends examples that have a sentence as turns before the messages. */
  exampleTurns: z.boolean().default(true),
  /** The tool that the person has chosen. */
  lockedTool: z.string().max(64).optional(),
  /** The words by which a person lets a chain go on. */
  confirmKeywords: atMost(50, z.string().max(100)).default([]),
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
  breathe: Breath,
): Promise<{ system: string; examples: readonly ExampleTurn[] }> {
  const { enabledTools, toolParadigm, tools, lang, callsPerTurn, counterExamples, wording, lockedTool, confirmKeywords, today } = config;
  const protocol = protocols[paradigms.get(toolParadigm) ?? toolParadigm] ?? protocols['json-tool-calls']!;
  const names = new Set(enabledTools);
  const enabled = tools
    .map((tool) => ({ ...tool, methods: tool.methods.filter(({ name }) => names.has(name)).map(withoutUndefined) }))
    .filter(({ methods }) => methods.length > 0);
  const section = await buildSystemPrompt({
    // Braces in the client's text are its own: it has filled in its variables already.
    systemPrompt: '',
    ...{ protocol, tools: enabled, lang, callsPerTurn, counterExamples, wording, lockedTool, confirmKeywords, today },
    sections: withoutUndefined(config.sections),
    breathe,
  });
  await breathe();
  return {
    system: [system, section].filter(Boolean).join('\n\n'),
    examples: config.exampleTurns ? exampleTurns(protocol, enabled, { lang, today }) : [],
  };
}

const countMethods = (tools: readonly unknown[]): number =>
  tools.reduce<number>((sum, tool) => sum + arrayOf(field(tool, 'methods')).length, 0);

const withoutUndefined = <Given extends object>(given: Given) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Given]: NonNullable<Given[Key]>;
  };
