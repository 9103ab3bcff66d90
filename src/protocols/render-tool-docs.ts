/**
 * Helpers for the prompts of all protocols: descriptions of tools and their parameters, in the wording of the `xml-invoke` protocol, and
 * neutral text.
 */
import { createAllowance, type Allowance } from '../base/allowance.js';
import type { SchemaModel } from '../model/schema-model.js';
import { oneObject, promptSchema } from '../model/prompt-schema.js';
import { exampleArguments } from './example.js';
import { neutralise } from './neutralize.js';
import type { MethodMetadata, RulesOptions, ToolDescription } from './protocol.js';

export const englishWords = {
  tool: 'tool_name',
  parameter: 'parameter_name',
  value: 'parameter value',
  heading: 'Important rules:',
  one: 'Call one tool at a time',
  many: 'A reply may hold several calls, one after the other, if none of them needs the result of another',
  lists: 'Write lists and objects as JSON',
  noFence: 'Do not put a call into a code block: what stands in a code block is not executed',
  stop: '.',
  wrong: 'Wrong (is not executed, do not write this):',
  description: 'Description: ',
  kind: 'Kind: ',
  kinds: { query: 'query', write: 'write', danger: 'danger' },
  parameters: 'Parameters:',
  none: ' none',
  required: 'required',
  optional: 'optional',
  oneOf: 'one of: ',
  example: 'Example:',
  brackets: [' (', ')'] as [string, string],
  comma: ', ',
  between: (min: string, max: string) => `${min} to ${max}`,
  least: (min: string) => `at least ${min}`,
  most: (max: string) => `at most ${max}`,
  above: (min: string) => `above ${min}`,
  below: (max: string) => `below ${max}`,
  characters: (count: string) => `${count} characters`,
  items: (count: string) => `${count} items`,
  properties: (count: string) => `${count} properties`,
  multiple: (step: string) => `multiple of ${step}`,
  unique: 'all different',
  pattern: (source: string) => `pattern ${source}`,
  standard: (value: string) => `default ${value}`,
  behaviour: [
    'When to call:',
    '- Call a tool only when the user asks for what it does. Answer everything else in words, without a call.',
    '- Call query and write tools at once, without asking first. Call danger tools, too: the user is asked before they run.',
    '- Results come from the system, not from the user. Never write one yourself.',
  ].join('\n'),
};

export type Words = typeof englishWords;

/** Chinese texts by the English ones. They are loaded by themselves, because a page in another language does not need them. */
const chineseTexts = new Map<object, object>();

/** Adds the Chinese counterpart of English texts. */
export function addChinese<T extends object>(english: T, chinese: T): void {
  chineseTexts.set(english, chinese);
}

/** Returns the texts in the language of the prompt: the Chinese ones only if they have been added. */
export function inPromptLanguage<T extends object>(lang: string | undefined, english: T): T {
  return inLanguage(lang, (chineseTexts.get(english) ?? english) as T, english);
}

/** Returns the Chinese text for a BCP 47 tag `zh…`, and the English text for any other. */
export function inLanguage<T>(lang: string | undefined, chinese: T, english: T): T {
  return /^zh\b/i.test(lang ?? '') ? chinese : english;
}

export function promptWordsFor(lang: string | undefined): Words {
  return inPromptLanguage(lang, englishWords);
}

/**
 * Describes all methods with `describe`, separated by blank lines and sorted by tool id and method name, so that the same tools give the
 * same text.
 */
export function renderAllTools(
  tools: readonly ToolDescription[],
  describe: (method: MethodMetadata, allowance: Allowance) => string,
): string {
  const allowance = createAllowance();
  return sortTools(tools)
    .flatMap(({ methods }) => methods.map((method) => describe(method, allowance)))
    .join('\n\n');
}

/** Returns one entry for each method, sorted by tool id, then method name (by code units, independent of locale). */
export function sortTools(tools: readonly ToolDescription[]): ToolDescription[] {
  const entries = tools.flatMap((tool) =>
    tool.methods.map((method) => ({ key: `${tool.toolId}\u0000${method.name}`, tool: { ...tool, methods: [method] } })),
  );
  return entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ tool }) => tool);
}

