/**
 * What each option of an element is, by the layers that can set it: default < preset < `config` (its `toolCallConfig` over its other fields) <
 * attribute or property, the one set last. A value that does not fit counts as not set, with one warning. Comes with the engine; the launcher
 * only keeps what was set.
 */
import { ABOUT_OPTIONS } from '../base/chapter.js';
import { attributeOf, elementTable, settingsTable, type Option } from '../conversation/options/option-table.js';

const rows: ReadonlyMap<string, Option<unknown>> = new Map(Object.entries({ ...settingsTable, ...elementTable }));

const names = [...rows.keys(), 'logger'];

/** What the element and its `config` say, as it was given, by property. */
export interface GivenOptions {
  readonly set: ReadonlyMap<string, unknown>;
  config(): Readonly<Record<string, unknown>>;
}

export interface OptionSources {
  /** What the `toolCallConfig` of the page's `config` says, by property. */
  ofToolCallConfig(property: string): unknown;
  /** What the chosen preset says, by property. */
  ofPreset(property: string): unknown;
  /** What becomes of a value by what stands above it. */
  effective(property: string, value: unknown): unknown;
}

export interface Options {
  /** Effective values, each looked up when it is read. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The same, but `undefined` for what neither the element nor its `config` sets. */
  chosen(property: string): unknown;
  /** True if the element itself sets it. */
  isSet(property: string): boolean;
  /** Warns once of each value that does not fit. */
  check(): void;
}

export function createOptions({ set, config }: GivenOptions, { ofToolCallConfig, ofPreset, effective }: OptionSources): Options {
  /** What was said last of each option, by the element and by `config`. */
  const heard = { element: new Map<string, unknown>(), config: new Map<string, unknown>() };

  const check = () => {
    const given = config();
    for (const property of rows.keys())
      for (const [source, value] of [
        ['element', set.get(property)],
        ['config', given[property]],
      ] as const) {
        if (value === heard[source].get(property)) continue;
        heard[source].set(property, value);
        if (value != null && read(property, value) === undefined) warn(property, value, valueOf(property));
      }
  };

  const chosen = (property: string): unknown =>
    read(property, set.get(property)) ?? read(property, ofToolCallConfig(property)) ?? read(property, config()[property]);

  const valueOf = (property: string): unknown => {
    const { attribute, initial, derive } = rows.get(property) ?? {};
    // Objects are the conversation's to fill in.
    const fallback = () => (attribute === 'none' ? undefined : (ofPreset(property) ?? initial ?? derive?.(valueOf)));
    return effective(property, chosen(property) ?? fallback());
  };

  return {
    values: Object.defineProperties(
      {},
      Object.fromEntries(names.map((property) => [property, { enumerable: true, get: () => valueOf(property) }])),
    ),
    chosen,
    isSet: (property) => read(property, set.get(property)) !== undefined,
    check,
  };
}

/** The value as it counts; `undefined` for one that does not fit. */
function read(property: string, given: unknown): unknown {
  if (given == null) return undefined;
  const row = rows.get(property);
  // The launcher decides if it is open.
  if (!row || property === 'open') return given;
  const { attribute, values, initial, digits, fits } = row;
  // What is private must not be forgotten: the conversation refuses what it cannot read.
  if (attribute === 'none') return typeof given === 'string' && property !== 'privateValues' ? undefined : given;
  const pattern = digits && (digits === 'whole' ? /^\d+$/ : /^\d{1,9}(?:\.\d{1,9})?$/);
  const bare = given === '' && values?.includes('on') === true;
  const value = bare ? 'on' : typeof given === 'string' && pattern?.test(given) ? Number(given) : given;
  const isFit = values ? values.includes(value as string) : fits ? fits(value) : typeof value === typeof initial;
  return isFit ? value : undefined;
}

/** For the developer of the page; never with what could be a secret. */
function warn(property: string, given: unknown, used: unknown): void {
  const { attribute, values, wanted, initial } = rows.get(property) as Option<unknown>;
  const name = attributeOf(property);
  const said =
    attribute === 'none'
      ? `Invalid ${property}: a text cannot say it. Set the property by script`
      : `Invalid ${name}="${String(given)}". Expected ${values ? oneOf(values) : (wanted ?? `a ${typeof initial}`)}. Using ${String(used || 'none')}`;
  // eslint-disable-next-line no-console -- for the developer of the page
  console.warn(`[tool-chat] ${said}. ${ABOUT_OPTIONS}`);
}

const oneOf = (values: readonly string[]) => `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
