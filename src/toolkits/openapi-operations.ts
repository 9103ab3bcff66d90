/** Reads the operations of an OpenAPI document: what each is called, what it takes as flat arguments, and where each argument goes. */
import { type Allowance, allowanceOfTool, createAllowance, isSpent, spend } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { oneSentence, shorter, snakeCase, takeName, type TakenNames } from '../tools/foreign-tools.js';
import { type SchemaModel, schemaReader, type SchemaReader } from '../model/schema-model.js';
import { foreignTeller, PARTS_OF_TOOL, resolve } from './foreign-schema.js';

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

/** Where an argument goes. */
export interface ArgumentPlace {
  argument: string;
  in: 'path' | 'query' | 'header' | 'field' | 'body';
  /** What it is called there. */
  key: string;
  style?: string;
  explode?: boolean;
  /** Sent as JSON text. */
  json?: boolean;
}

export interface ReadOperation extends OpenApiOperation {
  description: string;
  label: string;
  parameters: JsonSchema;
  places: readonly ArgumentPlace[];
  /** Arguments that are passwords. */
  secret: readonly string[];
  /** Of the body; undefined where there is none. */
  contentType?: string;
  /** Names in the query that belong to other arguments and to `auth`, folded: no object of free names may use them. */
  taken: readonly string[];
  /** Header that takes the call's id. */
  keyHeader?: string;
  /** Addresses of its own, which are not those of the document. */
  servers?: unknown;
}

/** An operation that is no tool, and why; the reasons are put into words where they are told. */
export interface LeftOut {
  method: string;
  path: string;
  why: 'body' | 'cookie' | 'many' | 'outside' | 'size' | 'style' | 'twice';
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** More is no description of a service that a person offers to a model. */
const MOST = 5000;
const MOST_ARGUMENTS = 500;
/** Parts of schemas that may be looked at in a whole document. */
const PARTS = 1_000_000;
const MOST_TAGS = 50;
const LABEL_CHARS = 60;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)|^\*\/\*$/i;
export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Keys belong to `auth`, also where a document calls them parameters. */
const KEY = /^(?:x[-_])?(?:api[-_]?key|(?:access|auth)[-_]?token)$/i;
/** Set by the page or the browser, never by a model. */
const OWN_HEADERS =
  /^(?:accept|authorization|content-.*|cookie.*|host|origin|referer|proxy-.*|sec-.*|user-agent|connection|expect|forwarded|keep-alive|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*)$/i;
/** Many services take the method, or the address, from here instead: a GET that does not ask would delete. */
const OVERRIDES = /^_method$|^x-(?:http-)?method(?:-override)?$|^x-(?:original|rewrite)-ur[il]$/i;

/** The service may take another method from here. */
export const isOverride = (folded: string): boolean => OVERRIDES.test(folded);

/** Keys belong to `auth`, whether a document declares them or not. */
export const isKey = (folded: string): boolean => KEY.test(folded);

