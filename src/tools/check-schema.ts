/**
 * Checks data against JSON Schema (draft 2020-12, and the different spellings of older drafts) in time linear in the data, because the data
 * comes from a model. A check that would take longer is refused with the keyword `too-much`.
 */
import { isLargeNumber } from '../base/exact-json.js';
import type { JsonSchema } from '../model/json-schema.js';
import { isObject, numbered, own } from '../base/objects.js';
import { canonicalJson } from './digest.js';
import { patternCost, patternLimit, testPattern } from '../base/pattern-tests.js';

/** The most specific error: the deepest one, and the first of those. */
export interface SchemaError {
  path: readonly string[];
  keyword: string;
  /** Maximum number of characters on which the pattern is tested. */
  limit?: number;
  /** The name of the missing property. */
  lacks?: string;
}

/** Maximum steps of a whole check; a step is a keyword or a few characters. The arguments of ordinary tools take some thousands. */
const MOST_STEPS = 2_000_000;

/** Returns the error, or `undefined` if the data is valid. Throws if a reference of the schema cannot be resolved. */
export type SchemaCheck = (data: unknown) => SchemaError | undefined;

/** The module that only schemas with references or formats need. */
export type SchemaLibrary = typeof import('./schema-library.js');

/**
 * @param root the schema. It is modified: its references get marks. Pass a copy.
 * @param library resolves references and checks formats. Without it references fail, and every format is valid.
 */
export function schemaCheck(root: JsonSchema, library?: SchemaLibrary): SchemaCheck {
  const places = library?.locateSchemas(root) ?? { places: {}, base: '' };
  const isFormat = library?.isFormat ?? (() => true);
  const tracks = JSON.stringify(root).includes('"unevaluated');
  return (data) => {
    const check = new Check(places, tracks, isFormat);
    try {
      return check.visit(data, root, tracks ? new Set() : undefined) ? undefined : check.fault;
    } catch (error) {
      if (error instanceof TooManySteps) return { path: check.path.slice(0, 1).map(String), keyword: 'too-much' };
      throw error;
    }
  };
}

type SchemaLocations = ReturnType<SchemaLibrary['locateSchemas']>;

class TooManySteps extends Error {}

/** Property names or indexes that a part of the schema has evaluated; `undefined` if they are not tracked. */
type Seen = Set<string | number> | undefined;

/** Accepts `format: int64`, signed or unsigned. */
const isInt64 = (value: unknown): value is string => isLargeNumber(value) && BigInt(value) >= -(2n ** 63n) && BigInt(value) < 2n ** 64n;

/** Keywords that only report that something below them is wrong. */
const WRAPPERS = new Set(['$ref', 'properties', 'items', 'allOf', 'anyOf', 'oneOf', 'if']);

/** Returns the depth of an error; no error has the lowest. */
const depthOf = (fault: SchemaError | undefined): number => (!fault ? -2 : WRAPPERS.has(fault.keyword) ? -1 : fault.path.length);

class Check {
  readonly path: (string | number)[] = [];
  fault: SchemaError | undefined;
  /** The depth of the value that the current union describes, and whether the value's type or constant rules out the member being tried. */
  #union = -1;
  #isOther = false;
  #left = MOST_STEPS;
  readonly #places: SchemaLocations;
  readonly #tracks: boolean;
  readonly #isFormat: SchemaLibrary['isFormat'];

  constructor(places: SchemaLocations, tracks: boolean, isFormat: SchemaLibrary['isFormat']) {
    this.#places = places;
    this.#tracks = tracks;
    this.#isFormat = isFormat;
  }

  visit(data: unknown, schema: unknown, seen: Seen): boolean {
    this.#spend(this.#tracks ? 12 : 4);
    if (schema === true) return true;
    if (schema === false) return this.#fail('false');
    const rules = schema as JsonSchema;
    // All keywords are checked, because the deepest error is reported.
    let combined = this.#alone(data, rules);
    if (combines(rules)) combined = this.#combined(data, rules, seen) && combined;
    if (typeof data === 'string') return this.#text(data, rules) && combined;
    if (typeof data === 'number') return this.#number(data, rules) && combined;
    if (Array.isArray(data)) return this.#list(data, rules, seen) && combined;
    if (isObject(data)) return this.#object(data, rules, seen) && combined;
    return combined;
  }

