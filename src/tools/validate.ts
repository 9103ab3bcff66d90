/** Checks coerced arguments against a tool's schema. No call has an effect before it passes. */
import { load } from '../base/load.js';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ErrorCode } from '../base/errors.js';
import type { Texts } from '../i18n/en.js';
import type { JsonSchema } from '../model/json-schema.js';
import { schemaModel, type SchemaModel } from '../model/schema-model.js';
import { isObject, own } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import type { SchemaCheck } from './check-schema.js';
import { copyJson, DEPTH_LIMIT, VALUES_LIMIT } from './freeze.js';
import { partsAt, partsOf, rootParts, unknownParameter } from './schema-parts.js';
import { copyOf, isStandardSchema, parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

export type Validation =
  /** `output` is passed to the tool: the schema's own output if it has transforms or defaults, else the arguments. */
  { ok: true; output: unknown } | { ok: false; code: ErrorCode; message: string; parameter?: string };

type Path = readonly string[];

/** Validates arguments. An error message names the parameter and the expected value. Rejects if the schema itself throws. */
export async function validateArguments(tool: ToolDefinition, args: Record<string, unknown>, texts: Texts): Promise<Validation> {
  const root = parametersOf(tool);
  if (!root) return { ok: true, output: args };

  const missing = schemaModel(root).required?.find((name) => !Object.hasOwn(args, name));
  if (missing !== undefined) return missingParameter([missing], texts);
  const unknown = unknownParameter(root, args);
  if (unknown !== undefined)
    return { ok: false, code: 'INVALID_PARAMETER', message: texts.unknownParameter(cutText(unknown, 100)), parameter: unknown };

  return isStandardSchema(tool.parameters) ? byStandardSchema(tool.parameters, args, root, texts) : byJsonSchema(args, root, texts);
}

async function byStandardSchema(
  schema: StandardSchemaV1,
  args: Record<string, unknown>,
  root: JsonSchema,
  texts: Texts,
): Promise<Validation> {
  // Pass a copy: a schema may change its input.
  const copy = copyJson(args);
  const result = await schema['~standard'].validate(copy.ok ? copy.value : args);
  if (!result.issues) return { ok: true, output: result.value };
  const issue = result.issues[0];
  const path = (issue?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step));
  if (path.length > 0 && path.reduce<unknown>(own, args) === undefined) return missingParameter(path, texts);
  return invalidParameter(path, root, texts, args, issue?.message);
}

const checks = new WeakMap<JsonSchema, SchemaCheck>();

/**
 * Maximum milliseconds to load a module. If loading fails because the user is leaving the page, the page is gone by then, and the call is
 * not reported as failed.
 */
const UNTIL_LEFT = 1000;

async function byJsonSchema(args: Record<string, unknown>, root: JsonSchema, texts: Texts): Promise<Validation> {
  let check = checks.get(root);
  if (!check) {
    if (fastValidate(args, root)) return { ok: true, output: args };
    const { openSchema } = await load(() => import('./open-schema.js'), UNTIL_LEFT);
    check = await openSchema(copyOf(root) as JsonSchema);
    checks.set(root, check);
  }
  const fault = check(args);
  if (!fault) return { ok: true, output: args };
  const { path, keyword, lacks, limit } = fault;
  if (lacks !== undefined) return missingParameter([...path, lacks], texts);
  if (keyword === 'too-much')
    return { ok: false, code: 'INVALID_PARAMETER', message: texts.invalidParameter('*', texts.expectedLess), ...parameterOf(path) };
  if (keyword === 'propertyNames') return invalidName(path, root, texts);
  return invalidParameter(path, root, texts, args, limit === undefined ? '' : texts.expectedShorter(limit));
}

function missingParameter(path: Path, texts: Texts): Validation {
  return { ok: false, code: 'MISSING_PARAMETER', message: texts.missingParameter(path.join('.')), ...parameterOf(path) };
}

/** Describes the name that a map expects, not the value under that name. */
async function invalidName(path: Path, root: JsonSchema, texts: Texts): Promise<Validation> {
  const { expectedOf } = await load(() => import('./expected-type.js'), UNTIL_LEFT);
  const names = partsUnder(root, path.slice(0, -1)).map(({ propertyNames }) => ({ type: 'string', ...propertyNames }));
  return {
    ok: false,
    code: 'INVALID_PARAMETER',
    message: texts.invalidParameter(path.join('.'), expectedOf(names, texts)),
    ...parameterOf(path),
  };
}

async function invalidParameter(path: Path, root: JsonSchema, texts: Texts, args: unknown, detail = ''): Promise<Validation> {
  const { expectedOf } = await load(() => import('./expected-type.js'), UNTIL_LEFT);
  const expected = expectedOf(partsUnder(root, path), texts, path.reduce(own, args)) + (detail && `. ${cutText(detail, 300)}`);
  return { ok: false, code: 'INVALID_PARAMETER', message: texts.invalidParameter(path.join('.') || '*', expected), ...parameterOf(path) };
}

