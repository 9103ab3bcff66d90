/** From the schema of a tool's arguments to the fields of a form, and from what stands in them back to arguments. No DOM. */
import { exactNumber, parseExactly } from '../../base/exact-json.js';
import type { JsonSchema } from '../../model/json-schema.js';
import type { SchemaModel } from '../../model/schema-model.js';
import { own } from '../../base/objects.js';
import { labelsIn, partsAt, rootParts, textOf, valuesOf } from '../../tools/schema-parts.js';

/** `choice` has listed values, `json` holds lists, objects and whatever may be of several kinds. */
export type FieldKind = 'text' | 'long-text' | 'number' | 'yes-no' | 'choice' | 'json';

export interface EditField {
  name: string;
  kind: FieldKind;
  /** For people: the schema's `x-label`, else its `title`, else the name. */
  label: string;
  description?: string;
  required: boolean;
  /** Of a choice, as JSON values. */
  options: readonly unknown[];
  /** What the schema calls them: the `title` beside a `const`. Undefined where it says nothing. */
  optionNames: readonly (string | undefined)[];
  /** A text that the browser has a picker for. */
  picker?: 'date' | 'time' | 'datetime-local';
  /** Written unseen. */
  secret: boolean;
  /** The value at the start; undefined = not set. */
  value: unknown;
}

export interface FieldsOf {
  schema?: JsonSchema | undefined;
  sensitive: boolean | readonly string[];
  args: Readonly<Record<string, unknown>>;
}

/** A text longer than this, or that may become longer, gets more than one line. */
const LINE_CHARS = 80;

/** The declared parameters in their order, then arguments that no declaration names. */
export function fieldsOf({ schema, sensitive, args }: FieldsOf): EditField[] {
  const root = schema ?? {};
  const parts = rootParts(root);
  const names = new Set([...parts.flatMap(({ properties }) => Object.keys(properties ?? {})), ...Object.keys(args)]);
  const required = new Set(parts[0]?.required);
  const labels = labelsIn(root, [...names]);
  return [...names].map((name) => {
    const declared = partsAt(parts, name);
    const options = declared
      .flatMap((part) => valuesOf(part))
      .filter((option, at, all) => all.findIndex((one) => sameJson(one, option)) === at);
    const value = own(args, name);
    const secret = sensitive === true || (sensitive !== false && sensitive.includes(name));
    const kind = kindOf(declared, options, value, secret);
    // A box is ticked or not: whether it is set at all takes a third place.
    const isOpen = kind === 'yes-no' && value === undefined && !required.has(name);
    const picker = kind === 'text' && !secret ? pickerOf(textOf(declared, 'format'), value) : undefined;
    const description = textOf(declared, 'description');
    return {
      ...{ name, value, secret },
      ...(isOpen
        ? { kind: 'choice' as const, options: [true, false], optionNames: [] }
        : { kind, options, optionNames: options.map((option) => nameOf(option, declared)) }),
      ...(picker && { picker }),
      label: labels.get(name) ?? name,
      ...(description !== undefined && { description }),
      required: required.has(name),
    };
  });
}

function kindOf(declared: readonly SchemaModel[], options: readonly unknown[], value: unknown, secret: boolean): FieldKind {
  const types = new Set(declared.flatMap(({ type }) => (type === undefined || type === 'null' ? [] : [type])));
  // A value that no choice offers has to stay what it is until a person takes another.
  if (options.length > 0 && !declared.some((part) => part.type === 'string' && valuesOf(part).length === 0)) return 'choice';
  if (types.size === 0) return kindOfValue(value);
  const [only, another] = types;
  if (another !== undefined) return [...types].every((type) => type === 'number' || type === 'integer') ? 'number' : 'json';
  if (only === 'boolean') return 'yes-no';
  if (only === 'number' || only === 'integer') return 'number';
  if (only !== 'string') return 'json';
  const long = declared.some(({ maxLength, format }) => (typeof maxLength === 'number' && maxLength > LINE_CHARS) || format === 'textarea');
  return !secret && (long || isLong(value)) ? 'long-text' : 'text';
}

