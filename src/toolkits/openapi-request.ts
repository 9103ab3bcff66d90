/** Builds a request from validated arguments. An argument is one value at its place and can never become another part of the address. */
import { ToolError } from '../base/errors.js';
import { isObject, own, numbered } from '../base/objects.js';
import { foldedName, isKeyName } from './openapi-keys.js';
import type { ReadOperation } from './openapi-operations.js';
import { type ParameterLocation, type BodyShape, OVERRIDES } from './openapi-shape.js';
import type { ToolkitTexts } from './toolkit-texts.js';
import { isLargeNumber } from '../base/exact-json.js';
import type { JsonSchema } from '../model/json-schema.js';

export interface MadeRequest {
  url: URL;
  headers: Record<string, string>;
  body?: string | FormData;
}

/**
 * @param base address of the service; the operation's path is appended to its path
 * @throws ToolError, with a message for the user, for a value that is not allowed at its place
 */
export function makeRequest(operation: ReadOperation, base: URL, args: Record<string, unknown>, words: ToolkitTexts): MadeRequest {
  const { places, template, body } = operation;
  let { path } = template;
  const query = new URLSearchParams(base.search);
  for (const [key, value] of template.fixed) query.append(key, value);
  const taken = new Set([...operation.taken, ...[...query.keys()].map(foldedName)]);
  const isTaken = (name: string) => taken.has(name) || isKeyName(name);
  const headers: Record<string, string> = { accept: operation.accept };
  for (const place of places) {
    const given = own(args, place.argument);
    if (given === undefined || (given === null && place.in !== 'path')) continue;
    const at = place.json ? { ...place, json: false, explode: false, style: 'form' } : place;
    // A text is sent without JSON quotes, even if the document declares it as JSON: no service expects them.
    const isJson = place.json && typeof given !== 'string';
    const value = isJson ? writeJson(given, schemasOf(operation, place)) : withoutNulls(given);
    if (place.in === 'path') path = path.replaceAll(`{${place.key}}`, () => pathValue(at, value, words));
    else if (place.in === 'query') {
      if (namesItsOwn(at, value)) assertFree(value, place, isTaken, words);
      addQuery(query, at, value);
    } else if (place.in === 'body' && isObject(given)) assertFree(given, place, () => false, words);
    else if (place.in === 'header') headers[place.key] = headerValue(at, value, words);
  }
  const url = addressUnder(base, path);
  if (!url) throw new ToolError(words.noPlace(operation.path), { code: 'INVALID_PARAMETER' });
  url.search = query.toString();
  const content = body && contentOf(operation, body, args, words);
  if (content === undefined) return { url, headers };
  // The browser sets the type of a multipart form, because only it knows the boundary.
  return { url, headers: typeof content === 'string' ? { ...headers, 'content-type': body!.type } : headers, body: content };
}

const schemasOf = ({ parameters }: ReadOperation, { argument }: ParameterLocation) => branches(own(parameters['properties'], argument));

/** Returns the body; `undefined` if no argument belongs to it. A body of fields is sent even if none is given. */
function contentOf(
  operation: ReadOperation,
  { kind }: BodyShape,
  args: Record<string, unknown>,
  words: ToolkitTexts,
): string | FormData | undefined {
  const { places } = operation;
  const schemas = (place: ParameterLocation) => schemasOf(operation, place);
  const whole = places.find((place) => place.in === 'body');
  if (whole) {
    const value = own(args, whole.argument);
    if (value === undefined) return undefined;
    if (kind === 'json') return writeJson(value, schemas(whole));
    return formOf(
      Object.entries(value as object).map(([key, field]) => [{ argument: key, in: 'field', key }, field]),
      words,
    );
  }
  const fields = places.filter((place) => place.in === 'field');
  const given = fields.flatMap((place) => {
    const value = own(args, place.argument);
    return value === undefined ? [] : [[place, value] as const];
  });
  if (fields.length === 0) return undefined;
  if (kind === 'json')
    return `{${given.map(([place, value]) => `${JSON.stringify(place.key)}:${writeJson(value, schemas(place))}`).join(',')}}`;
  if (kind === 'form') return formOf(given, words);
  const parts = new FormData();
  for (const [{ key }, value] of given)
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null)
        parts.append(
          key,
          typeof one === 'object'
            ? writeJson(
                one,
                given.flatMap(([place]) => (place.key === key ? schemas(place) : [])),
              )
            : textOf(one),
        );
  return parts;
}

/** Checks for an object whose keys become parameters of their own. */
const namesItsOwn = ({ style, explode, json }: ParameterLocation, value: unknown): value is Record<string, unknown> =>
  explode === true && !json && style !== 'deepObject' && isObject(value);

/** Checks the names that a model has chosen. None may equal that of another argument or of `auth`, or override the method. */
function assertFree(given: object, { argument }: ParameterLocation, isTaken: (folded: string) => boolean, words: ToolkitTexts): void {
  const wrong = Object.keys(given).find((name) => OVERRIDES.test(foldedName(name)) || isTaken(foldedName(name)));
  if (wrong !== undefined) throw new ToolError(words.nameTaken(wrong.slice(0, 100), argument), { code: 'INVALID_PARAMETER' });
}

