/** From checked arguments to a request. An argument is one value in its place and can never become another part of the address. */
import { ToolError } from '../base/errors.js';
import { isObject, own } from '../base/objects.js';
import { FORM_TYPE, foldedName, isKey, isOverride, type ArgumentPlace, type ReadOperation } from './openapi-operations.js';
import type { Words } from './toolkit-words.js';

export interface MadeRequest {
  url: URL;
  headers: Record<string, string>;
  body?: string;
}

/**
 * @param base address of the service; the operation's path is put behind its own
 * @throws ToolError, in words for people, for a value that cannot stand where it goes
 */
export function makeRequest(operation: ReadOperation, base: URL, args: Record<string, unknown>, words: Words): MadeRequest {
  const { places, contentType } = operation;
  const given = (place: ArgumentPlace) => own(args, place.argument);
  let path = operation.path;
  const query = new URLSearchParams(base.search);
  const taken = new Set([...operation.taken, ...[...query.keys()].map(foldedName)]);
  const isTaken = (name: string) => taken.has(name) || isKey(name);
  const headers: Record<string, string> = { accept: 'application/json' };
  const fields: Record<string, unknown> = {};
  let body: unknown;
  for (const place of places) {
    const value = given(place);
    if (value === undefined) continue;
    if (place.in === 'path') path = path.replaceAll(`{${place.key}}`, () => pathValue(place, value, words));
    else if (place.in === 'query') {
      if (namesItsOwn(place, value)) assertFree(value, place, isTaken, words);
      addQuery(query, place, value);
    } else if (place.in === 'header') headers[place.key] = headerValue(place, value, words);
    else if (place.in === 'field')
      Object.defineProperty(fields, place.key, { value, enumerable: true, configurable: true, writable: true });
    else {
      if (isObject(value)) assertFree(value, place, () => false, words);
      body = value;
    }
  }
  if (body === undefined && places.some((place) => place.in === 'field')) body = fields;
  const url = addressUnder(base, path);
  if (!url) throw new ToolError(words.noPlace(operation.path), { code: 'INVALID_PARAMETER' });
  url.search = query.toString();
  const hasBody = contentType !== undefined && body !== undefined;
  return {
    url,
    headers: hasBody ? { ...headers, 'content-type': contentType } : headers,
    ...(hasBody && { body: contentType === FORM_TYPE ? formOf(body) : JSON.stringify(body) }),
  };
}

/** An object whose keys become parameters of their own. */
const namesItsOwn = ({ style, explode, json }: ArgumentPlace, value: unknown): value is Record<string, unknown> =>
  explode === true && !json && style !== 'deepObject' && isObject(value);

/** A model names these. None may be what another argument or `auth` says, or change the method. */
function assertFree(given: object, { argument }: ArgumentPlace, isTaken: (folded: string) => boolean, words: Words): void {
  const wrong = Object.keys(given).find((name) => isOverride(foldedName(name)) || isTaken(foldedName(name)));
  if (wrong !== undefined) throw new ToolError(words.nameTaken(wrong.slice(0, 100), argument), { code: 'INVALID_PARAMETER' });
}

/** Undefined for a path that leads out of the base (`/../admin`, `/%2e%2e/`, `\..\`). */
export function addressUnder(base: URL, path: string): URL | undefined {
  const under = base.pathname.replace(/\/+$/, '');
  const url = new URL(base);
  url.pathname = under + path;
  return url.pathname.startsWith(`${under}/`) ? url : undefined;
}

/** Lists repeat their name, objects put theirs into brackets. */
function formOf(body: unknown): string {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(body as object))
    addQuery(form, { argument: key, in: 'query', key, style: 'deepObject', explode: true }, value);
  return form.toString();
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Pairs of an object as one list, for styles without brackets. */
const flat = (value: unknown, explode = false): string[] => {
  if (Array.isArray(value)) return value.map(textOf);
  if (typeof value !== 'object' || value === null) return [textOf(value)];
  return Object.entries(value).flatMap(([key, one]) => (explode ? [`${key}=${textOf(one)}`] : [key, textOf(one)]));
};

function pathValue(place: ArgumentPlace, value: unknown, words: Words): string {
  const text = place.json ? JSON.stringify(value) : flat(value, place.explode).join(',');
  // Dots alone would lead to another address, an empty one to the list behind it.
  const refused = () => new ToolError(words.noPlace(place.argument), { code: 'INVALID_PARAMETER' });
  if (text === '' || /^\.+$/.test(text)) throw refused();
  try {
    return encodeURIComponent(text);
  } catch {
    throw refused(); // half a character
  }
}

function addQuery(query: URLSearchParams, place: ArgumentPlace, value: unknown): void {
  const { key, style, explode, json } = place;
  if (json) query.append(key, JSON.stringify(value));
  else if (style === 'deepObject' && isObject(value))
    for (const [name, one] of Object.entries(value)) query.append(`${key}[${name}]`, textOf(one));
  else if (namesItsOwn(place, value)) for (const [name, one] of Object.entries(value)) query.append(name, textOf(one));
  else if (explode) for (const one of flat(value)) query.append(key, one);
  else query.append(key, flat(value).join(style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','));
}

function headerValue(place: ArgumentPlace, value: unknown, words: Words): string {
  const text = place.json ? JSON.stringify(value) : flat(value, place.explode).join(',');
  if (!/^[\x20-\x7e]*$/.test(text)) throw new ToolError(words.noHeader(place.argument), { code: 'INVALID_PARAMETER' });
  return text;
}
