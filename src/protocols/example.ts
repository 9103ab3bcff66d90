/** Makes up arguments that fit a JSON schema, for the worked example of a tool (S0-79). The same schema gives the same example all day. */
import { addDays, fillDays, localDay } from '../base/days.js';
import { followReference } from '../model/json-schema.js';
import { isObject, own } from '../base/objects.js';
import { testPattern } from '../base/patterns.js';
import { allowanceOfTool, createAllowance, sizeOf, spend, type Allowance } from '../base/allowance.js';
import type { JsonSchema, MethodMetadata } from './protocol.js';

/** Deeper than this a schema is most likely recursive; an example is for reading anyway. */
const MAX_DEPTH = 6;

/** What a made-up example is written for. */
export interface ExampleOptions {
  /** BCP 47; the language of made-up texts. Default English. */
  lang?: string | undefined;
  /** `YYYY-MM-DD`; made-up days are near it, and `{today+2}` counts from it. Default: the local day. */
  today?: string | undefined;
  /** Limit shared by everything that is written together. */
  allowance?: Allowance | undefined;
}

/** Short, and near today: models copy what they see into their calls. */
const FORMATS: Record<string, (today: string) => string> = {
  date: (today) => addDays(today, 1),
  'date-time': (today) => `${addDays(today, 1)}T09:30:00Z`,
  time: () => '09:30:00',
  duration: () => 'PT30M',
  email: () => 'a@example.com',
  uri: () => 'https://example.com/',
  url: () => 'https://example.com/',
  hostname: () => 'example.com',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  uuid: () => '00000000-0000-4000-8000-000000000001',
};

/**
 * The arguments of a worked example: the method's own, or made up from its schema: the required ones, or the first if none is required.
 * A value is taken from `default`, `examples`, `const` or `enum`, else made up from `format`, `pattern` and `type`.
 */
export function exampleArguments(
  method: Pick<MethodMetadata, 'example' | 'parameters'>,
  { lang = 'en', today = localDay(), allowance }: ExampleOptions = {},
): Record<string, unknown> {
  if (method.example) return fillDays({ ...method.example }, today);
  const root = method.parameters ?? {};
  const value = exampleValue(root, { root, name: '', depth: 0, lang, today, left: allowanceOfTool(allowance) });
  return isObject(value) ? value : {};
}

interface Place {
  root: JsonSchema;
  name: string;
  depth: number;
  lang: string;
  today: string;
  left: Allowance;
}

function exampleValue(given: unknown, place: Place): unknown {
  const schema = resolveSchema(given, place.root, place.left);
  const samples = [own(schema, 'examples'), own(schema, 'enum')].find((list) => Array.isArray(list) && list.length > 0);
  const known = [own(schema, 'default'), own(schema, 'const'), own(samples, 0)].find((value) => value !== undefined);
  if (known !== undefined && spend(place.left, 1, sizeOf(known))) return known;
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(schema, place);
    case 'array':
      return exampleList(schema, place);
    case 'number':
    case 'integer':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleString(schema, place);
  }
}

function exampleObject(schema: JsonSchema, place: Place): Record<string, unknown> {
  const properties = own(schema, 'properties');
  if (!isObject(properties) || place.depth >= MAX_DEPTH) return {};
  const required = own(schema, 'required');
  const names = Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string' && Object.hasOwn(properties, name))
    : [];
  const chosen = names.length > 0 || place.depth > 0 ? names : Object.keys(properties).slice(0, 1);
  const entries: [string, unknown][] = [];
  spend(place.left, chosen.length / 8);
  for (const name of chosen) {
    if (!spend(place.left, 1, name.length)) break;
    entries.push([name, exampleValue(properties[name], { ...place, name, depth: place.depth + 1 })]);
  }
  return Object.fromEntries(entries); // defines own properties, also for a name such as `__proto__`
}

