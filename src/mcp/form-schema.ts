/**
 * Normalizes the form that a server wants the user to fill in: an object of plain fields, as in the MCP specification. Resolves references,
 * null and other spellings of libraries, limits every size, and drops everything else.
 */
import { createAllowance, type Allowance } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import { patternLimit } from '../base/pattern-tests.js';
import { choicesOf, type Choice } from '../model/choices.js';
import { resolve } from '../toolkits/foreign-schema.js';
import { translatePattern } from '../toolkits/pattern-dialects.js';
import { shorter } from '../tools/tool-naming.js';
import type { Fields } from './mcp-message.js';

const PARTS = 20_000;
const FIELDS = 200;
const TITLE_CHARS = 120;
const WORDS_CHARS = 500;
/** A pattern is kept only if it can be tested safely on values of this length, in characters. */
const TRIED_CHARS = 50;
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

export function formSchema(schema: Fields): Fields {
  const left = createAllowance(PARTS);
  const given = own(schema, 'properties');
  const fields = (isObject(given) ? Object.entries(given) : []).filter(([name]) => name !== '__proto__').slice(0, FIELDS);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field, schema, left)]));
  const required = own(schema, 'required');
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)) : [];
  return { type: 'object', properties, ...(needed.length > 0 && { required: needed }) };
}

function fieldSchema(given: unknown, document: Fields, left: Allowance): Fields {
  const field = plain(given, document, left);
  const choices = choicesOf(field);
  const [title, description, format, standard] = ['title', 'description', 'format', 'default'].map((key) => own(field, key));
  const type = typeOf(field, choices);
  const items = type === 'array' ? plain(own(field, 'items'), document, left) : undefined;
  const several = items && choicesOf(items);
  return {
    ...(type !== undefined && { type }),
    ...shortText('title', title, TITLE_CHARS),
    ...shortText('description', description, WORDS_CHARS),
    ...(choices && offered(choices, 'oneOf')),
    ...(several && { items: { type: typeof several[0]?.value, ...offered(several, 'anyOf') } }),
    ...(FORMATS.includes(format) && { format }),
    ...(type === 'string' && !choices && patternOf(own(field, 'pattern'))),
    ...bounds(field, type === 'integer'),
    ...(isPlain(standard) && { default: standard }),
    ...(Array.isArray(standard) && standard.every(isPlain) && { default: standard }),
  };
}

/** Returns a schema without references. Libraries write an optional field as a union with null. */
function plain(given: unknown, document: Fields, left: Allowance): Fields {
  const { allOf, ...field } = resolve(given, document, left) ?? {};
  const [only, more] = Array.isArray(allOf) ? (allOf as unknown[]) : [];
  if (only !== undefined && more === undefined) return { ...resolve(only, document, left), ...field };
  for (const key of ['anyOf', 'oneOf'] as const) {
    const union = own(field, key);
    if (!Array.isArray(union)) continue;
    const members = union
      .map((one) => resolve(one, document, left) ?? {})
      .filter((one) => own(one, 'type') !== 'null' && own(one, 'const') !== null);
    const { [key]: _, ...others } = field;
    if (members.length === 1 && !Object.hasOwn(members[0]!, 'const')) return { ...members[0], ...others };
    return { ...others, [key]: members };
  }
  return field;
}

function typeOf(field: Fields, choices: readonly Choice[] | undefined): string | undefined {
  const type = [own(field, 'type')].flat().find((one) => typeof one === 'string' && one !== 'null');
  return typeof type === 'string' ? type : choices ? typeof choices[0]?.value : undefined;
}

/** Returns the choices, with titles only if one differs from its value. */
function offered(choices: readonly Choice[], union: 'oneOf' | 'anyOf'): Fields {
  if (choices.every(({ value, title }) => title === value)) return { enum: choices.map(({ value }) => value) };
  return { [union]: choices.map(({ value, title }) => ({ const: value, title: shorter(title, TITLE_CHARS) })) };
}

/** Drops a pattern that browsers cannot compile, or that could take too long. The server checks it then. */
function patternOf(given: unknown): Fields {
  const pattern = typeof given === 'string' && given.length <= 200 ? translatePattern(given) : undefined;
  return pattern !== undefined && patternLimit(pattern)! >= TRIED_CHARS ? { pattern } : {};
}

function bounds(field: Fields, isWhole: boolean): Fields {
  const found: Fields = {};
  for (const key of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
    const bound = own(field, key);
    if (typeof bound === 'number' && Number.isFinite(bound)) found[key] = bound;
  }
  if (!isWhole) return found;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...more } = found as Record<string, number>;
  const least = Math.max(Math.ceil(minimum ?? -Infinity), Math.floor(exclusiveMinimum ?? -Infinity) + 1);
  const most = Math.min(Math.floor(maximum ?? Infinity), Math.ceil(exclusiveMaximum ?? Infinity) - 1);
  return { ...more, ...(least > -Infinity && { minimum: least }), ...(most < Infinity && { maximum: most }) };
}

const shortText = (key: string, text: unknown, chars: number): Fields =>
  typeof text === 'string' && text.trim() ? { [key]: shorter(text, chars) } : {};

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