/** Names that some services take for the same: PHP makes `_` of blanks and dots and reads `a[b]` as `a`, others look at no case. */
export function foldedName(name: string): string {
  const trimmed = name.trim();
  const bracket = trimmed.indexOf('[', 1);
  return (bracket < 0 ? trimmed : trimmed.slice(0, bracket)).replace(/[\s.[]/g, '_').toLowerCase();
}

/** @param isWanted asked before anything of an operation is read but how it is called */
export function readOperations(
  document: JsonSchema,
  isWanted: (operation: OpenApiOperation) => boolean,
): { operations: ReadOperation[]; leftOut: LeftOut[] } {
  const operations: ReadOperation[] = [];
  const leftOut: LeftOut[] = [];
  const names: TakenNames = new Map();
  const ids = new Set<string>();
  const whole = createAllowance(PARTS);
  const shared = { document, keys: securityKeys(document, whole), reader: schemaReader(document) };
  for (const given of givenOperations(document, whole)) {
    const operation = { ...called(given), name: '' };
    const id = snakeCase(operation.id ?? '');
    // The host's words about an operation must not count for another of the same name.
    const isTwice = id !== '' && ids.has(id);
    ids.add(id);
    if (!isTwice) operation.name = takeName(id || nameByPath(given.method, given.path), names);
    if (!isWanted(operation)) continue;
    const read = isTwice
      ? 'twice'
      : operations.length >= MOST
        ? 'many'
        : readOperation(given, operation, { ...shared, left: allowanceOfTool(whole, PARTS_OF_TOOL) });
    if (typeof read === 'string') leftOut.push({ method: operation.method, path: operation.path, why: read });
    else operations.push(read);
  }
  return { operations, leftOut };
}

interface Given {
  path: string;
  method: string;
  item: Record<string, unknown>;
  operation: Record<string, unknown>;
}

function* givenOperations(document: JsonSchema, left: Allowance): Generator<Given> {
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

function called({ path, method, operation }: Given): Omit<OpenApiOperation, 'name'> {
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
  keys: ReadonlySet<string>;
  /** All tools share it: most are made of the same schemas. */
  reader: SchemaReader;
  left: Allowance;
}

function readOperation(
  { path, item, operation }: Given,
  named: OpenApiOperation,
  { document, keys, reader, left }: Surroundings,
): ReadOperation | LeftOut['why'] {
  reader.left = left;
  const shape = new Shape(reader);
  let keyHeader: string | undefined;
  const given = parametersOf(item, operation, document, left);
  if (given.length > MOST_ARGUMENTS) return 'size';
  for (const parameter of given) {
    const { name, in: where } = parameter;
    if (keys.has(`${where} ${name.toLowerCase()}`) || (KEY.test(name) && parameter['required'] !== true)) continue;
    if (where === 'cookie') {
      // A browser sends those that it has; no script can add one.
      if (parameter['required'] === true) return 'cookie';
      continue;
    }
    if (where === 'header' && /^idempotency-?key$/i.test(name)) keyHeader = name;
    else if (where !== 'path' && OVERRIDES.test(name)) continue;
    else if (where === 'header' && OWN_HEADERS.test(name)) continue;
    else if (!shape.addParameter(parameter)) return 'style';
  }
  const contentType = shape.addBody(resolve(own(operation, 'requestBody'), document, left));
  if (contentType === null) return 'body';
  // A place in the address that nobody describes.
  const described = new Set(shape.places.filter(({ in: where }) => where === 'path').map(({ key }) => key));
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (!described.has(name)) shape.addParameter({ name, in: 'path', required: true, schema: { type: 'string' } });
    described.add(name);
  }
  if (isSpent(left) || shape.isTooLarge || shape.places.length > MOST_ARGUMENTS) return 'size';

  const summary = oneSentence(own(operation, 'summary'));
  const said = summary.length > 8 ? summary : oneSentence(own(operation, 'description')) || summary || `${named.method} ${path}`;
  return {
    ...named,
    description: `${said.replace(/(?<![.!?。！？…])$/, '.')}${named.deprecated ? ' Deprecated.' : ''}`,
    label: shorter((summary || said).replace(/[.。]$/, ''), LABEL_CHARS),
    ...{ parameters: shape.schema(), places: shape.places, secret: shape.secret },
    taken: [...given.filter((one) => one.in === 'query').map(({ name }) => foldedName(name)), ...queryKeys(keys)],
    ...(contentType !== undefined && { contentType }),
    ...(keyHeader !== undefined && { keyHeader }),
    ...(own(operation, 'servers') || own(item, 'servers') ? { servers: own(operation, 'servers') ?? own(item, 'servers') } : {}),
  };
}

interface Parameter extends Record<string, unknown> {
  name: string;
  in: string;
}

/** Those of the path with those of the operation over them. */
function parametersOf(item: object, operation: object, document: JsonSchema, left: Allowance): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const list of [own(item, 'parameters'), own(operation, 'parameters')])
    for (const given of Array.isArray(list) && spend(left, list.length) ? (list as unknown[]) : []) {
      const parameter = resolve(given, document, left);
      const [name, where] = [own(parameter, 'name'), own(parameter, 'in')];
      if (typeof name === 'string' && typeof where === 'string') found.set(`${where} ${name}`, parameter as Parameter);
    }
  return [...found.values()];
}

/** Where the document says that a key goes: `auth` says it, not a model. */
function securityKeys(document: JsonSchema, left: Allowance): Set<string> {
  const schemes = own(own(document, 'components'), 'securitySchemes');
  const found = new Set<string>();
  for (const given of isObject(schemes) ? Object.values(schemes) : []) {
    const scheme = resolve(given, document, left);
    const [type, name, where] = [own(scheme, 'type'), own(scheme, 'name'), own(scheme, 'in')];
    if (type === 'apiKey' && typeof name === 'string') found.add(`${String(where)} ${name.toLowerCase()}`);
  }
  return found;
}

const queryKeys = (keys: ReadonlySet<string>): string[] =>
  [...keys].flatMap((key) => (key.startsWith('query ') ? foldedName(key.slice('query '.length)) : []));

/** `get_pets_by_pet_id`, `post_pets_toys`: what it does to what. */
function nameByPath(method: string, path: string): string {
  const segments = path.split('/').filter(Boolean);
  const words = segments.map((segment, at) => {
    const [, inside] = /^\{([^{}]+)\}$/.exec(segment) ?? [];
    if (inside === undefined) return segment;
    return at === segments.length - 1 ? `by_${inside}` : '';
  });
  return snakeCase([method, ...(segments.length > 0 ? words : ['root'])].filter(Boolean).join('_'));
}

