/** Reads the examples of a tool in the two forms that a host may use: only the arguments, or the arguments with a user's sentence. */
import { isObject, own } from '../base/objects.js';
import type { ToolDefinition } from './tool.js';

/** The arguments of an example, and the sentence that leads to them. `{today+2}` in both is filled in later. */
export interface ToolExample {
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
