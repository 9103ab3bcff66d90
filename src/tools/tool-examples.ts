/** The examples of a tool, in the two forms a host may write them: arguments alone, or with what a person says to get such a call. */
import { isObject, own } from '../base/objects.js';
import type { ToolDefinition } from './tool.js';

/** Arguments as they are taught, and the words that lead to them. `{today+2}` in both is filled in later. */
export interface ToolExample {
  say?: string;
  args: Record<string, unknown>;
}

/** In the order of the definition. What is no example is left out; `unusableExamples` names it. */
export function examplesOf({ examples }: Pick<ToolDefinition, 'examples'>): ToolExample[] {
  return Array.isArray(examples) ? examples.flatMap((given: unknown) => readExample(given) ?? []) : [];
}

/** Where the list holds something that is no example: its place and what it is. */
export function unusableExamples({ examples }: Pick<ToolDefinition, 'examples'>): string[] {
  if (examples === undefined) return [];
  if (!Array.isArray(examples)) return [`\`examples\` is ${kindOf(examples)}, not a list`];
  return examples.flatMap((given: unknown, at) => (readExample(given) ? [] : [`\`examples[${at}]\` is ${kindOf(given)}`]));
}

function readExample(given: unknown): ToolExample | undefined {
  if (!isObject(given)) return undefined;
  const [say, args] = [own(given, 'say'), own(given, 'args')];
  // A tool may have parameters of these names; nothing but the two, in these types, is the longer form.
  if (typeof say === 'string' && isObject(args) && Object.keys(given).length === 2)
    return say.trim() ? { say: say.trim(), args: { ...args } } : { args: { ...args } };
  return { args: { ...given } };
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`);