function exampleList(schema: JsonSchema, place: Place): unknown[] {
  if (place.depth >= MAX_DEPTH) return [];
  const first = own(schema, 'prefixItems');
  const count = Math.max(1, Math.min(3, numberOf(schema, 'minItems') ?? 1));
  const items: unknown[] = Array.isArray(first) ? first : new Array(count).fill(own(schema, 'items'));
  const made: unknown[] = [];
  for (const item of items) {
    if (!spend(place.left, 1)) break;
    made.push(exampleValue(item, { ...place, depth: place.depth + 1 }));
  }
  return made;
}

function exampleNumber(schema: JsonSchema): number {
  const exclusive = numberOf(schema, 'exclusiveMinimum');
  const least = numberOf(schema, 'minimum') ?? (exclusive === undefined ? undefined : exclusive + 1);
  const value = least ?? Math.min(1, numberOf(schema, 'maximum') ?? 1);
  const step = numberOf(schema, 'multipleOf');
  return step ? Math.ceil(value / step) * step : value;
}

function exampleString(schema: JsonSchema, { name, lang, today }: Place): string {
  const format = own(FORMATS, own(schema, 'format') as string) as ((today: string) => string) | undefined;
  if (format) return format(today);
  const sample = fitLength(sampleText(name, lang), schema);
  const pattern = own(schema, 'pattern');
  if (typeof pattern !== 'string') return sample;
  const day = addDays(today, 1);
  return (
    [sample, day, `${day}T09:30:00Z`, '09:30', 'a-1', 'a1', 'A1', 'a', 'A', '1', '123', '#a0ffee'].find(
      (text) => testPattern(pattern, text) === true,
    ) ?? sample
  );
}

const fitLength = (text: string, schema: JsonSchema) =>
  text.padEnd(Math.min(numberOf(schema, 'minLength') ?? 0, 200), '.').slice(0, numberOf(schema, 'maxLength'));

/** In the language of the prompt; a name in another script would bring in another one. */
function sampleText(name: string, lang: string): string {
  if (/(?:^|[_-])id$|[a-z]I[dD]$/.test(name)) return 'a-1';
  const words = name.replace(/[_-]+/g, ' ').trim();
  if (/^zh\b/i.test(lang)) return /\p{Script=Han}/u.test(words) ? `示例${words}` : '示例';
  return words === '' || /[^\x20-\x7e]/.test(words) ? 'example' : `some ${words}`;
}

/** Follows a local `$ref`, takes the first of alternatives and merges `allOf`. */
export function resolveSchema(given: unknown, root: JsonSchema, left: Allowance = createAllowance()): JsonSchema {
  let schema = asSchema(given);
  for (let hops = 0; hops < 8; hops += 1) {
    // Copying a schema costs more the larger it has become.
    if (!spend(left, 1 + Object.keys(schema).length / 16)) return {};
    const { $ref, anyOf, oneOf, allOf, ...rest } = schema;
    if (typeof $ref === 'string') spend(left, $ref.length / 64);
    const alternatives = anyOf ?? oneOf;
    if (typeof $ref === 'string' && $ref.startsWith('#/')) schema = asSchema(followReference($ref, root));
    else if (Array.isArray(alternatives) && alternatives.length > 0)
      schema = { ...rest, ...(allOf !== undefined && { allOf }), ...asSchema(alternatives[0]) };
    else if (Array.isArray(allOf) && allOf.length > 0 && spend(left, allOf.length))
      schema = Object.assign(rest, ...allOf.map(asSchema)) as JsonSchema;
    else break;
  }
  return schema;
}

/** The first type that is not `null`; a schema with properties is an object even if it does not say so. */
export function typeOf(schema: JsonSchema): string | undefined {
  const type = own(schema, 'type');
  const named: unknown = Array.isArray(type) ? (type.find((one) => one !== 'null') ?? type[0]) : type;
  if (typeof named === 'string') return named;
  return isObject(own(schema, 'properties')) ? 'object' : undefined;
}

function asSchema(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

function numberOf(schema: JsonSchema, keyword: string): number | undefined {
  const value = own(schema, keyword);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