/** Describes a tool under a heading, with a worked example in the protocol. */
export function renderMethod(
  method: MethodMetadata,
  lang: string | undefined,
  writeCall: (name: string, values: Record<string, unknown>) => string,
  allowance?: Allowance,
): string {
  const words = promptWordsFor(lang);
  const parameters = renderParameters(method, words, allowance);
  return [
    `### ${oneLine(method.name)}`,
    `${words.description}${prose(method.description)}`,
    ...kindOf(method, words),
    words.parameters + (parameters.length > 0 ? '' : words.none),
    ...parameters,
    words.example,
    writeCall(method.name, exampleArguments(method, { lang, allowance })),
  ].join('\n');
}

/** Returns the line with the risk class that the rules refer to, or no line for a tool without `risk`. */
export function kindOf({ risk }: Pick<MethodMetadata, 'risk'>, words: Words): string[] {
  return risk && Object.hasOwn(words.kinds, risk) ? [words.kind + words.kinds[risk]] : [];
}

/** Returns one line for each parameter: `- title (required): description`. */
export function renderParameters(
  { parameters: schema = {} }: Pick<MethodMetadata, 'parameters'>,
  words: Words,
  allowance?: Allowance,
): string[] {
  const { properties = {}, required, omitted } = oneObject(promptSchema(schema, allowance));
  const needed = new Set(required);
  const lines = Object.entries(properties).map(([name, property]) =>
    `- ${oneLine(name)} (${needed.has(name) ? words.required : words.optional}): ${renderProperty(property, words)}`.trimEnd(),
  );
  return typeof omitted === 'number' ? [...lines, `- … (+${omitted})`] : lines;
}

