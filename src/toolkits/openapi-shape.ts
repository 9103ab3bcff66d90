/** The flat arguments of an operation, and the place of each in the request. */
import { spend } from '../base/allowance.js';
import { own, isObject } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import type { SchemaModel, SchemaReader } from '../model/schema-model.js';
import { someSentences, uniqueName, type TakenNames } from '../tools/tool-naming.js';
import { createSchemaConverter, type OmittedLimit, resolve } from './foreign-schema.js';
import { chooseMedia, isFile, isJsonType, isPatchList, PATCH_LIST, type BodyKind, type Media } from './openapi-body.js';
import { isSecret } from './openapi-keys.js';
import type { Parameter } from './openapi-paths.js';

/** The place in a request where an argument goes. */
export interface ParameterLocation {
  argument: string;
  in: 'path' | 'query' | 'header' | 'field' | 'body';
  /** Its name there. */
  key: string;
  style?: string;
  explode?: boolean;
  /** True to send it as JSON text. */
  json?: boolean;
}

export interface BodyShape {
  /** The content type. */
  type: string;
  kind: BodyKind;
}

/** A part of an operation that was left out or cannot be checked, with the path of its argument. */
export interface RelaxedPart {
  why: OmittedLimit | 'file' | 'get';
  path: string;
}