  #spend(steps: number): void {
    if ((this.#left -= steps) < 0) throw new TooManySteps();
  }

  #fail(keyword: string, more?: { lacks?: string; limit?: number }): false {
    const below = this.path.length - this.#union;
    if (this.#union >= 0 && (below === 0 ? keyword === 'type' : below === 1 && (keyword === 'const' || keyword === 'enum')))
      this.#isOther = true;
    const depth = WRAPPERS.has(keyword) ? -1 : this.path.length;
    if (depth > depthOf(this.fault)) this.fault = { path: this.path.map(String), keyword, ...more };
    return false;
  }

  #at(step: string | number, data: unknown, schema: unknown): boolean {
    this.path.push(step);
    const fits = this.visit(data, schema, this.#fresh());
    this.path.pop();
    return fits;
  }

  #fresh(): Seen {
    return this.#tracks ? new Set() : undefined;
  }

  /** Checks without recording an error. */
  #quietly(work: () => boolean): boolean {
    const before = this.fault;
    const fits = work();
    this.fault = before;
    return fits;
  }

  #branch(data: unknown, schema: unknown, seen: Seen): boolean {
    const inside = this.#fresh();
    const fits = this.visit(data, schema, inside);
    if (fits) for (const name of inside ?? []) seen?.add(name);
    return fits;
  }

  #alone(data: unknown, { type, const: only, enum: values, format }: JsonSchema): boolean {
    let fits = true;
    const isOf = (name: unknown) => hasType(data, name) || (name === 'integer' && format === 'int64' && isInt64(data));
    if (type !== undefined && !(Array.isArray(type) ? type.some(isOf) : isOf(type))) fits = this.#fail('type');
    if (only !== undefined && !this.#same(data, only)) fits = this.#fail('const');
    if (Array.isArray(values)) {
      this.#spend(values.length / 8);
      if (!values.some((value) => this.#same(data, value))) fits = this.#fail('enum');
    }
    return fits;
  }

  #combined(data: unknown, rules: JsonSchema, seen: Seen): boolean {
    const { not, anyOf, allOf, oneOf, if: condition } = rules;
    let fits = true;
    for (const [name, mark] of REFERENCES) {
      if (rules[name] === undefined) continue;
      const { places, base } = this.#places;
      const target = own(places, String(rules[mark] ?? base + String(rules[name])));
      if (target === undefined) throw new Error(`The schema has no "${String(rules[name])}".`);
      fits = (this.visit(data, target, seen) || this.#fail('$ref')) && fits;
    }
    if (not !== undefined && this.#quietly(() => this.visit(data, not, this.#fresh()))) fits = this.#fail('not');
    if (Array.isArray(anyOf)) fits = this.#anyOf(anyOf, data, seen, (count) => count > 0, 'anyOf') && fits;
    if (Array.isArray(allOf)) fits = this.#members(allOf, data, seen, (count) => count === allOf.length, 'allOf') && fits;
    if (Array.isArray(oneOf)) fits = this.#anyOf(oneOf, data, seen, (count) => count === 1, 'oneOf') && fits;
    if (condition !== undefined) {
      const branch = this.#quietly(() => this.#branch(data, condition, seen)) ? rules['then'] : rules['else'];
      if (branch !== undefined) fits = (this.visit(data, branch, seen) || this.#fail('if')) && fits;
    }
    return fits;
  }

  #members(members: unknown[], data: unknown, seen: Seen, enough: (count: number) => boolean, keyword: string): boolean {
    const before = this.fault;
    const count = members.filter((member) => this.#branch(data, member, seen)).length;
    if (!enough(count)) return this.#fail(keyword);
    this.fault = before;
    return true;
  }

  /**
   * Checks the members of a union. Only errors of members that match the value's type and constants are reported (not `kind: 'cat'` for a
   * dog). If none matches, the errors of all members are considered.
   */
  #anyOf(members: unknown[], data: unknown, seen: Seen, enough: (count: number) => boolean, keyword: string): boolean {
    const { fault: before } = this;
    const [union, isOther] = [this.#union, this.#isOther];
    const meant: (SchemaError | undefined)[] = [];
    const all: (SchemaError | undefined)[] = [];
    let count = 0;
    for (const member of members) {
      this.fault = undefined;
      this.#union = this.path.length;
      this.#isOther = false;
      if (this.#branch(data, member, seen)) count += 1;
      else (this.#isOther ? all : meant).push(this.fault);
    }
    this.#union = union;
    this.#isOther = isOther;
    this.fault = before;
    if (enough(count)) return true;
    for (const fault of meant.length > 0 ? meant : all) if (fault && depthOf(fault) > depthOf(this.fault)) this.fault = fault;
    return this.#fail(keyword);
  }

  #same(data: unknown, value: unknown): boolean {
    if (typeof data !== 'object' || typeof value !== 'object' || data === null || value === null) return data === value;
    const listed = JSON.stringify(value).length;
    this.#spend(listed);
    return sameJson(data, value);
  }

  #object(data: Record<string, unknown>, rules: JsonSchema, seen: Seen): boolean {
    const { required, minProperties, maxProperties, propertyNames, properties, patternProperties } = rules;
    const names = Object.keys(data);
    this.#spend(names.length);
    let fits = true;
    const needs = (list: unknown, keyword: string) => {
      for (const name of Array.isArray(list) ? (list as string[]) : [])
        if (!Object.hasOwn(data, name)) fits = this.#fail(keyword, keyword === 'required' ? { lacks: name } : {});
    };
    needs(required, 'required');
    if (below(names.length, minProperties)) fits = this.#fail('minProperties');
    if (above(names.length, maxProperties)) fits = this.#fail('maxProperties');
    if (propertyNames !== undefined)
      for (const name of names) {
        this.path.push(name);
        if (!this.#quietly(() => this.visit(name, propertyNames, this.#fresh()))) fits = this.#fail('propertyNames');
        this.path.pop();
      }
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'])
      for (const [name, wanted] of entries(rules[keyword])) {
        if (!Object.hasOwn(data, name)) continue;
        if (Array.isArray(wanted)) needs(wanted, keyword);
        else fits = (this.#branch(data, wanted, seen) || this.#fail(keyword)) && fits;
      }

    const known = new Set<string>();
    const child = (name: string, schema: unknown) => {
      known.add(name);
      seen?.add(name);
      fits = this.#at(name, data[name], schema) && fits;
    };
    for (const [name, schema] of entries(properties)) if (Object.hasOwn(data, name)) child(name, schema);
    for (const [pattern, schema] of entries(patternProperties))
      for (const name of names) if (this.#matches(pattern, name)) child(name, schema);
    const others = rules['additionalProperties'];
    const left = rules['unevaluatedProperties'];
    if (others !== undefined) {
      for (const name of names) if (!known.has(name)) child(name, others);
    } else if (left !== undefined) {
      for (const name of names) if (!seen?.has(name)) child(name, left);
    }
    return fits;
  }

  #list(data: unknown[], rules: JsonSchema, seen: Seen): boolean {
    const { minItems, maxItems, prefixItems, items, additionalItems, contains, unevaluatedItems, uniqueItems } = rules;
    let fits = true;
    if (above(data.length, maxItems)) fits = this.#fail('maxItems');
    if (below(data.length, minItems)) fits = this.#fail('minItems');
    let at = 0;
    const upTo = (end: number, schemaAt: (index: number) => unknown) => {
      for (; at < Math.min(end, data.length); at += 1) {
        seen?.add(at);
        fits = this.#at(at, data[at], schemaAt(at)) && fits;
      }
    };
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? (items as unknown[]) : [];
    upTo(first.length, (index) => first[index]);
    const rest = Array.isArray(items) ? additionalItems : items;
    if (rest !== undefined) upTo(data.length, () => rest);
    if (contains !== undefined) fits = this.#contains(data, rules, seen) && fits;
    if (unevaluatedItems !== undefined)
      for (const [index, item] of numbered(data))
        if (!seen?.has(index)) {
          seen?.add(index);
          fits = this.#at(index, item, unevaluatedItems) && fits;
        }
    if (uniqueItems === true && !this.#unique(data)) fits = this.#fail('uniqueItems');
    return fits;
  }

  #contains(data: unknown[], { contains, minContains, maxContains }: JsonSchema, seen: Seen): boolean {
    const before = this.fault;
    let count = 0;
    for (const [index, item] of numbered(data))
      if (this.#at(index, item, contains)) {
        seen?.add(index);
        count += 1;
      }
    if (below(count, minContains ?? 1)) return this.#fail('contains');
    this.fault = before;
    return above(count, maxContains) ? this.#fail('maxContains') : true;
  }

  #unique(data: unknown[]): boolean {
    const met = new Set<unknown>();
    for (const item of data) {
      // A prefix tells a text from an object with the same JSON.
      const written = typeof item === 'object' && item !== null ? `o${canonicalJson(item)}` : typeof item === 'string' ? `s${item}` : item;
      this.#spend(typeof written === 'string' ? written.length : 1);
      if (met.has(written)) return false;
      met.add(written);
    }
    return true;
  }

  #number(data: number, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema): boolean {
    let fits = true;
    if (below(data, minimum)) fits = this.#fail('minimum');
    if (above(data, maximum)) fits = this.#fail('maximum');
    if (typeof exclusiveMinimum === 'number' && data <= exclusiveMinimum) fits = this.#fail('exclusiveMinimum');
    if (typeof exclusiveMaximum === 'number' && data >= exclusiveMaximum) fits = this.#fail('exclusiveMaximum');
    if (typeof multipleOf === 'number' && !isMultiple(data, multipleOf)) fits = this.#fail('multipleOf');
    return fits;
  }

  #text(data: string, rules: JsonSchema): boolean {
    const { minLength, maxLength, pattern, format } = rules;
    let fits = format === 'int64' && isInt64(data) ? this.#number(Number(data), rules) : true;
    if (minLength !== undefined || maxLength !== undefined) {
      const length = characters(data);
      this.#spend(data.length / 8);
      if (below(length, minLength)) fits = this.#fail('minLength');
      if (above(length, maxLength)) fits = this.#fail('maxLength');
    }
    if (typeof pattern === 'string' && !this.#matches(pattern, data)) fits = this.#fail('pattern');
    if (typeof format === 'string') {
      this.#spend(data.length / 8);
      if (!this.#isFormat(format, data)) fits = this.#fail('format');
    }
    return fits;
  }

  /** Tests a pattern. A text that is too long for it is an error, too. */
  #matches(pattern: string, text: string): boolean {
    this.#spend(patternCost(pattern, text));
    const found = testPattern(pattern, text);
    if (found === 'no-pattern') throw new Error(`The schema's pattern ${JSON.stringify(pattern)} is none.`);
    return found === 'too-long' ? this.#fail('too-long', { limit: patternLimit(pattern) ?? 0 }) : found;
  }
}

/** The reference keywords, each with the mark that holds its target; a dynamic reference is looked up in the document itself. */
const REFERENCES = [
  ['$ref', '__absolute_ref__'],
  ['$recursiveRef', '__absolute_recursive_ref__'],
  ['$dynamicRef', ''],
] as const;

const combining = new WeakMap<JsonSchema, boolean>();
const COMBINING = ['$ref', '$recursiveRef', '$dynamicRef', 'not', 'anyOf', 'allOf', 'oneOf', 'if'];

/** Checks whether a schema has combining keywords. Cached, because it is called for every item of a list. */
function combines(rules: JsonSchema): boolean {
  let found = combining.get(rules);
  if (found === undefined) combining.set(rules, (found = COMBINING.some((keyword) => rules[keyword] !== undefined)));
  return found;
}

function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function below(value: number, limit: unknown): boolean {
  return typeof limit === 'number' && value < limit;
}

function above(value: number, limit: unknown): boolean {
  return typeof limit === 'number' && value > limit;
}

function hasType(data: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(data);
  if (data === null) return type === 'null';
  return type === (Array.isArray(data) ? 'array' : typeof data);
}

function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(other);
  if (Object.keys(one).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(one, name) && sameJson(one[name as never], other[name as never]));
}

/** Counts code points, as JSON Schema does. */
function characters(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
    if (isPair) pairs += 1;
  }
  return text.length - pairs;
}

/** Compares decimal digits, so that 0.3 is three times 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (!(divisor > 0)) return false;
  const [a, b] = [decimal(value), decimal(divisor)];
  const shift = a.exponent - b.exponent;
  return shift >= 0 ? (a.digits * 10n ** BigInt(shift)) % b.digits === 0n : a.digits % (b.digits * 10n ** BigInt(-shift)) === 0n;
}

function decimal(value: number): { digits: bigint; exponent: number } {
  const [digits = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
