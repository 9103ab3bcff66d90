/** `prompt-injection="relay"`: the page sends its tools, and the relay writes them into the system prompt. */
import { z } from 'zod';
import { addChinesePrompts } from '../prompts/chinese.js';
import { buildSystemPrompt, exampleTurns, type ExampleTurn } from '../prompts/index.js';
import { protocols } from '../protocols/index.js';
import type { DefinitionOptions, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import type { Yield } from '../tools/yield-to-main.js';
import { arrayOf, field } from '../transports/read-fields.js';
import { boundedList } from './bounded-list.js';
import { clientStateSchema } from './gate/client-state.js';

addChinesePrompts();

/** Maximum number of methods of all tools together. More would not help a model. */
const MAX_METHODS = 500;

/** Maximum number of values in one schema or example; a prompt contains at most 2,000 of them. */
const MAX_VALUES = 5_000;

const record = z.record(z.string(), z.unknown()).refine((value) => !isLarger(value, MAX_VALUES), {
  error: `has more than ${MAX_VALUES} values`,
});

/** Checks without recursion; `exceededBound` has already limited the depth. */
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
  said: boundedList(20, z.object({ say: z.string().max(2_000), args: record })).optional(),
});

const section = z.string().max(20_000).optional();

/** The configuration that a page sends, with the descriptions of its tools. */
export const toolConfigSchema = z.object({
  /** Names that the model may use. Other methods are left out of the prompt. */
  enabledTools: boundedList(500, z.string().max(64)).default([]),
  /** The id of a protocol, or `json` or `xml` of older pages. An unknown id means `json`. */
  toolParadigm: z.string().max(64).default('json'),
  tools: z
    .unknown()
    .refine((tools) => !Array.isArray(tools) || countMethods(tools) <= MAX_METHODS, {
      error: `has more than ${MAX_METHODS} methods in all; leave out those that are not enabled`,
      abort: true,
    })
    .pipe(boundedList(500, z.object({ toolId: z.string().max(200), toolName: z.string().max(200), methods: z.array(methodSchema) })))
    .default([]),
  lang: z.string().max(35).default('en'),
  callsPerTurn: z.enum(['one', 'many', 'confirm-chain']).default('many'),
  /** The page's own prompt sections, with their macros filled in. */
  sections: z.object({ format: section, tools: section, rules: section, behaviour: section }).default({}),
  counterExamples: z.boolean().default(false),
  wording: z.enum(['plain', 'seed']).default('plain'),
  /** True to send examples that have a user's sentence as turns in front of the messages. */
  exampleTurns: z.boolean().default(true),
  /** The tool that the user has chosen. */
  lockedTool: z.string().max(64).optional(),
  /** The words by which a user confirms the next call of a chain. */
  confirmKeywords: boundedList(50, z.string().max(100)).default([]),
  /** The current date in the page's time zone, from which examples compute their dates. */
  today: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .optional(),
  /** The page's view of the conversation, for `orchestration: 'relay-gated'`. */
  orchestration: clientStateSchema.optional(),
});

const paradigms = new Map(Object.entries({ json: 'json-tool-calls', xml: 'tool-code' }));

/** Returns the client's system text and the tool instructions as one text, and the example turns. */
export async function insertTools(
  system: string,
  config: z.infer<typeof toolConfigSchema>,
  breathe: Yield,
): Promise<{ system: string; examples: readonly ExampleTurn[] }> {
  const { enabledTools, toolParadigm, tools, lang, callsPerTurn, counterExamples, wording, lockedTool, confirmKeywords, today } = config;
  const protocol = protocols[paradigms.get(toolParadigm) ?? toolParadigm] ?? protocols['json-tool-calls']!;
  const names = new Set(enabledTools);
  const enabled = tools
    .map((tool) => ({ ...tool, methods: tool.methods.filter(({ name }) => names.has(name)).map(withoutUndefined) }))
    .filter(({ methods }) => methods.length > 0);
  const section = await buildSystemPrompt({
    // The client has already filled in its variables, so braces in its text stay as they are.
    systemPrompt: '',
    ...{ protocol, tools: enabled, lang, callsPerTurn, counterExamples, wording, lockedTool, confirmKeywords, today },
    sections: withoutUndefined(config.sections),
    breathe,
    writeList: (list, options) => writeInSlices(protocol, list, options, breathe),
  });
  await breathe();
  return {
    system: [system, section].filter(Boolean).join('\n\n'),
    examples: config.exampleTurns ? exampleTurns(protocol, enabled, { lang, today }) : [],
  };
}

/** Writes one tool after the other, as all our protocols do after their heading. */
async function writeInSlices(protocol: ToolProtocol, list: ToolDescription[], options: DefinitionOptions, breathe: Yield): Promise<string> {
  const heading = protocol.generateToolDefinitions([], options);
  const texts: string[] = [];
  for (const tool of list) {
    texts.push(protocol.generateToolDefinitions([tool], options).slice(heading.length));
    await breathe();
  }
  return heading + texts.join('\n\n');
}

const countMethods = (tools: readonly unknown[]): number =>
  tools.reduce<number>((sum, tool) => sum + arrayOf(field(tool, 'methods')).length, 0);

const withoutUndefined = <Given extends object>(given: Given) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Given]: NonNullable<Given[Key]>;
  };
