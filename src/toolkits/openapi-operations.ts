/** Reads the operations of an OpenAPI document: their names, their flat arguments, and the place of each argument in the request. */
import { type Allowance, allowanceOfTool, createAllowance, isSpent, spend } from '../base/allowance.js';
import { own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { schemaReader, type SchemaReader } from '../model/schema-model.js';
import { createYield } from '../tools/yield-to-main.js';
import { oneSentence, shorter, snakeCase, uniqueName, type TakenNames } from '../tools/tool-naming.js';
import { expandForeign } from './foreign-keywords.js';
import { PARTS_OF_TOOL, resolve } from './foreign-schema.js';
import { acceptOf } from './openapi-body.js';
import { foldedName, isCallback, isKey, keyOf, type KeyLocation, securityKeys, type SecurityKeys } from './openapi-keys.js';
import {
  givenOperations,
  type GivenOperation,
  nameByPath,
  type Parameter,
  parametersOf,
  type PathTemplate,
  readPath,
} from './openapi-paths.js';
import { type ParameterLocation, type BodyShape, MOST_ARGUMENTS, OVERRIDES, type RelaxedPart, Shape } from './openapi-shape.js';

/** An operation, as passed to `filter`, `risk` and `auth`. */
export interface OpenApiOperation {
  /** The tool's name. */
  name: string;
  /** The `operationId`, if the document has one. */
  id?: string;
  /** The HTTP method in upper case. */
  method: string;
  /** The path as written in the document: `/pets/{petId}`. */
  path: string;
  tags: readonly string[];
  deprecated: boolean;
}

export interface ReadOperation extends OpenApiOperation {
  description: string;
  label: string;
  parameters: JsonSchema;
  places: readonly ParameterLocation[];
  /** The path without its query, and the constant pairs of the query. */
  template: Pick<PathTemplate, 'path' | 'fixed'>;
  /** The names of arguments that are secret. */
  secret: readonly string[];
  /** The request body; `undefined` if there is none. */
  body?: BodyShape;
  accept: string;
  /** The header for the call's id (idempotency key). */
  keyHeader?: string;
  /** The keys that `auth` provides. */
  keys: readonly KeyLocation[];
  /** Folded names in the query that other arguments or `auth` use. An object with free names must not use them. */
  taken: readonly string[];
  /** True if its name differs from the one that its `operationId` or path would give. */
  isRenamed: boolean;
  relaxed: readonly RelaxedPart[];
  /** Its own servers, which override those of the document. */
  servers?: unknown;
}

/** An operation that does not become a tool, and the reason; `openapi-report.ts` has the texts. */
export interface SkippedOperation {
  method: string;
  path: string;
  why: 'body' | 'cookie' | 'file' | 'get' | 'many' | 'outside' | 'override' | 'size' | 'style' | 'twice';
}

/** Maximum number of operations that become tools. */
export const MOST_OPERATIONS = 5000;
/** Maximum number of schema parts that are read in a whole document. */
const PARTS = 1_000_000;
const MOST_TAGS = 50;
const LABEL_CHARS = 60;
/** Milliseconds of continuous work after which other tasks get their turn. */
const AT_ONCE = 20;
/** Headers that the page or the browser sets, never a model. */
const OWN_HEADERS =
  /^(?:accept(?:-charset|-encoding)?|access-control-.*|authorization|content-.*|(?:set-)?cookie.*|date|dnt|host|origin|referer|proxy-.*|sec-.*|user-agent|connection|expect|forwarded|keep-alive|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*)$/i;

/**
 * Reads the operations of a document.
 *
 *   @param isWanted called before any part of an operation is read except its name, path and tags
 */
export async function readOperations(
  document: JsonSchema,
  isWanted: (operation: OpenApiOperation) => boolean,
): Promise<{ operations: ReadOperation[]; leftOut: SkippedOperation[] }> {
  const operations: ReadOperation[] = [];
  const leftOut: SkippedOperation[] = [];
  const names: TakenNames = new Map();
  const ids = new Set<string>();
  const whole = createAllowance(PARTS);
  const shared = { document, keys: securityKeys(document, whole), reader: schemaReader(document, whole, expandForeign) };
  const breathe = createYield(AT_ONCE);
  // Paths have their own allowance, so that omitted operations are reported even if the other one is used up.
  for (const given of givenOperations(document, createAllowance(PARTS))) {
    await breathe();
    const operation = { ...called(given), name: '' };
    const id = snakeCase(operation.id ?? '');
    // The host's settings for an operation must not apply to another one with the same id.
    const isTwice = id !== '' && ids.has(id);
    ids.add(id);
    const wanted = id || nameByPath(given.method, given.path);
    if (!isTwice) operation.name = uniqueName(wanted, names);
    if (!isWanted(operation)) continue;
    const left = allowanceOfTool(whole, PARTS_OF_TOOL);
    const read = isTwice ? 'twice' : operations.length >= MOST_OPERATIONS ? 'many' : readOperation(given, operation, { ...shared, left });
    if (typeof read === 'string') leftOut.push({ method: operation.method, path: operation.path, why: read });
    else operations.push({ ...read, isRenamed: operation.name !== wanted });
  }
  return { operations, leftOut };
}

function called({ path, method, operation }: GivenOperation): Omit<OpenApiOperation, 'name'> {
  const [id, tags] = [own(operation, 'operationId'), own(operation, 'tags')];
  return {
    ...(typeof id === 'string' && { id }),
    ...{ method: method.toUpperCase(), path },
    tags: Array.isArray(tags) ? (tags as unknown[]).slice(0, MOST_TAGS).filter((tag) => typeof tag === 'string') : [],
    deprecated: own(operation, 'deprecated') === true,
  };
}

interface OperationContext {
  document: JsonSchema;
  keys: SecurityKeys;
  /** Shared by all tools, because most use the same schemas. */
  reader: SchemaReader;
  left: Allowance;
}

function readOperation(
  { path, method, item, operation }: GivenOperation,
  named: OpenApiOperation,
  { document, keys, reader, left }: OperationContext,
): Omit<ReadOperation, 'isRenamed'> | SkippedOperation['why'] {
  reader.left = left;
  const shape = new Shape(reader);
  const template = readPath(path);
  if (template.query.length + template.places.length > MOST_ARGUMENTS || !spend(left, keys.size)) return 'size';
  if (template.fixed.some(([key]) => OVERRIDES.test(key))) return 'override';
  const given = parametersOf(item, operation, document, left);
  if (given.length > MOST_ARGUMENTS) return 'size';
  const placed = placeInPath(given, template);
  const found = addParameters(shape, placed, keys);
  if (typeof found === 'string') return found;
  const body = shape.addBody(resolve(own(operation, 'requestBody'), document, left), method, document);
  if (typeof body === 'string') return body;
  // Placeholders in the path that no parameter describes.
  const described = new Set(shape.places.filter(({ in: where }) => where === 'path').map(({ key }) => key));
  for (const name of template.places) {
    if (!described.has(name)) shape.addParameter({ name, in: 'path', required: true, schema: { type: 'string' } });
    described.add(name);
  }
  const accept = acceptOf(operation, document, left);
  if (isSpent(left) || shape.isTooLarge || shape.places.length > MOST_ARGUMENTS) return 'size';

  const summary = oneSentence(own(operation, 'summary'));
  const words = oneSentence(own(operation, 'description'));
  // Some documents repeat the address as the summary, which tells neither the user nor the model anything.
  const isAddress = /^(?:[A-Z]+ )?\/\S*$/.test(summary) || (path.endsWith(`/${summary}`) && (words !== '' || summary.includes('/')));
  const said = summary.length > 8 && !isAddress ? summary : words || (isAddress ? '' : summary) || `${named.method} ${path}`;
  const servers = [own(operation, 'servers'), own(item, 'servers')].find((list) => Array.isArray(list) && list.length > 0);
  return {
    ...named,
    description: `${said.replace(/(?<![.!?。！？…])$/, '.')}${named.deprecated ? ' Deprecated.' : ''}`,
    label: shorter(imperativeOf(((!isAddress && summary) || said).replace(/[.。]$/, '')), LABEL_CHARS),
    ...{ parameters: shape.schema(), places: shape.places, secret: shape.secret, relaxed: shape.relaxed },
    ...{ template: { path: template.path, fixed: template.fixed }, accept, keys: found.keys },
    taken: [...placed, ...found.keys].filter((one) => one.in === 'query').map(({ name }) => foldedName(name)),
    ...(body !== undefined && { body }),
    ...(found.keyHeader !== undefined && { keyHeader: found.keyHeader }),
    ...(servers !== undefined && { servers }),
  };
}

/**
 * Moves parameters to the query if their placeholder is in the query part of the path, although the document declares them elsewhere or not
 * at all.
 */
function placeInPath(given: readonly Parameter[], { query }: PathTemplate): Parameter[] {
  const found = [...given];
  for (const { key, name, isRequired } of query) {
    const at = found.findIndex((one) => one.name === name && (one.in === 'path' || one.in === 'query'));
    const moved = { style: 'form', explode: false, schema: { type: 'string' }, ...found[at], name: key, in: 'query', required: isRequired };
    if (at >= 0) found[at] = moved;
    else if (!found.some((one) => one.in === 'query' && one.name === key)) found.push(moved);
  }
  return found;
}

function addParameters(
  shape: Shape,
  given: readonly Parameter[],
  keys: SecurityKeys,
): { keys: KeyLocation[]; keyHeader: string | undefined } | 'cookie' | 'style' {
  const left = new Map(keys);
  let keyHeader: string | undefined;
  for (const parameter of given) {
    const { name, in: where } = parameter;
    if (where === 'header' && /^(?:x-)?idempotency-?key$/i.test(name)) keyHeader = name;
    else if (where !== 'path' && OVERRIDES.test(name)) continue;
    else if (where === 'header' && OWN_HEADERS.test(name) && !/^authorization$/i.test(name)) continue;
    else if (isKey(parameter, keys)) left.set(keyOf(where, name), { name, in: where, isRequired: parameter['required'] === true });
    else if (isCallback(parameter)) continue;
    else if (where === 'cookie') {
      // The browser sends its own cookies; a script cannot add one.
      if (parameter['required'] === true) return 'cookie';
    } else if (!shape.addParameter(parameter)) return 'style';
  }
  return { keys: [...left.values()], keyHeader };
}

/** Converts the label of an operation to the imperative for buttons: "Deletes a pet" becomes "Delete a pet". */
const VERBS = new Set(
  (
    'accept activate add allow append apply approve archive assign attach authenticate authorize block build calculate cancel change check clear clone ' +
    'close compare complete compute confirm connect convert copy count create deactivate delete deploy describe detach disable disconnect download edit ' +
    'enable enroll execute export extract fetch fill filter find flush generate get give grant handle identify import index initiate insert install ' +
    'invite invoke join leave link list load lock log look make mark merge modify move mute notify open order overwrite patch pause perform pin place post ' +
    'prepare preview process provide provision publish purchase purge push put query read rebuild receive refresh refund register reject reload ' +
    'remove rename render renew reopen replace report request reschedule reset resolve restart restore resume retrieve retry return revert review revoke ' +
    'rotate run save schedule search select send set share show sign simulate split star start stop store stream submit subscribe suspend switch sync ' +
    'synchronize tag terminate test track transfer translate trigger turn unarchive unassign unblock unfollow uninstall unlink unlock unmute unpin unpublish ' +
    'unstar unsubscribe update upgrade upload upsert use validate verify view void watch withdraw write'
  ).split(' '),
);
/** Words after which the first word is a noun: "Lists of users", "Reports by day". */
const AFTER_NOUNS = /^(?:of|for|by|in|on|with|and|or|per|to|from|at|api|apis|overview|list|count|page|endpoints?)$/i;
/** Words after which "log" is a verb nevertheless: "Logs in the user". */
const AFTER_VERBS = /^(?:in|out|on|off|up)$/i;

function imperativeOf(label: string): string {
  const [, word = '', next = ''] = /^([A-Z][a-z]{2,20}s)(?: +([\p{L}\p{N}'’]+)|$)/u.exec(label) ?? [];
  const third = word.toLowerCase();
  const verb = [third.slice(0, -1), third.slice(0, -2), `${third.slice(0, -3)}y`].find(
    (form) => VERBS.has(form) && thirdPerson(form) === third,
  );
  const isVerb = next !== '' && (!AFTER_NOUNS.test(next) || (verb === 'log' && AFTER_VERBS.test(next)));
  if (verb === undefined || !isVerb) return label;
  return verb[0]!.toUpperCase() + verb.slice(1) + label.slice(word.length);
}

function thirdPerson(verb: string): string {
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}