/** Returns the first parameter of a path, which the user can correct. */
function parameterOf([parameter]: Path): { parameter?: string } {
  return parameter === undefined ? {} : { parameter };
}

/** Returns the schemas for the end of a path; if the schema does not go that far, the last ones known. */
function partsUnder(root: JsonSchema, path: Path): SchemaModel[] {
  let parts = rootParts(root);
  for (const step of path) {
    const named = partsAt(parts, step);
    const children = /^\d+$/.test(step) ? partsOf([...named, ...partsAt(parts, Number(step))]) : named;
    if (children.length === 0) break;
    parts = children;
  }
  return parts;
}

/** Copies arguments as JSON data, or returns why that is impossible. */
export function readArguments(args: unknown, texts: Texts): { ok: true; args: Record<string, unknown> } | { ok: false; message: string } {
  const copy = copyJson(args, DEPTH_LIMIT, VALUES_LIMIT);
  if (copy.ok && isObject(copy.value)) return { ok: true, args: copy.value };
  if (copy.ok) return { ok: false, message: texts.invalidParameter('*', texts.expectedObject) };
  const name = cutText(copy.path, 200) || '*';
  if (copy.problem === 'name') return { ok: false, message: texts.unknownParameter(name) };
  if (copy.problem === 'many') return { ok: false, message: texts.invalidParameter('*', texts.expectedFewer(VALUES_LIMIT)) };
  const expected = copy.problem === 'depth' ? texts.expectedDepth(DEPTH_LIMIT) : texts.expectedOther;
  return { ok: false, message: texts.invalidParameter(name, expected) };
}

/** Maximum steps. Larger data is left to the full check. */
const MOST = 5000;

const SILENT: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$schema', '$comment', 'deprecated', 'readOnly', 'writeOnly'],
]);

/**
 * Returns true if the data is valid and the schema uses only `type`, `format: int64`, `required`, `enum`, `items`, `properties`,
 * `additionalProperties`, `minimum`, `maximum`, `minItems`, `maxItems` and annotations. False does not mean that the data is invalid.
 */
export function fastValidate(data: unknown, schema: unknown, left = { steps: MOST }): boolean {
  if (schema === true) return true;
  if ((left.steps -= 1) < 0 || !isObject(schema)) return false;
  return Object.entries(schema).every(([keyword, rule]) => SILENT.has(keyword) || matchesKeyword(keyword, rule, data, schema, left));
}

function matchesKeyword(keyword: string, rule: unknown, data: unknown, schema: Record<string, unknown>, left: { steps: number }): boolean {
  const list = Array.isArray(data) ? (data as unknown[]) : undefined;
  const object = !list && isObject(data) ? data : undefined;
  switch (keyword) {
    case 'type':
      return [rule].flat().some((name) => isOfType(name, data));
    case 'format':
      return rule === 'int64';
    case 'enum':
      return Array.isArray(rule) && rule.includes(data);
    case 'minimum':
      return typeof rule === 'number' && (typeof data !== 'number' || data >= rule);
    case 'maximum':
      return typeof rule === 'number' && (typeof data !== 'number' || data <= rule);
    case 'minItems':
      return typeof rule === 'number' && (!list || list.length >= rule);
    case 'maxItems':
      return typeof rule === 'number' && (!list || list.length <= rule);
    case 'items':
      return !Array.isArray(rule) && (!list || list.every((item) => fastValidate(item, rule, left)));
    case 'required':
      return Array.isArray(rule) && (!object || rule.every((name) => Object.hasOwn(object, String(name))));
    case 'properties':
      return isObject(rule) && (!object || matchesAll(Object.entries(rule), object, left));
    case 'additionalProperties': {
      const known = schema['properties'] ?? {};
      if (!isObject(known)) return false;
      const others = Object.keys(object ?? {}).filter((name) => !Object.hasOwn(known, name));
      return (
        !object ||
        matchesAll(
          others.map((name) => [name, rule]),
          object,
          left,
        )
      );
    }
    default:
      return false;
  }
}

function matchesAll(wanted: readonly (readonly [string, unknown])[], data: Record<string, unknown>, left: { steps: number }): boolean {
  return wanted.every(([name, schema]) => !Object.hasOwn(data, name) || fastValidate(data[name], schema, left));
}

function isOfType(type: unknown, data: unknown): boolean {
  if (type === 'integer') return Number.isInteger(data);
  if (data === null) return type === 'null';
  return type === (Array.isArray(data) ? 'array' : typeof data);
}
