/** The operations of an OpenAPI document, by their paths: where each is, and what it is called. */
import { type Allowance, spend } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { snakeCase } from '../tools/foreign-tools.js';
import { resolve } from './foreign-schema.js';

export interface GivenOperation {
  /** As the document writes it. */
  path: string;
  method: string;
  item: Record<string, unknown>;
  operation: Record<string, unknown>;
}

export interface Parameter extends Record<string, unknown> {
  name: string;
  in: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

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

/** Those of the path with those of the operation over them. */
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

/** `get_pets_by_pet_id`, `post_pets_toys`: what it does to what. */
export function nameByPath(method: string, path: string): string {
  const segments = path.split('/').filter(Boolean);
  const words = segments.map((segment, at) => {
    const [, inside] = /^\{([^{}]+)\}$/.exec(segment) ?? [];
    if (inside === undefined) return segment;
    return at === segments.length - 1 ? `by_${inside}` : '';
  });
  return snakeCase([method, ...(segments.length > 0 ? words : ['root'])].filter(Boolean).join('_'));
}

/** A place in a path or in the query behind it. */
const PLACE = /\{([^{}]+)\}/g;

export interface PathTemplate {
  /** Without the query and the fragment that some documents write into it. */
  path: string;
  /** Names of the places that are in it. */
  places: readonly string[];
  /** Pairs of the query that never change. */
  fixed: readonly (readonly [key: string, value: string])[];
  /** Keys of the query that take a parameter, each with the parameter's name. */
  query: readonly { key: string; name: string; isRequired: boolean }[];
}

/**
 * `/files/{id}#update_link`, `/history?q={q}`, `/find{?q,page}`: a fragment only tells operations of one path apart, and a query belongs into the
 * query. A `#` or `?` between braces is a part of a name.
 */
export function readPath(written: string): PathTemplate {
  const query: { key: string; name: string; isRequired: boolean }[] = [];
  const fixed: [string, string][] = [];
  // RFC 6570 writes a query with a list of names.
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

/** Finds a sign outside of braces; gives the end of the text if there is none. */
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