export const MOST_ARGUMENTS = 500;
const DESCRIPTION_CHARS = 240;
/** Names by which many services override the method or the address: a GET, which needs no approval, could delete. */
export const OVERRIDES = /^_method$|^x-(?:http-)?method(?:-override)?$|^x-(?:original|rewrite)-ur[il]$/i;
const STYLES = { query: ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited'], path: ['simple'], header: ['simple'] };

interface Argument {
  place: ParameterLocation;
  schema: JsonSchema;
  isRequired: boolean;
  /** True if it is a secret or contains one. */
  hasSecret: boolean;
}

/** Collects the arguments of an operation. */
export class Shape {
  readonly #arguments: Argument[] = [];
  readonly #taken: TakenNames = new Map();
  /** The query arguments that have their plain name. */
  readonly #plainQuery = new Map<string, Argument>();
  readonly #reader: SchemaReader;
  readonly #tell: (model: SchemaModel, name?: string) => JsonSchema;
  /** The paths of the secrets in the schema that was described last. */
  #secrets: string[] = [];
  readonly relaxed: RelaxedPart[] = [];
  /** True if the body has more fields than a tool may have arguments. */
  isTooLarge = false;

  constructor(reader: SchemaReader) {
    this.#reader = reader;
    this.#tell = createSchemaConverter(reader, {
      exact: true,
      isSecret,
      relax: (why, path) => void (why === 'secret' ? this.#secrets.push(path) : this.relaxed.push({ why, path: path || 'body' })),
    });
  }

  /** Adds a parameter. Returns false if its style is not supported. */
  addParameter(parameter: Parameter): boolean {
    const { name } = parameter;
    const where = parameter.in as keyof typeof STYLES;
    if (!Object.hasOwn(STYLES, where)) return parameter.in !== 'querystring' || parameter['required'] !== true;
    const content = own(parameter, 'content');
    const types = isObject(content) ? Object.keys(content) : [];
    const [type] = spend(this.#reader.left, types.length) ? types : [];
    const media = type === undefined ? undefined : own(content, type);
    const model = this.#reader.read(shared(own(media, 'schema') ?? own(parameter, 'schema')));
    const style = own(parameter, 'style') ?? (where === 'query' ? 'form' : 'simple');
    if (typeof style !== 'string' || !STYLES[where].includes(style)) return false;
    const explode = own(parameter, 'explode') ?? style === 'form';
    const schema = this.#describe(model, name);
    const words = someSentences(own(parameter, 'description'), DESCRIPTION_CHARS);
    this.#add(
      { in: where, key: name, style, explode: explode === true, ...(type !== undefined && isJsonType(type) && { json: true }) },
      words ? { ...schema, description: words } : schema,
      parameter['required'] === true || where === 'path',
    );
    return true;
  }

  /** Adds the request body. Returns its shape, `undefined` for none, or the reason why it cannot be sent. */
  addBody(
    body: Record<string, unknown> | undefined,
    method: string,
    document: JsonSchema,
  ): BodyShape | 'body' | 'file' | 'get' | undefined {
    const content = own(body, 'content');
    const count = isObject(content) ? Object.keys(content).length : 0;
    if (!isObject(content) || count === 0 || !spend(this.#reader.left, count)) return undefined;
    const required = own(body, 'required') === true;
    const media = chooseMedia(content, method, (media) => resolve(media, document, this.#reader.left));
    // A multipart form without described fields is for a file.
    if (media && media.kind !== 'json' && this.#isEmpty(media)) return media.kind === 'multipart' && method !== 'get' ? 'file' : undefined;
    if (method === 'get') {
      if (!required) this.relaxed.push({ why: 'get', path: 'body' });
      return required ? 'get' : undefined;
    }
    return media ? this.#addMedia(media, required) : 'body';
  }

  /** Checks for a form without fields, which some documents declare if there is no body. */
  #isEmpty({ media }: Media): boolean {
    const { type, properties = {}, additionalProperties, patternProperties, anyOf } = this.#reader.read(own(media, 'schema'));
    const isOpen = additionalProperties === true || isObject(additionalProperties) || patternProperties !== undefined;
    return (type === undefined || type === 'object') && Object.keys(properties).length === 0 && !isOpen && !anyOf;
  }

  #addMedia({ type, kind, media }: Media, required: boolean): BodyShape | 'body' | 'file' | undefined {
    const shape = { type, kind };
    const model = this.#reader.read(isPatchList(type) ? listOfSteps(this.#reader, own(media, 'schema')) : own(media, 'schema'));
    const { properties = {}, additionalProperties } = model;
    const count = Object.keys(properties).length;
    if (count > MOST_ARGUMENTS) this.isTooLarge = true;
    if (this.isTooLarge) return undefined;
    const schema = this.#describe(model);
    const fields = schema['properties'];
    if (count > 0 && !model.anyOf && isObject(fields) && !isObject(schema['additionalProperties']) && additionalProperties !== true)
      return this.#addFields(shape, schema, properties, own(media, 'encoding'));
    const isObjectLike = model.type === 'object' || (model.type === undefined && (model.anyOf !== undefined || count > 0));
    if (kind === 'multipart' || (kind === 'form' && !isObjectLike)) return 'body';
    this.#add({ in: 'body', key: 'body' }, schema, required);
    return shape;
  }

  #addFields(shape: BodyShape, schema: JsonSchema, models: Readonly<Record<string, SchemaModel>>, encoding: unknown): BodyShape | 'file' {
    const needed = (schema['required'] as string[] | undefined) ?? [];
    let added = 0;
    let files = 0;
    for (const [key, field] of Object.entries(schema['properties'] as Record<string, JsonSchema>)) {
      if (OVERRIDES.test(key)) continue;
      if (shape.kind === 'multipart' && isFile(models[key]!)) {
        if (needed.includes(key)) return 'file';
        this.relaxed.push({ why: 'file', path: key });
        files += 1;
        continue;
      }
      this.#add({ in: 'field', key, ...(shape.kind !== 'json' && encodingOf(own(encoding, key))) }, field, needed.includes(key));
      added += 1;
    }
    // A body that consists only of files is useless without them.
    return added === 0 && files > 0 ? 'file' : shape;
  }

  #describe(model: SchemaModel, name?: string): JsonSchema {
    this.#secrets = [];
    return this.#tell(model, name);
  }

  #add(place: Omit<ParameterLocation, 'argument'>, schema: JsonSchema, isRequired: boolean): void {
    const plain = place.key.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+(?=[A-Za-z])|_+$/g, '') || place.in;
    const isBody = place.in === 'field' || place.in === 'body';
    if (isBody) this.#renameQuery(plain);
    const prefix = isBody ? 'body' : place.in;
    const argument = uniqueName(this.#taken.has(plain) ? `${prefix}_${plain}` : plain, this.#taken);
    const hasSecret = this.#secrets.some((path) => place.in !== 'field' || `${path}.`.startsWith(`${place.key}.`));
    const added = { place: { ...place, argument }, schema, isRequired, hasSecret };
    this.#arguments.push(added);
    if (place.in === 'query' && argument === plain) this.#plainQuery.set(plain, added);
  }

  /**
   * Renames a query argument that has the name of a body field (`PATCH /todos?id=…` with an `id` in the body). Both stay, and the body
   * keeps the name.
   */
  #renameQuery(plain: string): void {
    const found = this.#plainQuery.get(plain);
    if (!found) return;
    this.#plainQuery.delete(plain);
    found.place = { ...found.place, argument: uniqueName(`query_${plain}`, this.#taken) };
    this.#taken.delete(plain);
  }

  get places(): ParameterLocation[] {
    return this.#arguments.map(({ place }) => place);
  }

  get secret(): string[] {
    return this.#arguments.filter(({ hasSecret }) => hasSecret).map(({ place }) => place.argument);
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

/** Shared schemas for parameters with only a type, so that these are read only once. */
const ONLY_TYPE: Readonly<Record<string, JsonSchema>> = {
  __proto__: null as never,
  ...{ string: { type: 'string' }, integer: { type: 'integer' }, number: { type: 'number' }, boolean: { type: 'boolean' } },
};

function shared(schema: unknown): unknown {
  const type = own(schema, 'type');
  return (typeof type === 'string' && Object.keys(schema as object).length === 1 && ONLY_TYPE[type]) || schema;
}

/** Returns the document's rules for encoding a form field. */
function encodingOf(encoding: unknown): Pick<ParameterLocation, 'style' | 'explode' | 'json'> {
  const [type, style, explode] = [own(encoding, 'contentType'), own(encoding, 'style'), own(encoding, 'explode')];
  if (typeof style === 'string' && STYLES.query.includes(style))
    return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
  return typeof type === 'string' && isJsonType(type) ? { json: true } : {};
}

function listOfSteps(reader: SchemaReader, schema: unknown): unknown {
  return reader.read(schema).type === 'array' ? schema : PATCH_LIST;
}
