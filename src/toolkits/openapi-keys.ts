/** Recognizes parameters that are keys. `auth` provides them, so that no model is asked for one and no prompt contains one. */
import type { Allowance } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import type { SchemaModel } from '../model/schema-model.js';
import { snakeCase } from '../tools/tool-naming.js';
import { resolve } from './foreign-schema.js';
import type { Parameter } from './openapi-paths.js';

/** A key that `auth` provides, and the place where the service expects it. */
export interface KeyLocation {
  name: string;
  in: string;
  isRequired: boolean;
}

/** The keys that the document itself declares, by place and name in lower case. */
export type SecurityKeys = ReadonlyMap<string, KeyLocation>;

export const keyOf = (where: string, name: string): string => `${where} ${name.toLowerCase()}`;

export function securityKeys(document: JsonSchema, left: Allowance): SecurityKeys {
  const schemes = own(own(document, 'components'), 'securitySchemes');
  const found = new Map<string, KeyLocation>();
  for (const given of isObject(schemes) ? Object.values(schemes) : []) {
    const scheme = resolve(given, document, left);
    const [type, name, where] = [own(scheme, 'type'), own(scheme, 'name'), own(scheme, 'in')];
    if (type === 'apiKey' && typeof name === 'string' && typeof where === 'string')
      found.set(keyOf(where, name), { name, in: where, isRequired: false });
  }
  return found;
}

/** Names that only keys have, in snake case. */
const KEY =
  /^(?:x_)?(?:api|app|subscription|hapi?)_?key$|^hapikey$|^(?:x_)?(?:access|auth|oauth2?|bearer|api)_?token$|^(?:client|api|app)_?secret$|^authorization$/;
/** Names of headers that authenticate, unless their token or key is for something else. */
const HEADER = /(?:key|token|secret|(?:^|_)auth|authentication|authori[sz]ation|signature(?:_input)?|credentials?|^dpo_?p)$/;
const NO_HEADER =
  /(?:page|next|continuation|cursor|sync|delta|idempotency|resume|sort|partition|routing|cache|etag|lock|change|reset|invite)/;
/** Names of query parameters that are keys if their description says so. */
const MAYBE_KEY = /^(?:api_?)?(?:token|key|auth|secret|sig|signature|credentials?)$|^(?:user|session|id|security)_token$/;
const OF_KEY =
  /\b(?:authenticat\w*|authori[sz]\w*|api[ -]?key|(?:access|app|application|account|developer|license|login|master|personal|secret|subscription) (?:token|key)|oauth\w*|bearer|credentials?)\b/i;
/** Descriptions of keys that are ordinary values: "The API key to revoke". */
const OF_VALUE =
  /\bto (?:revoke|delete|remove|verify|validate|check|rotate|look|inspect|introspect|read|get|update|test|find|exchange|refresh)\b/i;
/** Marks of JSONP, whose answer would be a script, not data. */
const JSONP = /\bjson-?p\b|javascript/i;

/** All names above contain one of these words, so most names need no closer look. */
const HINT = /key|token|secret|auth|sig|credential|passw|passphrase|pwd|dpop/i;

export function isKey(parameter: Parameter, keys: SecurityKeys): boolean {
  const { name, in: where } = parameter;
  if (keys.has(keyOf(where, name))) return true;
  if (!HINT.test(name)) return false;
  const words = snakeCase(name);
  const description = String(own(parameter, 'description') ?? own(own(parameter, 'schema'), 'description') ?? '').slice(0, 500);
  if (where === 'header') return KEY.test(words) || (HEADER.test(words) && !NO_HEADER.test(words));
  if (where !== 'query') return false;
  if (KEY.test(words)) return true;
  if (!MAYBE_KEY.test(words)) return false;
  return own(own(parameter, 'schema'), 'format') === 'password' || (OF_KEY.test(description) && !OF_VALUE.test(description));
}

/** Checks for the name of a key. `auth` provides keys even if the document does not declare them. */
export const isKeyName = (name: string): boolean => HINT.test(name) && KEY.test(snakeCase(name));

/** Folds names that some services treat as equal: PHP replaces blanks and dots by `_` and reads `a[b]` as `a`, others ignore case. */
export function foldedName(name: string): string {
  const trimmed = name.trim();
  const bracket = trimmed.indexOf('[', 1);
  return (bracket < 0 ? trimmed : trimmed.slice(0, bracket)).replace(/[\s.[]/g, '_').toLowerCase();
}

/** Checks for a parameter that requests a script as the answer (JSONP). */
export function isCallback({ name, in: where, description }: Parameter): boolean {
  return where === 'query' && (/^jsonp$/i.test(name) || (/^(?:callback|jsonp?_?callback)$/i.test(name) && JSONP.test(String(description))));
}

/** Names of values that must not appear in events and logs. */
const SECRET =
  /(?:^|_)(?:(?:password|passwd|passphrase|pwd)(?:_(?:confirm(?:ation)?|repeat|again))?|secret|api_?key|private_key|(?:access|refresh|auth|authorization|oauth|bearer)_token)$|^token$/;

/** Checks for a field that must not appear in events and logs. */
export const isSecret = (name: string, { format, type }: SchemaModel): boolean =>
  format === 'password' || (HINT.test(name) && (type === undefined || type === 'string') && SECRET.test(snakeCase(name)));