interface Argument {
  place: ArgumentPlace;
  schema: JsonSchema;
  isRequired: boolean;
  isSecret: boolean;
}

/** Gathers flat arguments and where they go. */
class Shape {
  readonly #arguments: Argument[] = [];
  readonly #taken: TakenNames = new Map();
  /** The arguments of the query that have their plain name. */
  readonly #plainQuery = new Map<string, Argument>();
  readonly #reader: SchemaReader;
  readonly #tell: (model: SchemaModel) => JsonSchema;
  /** More than a model can be told of. */
  isTooLarge = false;

  constructor(reader: SchemaReader) {
    this.#reader = reader;
    this.#tell = foreignTeller(reader);
  }

  /** False where its style is one that nobody writes. */
  addParameter(parameter: Parameter): boolean {
    const { name } = parameter;
    const where = parameter.in as 'path' | 'query' | 'header';
    if (!['path', 'query', 'header'].includes(where)) return true;
    const content = own(parameter, 'content');
    const [media] = isObject(content) ? Object.values(content) : [];
    const model = this.#reader.read(own(media, 'schema') ?? own(parameter, 'schema'));
    const style = own(parameter, 'style') ?? (where === 'query' ? 'form' : 'simple');
    const known = where === 'query' ? ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited'] : ['simple'];
    if (typeof style !== 'string' || !known.includes(style)) return false;
    const explode = own(parameter, 'explode') ?? style === 'form';
    const schema = this.#tell(model);
    const words = oneSentence(own(parameter, 'description'), 160);
    this.#add(
      { in: where, key: name, style, explode: explode === true, ...(media !== undefined && { json: true }) },
      words ? { ...schema, description: words } : schema,
      parameter['required'] === true || where === 'path',
      model,
    );
    return true;
  }

  /** Its content type, undefined for no body, null for one that is neither JSON nor a form. */
  addBody(body: Record<string, unknown> | undefined): string | undefined | null {
    const content = own(body, 'content');
    if (!isObject(content)) return undefined;
    const types = Object.keys(content);
    const type = types.find((name) => JSON_TYPE.test(name)) ?? types.find((name) => name === FORM_TYPE);
    const required = own(body, 'required') === true;
    if (type === undefined) return types.length > 0 ? null : undefined;
    const model = this.#reader.read(own(own(content, type), 'schema'));
    const { properties = {}, additionalProperties } = model;
    const count = Object.keys(properties).length;
    if (count > MOST_ARGUMENTS) this.isTooLarge = true;
    if (this.isTooLarge) return undefined;
    const schema = this.#tell(model);
    const fields = schema['properties'];
    if (count > 0 && !model.anyOf && isObject(fields) && !isObject(schema['additionalProperties']) && additionalProperties !== true) {
      const needed = (schema['required'] as string[] | undefined) ?? [];
      for (const [key, field] of Object.entries(fields)) {
        if (OVERRIDES.test(key)) continue;
        this.#add({ in: 'field', key }, field as JsonSchema, needed.includes(key), properties[key]!);
      }
    } else if (type === FORM_TYPE) return null;
    else this.#add({ in: 'body', key: 'body' }, schema, required, model);
    return type === '*/*' ? 'application/json' : type;
  }

  #add(place: Omit<ArgumentPlace, 'argument'>, schema: JsonSchema, isRequired: boolean, { format }: SchemaModel): void {
    const plain = place.key.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+(?=[A-Za-z])|_+$/g, '') || place.in;
    const isBody = place.in === 'field' || place.in === 'body';
    if (isBody) this.#renameQuery(plain);
    const prefix = isBody ? 'body' : place.in;
    const argument = takeName(this.#taken.has(plain) ? `${prefix}_${plain}` : plain, this.#taken);
    const added = { place: { ...place, argument }, schema, isRequired, isSecret: format === 'password' };
    this.#arguments.push(added);
    if (place.in === 'query' && argument === plain) this.#plainQuery.set(plain, added);
  }

  /** A filter and a new value may have one name (`PATCH /todos?id=…` with an `id` in the body). Both stay, and the body keeps the name. */
  #renameQuery(plain: string): void {
    const found = this.#plainQuery.get(plain);
    if (!found) return;
    this.#plainQuery.delete(plain);
    found.place = { ...found.place, argument: takeName(`query_${plain}`, this.#taken) };
    this.#taken.delete(plain);
  }

  get places(): ArgumentPlace[] {
    return this.#arguments.map(({ place }) => place);
  }

  get secret(): string[] {
    return this.#arguments.filter(({ isSecret }) => isSecret).map(({ place }) => place.argument);
  }

  schema(): JsonSchema {
    const required = this.#arguments.filter(({ isRequired }) => isRequired).map(({ place }) => place.argument);
    return {
      type: 'object',
      properties: Object.fromEntries(this.#arguments.map(({ place, schema }) => [place.argument, schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }
}