/** Returns the address of a path under the base; `undefined` if the path leads out of it (`/../admin`, `/%2e%2e/`, `\..\`). */
export function addressUnder(base: URL, path: string): URL | undefined {
  const under = base.pathname.replace(/\/+$/, '');
  const url = new URL(base);
  url.pathname = under + path;
  return url.pathname.startsWith(`${under}/`) ? url : undefined;
}

/** Encodes form fields. Unless the document says otherwise, lists of plain values repeat their name, and objects use brackets. */
function formOf(fields: readonly (readonly [ParameterLocation, unknown])[], words: ToolkitTexts): string {
  const form = new URLSearchParams();
  const keys = new Set(fields.map(([{ key }]) => foldedName(key)));
  for (const [place, given] of fields) {
    const value = place.json ? given : withoutNulls(given);
    const isPlain = !Array.isArray(value) || value.every((item) => typeof item !== 'object');
    const style = place.style ?? (isPlain && Array.isArray(value) ? 'form' : 'deepObject');
    const at = { ...place, style, explode: place.explode ?? true };
    if (namesItsOwn(at, value)) assertFree(value, place, (name) => keys.has(name), words);
    if (given !== null) addQuery(form, at, value);
  }
  return form.toString();
}

/** Flattens an object to one list, for styles without brackets. */
const flat = (value: unknown, explode = false): string[] => {
  if (Array.isArray(value)) return value.map(textOf);
  if (typeof value !== 'object' || value === null) return [textOf(value)];
  return Object.entries(value).flatMap(([key, one]) => (explode ? [`${key}=${textOf(one)}`] : [key, textOf(one)]));
};

function pathValue(place: ParameterLocation, value: unknown, words: ToolkitTexts): string {
  const text = place.json ? JSON.stringify(value) : value === null ? '' : flat(value, place.explode).join(',');
  // Dots alone would lead to another address, and an empty value to the list above it.
  const refused = () => new ToolError(words.noPlace(place.argument), { code: 'INVALID_PARAMETER' });
  if (text === '' || /^\.+$/.test(text)) throw refused();
  try {
    return encodeURIComponent(text);
  } catch {
    throw refused(); // a lone surrogate
  }
}

function addQuery(query: URLSearchParams, place: ParameterLocation, value: unknown): void {
  const { key, style, explode, json } = place;
  if (json) query.append(key, JSON.stringify(value));
  else if (style === 'deepObject') for (const [name, one] of bracketPairs(key, value)) query.append(name, one);
  else if (namesItsOwn(place, value)) for (const [name, one] of Object.entries(value)) query.append(name, textOf(one));
  else if (explode) for (const one of flat(value)) query.append(key, one);
  else query.append(key, flat(value).join(style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','));
}

function headerValue(place: ParameterLocation, value: unknown, words: ToolkitTexts): string {
  const text = place.json ? JSON.stringify(value) : flat(value, place.explode).join(',');
  if (!/^[\x20-\x7e]*$/.test(text)) throw new ToolError(words.noHeader(place.argument), { code: 'INVALID_PARAMETER' });
  return text;
}

/** Serializes values for a query, a form or JSON. */
const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Removes nulls, which neither a URL nor a form can express. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, item]) => (item === null ? [] : [[name, withoutNulls(item)]])));
}

/** Yields pairs for values that a plain query cannot express: `items[0][price]`, `expand[]`, `created[gte]`. */
function* bracketPairs(key: string, value: unknown): Generator<[string, string]> {
  if (Array.isArray(value)) {
    // A list of plain values needs no indexes, and many services accept none.
    const isNested = value.some((item) => typeof item === 'object' && item !== null);
    for (const [at, item] of numbered(value)) yield* bracketPairs(`${key}[${isNested ? String(at) : ''}]`, item);
  } else if (isObject(value)) for (const [name, item] of Object.entries(value)) yield* bracketPairs(`${key}[${name}]`, item);
  else yield [key, textOf(value)];
}

/**
 * Writes JSON. A 64-bit integer, which only a text holds exactly, is written as a number if the schema requires one.
 *
 * @param schemas all schemas that may describe the value
 */
function writeJson(value: unknown, schemas: readonly JsonSchema[]): string {
  if (isLargeNumber(value) && schemas.some(isWhole) && !schemas.some(takesText)) return value;
  if (Array.isArray(value)) {
    const items = (at: number) => schemas.flatMap((schema) => branches(own(schema['prefixItems'], at) ?? schema['items']));
    return `[${value.map((item, at) => writeJson(item, items(at))).join(',')}]`;
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const inner = schemas.flatMap(({ properties, additionalProperties, patternProperties }) =>
      branches(own(properties, name) ?? additionalProperties ?? Object.values(patternProperties ?? {})[0]),
    );
    return [`${JSON.stringify(name)}:${writeJson(item, inner)}`];
  });
  return `{${members.join(',')}}`;
}

/** Returns a schema and the members of its union. */
function branches(schema: unknown): JsonSchema[] {
  if (!isObject(schema)) return [];
  const { anyOf } = schema;
  return [schema, ...(Array.isArray(anyOf) ? anyOf.flatMap(branches) : [])];
}

const isWhole = ({ type }: JsonSchema): boolean => [type].flat().includes('integer');

const takesText = ({ type, enum: values, anyOf }: JsonSchema): boolean =>
  [type].flat().includes('string') || (type === undefined && values === undefined && anyOf === undefined);