function renderProperty(property: SchemaModel, words: Words): string {
  const { description, title, default: standard } = property;
  const type = typeText(property, words);
  const values = property.enum && [...property.enum, ...(property.nullable ? [null] : [])];
  const hint = [
    ...(values ? [words.oneOf + values.map(asText).join(', ')] : [type !== 'string' && type, ...limitsOf(property, words)]),
    standard !== undefined && words.standard(asText(standard)),
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(words.comma);
  const text = [description, title].find((one) => typeof one === 'string') as string | undefined;
  if (!hint) return oneLine(text ?? '');
  return oneLine(text ? text + inBrackets(hint, words) : hint);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const inBrackets = (text: string, { brackets: [open, close] }: Words): string => open + text + close;

/** Longest pattern that is shown, in characters. Longer ones do not help a reader. */
const PATTERN_CHARS = 200;

type Write = (text: string) => string;

const number = (schema: SchemaModel, keyword: string, write: Write = String) =>
  typeof schema[keyword] === 'number' ? write(String(schema[keyword])) : '';

function range(schema: SchemaModel, what: string, words: Words, write: Write = String): string {
  const [min, max] = [number(schema, `min${what}`), number(schema, `max${what}`)];
  return (min || max) && write(min === max ? min : min && max ? words.between(min, max) : min ? words.least(min) : words.most(max));
}

/** Describes the format and the limits that validation enforces. */
function limitsOf(schema: SchemaModel, words: Words): string[] {
  const { format, pattern } = schema;
  return [
    typeof format === 'string' && format !== 'int64' ? format : '',
    range(schema, 'imum', words),
    number(schema, 'exclusiveMinimum', words.above),
    number(schema, 'exclusiveMaximum', words.below),
    number(schema, 'multipleOf', words.multiple),
    range(schema, 'Length', words, words.characters),
    range(schema, 'Items', words, words.items),
    range(schema, 'Properties', words, words.properties),
    schema['uniqueItems'] === true ? words.unique : '',
    typeof pattern === 'string' && pattern.length <= PATTERN_CHARS ? words.pattern(pattern) : '',
  ].filter(Boolean);
}

/** Depth beyond which only the kind of a type and its limits are shown. */
const MAX_DEPTH = 3;

/**
 * Returns the type in TypeScript syntax, which models read well: `string[]`, `{x: number (1 to 5), y?: "low" | "high"}`. Empty if there is
 * no type. The limits of the parameter itself are written after its type, together with the default.
 */
function typeText(schema: SchemaModel, words: Words, depth = 0): string {
  const text = unionText(schema, words, depth) || plainTypeText(schema, words, depth);
  return schema.nullable && text ? `${text} | null` : text;
}

/** Returns the type of a value within a parameter, with its limits; in parentheses, if it is written in front of `[]` and has more parts. */
function innerText({ nullable, ...schema }: SchemaModel, words: Words, depth: number, isItem = false): string {
  const type = typeText(schema, words, depth) || 'any';
  const limits = schema.enum ? '' : limitsOf(schema, words).join(words.comma);
  const limited = limits ? (schema.anyOf ? `(${type})` : type) + inBrackets(limits, words) : type;
  const text = nullable ? `${limited} | null` : limited;
  return isItem && (nullable || limits || (schema.anyOf && type.includes(' | ')) || (schema.enum ?? []).length > 1) ? `(${text})` : text;
}

/** Returns the members of a union joined by `|`. Empty if no member has a type. */
function unionText({ anyOf = [] }: SchemaModel, words: Words, depth: number): string {
  const texts = new Set(anyOf.map((one) => innerText(one, words, depth)));
  return [...texts].every((text) => text === 'any') ? '' : [...texts].join(' | ');
}

function plainTypeText(schema: SchemaModel, words: Words, depth: number): string {
  const { type = '', items, prefixItems = [], properties } = schema;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (depth >= MAX_DEPTH) return type;
  if (type === 'array') {
    const item = items ? innerText(items, words, depth + 1, true) : 'any';
    const list = item === 'any' ? type : `${item}[]`;
    const first = prefixItems.map((one) => innerText(one, words, depth + 1));
    return first[0] ? `[${first.join(', ')}${items ? `, ...${list}` : ''}]` : list;
  }
  if (type !== 'object') return type;
  if (!properties) return mapText(schema, words, depth) || type;
  const required = new Set(schema.required);
  const members = Object.entries(properties).map(
    ([name, property]) => `${name}${required.has(name) ? '' : '?'}: ${innerText(property, words, depth + 1)}`,
  );
  return `{${[...members, ...(schema['omitted'] ? ['…'] : [])].join(', ')}}`;
}

/** Returns the type of a map, whose keys the caller chooses. Empty if its keys and values may be anything. */
function mapText({ additionalProperties: values, propertyNames = {} }: SchemaModel, words: Words, depth: number): string {
  const key = innerText(propertyNames, words, depth + 1).replace(/^(?:any|string)\b/, 'name');
  const value = typeof values === 'object' ? innerText(values, words, depth + 1) : 'any';
  return key === 'name' && value === 'any' ? '' : `{[${key}]: ${value}}`;
}

/** Neutralizes a description for a prompt, so that it neither ends nor begins a section. */
export function prose(text: string): string {
  return neutralise(text)
    .replace(/^(?=#)/gm, '\\')
    .trim();
}

/** Neutralizes text and removes its line breaks, so that it begins neither a line nor a call. */
export function oneLine(text: string): string {
  return neutralise(text)
    .replace(/[\r\n]+/g, ' ')
    .trim();
}

/** Writes a heading, numbered rules, hints, and a labeled wrong example if one is requested. */
export function writeRules(
  { lang, counterExamples }: RulesOptions,
  rules: { heading?: string; numbered: readonly string[]; hints?: readonly string[]; wrong: string },
): string {
  const words = promptWordsFor(lang);
  return [
    rules.heading ?? words.heading,
    ...rules.numbered.map((rule, index) => `${index + 1}. ${rule}`),
    ...(rules.hints ? ['', ...rules.hints] : []),
    ...(counterExamples ? [words.wrong, rules.wrong] : []),
  ].join('\n');
}

/** Returns the call to teach with: a registered tool, or else placeholder names. */
export function exampleOf({ lang, example }: RulesOptions): { name: string; args: Record<string, unknown> } {
  const { tool, parameter, value } = promptWordsFor(lang);
  return example ?? { name: tool, args: { [parameter]: value } };
}

/** Returns the rule "one tool at a time", as strict as the policy. */
export function countRule({ lang, callsPerTurn }: Pick<RulesOptions, 'lang' | 'callsPerTurn'>): string {
  const words = promptWordsFor(lang);
  return callsPerTurn === 'many' ? words.many : words.one;
}

/**
 * Adds the rules that all text protocols share. In the original wording, the rules of the protocol are followed by hints; in ours, all
 * rules are numbered. How to escape marks is explained only after a call could not be read, because models escape whatever a prompt
 * mentions.
 */
export function textRules(
  { lang, wording, hasLists = true }: RulesOptions,
  rules: readonly string[],
): { numbered: readonly string[]; hints?: readonly string[] } {
  const words = promptWordsFor(lang);
  const more = [...(hasLists ? [words.lists] : []), words.noFence];
  return wording === 'seed' ? { numbered: rules, hints: more.map((hint) => hint + words.stop) } : { numbered: [...rules, ...more] };
}
