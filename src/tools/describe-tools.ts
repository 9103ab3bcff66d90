/** Converts tools to the descriptions that protocols use. */
import type { ToolDescription } from '../model/tool-description.js';
import { own, isObject } from '../base/objects.js';
import { nameUnder } from './registry.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

/** Describes the tools. Methods of one object are grouped, at the position of the first. */
export function describeTools(tools: readonly ToolDefinition[], protocolId: string): ToolDescription[] {
  const described = new Map<unknown, ToolDescription>();
  for (const tool of tools) {
    const { name, label, description, risk, origin } = tool;
    const examples = examplesOf(tool);
    const said = examples.flatMap(({ say, args }) => (say === undefined ? [] : [{ say, args }]));
    const parameters = parametersOf(tool);
    const vcpCommand = own(tool.aliases, 'vcp') as string | undefined;
    const place = origin ? origin.id : tool;
    const group = described.get(place) ?? { toolId: origin?.id ?? name, toolName: origin?.name ?? label ?? name, methods: [] };
    described.set(place, group);
    group.methods.push({
      name: nameUnder(tool, protocolId),
      ...(label !== undefined && { displayName: label }),
      description,
      ...(parameters && { parameters }),
      ...(examples[0] && { example: examples[0].args }),
      ...(said.length > 0 && { said }),
      agentCallable: true,
      ...(risk && { risk }),
      ...(vcpCommand !== undefined && { protocolConfig: { vcpCommand } }),
    });
  }
  return [...described.values()];
}

/** The arguments of an example, and the sentence that leads to them. `{today+2}` in both is filled in later. */
interface ToolExample {
  say?: string;
  args: Record<string, unknown>;
}

/** Returns the examples in the order of the definition. Invalid ones are left out; `unusableExamples` names them. */
export function examplesOf({ examples }: Pick<ToolDefinition, 'examples'>): ToolExample[] {
  return Array.isArray(examples) ? examples.flatMap((given: unknown) => readExample(given) ?? []) : [];
}

/** Describes each invalid example: its index and its type. */
export function unusableExamples({ examples }: Pick<ToolDefinition, 'examples'>): string[] {
  if (examples === undefined) return [];
  if (!Array.isArray(examples)) return [`\`examples\` is ${kindOf(examples)}, not a list`];
  return examples.flatMap((given: unknown, at) => (readExample(given) ? [] : [`\`examples[${at}]\` is ${kindOf(given)}`]));
}

function readExample(given: unknown): ToolExample | undefined {
  if (!isObject(given)) return undefined;
  const [say, args] = [own(given, 'say'), own(given, 'args')];
  // A tool may have parameters of these names, so only an object with exactly these two fields and types is the longer form.
  if (typeof say === 'string' && isObject(args) && Object.keys(given).length === 2)
    return say.trim() ? { say: say.trim(), args: { ...args } } : { args: { ...args } };
  return { args: { ...given } };
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`);
