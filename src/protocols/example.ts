/** Creates arguments that fit a JSON schema, for the worked example of a tool. The same schema gives the same example for a whole day. */
import { cutText } from '../base/cut-text.js';
import { addDays, fillDays, localDay } from '../base/days.js';
import { isObject, own } from '../base/objects.js';
import { testPattern, textFor } from '../base/patterns.js';
import type { Allowance } from '../base/allowance.js';
import type { SchemaModel } from '../model/schema-model.js';
import { firstOf, promptSchema } from '../model/prompt-schema.js';
import type { MethodMetadata } from './protocol.js';

/** Maximum depth. A deeper schema is most likely recursive, and an example must stay readable. */
const MAX_DEPTH = 6;
/** Maximum number of values in one example, because lists of lists repeat their items. */
const MOST_VALUES = 2_000;
const MOST_ITEMS = 10;

/** Options of a generated example. */
export interface ExampleOptions {
  /** BCP 47; the language of generated texts. Default English. */
  lang?: string | undefined;
  /** `YYYY-MM-DD`; generated dates are near it, and `{today+2}` counts from it. Default: the local date. */
  today?: string | undefined;
  /** Limit shared by all descriptions that are written together. */
  allowance?: Allowance | undefined;
}

/** Sample values by format. They are short and close to today, because models copy what they see into their calls. */
const FORMATS: Record<string, (today: string) => string> = {
  date: (today) => addDays(today, 1),
  'date-time': (today) => `${addDays(today, 1)}T09:30:00Z`,
  time: () => '09:30:00',
  duration: () => 'PT30M',
  email: () => 'a@example.com',
  uri: () => 'https://example.com/',
  url: () => 'https://example.com/',
  hostname: () => 'example.com',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  uuid: () => '00000000-0000-4000-8000-000000000001',
};

/**
 * Returns the arguments of a worked example: the method's own, or generated from its schema (the required ones, or the first if none is
 * required). A value is taken from `default`, `examples`, `const` or `enum`, else generated from `format`, `pattern` and `type`.
 */
export function exampleArguments(
  method: Pick<MethodMetadata, 'example' | 'parameters'>,
  { lang = 'en', today = localDay(), allowance }: ExampleOptions = {},
): Record<string, unknown> {
  if (method.example) return fillDays({ ...method.example }, today);
  const value = exampleValue(promptSchema(method.parameters ?? {}, allowance), {
    name: '',
    depth: 0,
    at: 0,
    lang,
    today,
    left: { values: MOST_VALUES },
  });
  return isObject(value) ? value : {};
}

interface SampleContext {
  name: string;
  depth: number;
  /** The position in a list whose items have to differ, else 0. */
  at: number;
  lang: string;
  today: string;
  left: { values: number };
}

function exampleValue(given: SchemaModel, context: SampleContext): unknown {
  const schema = firstOf(given);
  const samples = [schema['examples'], schema.enum].find((list): list is unknown[] => Array.isArray(list) && list.length > 0);
  const known = (context.at === 0 ? schema['default'] : undefined) ?? own(samples, context.at % (samples?.length ?? 1));
  if (known !== undefined) return known;
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, context);
    case 'array':
      return exampleList(schema, context);
    case 'number':
    case 'integer':
      return exampleNumber(schema, context);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleString(schema, context);
  }
}

function exampleObject(
  { properties, required = [], additionalProperties: more, propertyNames }: SchemaModel,
  context: SampleContext,
): Record<string, unknown> {
  if (context.depth >= MAX_DEPTH) return {};
  // The caller chooses the keys of a map. Without a sample key, a model takes it for an object without properties.
  if (!properties) {
    if (typeof more !== 'object' || !more.type || context.left.values-- <= 0) return {};
    const key = propertyNames ? exampleValue(propertyNames, { ...context, name: 'name' }) : 'name';
    return { [String(key)]: exampleValue(more, { ...context, depth: context.depth + 1 }) };
  }
  const chosen = required.length > 0 || context.depth > 0 ? required : Object.keys(properties).slice(0, 1);
  // `fromEntries` defines own properties, even for a name such as `__proto__`.
  return Object.fromEntries(
    chosen
      .filter((name) => Object.hasOwn(properties, name) && context.left.values-- > 0)
      .map((name) => [name, exampleValue(properties[name]!, { ...context, name, depth: context.depth + 1 })]),
  );
}

function exampleList(schema: SchemaModel, place: SampleContext): unknown[] {
  if (place.depth >= MAX_DEPTH) return [];
  const count = Math.max(1, Math.min(MOST_ITEMS, numberOf(schema, 'minItems') ?? 1));
  const items = schema.prefixItems ?? new Array<SchemaModel>(count).fill(schema.items ?? {});
  const at = (index: number) => (schema['uniqueItems'] === true ? index : place.at);
  return items
    .filter(() => place.left.values-- > 0)
    .map((item, index) => exampleValue(item, { ...place, depth: place.depth + 1, at: at(index) }));
}

function exampleNumber(schema: SchemaModel, { at }: SampleContext): number {
  const [min, max, above, below] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((one) => numberOf(schema, one));
  const [low, high] = [Math.max(min ?? -Infinity, above ?? -Infinity), Math.min(max ?? Infinity, below ?? Infinity)];
  const fits = (value: number) => value >= low && value <= high && value !== above && value !== below;
  const step = numberOf(schema, 'multipleOf') ?? (schema.type === 'integer' ? 1 : 0);
  const onStep = (value: number) => (step ? Math.ceil(value / step) * step : value);
  const start = low === -Infinity ? Math.min(1, high) : low;
  const next = step || 1;
  return [start + at * next, start, start + next, start - next, (low + high) / 2].map(onStep).find(fits) ?? start;
}

function exampleString(schema: SchemaModel, { name, lang, today, at }: SampleContext): string {
  const format = own(FORMATS, schema['format'] as string) as ((today: string) => string) | undefined;
  const { pattern } = schema;
  const [minLength, maxLength] = [numberOf(schema, 'minLength') ?? 0, numberOf(schema, 'maxLength') ?? Infinity];
  const sample = format
    ? format(today)
    : (sampleText(name, lang) + (at ? ` ${String(at + 1)}` : '')).padEnd(Math.min(minLength, 200), '.').slice(0, maxLength);
  if (typeof pattern !== 'string' || testPattern(pattern, sample) === true) return sample;
  return textFor(pattern, { today, minLength, maxLength }) ?? cutText(`${isChinese(lang) ? '格式' : 'pattern'} ${pattern}`, 200);
}

const isChinese = (lang: string) => /^zh\b/i.test(lang);

/** Returns a sample text in the language of the prompt. A name in another script would mix languages. */
function sampleText(name: string, lang: string): string {
  if (/(?:^|[_-])id$|[a-z]I[dD]$/.test(name)) return 'a-1';
  const words = name.replace(/[_-]+/g, ' ').trim();
  if (isChinese(lang)) return /\p{Script=Han}/u.test(words) ? `示例${words}` : '示例';
  return words === '' || /[^\x20-\x7e]/.test(words) ? 'example' : `some ${words}`;
}

function numberOf(schema: SchemaModel, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
