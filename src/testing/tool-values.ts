/** Generates test arguments from a tool's schema: minimal, usual and unusual ones. The caller drops those that do not fit the schema. */
import { own } from '../base/objects.js';
import type { SchemaModel } from '../model/schema-model.js';
import { firstOf } from '../model/prompt-schema.js';

/** `least`: only required arguments, as small as possible. `plain`: all arguments. `odd`: all arguments, with unusual texts and numbers. */
export type ValueKind = 'least' | 'plain' | 'odd';

const DEPTH = 5;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2031-02-03',
  'date-time': '2031-02-03T04:05:06Z',
  time: '04:05:06Z',
  email: 'ann@example.org',
  uri: 'https://example.org/a',
  url: 'https://example.org/a',
  uuid: '6f1c1f9e-8a3d-4a1e-9f5b-0c2d4e6a8b10',
};

/** Texts that each break some code: for names, markup, counting, or objects used as tables. */
const ODD_TEXTS = ['__proto__', 'constructor', '', ' ', '0', 'null', '"\'`<b>&amp;</b>', '../..%2f', '👩‍👩‍👧 بحث 你好', '-'.repeat(5000)];

export function valueFor(given: SchemaModel, manner: ValueKind, random: () => number, depth = 0): unknown {
  const pick = <Item>(items: readonly Item[]): Item => items[manner === 'odd' ? Math.floor(random() * items.length) : 0]!;
  const { anyOf, nullable } = given;
  const schema = anyOf ? firstOf({ ...given, anyOf: [pick(anyOf)] }) : given;
  if (nullable && manner === 'odd' && random() < 0.2) return null;
  if (schema.enum) return pick(schema.enum);
  if (schema.type === 'object') return objectFor(schema, manner, random, depth);
  if (schema.type === 'array') return listFor(schema, manner, random, depth);
  if (schema.type === 'boolean') return manner === 'odd' && random() < 0.5;
  if (schema.type === 'null') return null;
  return schema.type === 'number' || schema.type === 'integer' ? numberFor(schema, manner, random) : textFor(schema, manner, random);
}

function objectFor({ properties = {}, required = [] }: SchemaModel, manner: ValueKind, random: () => number, depth: number): unknown {
  const wanted = Object.keys(properties).filter((key) => required.includes(key) || (manner !== 'least' && depth < DEPTH));
  return Object.fromEntries(wanted.map((key) => [key, valueFor(properties[key]!, manner, random, depth + 1)]));
}

function listFor(schema: SchemaModel, manner: ValueKind, random: () => number, depth: number): unknown[] {
  const least = Number(schema['minItems'] ?? 0);
  const length = depth >= DEPTH || manner === 'least' ? least : Math.max(least, manner === 'odd' ? Math.floor(random() * 4) : 1);
  return Array.from({ length }, () => valueFor(schema.items ?? {}, manner, random, depth + 1));
}

function numberFor(schema: SchemaModel, manner: ValueKind, random: () => number): number {
  const step = Number(own(schema, 'multipleOf') ?? 1) || 1;
  const least = Number(own(schema, 'minimum') ?? own(schema, 'exclusiveMinimum') ?? -Infinity);
  const most = Number(own(schema, 'maximum') ?? own(schema, 'exclusiveMaximum') ?? Infinity);
  const [low, high] = [Number.isFinite(least) ? least : Math.min(0, most), Number.isFinite(most) ? most : Math.max(1e9, least)];
  const on = (value: number) => Math.round(value / step) * step;
  if (manner !== 'odd') return on(Math.min(Math.max(manner === 'least' ? low : 1, low), high));
  const odd = [low, high, 0, -1, 0.5, on(low + random() * (high - low))].filter((value) => value >= low && value <= high);
  return odd[Math.floor(random() * odd.length)] ?? low;
}

function textFor(schema: SchemaModel, manner: ValueKind, random: () => number): string {
  const least = Number(own(schema, 'minLength') ?? 0);
  const most = Number(own(schema, 'maxLength') ?? Infinity);
  const format = own(FORMATS, String(schema['format']));
  if (typeof format === 'string') return format;
  const text = manner === 'least' ? '' : manner === 'plain' ? 'text' : ODD_TEXTS[Math.floor(random() * ODD_TEXTS.length)]!;
  return text.padEnd(least, 'x').slice(0, most);
}
