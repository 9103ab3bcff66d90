/** The part of the prompt that teaches tools: format, tools, rules, behaviour, in the order of the protocol. */
import type { SchemaModel } from '../model/schema-model.js';
import { toldSchema } from '../model/told-schema.js';
import { exampleArguments, type ExampleOptions } from '../protocols/example.js';
import { neutralise } from '../protocols/neutralise.js';
import type {
  JsonSchema,
  MethodMetadata,
  PromptSection,
  RulesOptions,
  ToolDescription,
  ToolProtocol,
  Wording,
} from '../protocols/protocol.js';
import { createAllowance, type Allowance } from '../base/allowance.js';
import { loadMissingPatterns } from '../base/patterns.js';
import { prose, sortTools } from '../protocols/describe-parameters.js';
import type { Breath } from '../tools/breathe.js';
import { TOOLS_MARK } from './macros.js';

/** Texts of the host instead of what is generated; an empty one leaves the section out. `{{tools}}` in `tools` is the generated list. */
export type SectionTexts = { readonly [section in PromptSection]?: string };

export interface SectionOptions {
  protocol: ToolProtocol;
  tools: readonly ToolDescription[];
  /** BCP 47; the language of what is generated. */
  lang: string;
  /** `YYYY-MM-DD`: what examples count their days from. Default: the local day. */
  today?: string | undefined;
  callsPerTurn: RulesOptions['callsPerTurn'];
  sections?: SectionTexts | undefined;
  /** Adds a labelled wrong example. */
  counterExamples?: boolean | undefined;
  /** Whose words: the seeds', or ours. Default `plain`. */
  wording?: Wording | undefined;
  /** Asked between two tools, so that many of them do not hold up what else runs. */
  breathe?: Breath | undefined;
}

const ORDER: readonly PromptSection[] = ['format', 'tools', 'rules', 'behaviour'];

/** The list of the tools in the protocol's words, sorted; what a description holds is harmless. */
export async function toolList(options: Omit<SectionOptions, 'callsPerTurn'>): Promise<string> {
  const { protocol, tools, lang, today, wording, breathe } = options;
  const allowance = createAllowance();
  const list: ToolDescription[] = [];
  for (const tool of sortTools(tools)) {
    const methods: MethodMetadata[] = [];
    for (const method of tool.methods) {
      const told = harmless(method, { lang, today, allowance });
      // Remembered, so that the list below finds it made.
      toldSchema(told.parameters ?? {}, allowance);
      methods.push(told);
      await breathe?.();
    }
    list.push({ ...tool, methods });
  }
  if (await loadMissingPatterns()) return toolList(options);
  return protocol.generateToolDefinitions(list, { lang, wording });
}

export function toolSection(options: SectionOptions, list: string): string {
  const { protocol, tools, lang, callsPerTurn, sections = {}, counterExamples = false, wording = 'plain' } = options;
  const allowance = createAllowance();
  const example = wording === 'seed' ? undefined : formatExample(tools, options);
  const taught = protocol.rules?.({
    ...{
      lang,
      callsPerTurn,
      counterExamples,
      wording,
      hasLists: tools.some(({ methods }) => methods.some((method) => takesLists(method, allowance))),
    },
    ...(example && { example }),
  });
  const own = sections.tools?.split(TOOLS_MARK).join(list);
  return (taught?.order ?? ORDER)
    .map((name) => (name === 'tools' ? (own ?? list) : (sections[name]?.replaceAll(TOOLS_MARK, '') ?? taught?.[name])))
    .filter(Boolean)
    .join('\n\n');
}

/** The tool that the format is taught with: one with an example of the host's own, that does no harm, and has something to fill in. */
export function formatExample(tools: readonly ToolDescription[], options: ExampleOptions): RulesOptions['example'] {
  const methods = sortTools(tools).flatMap((tool) => tool.methods);
  const shared = { ...options, allowance: createAllowance() };
  const written = methods.map((method) => ({ method, name: method.name, args: exampleArguments(asTold(method), shared) }));
  const rank = ({ method, args }: (typeof written)[number]) =>
    (Object.keys(args).length > 0 ? 4 : 0) + (method.example ? 2 : 0) + (method.risk === 'danger' ? 0 : 1);
  const [best] = written.toSorted((a, b) => rank(b) - rank(a));
  return best && { name: best.name, args: best.args };
}

function takesLists(method: MethodMetadata, allowance: Allowance): boolean {
  const takes = ({ type, anyOf = [] }: SchemaModel): boolean => type === 'array' || type === 'object' || anyOf.some(takes);
  return Object.values(toldSchema(asTold(method).parameters ?? {}, allowance).properties ?? {}).some(takes);
}

/** Descriptions may come from elsewhere: they neither close a section of the prompt nor open a new one. */
function harmless(method: MethodMetadata, options: ExampleOptions): MethodMetadata {
  return {
    ...asTold(method),
    description: prose(method.description),
    example: exampleArguments(asTold(method), options),
  };
}

/** With the schema that is told, so that only that one is read: reading costs most of a prompt. */
const asTold = (method: MethodMetadata): MethodMetadata =>
  method.parameters ? { ...method, parameters: harmlessSchema(method.parameters) } : method;

const known = new WeakMap<JsonSchema, JsonSchema>();

/** Remembered: what reads a schema remembers it, too, as long as it is the same one in each prompt. */
function harmlessSchema(schema: JsonSchema): JsonSchema {
  let found = known.get(schema);
  if (!found) known.set(schema, (found = withoutMarks(schema) as JsonSchema));
  return found;
}

/** Levels of a schema that are told. */
const LEVELS = 200;

function withoutMarks(node: unknown, levels = LEVELS): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (levels === 0) return {};
  if (Array.isArray(node)) return node.map((item) => withoutMarks(item, levels - 1));
  return Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      const isProse = typeof value === 'string' && (keyword === 'description' || keyword === 'title');
      return [keyword, isProse ? neutralise(value) : withoutMarks(value, levels - 1)];
    }),
  );
}
