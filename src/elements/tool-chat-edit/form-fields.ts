/** Converts the schema of a tool's arguments to the fields of a form, and their contents back to arguments. No DOM. */
import { exactNumber, parseExactly } from '../../base/exact-json.js';
import type { JsonSchema } from '../../model/json-schema.js';
import type { SchemaModel } from '../../model/schema-model.js';
import { own } from '../../base/objects.js';
import { labelsIn, partsAt, rootParts, textOf, valuesOf } from '../../tools/schema-parts.js';

/** `choice` has listed values; `json` is for lists, objects and values of several types. */
export type FieldKind = 'text' | 'long-text' | 'number' | 'yes-no' | 'choice' | 'json';

export interface EditField {
  name: string;
  kind: FieldKind;
  /** The displayed name: the schema's `x-label`, else its `title`, else the name. */
  label: string;
  description?: string;
  required: boolean;
  /** The values of a choice, as JSON values. */
  options: readonly unknown[];
  /** The names of the values in the schema: the `title` next to a `const`. Undefined if there is none. */
  optionNames: readonly (string | undefined)[];
  /** The browser's picker for the text, if any. */
  picker?: 'date' | 'time' | 'datetime-local';
  /** True if the typed text is hidden. */
  secret: boolean;
  /** The initial value; undefined if it is not set. */
  value: unknown;
}

export interface FieldsInput {
  schema?: JsonSchema | undefined;
  sensitive: boolean | readonly string[];
  args: Readonly<Record<string, unknown>>;
}

/** Length in UTF-16 units above which a text, or a text that may grow beyond it, gets several lines. */
const LINE_CHARS = 80;

/** Returns the fields of the declared parameters in their order, then those of undeclared arguments. */
export function fieldsOf({ schema, sensitive, args }: FieldsInput): EditField[] {
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
    // A checkbox cannot express "not set", so an optional one becomes a choice.
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
  // A value that is not in the choice is kept until the user selects another.
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

/** Values that a picker can show without loss. A time with a zone stays text. */
const PICKERS = {
  date: ['date', /^\d{4}-\d\d-\d\d$/],
  time: ['time', /^\d\d:\d\d$/],
  'date-time': ['datetime-local', /^\d{4}-\d\d-\d\dT\d\d:\d\d$/],
} as const;

function pickerOf(format: string | undefined, value: unknown): EditField['picker'] {
  const entry = own(PICKERS, format ?? '') as (typeof PICKERS)[keyof typeof PICKERS] | undefined;
  if (!entry) return undefined;
  const [picker, shape] = entry;
  // A new date with a time may need a zone, which a picker cannot express.
  if (value === undefined) return picker === 'datetime-local' ? undefined : picker;
  if (typeof value !== 'string' || !shape.test(value)) return undefined;
  // A picker is empty for a day that does not exist.
  return isWholeMinute(picker === 'time' ? `2000-01-01T${value}` : value) ? picker : undefined;
}

function isWholeMinute(value: string): boolean {
  const at = Date.parse(value.includes('T') ? `${value}Z` : value);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

/** Returns the name of a value: `oneOf: [{ const: 'high', title: 'At once' }]`. */
function nameOf(option: unknown, declared: readonly SchemaModel[]): string | undefined {
  const members = declared.flatMap(({ anyOf = [] }) => anyOf);
  const named = members.find(({ enum: values = [] }) => values.length === 1 && sameJson(values[0], option));
  return named && textOf([named], 'title');
}

const isLong = (value: unknown): boolean => typeof value === 'string' && (value.length > LINE_CHARS || /[\r\n]/.test(value));

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the initial text of a field. For a choice it is the index of its option, '' for none. */
export function fieldText({ kind, options, value }: EditField): string {
  if (kind === 'choice') {
    const at = value === undefined ? -1 : options.findIndex((option) => sameJson(option, value));
    return at < 0 ? '' : String(at);
  }
  if (value === undefined) return '';
  if (kind === 'yes-no') return value === true ? 'true' : 'false';
  return kind === 'json' ? JSON.stringify(value, null, 2) : typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field whose text cannot be parsed as its type. */
export type Unreadable = { name: string; problem: 'json' };

/** Returns the arguments of a form. Unchanged fields keep their exact value, or stay absent. */
export function formArguments(
  fields: readonly EditField[],
  texts: ReadonlyMap<string, string>,
): { ok: true; args: Record<string, unknown> } | { ok: false; unreadable: Unreadable[] } {
  const entries: [string, unknown][] = [];
  const unreadable: Unreadable[] = [];
  for (const field of fields) {
    const text = texts.get(field.name);
    const read = text === undefined || text === fieldText(field) ? { value: field.value } : readField(field, text);
    if (!read) unreadable.push({ name: field.name, problem: 'json' });
    else if (read.value !== undefined) entries.push([field.name, read.value]);
  }
  return unreadable.length > 0 ? { ok: false, unreadable } : { ok: true, args: Object.fromEntries(entries) };
}

/** Returns the parsed value; undefined if it cannot be parsed. A `value` of undefined omits the argument. */
function readField({ kind, options, required }: EditField, text: string): { value: unknown } | undefined {
  if (kind === 'choice') return { value: text === '' ? undefined : options[Number(text)] };
  if (kind === 'yes-no') return { value: text === 'true' };
  if (kind === 'text' || kind === 'long-text') return { value: text === '' && !required ? undefined : text };
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  // An invalid number stays a text, so that the validation reports the expected type.
  if (kind === 'number') return { value: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? exactNumber(trimmed) : trimmed };
  try {
    return { value: parseExactly(trimmed) };
  } catch {
    return undefined;
  }
}
