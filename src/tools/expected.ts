/** What a parameter should have been, in words that a model can act on (S0-58). */
import type { Texts } from '../i18n/en.js';
import type { JsonSchema } from '../json-schema.js';
import { cutText } from '../plain.js';
import { flatten, isObject } from './schema.js';

/** Longest description, pattern or list that is quoted. */
const QUOTED_CHARS = 300;

const FORMS: Record<string, string> = {
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
  const words = [...new Set(parts.flatMap((part) => inWords(part, texts)))];
  const description = parts.find((part) => typeof part['description'] === 'string')?.['description'];
  const hint = typeof description === 'string' && description ? ` (${cutText(description, QUOTED_CHARS)})` : '';
  return (words.join(texts.expectedOr) || texts.expectedOther) + hint;
}

function inWords(schema: JsonSchema, texts: Texts): string[] {
  const { enum: values, const: only, type } = schema;
  if (only !== undefined) return [JSON.stringify(only)];
  if (Array.isArray(values)) return [texts.expectedOneOf(cutText(values.map((value) => JSON.stringify(value)).join(', '), QUOTED_CHARS))];
  return [type].flat().flatMap((name) => {
    switch (name) {
      case 'string':
        return join(textInWords(schema, texts), limits(schema, 'minLength', 'maxLength', texts.expectedLength));
      case 'integer':
        return join(texts.expectedInteger, limits(schema, 'minimum', 'maximum', String));
      case 'number':
        return join(texts.expectedNumber, limits(schema, 'minimum', 'maximum', String));
      case 'boolean':
        return [texts.expectedBoolean];
      case 'array':
        return join(texts.expectedList, limits(schema, 'minItems', 'maxItems', texts.expectedItems));
      case 'object':
        return join(
          texts.expectedObject,
          isObject(schema['properties']) ? `{${cutText(Object.keys(schema['properties']).join(', '), QUOTED_CHARS)}}` : '',
        );
      case 'null':
        return ['null'];
      default:
        return [];
    }
  });
}

function textInWords({ format, pattern }: JsonSchema, texts: Texts): string {
  if (typeof format === 'string') return texts.expectedForm(Object.hasOwn(FORMS, format) ? FORMS[format]! : format);
  if (typeof pattern === 'string') return texts.expectedForm(cutText(pattern, QUOTED_CHARS));
  return texts.expectedText;
}

function limits(schema: JsonSchema, least: string, most: string, say: (limits: string) => string): string {
  const found = [
    ['≥', schema[least]],
    ['≤', schema[most]],
    ['>', schema[`exclusiveM${least.slice(1)}`]],
    ['<', schema[`exclusiveM${most.slice(1)}`]],
  ].filter(([, limit]) => typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER);
  return found.length === 0 ? '' : say(found.map(([sign, limit]) => `${String(sign)} ${String(limit)}`).join(', '));
}

function join(...words: string[]): string[] {
  return [words.filter(Boolean).join(', ')];
}
