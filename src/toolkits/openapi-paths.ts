/** Finds the operations of an OpenAPI document by their paths, and reads the path templates. */
import { type Allowance, spend } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { snakeCase } from '../tools/tool-naming.js';
import { resolve } from './foreign-schema.js';

export interface GivenOperation {
  /** The path as written in the document. */
  path: string;
  method: string;
  item: Record<string, unknown>;
  operation: Record<string, unknown>;
}

export interface Parameter extends Record<string, unknown> {
  name: string;
  in: string;
}

const METHODS = ['get', 'query', 'post', 'put', 'patch', 'delete'] as const;

export function* givenOperations(document: JsonSchema, left: Allowance): Generator<GivenOperation> {
  const paths = own(document, 'paths');
  for (const [path, given] of isObject(paths) ? Object.entries(paths) : []) {
    const item = path.startsWith('/') && resolve(given, document, left);
    if (!item) continue;
    for (const method of METHODS) {
      const operation = own(item, method);
      if (isObject(operation)) yield { path, method, item, operation };
    }
  }
}

/** Returns the parameters of the path, overridden by those of the operation. */
export function parametersOf(item: object, operation: object, document: JsonSchema, left: Allowance): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const list of [own(item, 'parameters'), own(operation, 'parameters')])
    for (const given of Array.isArray(list) && spend(left, list.length) ? (list as unknown[]) : []) {
      const parameter = resolve(given, document, left);
      const [name, where] = [own(parameter, 'name'), own(parameter, 'in')];
      if (typeof name === 'string' && typeof where === 'string') found.set(`${where} ${name}`, parameter as Parameter);
    }
  return [...found.values()];
}

/** Builds a name from method and path: `get_pets_by_pet_id`, `post_pets_toys`. */
export function nameByPath(method: string, path: string): string {
  const segments = path.split('/').filter(Boolean);
  const words = segments.map((segment, at) => {
    const [, inside] = /^\{([^{}]+)\}$/.exec(segment) ?? [];
    if (inside === undefined) return segment;
    return at === segments.length - 1 ? `by_${inside}` : '';
  });
  return snakeCase([method, ...(segments.length > 0 ? words : ['root'])].filter(Boolean).join('_'));
}

/** A placeholder in a path or its query. */
const PLACE = /\{([^{}]+)\}/g;

export interface PathTemplate {
  /** The path without the query and the fragment that some documents append. */
  path: string;
  /** The names of the placeholders in the path. */
  places: readonly string[];
  /** The constant pairs of the query. */
  fixed: readonly (readonly [key: string, value: string])[];
  /** The keys of the query with a placeholder, each with the parameter's name. */
  query: readonly { key: string; name: string; isRequired: boolean }[];
}

/**
 * Splits a path template such as `/files/{id}#update_link`, `/history?q={q}` or `/find{?q,page}`. A fragment only distinguishes operations
 * of one path and is dropped; a query is separated. A `#` or `?` between braces belongs to a name.
 */
export function readPath(written: string): PathTemplate {
  const query: { key: string; name: string; isRequired: boolean }[] = [];
  const fixed: [string, string][] = [];
  // RFC 6570 writes a query as a list of names.
  const plain = written.replace(/\{[?&]([^{}]*)\}/g, (_, names: string) => {
    for (const name of names.split(',')) if (name) query.push({ key: name, name, isRequired: false });
    return '';
  });
  const end = outside(plain, '#');
  const whole = plain.slice(0, end);
  const start = outside(whole, '?');
  const path = whole.slice(0, start);
  for (const pair of whole.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const at = outside(pair, '=');
    const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const [, name] = /^\{([^{}]+)\}$/.exec(value || key) ?? [];
    if (name !== undefined) query.push({ key: value ? decoded(key) : name, name, isRequired: true });
    else fixed.push([decoded(key), decoded(value)]);
  }
  return { path, places: [...path.matchAll(PLACE)].map(([, name = '']) => name), fixed, query };
}

/** Returns the index of a character outside braces; the length of the text if there is none. */
function outside(text: string, sign: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth = Math.max(0, depth - 1);
    else if (depth === 0 && text[at] === sign) return at;
  }
  return text.length;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
