/** Reads the operations of an OpenAPI document: what each is called, what it takes as flat arguments, and where each argument goes. */
import { type Allowance, allowanceOfTool, createAllowance, isSpent } from '../base/allowance.js';
import { own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { schemaReader, type SchemaReader } from '../model/schema-model.js';
import { createBreath } from '../tools/breathe.js';
import { oneSentence, shorter, snakeCase, takeName, type TakenNames } from '../tools/foreign-tools.js';
import { withoutDiscriminator } from './discriminators.js';
import { PARTS_OF_TOOL, resolve } from './foreign-schema.js';
import { acceptOf } from './openapi-body.js';
import { foldedName, isCallback, isKey, keyOf, type KeyPlace, securityKeys, type SecurityKeys } from './openapi-keys.js';
import {
  givenOperations,
  type GivenOperation,
  nameByPath,
  type Parameter,
  parametersOf,
  type PathTemplate,
  readPath,
} from './openapi-paths.js';
import { type ArgumentPlace, type BodyShape, MOST_ARGUMENTS, OVERRIDES, type RelaxedPart, Shape } from './openapi-shape.js';
import { imperative } from './imperative.js';

/** An operation as `filter`, `risk` and `auth` get it. */
export interface OpenApiOperation {
  /** Of the tool. */
  name: string;
  /** `operationId`, where the document gives one. */
  id?: string;
  /** Upper case. */
  method: string;
  /** As the document writes it: `/pets/{petId}`. */
  path: string;
  tags: readonly string[];
  deprecated: boolean;
}

export interface ReadOperation extends OpenApiOperation {
  description: string;
  label: string;
  parameters: JsonSchema;
  places: readonly ArgumentPlace[];
  /** Its path without a query, and the pairs of the query that never change. */
  template: Pick<PathTemplate, 'path' | 'fixed'>;
  /** Arguments that are passwords. */
  secret: readonly string[];
  /** Undefined where there is none. */
  body?: BodyShape;
  accept: string;
  /** Header that takes the call's id. */
  keyHeader?: string;
  /** Keys that are left to `auth`. */
  keys: readonly KeyPlace[];
  /** Names in the query that belong to other arguments and to `auth`, folded: no object of free names may use them. */
  taken: readonly string[];
  /** Its name is not the one that its `operationId` or path would give. */
  isRenamed: boolean;
  relaxed: readonly RelaxedPart[];
  /** Addresses of its own, which are not those of the document. */
  servers?: unknown;
}

/** An operation that is no tool, and why; the reasons are put into words where they are told. */
export interface LeftOut {
  method: string;
  path: string;
  why: 'body' | 'cookie' | 'file' | 'get' | 'many' | 'outside' | 'override' | 'size' | 'style' | 'twice';
}

/** More is no description of a service that a person offers to a model. */
export const MOST_OPERATIONS = 5000;
/** Parts of schemas that may be looked at in a whole document. */
const PARTS = 1_000_000;
const MOST_TAGS = 50;
const LABEL_CHARS = 60;
/** Milliseconds after which others have a turn. */
const AT_ONCE = 20;
/** Set by the page or the browser, never by a model. */
const OWN_HEADERS =
  /^(?:accept|authorization|content-.*|cookie.*|host|origin|referer|proxy-.*|sec-.*|user-agent|connection|expect|forwarded|keep-alive|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*)$/i;

/** @param isWanted asked before anything of an operation is read but how it is called */
export async function readOperations(
  document: JsonSchema,
  isWanted: (operation: OpenApiOperation) => boolean,
): Promise<{ operations: ReadOperation[]; leftOut: LeftOut[] }> {
  const operations: ReadOperation[] = [];
  const leftOut: LeftOut[] = [];
  const names: TakenNames = new Map();
  const ids = new Set<string>();
  const whole = createAllowance(PARTS);
  const shared = { document, keys: securityKeys(document, whole), reader: schemaReader(document, whole, withoutDiscriminator) };
  const breathe = createBreath(AT_ONCE);
  // Paths are found also when the allowance is spent: what is left out is told.
  for (const given of givenOperations(document, createAllowance(PARTS))) {
    await breathe();
    const operation = { ...called(given), name: '' };
    const id = snakeCase(operation.id ?? '');
    // The host's words about an operation must not count for another of the same name.
    const isTwice = id !== '' && ids.has(id);
    ids.add(id);
    const wanted = id || nameByPath(given.method, given.path);
    if (!isTwice) operation.name = takeName(wanted, names);
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

interface Surroundings {
  document: JsonSchema;
  keys: SecurityKeys;
  /** All tools share it: most are made of the same schemas. */
  reader: SchemaReader;
  left: Allowance;
}

function readOperation(
  { path, method, item, operation }: GivenOperation,
  named: OpenApiOperation,
  { document, keys, reader, left }: Surroundings,
): Omit<ReadOperation, 'isRenamed'> | LeftOut['why'] {
  reader.left = left;
  const shape = new Shape(reader);
  const template = readPath(path);
  if (template.fixed.some(([key]) => OVERRIDES.test(key))) return 'override';
  const given = parametersOf(item, operation, document, left);
  if (given.length > MOST_ARGUMENTS) return 'size';
  const placed = inPlace(given, template);
  const found = addParameters(shape, placed, keys);
  if (typeof found === 'string') return found;
  const body = shape.addBody(resolve(own(operation, 'requestBody'), document, left), method);
  if (typeof body === 'string') return body;
  // A place in the address that no parameter describes.
  const described = new Set(shape.places.filter(({ in: where }) => where === 'path').map(({ key }) => key));
  for (const name of template.places) {
    if (!described.has(name)) shape.addParameter({ name, in: 'path', required: true, schema: { type: 'string' } });
    described.add(name);
  }
  if (isSpent(left) || shape.isTooLarge || shape.places.length > MOST_ARGUMENTS) return 'size';

  const summary = oneSentence(own(operation, 'summary'));
  const said = summary.length > 8 ? summary : oneSentence(own(operation, 'description')) || summary || `${named.method} ${path}`;
  const servers = [own(operation, 'servers'), own(item, 'servers')].find((list) => Array.isArray(list) && list.length > 0);
  return {
    ...named,
    description: `${said.replace(/(?<![.!?。！？…])$/, '.')}${named.deprecated ? ' Deprecated.' : ''}`,
    label: shorter(imperative((summary || said).replace(/[.。]$/, '')), LABEL_CHARS),
    ...{ parameters: shape.schema(), places: shape.places, secret: shape.secret, relaxed: shape.relaxed },
    ...{ template: { path: template.path, fixed: template.fixed }, accept: acceptOf(operation, document, left), keys: found.keys },
    taken: [...placed, ...found.keys].filter((one) => one.in === 'query').map(({ name }) => foldedName(name)),
    ...(body !== undefined && { body }),
    ...(found.keyHeader !== undefined && { keyHeader: found.keyHeader }),
    ...(servers !== undefined && { servers }),
  };
}

/** Parameters that the document puts into the path, or into none, but whose place is in the query behind the path. */
function inPlace(given: readonly Parameter[], { query }: PathTemplate): Parameter[] {
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
): { keys: KeyPlace[]; keyHeader: string | undefined } | 'cookie' | 'style' {
  const left = new Map(keys);
  let keyHeader: string | undefined;
  for (const parameter of given) {
    const { name, in: where } = parameter;
    if (where === 'header' && /^idempotency-?key$/i.test(name)) keyHeader = name;
    else if (where !== 'path' && OVERRIDES.test(name)) continue;
    else if (where === 'header' && OWN_HEADERS.test(name) && !/^authorization$/i.test(name)) continue;
    else if (isKey(parameter, keys)) left.set(keyOf(where, name), { name, in: where, isRequired: parameter['required'] === true });
    else if (isCallback(parameter)) continue;
    else if (where === 'cookie') {
      // A browser sends those that it has; no script can add one.
      if (parameter['required'] === true) return 'cookie';
    } else if (!shape.addParameter(parameter)) return 'style';
  }
  return { keys: [...left.values()], keyHeader };
}