function kindOfValue(value: unknown): FieldKind {
  if (typeof value === 'boolean') return 'yes-no';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string' || value === undefined) return isLong(value) ? 'long-text' : 'text';
  return 'json';
}

/** What a picker can show without loss; a time with a zone stays text. */
const PICKERS = {
  date: ['date', /^\d{4}-\d\d-\d\d$/],
  time: ['time', /^\d\d:\d\d$/],
  'date-time': ['datetime-local', /^\d{4}-\d\d-\d\dT\d\d:\d\d$/],
} as const;

function pickerOf(format: string | undefined, value: unknown): EditField['picker'] {
  const found = own(PICKERS, format ?? '') as (typeof PICKERS)[keyof typeof PICKERS] | undefined;
  if (!found) return undefined;
  const [picker, shape] = found;
  // What is still to be written of a date with a time may need its zone.
  if (value === undefined) return picker === 'datetime-local' ? undefined : picker;
  if (typeof value !== 'string' || !shape.test(value)) return undefined;
  // A picker shows nothing for a day that does not exist.
  return isOnClock(picker === 'time' ? `2000-01-01T${value}` : value) ? picker : undefined;
}

function isOnClock(value: string): boolean {
  const at = Date.parse(value.includes('T') ? `${value}Z` : value);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

/** `oneOf: [{ const: 'high', title: 'At once' }]` */
function nameOf(option: unknown, declared: readonly SchemaModel[]): string | undefined {
  const members = declared.flatMap(({ anyOf = [] }) => anyOf);
  const named = members.find(({ enum: values = [] }) => values.length === 1 && sameJson(values[0], option));
  return named && textOf([named], 'title');
}

const isLong = (value: unknown): boolean => typeof value === 'string' && (value.length > LINE_CHARS || /[\r\n]/.test(value));

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What stands in a field at the start. A choice holds the place of its option, '' for none. */
export function writtenOf({ kind, options, value }: EditField): string {
  if (kind === 'choice') {
    const at = value === undefined ? -1 : options.findIndex((option) => sameJson(option, value));
    return at < 0 ? '' : String(at);
  }
  if (value === undefined) return '';
  if (kind === 'yes-no') return value === true ? 'true' : 'false';
  return kind === 'json' ? JSON.stringify(value, null, 2) : typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field whose text cannot be read as what it stands for. */
export type Unreadable = { name: string; problem: 'json' };

/** The arguments of a form. Fields nobody has touched keep their value to the last bit, or stay absent. */
export function formArguments(
  fields: readonly EditField[],
  written: ReadonlyMap<string, string>,
): { ok: true; args: Record<string, unknown> } | { ok: false; unreadable: Unreadable[] } {
  const entries: [string, unknown][] = [];
  const unreadable: Unreadable[] = [];
  for (const field of fields) {
    const text = written.get(field.name);
    const read = text === undefined || text === writtenOf(field) ? { value: field.value } : readField(field, text);
    if (!read) unreadable.push({ name: field.name, problem: 'json' });
    else if (read.value !== undefined) entries.push([field.name, read.value]);
  }
  return unreadable.length > 0 ? { ok: false, unreadable } : { ok: true, args: Object.fromEntries(entries) };
}

/** Undefined where it cannot be read; a value of undefined leaves the argument out. */
function readField({ kind, options, required }: EditField, text: string): { value: unknown } | undefined {
  if (kind === 'choice') return { value: text === '' ? undefined : options[Number(text)] };
  if (kind === 'yes-no') return { value: text === 'true' };
  if (kind === 'text' || kind === 'long-text') return { value: text === '' && !required ? undefined : text };
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  // What is no number stays a text, for the check to say what it should be.
  if (kind === 'number') return { value: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? exactNumber(trimmed) : trimmed };
  try {
    return { value: parseExactly(trimmed) };
  } catch {
    return undefined;
  }
}
