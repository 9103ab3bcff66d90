/** Describes the expected value of a parameter so that a model can correct it. */
import { fullEnglish, type Texts } from '../i18n/en.js';
import type { SchemaModel } from '../model/schema-model.js';
import { cutText } from '../base/cut-text.js';
import { isLargeNumber } from '../base/exact-json.js';
import { textOf } from './schema-parts.js';

fullEnglish();

/** Maximum characters of a quoted description or list. */
const QUOTED_CHARS = 300;

/** Maximum length of a pattern that is quoted. */
const PATTERN_CHARS = 60;

/** The bounds of a 64-bit integer, signed or unsigned, and of a safe integer of JavaScript. */
const BOUNDS_64 = '≥ -9223372036854775808, ≤ 18446744073709551615';
const BOUNDS_53 = '≥ -9007199254740991, ≤ 9007199254740991';

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

/**
 * @param parts all schemas that apply to the parameter
 * @param given the value that was given
 */
export function expectedOf(parts: readonly SchemaModel[], texts: Texts, given?: unknown): string {
  const words = new Set(parts.flatMap((part) => typeTexts(part, texts, given)));
  const hint = textOf(parts, 'description');
  return ([...words].join(texts.expectedOr) || texts.expectedOther) + (hint ? ` (${cutText(hint, QUOTED_CHARS)})` : '');
}

function typeTexts(model: SchemaModel, texts: Texts, given: unknown): string[] {
  const { enum: values, type, nullable } = model;
  const orNull = nullable ? ['null'] : [];
  if (values) {
    const written = [...values.map((value) => JSON.stringify(value)), ...orNull];
    return written.length === 1 ? written : [texts.expectedOneOf(listed(written))];
  }
  const words = TYPES[type ?? '']?.(model, texts, given);
  return [...(words ? [words.filter(Boolean).join(', ')] : []), ...orNull];
}

const TYPES: Record<string, ((schema: SchemaModel, texts: Texts, given: unknown) => string[]) | undefined> = {
  __proto__: null as never,
  string: (schema, texts) => [stringTypeText(schema, texts), limits(schema, 'Length', texts.expectedLength)],
  integer: (schema, texts, given) => [
    texts.expectedInteger,
    limits(schema, 'imum') || (isLargeNumber(given) ? (schema['format'] === 'int64' ? BOUNDS_64 : BOUNDS_53) : ''),
  ],
  number: (schema, texts, given) => [texts.expectedNumber, limits(schema, 'imum') || (isLargeNumber(given) ? BOUNDS_53 : '')],
  boolean: (_, texts) => [texts.expectedBoolean],
  array: (schema, texts) => [texts.expectedList, limits(schema, 'Items', texts.expectedItems)],
  object: ({ properties }, texts) => [texts.expectedObject, properties ? `{${listed(Object.keys(properties))}}` : ''],
  null: () => ['null'],
};

function stringTypeText({ format, pattern }: SchemaModel, texts: Texts): string {
  if (typeof format === 'string') return texts.expectedForm(FORMS[format] ?? format);
  // A longer pattern is no help to the user, and the model has it in the list of tools.
  if (typeof pattern === 'string' && pattern.length <= PATTERN_CHARS) return texts.expectedForm(pattern);
  return texts.expectedText;
}

function limits(schema: SchemaModel, what: 'Length' | 'imum' | 'Items', say: (limits: string) => string = String): string {
  const found = Object.entries({ '≥': `min${what}`, '≤': `max${what}`, '>': `exclusiveMin${what}`, '<': `exclusiveMax${what}` })
    .map(([sign, keyword]) => [sign, schema[keyword]] as const)
    .filter(([, limit]) => typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER);
  return found.length === 0 ? '' : say(found.map(([sign, limit]) => `${sign} ${String(limit)}`).join(', '));
}

function listed(words: string[]): string {
  return cutText(words.join(', '), QUOTED_CHARS);
}
