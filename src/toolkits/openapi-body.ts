/** Chooses the media types of an operation's request body and responses. */
import { type Allowance, spend } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import type { SchemaModel } from '../model/schema-model.js';
import { resolve } from './foreign-schema.js';

export type BodyKind = 'json' | 'form' | 'multipart';

export interface Media {
  /** The media type, as it is sent. */
  type: string;
  kind: BodyKind;
  /** The media type object of the document, with schema and encoding. */
  media: unknown;
}

const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)|^(?:\*|application)\/\*$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const MULTIPART_TYPE = /^multipart\/form-data\s*(?:;|$)/i;

/** Chooses a media type: JSON before forms, forms before multipart; `undefined` if there is none of them. */
export function chooseMedia(content: Record<string, unknown>, method: string, find: (media: unknown) => unknown): Media | undefined {
  const types = Object.keys(content);
  const [json] = types.filter(isJsonType).sort((a, b) => rank(a, method) - rank(b, method));
  const type = json ?? types.find((one) => FORM_TYPE.test(one)) ?? types.find((one) => MULTIPART_TYPE.test(one));
  if (type === undefined) return undefined;
  const kind = json !== undefined ? 'json' : FORM_TYPE.test(type) ? 'form' : 'multipart';
  return { type: type.includes('*') ? 'application/json' : type, kind, media: find(own(content, type)) };
}

/**
 * Ranks JSON types, lowest first. A merge patch is preferred for PATCH. A JSON Patch is a list of steps, which models should not have to
 * write if there is another type.
 */
function rank(type: string, method: string): number {
  if (/\/merge-patch\+json/i.test(type)) return method === 'patch' ? 0 : 4;
  if (isPatchList(type)) return 5;
  if (/^application\/json/i.test(type)) return 1;
  return type.includes('*') ? 2 : 3;
}

export const isPatchList = (type: string): boolean => /\/json-patch\+json/i.test(type);

/** The schema of a JSON Patch (RFC 6902), which documents often declare as an object. */
export const PATCH_LIST: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
      path: { type: 'string', description: 'JSON Pointer, such as /title' },
      value: {},
      from: { type: 'string' },
    },
    required: ['op', 'path'],
  },
};

export const isJsonType = (type: string): boolean => JSON_TYPE.test(type);

/** Checks for a file or a list of files. A part without a declared type counts as a file, too. */
export function isFile({ type, format, contentMediaType, contentEncoding, items, enum: values, anyOf }: SchemaModel): boolean {
  if (type === 'array' && items) return isFile(items);
  if (format === 'binary' || type === 'file' || (type ?? values ?? anyOf) === undefined) return true;
  return typeof contentMediaType === 'string' && contentEncoding === undefined && !/^text\/|json/i.test(contentMediaType);
}

/** Maximum number of types in `Accept`. */
const MOST_TYPES = 5;
const MEDIA_TYPE = /^[\w.+*-]{1,100}\/[\w.+*-]{1,100}(?:\s*;[\x20-\x7e]{0,100})?$/;
const IS_GOOD = /^2(?:\d\d|XX)$/i;

/** Returns the `Accept` header for the types of the success responses: only JSON types if there are any. */
export function acceptOf(operation: object, document: JsonSchema, left: Allowance): string {
  const responses = own(operation, 'responses');
  const given = isObject(responses) ? Object.entries(responses) : [];
  const good = given.filter(([status]) => IS_GOOD.test(status));
  const types = (good.length > 0 ? good : given.filter(([status]) => status === 'default')).flatMap(([, response]) => {
    const content = own(resolve(response, document, left), 'content');
    const names = isObject(content) ? Object.keys(content) : [];
    return spend(left, names.length) ? names : [];
  });
  const known = [...new Set(types.map((type) => type.trim()))].filter((type) => MEDIA_TYPE.test(type));
  if (known.some((type) => /^(?:\*|application)\/\*/.test(type))) return 'application/json';
  const json = known.filter(isJsonType).sort((a, b) => rank(a, '') - rank(b, ''));
  return (json.length > 0 ? json : known).slice(0, MOST_TYPES).join(', ') || 'application/json';
}
