/** Warnings for the log about tools that a protocol cannot express well. */
import type { JsonSchema } from '../model/json-schema.js';
import type { SchemaModel } from '../model/schema-model.js';
import { promptSchema } from '../model/prompt-schema.js';
import { cutText } from '../base/cut-text.js';
import { patternLimit } from '../base/patterns.js';
import { unusableExamples } from './describe-tools.js';
import { partsAt, rootParts } from './schema-parts.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

/** The protocols whose values are all texts. */
const STRINGS_ONLY = ['xml-invoke', 'vcp'];

/** Names of parameters that a protocol can write and read back. */
const CARRIES: Readonly<Record<string, RegExp>> = {
  vcp: /^(?!(?:__proto__|constructor|prototype|tool_name)$)[\p{L}\p{M}\p{N}_-]+$/u,
  'xml-invoke': /^(?!(?:__proto__|constructor|prototype)$)[^\s"'<>](?:[^"'<>\r\n]*[^\s"'<>])?$/u,
};
const ANYTHING = /^(?!(?:__proto__|constructor|prototype)$)/u;

/** Returns one sentence for each problem of a tool. Pure: the caller makes sure that each tool is logged once. */
export function protocolWarnings(tool: ToolDefinition, protocolId: string): string[] {
  const warnings: string[] = [];
  const nested = STRINGS_ONLY.includes(protocolId) ? nestedParameters(parametersOf(tool) ?? {}) : [];
  if (nested.length > 0)
    warnings.push(
      `Tool "${tool.name}" has nested parameters (${nested.join(', ')}), which "${protocolId}" can only write as JSON inside a text. Offer a flat method with one named parameter for each value.`,
    );
  if (tool.payload === 'code' && protocolId === 'xml-invoke')
    warnings.push(
      `Tool "${tool.name}" takes code, and "xml-invoke" ends a value at the first </parameter> that is not in CDATA. Under "tool-code" code is JSON text, where nothing can end it early.`,
    );
  const carried = Object.hasOwn(CARRIES, protocolId) ? CARRIES[protocolId]! : ANYTHING;
  const unwritable = namesOf(parametersOf(tool) ?? {}).filter((name) => !carried.test(name));
  if (unwritable.length > 0)
    warnings.push(
      `Tool "${tool.name}" has parameters whose names "${protocolId}" cannot carry (${unwritable.join(', ')}). Use letters of any script, digits, "_" and "-".`,
    );
  for (const [pattern, limit] of untriedPatterns(parametersOf(tool) ?? {}))
    warnings.push(
      limit === undefined
        ? `Tool "${tool.name}" has a pattern that is no regular expression (flag "u"), so calls with this parameter fail: ${pattern}`
        : `Tool "${tool.name}" has a pattern that could take too long, so texts of more than ${String(limit)} characters are refused: ${pattern}. Repeat nothing that repeats itself.`,
    );
  const unusable = unusableExamples(tool);
  if (unusable.length > 0)
    warnings.push(
      `Tool "${tool.name}" has examples that were left out: ${unusable.join('; ')}. Each is an object with the arguments, or { say, args }.`,
    );
  return warnings;
}

/** Minimum text length that every pattern must support. */
const SHORT_TEXT = 50;

function untriedPatterns(root: JsonSchema): [pattern: string, limit: number | undefined][] {
  const found = new Map<string, number | undefined>();
  const visit = ({ pattern, properties, items, prefixItems = [], anyOf = [] }: SchemaModel): void => {
    const limit = typeof pattern === 'string' ? patternLimit(pattern) : Infinity;
    if (limit === undefined || limit < SHORT_TEXT) found.set(cutText(String(pattern), 200), limit);
    [...Object.values(properties ?? {}), items ?? {}, ...prefixItems, ...anyOf].filter((one) => Object.keys(one).length > 0).forEach(visit);
  };
  visit(promptSchema(root));
  return [...found];
}

function namesOf(root: JsonSchema): string[] {
  return [...new Set(rootParts(root).flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

/** Returns the parameters that are objects, or lists of objects or lists. A list of plain values is flat enough. */
function nestedParameters(root: JsonSchema): string[] {
  const isMap = ({ type, properties }: SchemaModel) => type === 'object' || properties !== undefined;
  return namesOf(root).filter((name) => {
    const parts = partsAt(rootParts(root), name);
    return parts.some(isMap) || partsAt(parts, 0).some((item) => isMap(item) || item.type === 'array');
  });
}
