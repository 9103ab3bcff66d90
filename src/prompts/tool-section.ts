/** Writes the tool section of the prompt: format, tools, rules and behavior, in the protocol's order. */
import type { SchemaModel } from '../model/schema-model.js';
import { promptSchema } from '../model/prompt-schema.js';
import { exampleArguments, type ExampleOptions } from '../protocols/example.js';
import { neutralise } from '../protocols/neutralize.js';
import type {
  DefinitionOptions,
  JsonSchema,
  MethodMetadata,
  PromptSection,
  RulesOptions,
  ToolDescription,
  ToolProtocol,
  Wording,
} from '../protocols/protocol.js';
import { createAllowance, isSpent, type Allowance } from '../base/allowance.js';
import { loadMissingPatterns } from '../base/patterns.js';
import { prose, sortTools } from '../protocols/render-tool-docs.js';
import type { Yield } from '../tools/yield-to-main.js';
import { TOOLS_MARK } from './macros.js';

/** Texts of the host that replace the generated ones; an empty one omits the section. `{{tools}}` in `tools` is the generated list. */
export type SectionTexts = { readonly [section in PromptSection]?: string };

export interface SectionOptions {
  protocol: ToolProtocol;
  tools: readonly ToolDescription[];
  /** The language of generated text, as BCP 47. */
  lang: string;
  /** The day from which examples calculate dates, as `YYYY-MM-DD`. Default: the local day. */
  today?: string | undefined;
  callsPerTurn: RulesOptions['callsPerTurn'];
  sections?: SectionTexts | undefined;
  /** Adds a wrong example that is labeled as such. */
  counterExamples?: boolean | undefined;
  /** The style of the generated sentences. Default `plain`. */
  wording?: Wording | undefined;
  /** Called between two tools, so that many tools do not block other work. */
  breathe?: Yield | undefined;
  /** Writes the list in place of the protocol. */
  writeList?: ((list: ToolDescription[], options: DefinitionOptions) => Promise<string>) | undefined;
}

const ORDER: readonly PromptSection[] = ['format', 'tools', 'rules', 'behaviour'];

/** Returns the tool list in the protocol's format, sorted, with neutralized descriptions. */
export async function toolList(options: Omit<SectionOptions, 'callsPerTurn'>): Promise<string> {
  const { protocol, tools, lang, today, wording, breathe } = options;
  const allowance = createAllowance();
  const rest = createAllowance();
  const list: ToolDescription[] = [];
  for (const tool of sortTools(tools)) {
    const methods: MethodMetadata[] = [];
    for (const method of tool.methods) {
      const { parameters, ...told } = safeMethod(method, { lang, today, allowance });
      // This caches the result for the list below, which is written in one piece. Past both allowances, only names are listed.
      promptSchema(parameters ?? {}, isSpent(allowance) ? rest : allowance);
      methods.push(parameters && !isSpent(rest) ? { ...told, parameters } : told);
      await breathe?.();
    }
    list.push({ ...tool, methods });
  }
  if (await loadMissingPatterns()) return toolList(options);
  const told = { lang, wording };
  return options.writeList?.(list, told) ?? protocol.generateToolDefinitions(list, told);
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
  // A second mark is ignored: thousands of lists would fill the memory.
  const own = (name: PromptSection) => sections[name]?.replace(TOOLS_MARK, () => (name === 'tools' ? list : '')).replaceAll(TOOLS_MARK, '');
  return (taught?.order ?? ORDER)
    .map((name) => own(name) ?? (name === 'tools' ? list : taught?.[name]))
    .filter(Boolean)
    .join('\n\n');
}

/** Selects the tool for the example of the format: preferably one with arguments, with an example from the host, and without danger. */
export function formatExample(tools: readonly ToolDescription[], options: ExampleOptions): RulesOptions['example'] {
  const methods = sortTools(tools).flatMap((tool) => tool.methods);
  const shared = { ...options, allowance: createAllowance() };
  const rank = ({ example, risk }: MethodMetadata) => (example ? 2 : 0) + (risk === 'danger' ? 0 : 1);
  const ranked = methods.sort((a, b) => rank(b) - rank(a));
  const hasArguments = (method: MethodMetadata) => Object.keys(exampleArguments(asRendered(method), shared)).length > 0;
  const best = ranked.find(hasArguments) ?? ranked[0];
  return best && { name: best.name, args: exampleArguments(asRendered(best), shared) };
}

function takesLists(method: MethodMetadata, allowance: Allowance): boolean {
  const takes = ({ type, anyOf = [] }: SchemaModel): boolean => type === 'array' || type === 'object' || anyOf.some(takes);
  return Object.values(promptSchema(asRendered(method).parameters ?? {}, allowance).properties ?? {}).some(takes);
}

/** Neutralizes foreign descriptions, so that they can neither close a section of the prompt nor open a new one. */
function safeMethod(method: MethodMetadata, options: ExampleOptions): MethodMetadata {
  return {
    ...asRendered(method),
    description: prose(method.description),
    example: exampleArguments(asRendered(method), options),
  };
}

/** Returns the method with the neutralized schema, so that only that schema is read: reading schemas is most of the work of a prompt. */
const asRendered = (method: MethodMetadata): MethodMetadata =>
  method.parameters ? { ...method, parameters: safeSchema(method.parameters) } : method;

const known = new WeakMap<JsonSchema, JsonSchema>();

/** Returns the neutralized schema. It is cached, because code that reads schemas caches by object identity, too. */
function safeSchema(schema: JsonSchema): JsonSchema {
  let found = known.get(schema);
  if (!found) known.set(schema, (found = withoutMarks(schema) as JsonSchema));
  return found;
}

/** The maximum depth of a schema in a prompt. */
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
