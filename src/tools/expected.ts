/** What a parameter should have been, in words that a model can act on (S0-58). */
import { wholeEnglish, type Texts } from '../i18n/en.js';
import type { JsonSchema } from '../model/json-schema.js';
import { cutText } from '../base/cut-text.js';
import { isObject } from '../base/objects.js';
import { flatten } from './schema-parts.js';

wholeEnglish();

/** Longest description, pattern or list that is quoted. */
const QUOTED_CHARS = 300;

/** A pattern up to this length is quoted. */
const PATTERN_CHARS = 60;

const FORMS: Record<string, string | undefined> = {
  __proto__: null as never, // a format may be named anything
  date: 'YYYY-MM-DD',
  'date-time': 'YYYY-MM-DDTHH:MM:SSZ',
  time: 'HH:MM:SS',
  duration: 'P1DT2H',
  email: 'name@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com/',
  url: 'https://example.com/',
};

/** `schema` is that of the parameter; `root` is where its references lead. */
export function expectedOf(schema: JsonSchema, root: JsonSchema, texts: Texts): string {
  const parts = flatten(schema, root);
  const words = new Set(parts.flatMap((part) => inWords(part, texts)));
  const hint = parts.map(({ description }) => description).find((text) => typeof text === 'string') as string | undefined;
  return ([...words].join(texts.expectedOr) || texts.expectedOther) + (hint ? ` (${cutText(hint, QUOTED_CHARS)})` : '');
}

function inWords(schema: JsonSchema, texts: Texts): string[] {
  const { enum: values, const: only, type } = schema;
  if (only !== undefined) return [JSON.stringify(only)];
  if (Array.isArray(values)) return [texts.expectedOneOf(listed(values.map((value) => JSON.stringify(value))))];
  return [type].flat().flatMap((name) => {
    const words = TYPES[String(name)]?.(schema, texts);
    return words ? [words.filter(Boolean).join(', ')] : [];
  });
}

const TYPES: Record<string, ((schema: JsonSchema, texts: Texts) => string[]) | undefined> = {
  __proto__: null as never,
  string: (schema, texts) => [textInWords(schema, texts), limits(schema, 'Length', texts.expectedLength)],
  integer: (schema, texts) => [texts.expectedInteger, limits(schema, 'imum')],
  number: (schema, texts) => [texts.expectedNumber, limits(schema, 'imum')],
  boolean: (_, texts) => [texts.expectedBoolean],
  array: (schema, texts) => [texts.expectedList, limits(schema, 'Items', texts.expectedItems)],
  object: ({ properties }, texts) => [texts.expectedObject, isObject(properties) ? `{${listed(Object.keys(properties))}}` : ''],
  null: () => ['null'],
};

function textInWords({ format, pattern }: JsonSchema, texts: Texts): string {
  if (typeof format === 'string') return texts.expectedForm(FORMS[format] ?? format);
  // A longer one tells people nothing, and the model has it in the list of tools.
  if (typeof pattern === 'string' && pattern.length <= PATTERN_CHARS) return texts.expectedForm(pattern);
  return texts.expectedText;
}

function limits(schema: JsonSchema, what: 'Length' | 'imum' | 'Items', say: (limits: string) => string = String): string {
  const found = Object.entries({ '≥': `min${what}`, '≤': `max${what}`, '>': `exclusiveMin${what}`, '<': `exclusiveMax${what}` })
    .map(([sign, keyword]) => [sign, schema[keyword]] as const)
    .filter(([, limit]) => typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER);
  return found.length === 0 ? '' : say(found.map(([sign, limit]) => `${sign} ${String(limit)}`).join(', '));
}

function listed(words: string[]): string {
  return cutText(words.join(', '), QUOTED_CHARS);
}
