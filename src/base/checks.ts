/**
 * Validators of stored data, one for each kind of value. Each returns a fresh copy of the fields it knows and drops the rest; an invalid
 * value throws `ValidationError`. Kept small, because every page that stores anything loads them.
 */
import { isObject } from './objects.js';
import { define } from './plain.js';

/** A validation error. It contains the path and the expected type, but never a value. */
export class ValidationError extends Error {
  /** The keys from the value outwards. */
  readonly path: (string | number)[];

  /** @param path the keys from the value outwards, as far as they are known */
  constructor(expected: string, ...path: (string | number)[]) {
    super(expected);
    this.name = 'ValidationError';
    this.path = path;
  }

  /** Returns the path and the message, e.g. `calls.3.status: one of …`. */
  where(): string {
    return `${this.path.toReversed().join('.')}: ${this.message}`;
  }
}

export type Check<T> = (value: unknown) => T;
export type OptionalCheck<T> = Check<T> & { readonly optional: true };

/** Returns the validated copy of a value. Throws only `ValidationError`. */
export function read<T>(check: Check<T>, value: unknown): T {
  try {
    return check(value);
  } catch (error) {
    // A getter, a proxy or a stack overflow may throw anything: a value that cannot be read counts as damaged, too.
    throw error instanceof ValidationError ? error : new ValidationError('something readable');
  }
}

const wrong = (expected: string): never => {
  throw new ValidationError(expected);
};

export const text =
  (max = 4_194_304): Check<string> =>
  (value) =>
    typeof value === 'string' && value.length <= max ? value : wrong(`text of at most ${String(max)} characters`);

export const number: Check<number> = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : wrong('a number'));

/** Milliseconds in the range of `Date`. */
export const time: Check<number> = (value) => (Math.abs(number(value)) <= 8.64e15 ? (value as number) : wrong('a time'));

export const count: Check<number> = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : wrong('a count');

export const boolean: Check<boolean> = (value) => (typeof value === 'boolean' ? value : wrong('true or false'));

export const literalTrue: Check<true> = (value) => (value === true ? value : wrong('true'));

export const oneOf =
  <const T extends string | number>(...values: readonly T[]): Check<T> =>
  (value) =>
    values.includes(value as T) ? (value as T) : wrong(values.length > 1 ? `one of ${values.join(', ')}` : String(values[0]));

export function optional<T>(check: Check<T>): OptionalCheck<T> {
  return Object.assign((value: unknown) => check(value), { optional: true as const });
}

function inside<T>(key: string | number, check: Check<T>, value: unknown): T {
  try {
    return check(value);
  } catch (error) {
    if (error instanceof ValidationError) error.path.push(key);
    throw error;
  }
}

export const list =
  <T>(check: Check<T>, max = 20_000): Check<T[]> =>
  (value) => {
    if (!Array.isArray(value) || value.length > max) return wrong(`a list of at most ${String(max)}`);
    return Array.from(value as unknown[], (item, at) => inside(at, check, item));
  };

/** An object with any keys and one kind of value. */
export const record =
  <T>(check: Check<T>, max = 20_000): Check<Record<string, T>> =>
  (value) => {
    if (!isObject(value)) return wrong('an object');
    const keys = Object.keys(value);
    if (keys.length > max) return wrong(`an object of at most ${String(max)} fields`);
    const result: Record<string, T> = {};
    for (const key of keys) define(result, key, inside(key, check, value[key]));
    return result;
  };

export type ObjectChecks<T> = { [K in keyof T]-?: object extends Pick<T, K> ? OptionalCheck<Exclude<T[K], undefined>> : Check<T[K]> };

/** The type of the validated object, by the checks of its fields. */
export type ValuesOf<Fields> = {
  [Name in keyof Fields as Fields[Name] extends { readonly optional: true } ? never : Name]: Fields[Name] extends Check<infer Value>
    ? Value
    : never;
} & {
  [Name in keyof Fields as Fields[Name] extends { readonly optional: true } ? Name : never]?: Fields[Name] extends Check<infer Value>
    ? Value
    : never;
};

/** An object with these fields; others are dropped. */
export function object<T extends object>(fields: ObjectChecks<T>): Check<T> {
  const checks = Object.entries<Check<unknown>>(fields as Record<string, Check<unknown>>);
  return (value) => {
    if (!isObject(value)) return wrong('an object');
    const result = {};
    for (const [key, check] of checks) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (field === undefined && 'optional' in check) continue;
      define(result, key, inside(key, check, field));
    }
    return result as T;
  };
}

/** JSON data, copied, with limits on depth and number of values. */
export const json: Check<unknown> = (value) => copyJson(value, 0, { left: 20_000 });

/** A JSON object, copied, with the same limits. */
export const data: Check<Record<string, unknown>> = (value) =>
  isObject(value) ? (json(value) as Record<string, unknown>) : wrong('an object');

function copyJson(value: unknown, depth: number, budget: { left: number }): unknown {
  if (depth > 64 || (budget.left -= 1) < 0) return wrong('less, or less deeply nested');
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return text()(value);
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return Array.from(value as unknown[], (item) => copyJson(item, depth + 1, budget));
  if (!isObject(value) || Object.prototype.toString.call(value) !== '[object Object]') return wrong('JSON data');
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) define(result, key, copyJson(value[key], depth + 1, budget));
  return result;
}
