/**
 * Resolves the value of each option from its layers: default < preset < `config` (its `toolCallConfig` before its other fields) < attribute
 * or property, whichever was set last. An invalid value counts as not set, with one warning. Loaded with the engine; the launcher only
 * stores the values that were set.
 */
import { OPTIONS_LINK } from '../base/docs-links.js';
import { attributeOf, elementTable, settingsTable, type Option } from '../conversation/options/option-table.js';

const optionDefinitions: ReadonlyMap<string, Option<unknown>> = new Map(Object.entries({ ...settingsTable, ...elementTable }));

const names = [...optionDefinitions.keys(), 'logger'];

/** The original values of the element and its `config`, by property. */
export interface GivenOptions {
  readonly set: ReadonlyMap<string, unknown>;
  config(): Readonly<Record<string, unknown>>;
}

export interface OptionSources {
  /** Returns the value in the `toolCallConfig` of the page's `config`, by property. */
  ofToolCallConfig(property: string): unknown;
  /** Returns the value in the chosen preset, by property. */
  ofPreset(property: string): unknown;
  /** Returns the effective value after the layers above it are applied. */
  effective(property: string, value: unknown): unknown;
}

export interface Options {
  /** Effective values, each resolved when it is read. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Returns the value set by the element or its `config`; `undefined` if neither sets it. */
  chosen(property: string): unknown;
  /** Returns true if the element itself sets the option. */
  isSet(property: string): boolean;
  /** Warns once about each invalid value. */
  check(): void;
}

export function createOptions({ set, config }: GivenOptions, { ofToolCallConfig, ofPreset, effective }: OptionSources): Options {
  /** The last checked value of each option, from the element and from `config`. */
  const warned = { element: new Map<string, unknown>(), config: new Map<string, unknown>() };

  const check = () => {
    const given = config();
    for (const property of optionDefinitions.keys())
      for (const [source, value] of [
        ['element', set.get(property)],
        ['config', given[property]],
      ] as const) {
        if (value === warned[source].get(property)) continue;
        warned[source].set(property, value);
        if (value != null && read(property, value) === undefined) warn(property, value, valueOf(property));
      }
  };

  const chosen = (property: string): unknown =>
    read(property, set.get(property)) ?? read(property, ofToolCallConfig(property)) ?? read(property, config()[property]);

  const valueOf = (property: string): unknown => {
    const { attribute, initial, derive } = optionDefinitions.get(property) ?? {};
    // The conversation has its own defaults for object options.
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

/** Returns the parsed value; `undefined` if it is invalid. */
function read(property: string, given: unknown): unknown {
  if (given == null) return undefined;
  const row = optionDefinitions.get(property);
  // The launcher decides whether the chat is open.
  if (!row || property === 'open') return given;
  const { attribute, values, initial, digits, fits } = row;
  // An invalid `privateValues` is passed on, because ignoring it would reveal data: the conversation rejects it instead.
  if (attribute === 'none') return typeof given === 'string' && property !== 'privateValues' ? undefined : given;
  const pattern = digits && (digits === 'whole' ? /^\d+$/ : /^\d{1,9}(?:\.\d{1,9})?$/);
  const isBare = given === '' && values?.includes('on') === true;
  const value = isBare ? 'on' : typeof given === 'string' && pattern?.test(given) ? Number(given) : given;
  const isFit = values ? values.includes(value as string) : fits ? fits(value) : typeof value === typeof initial;
  return isFit ? value : undefined;
}

/** Warns the developer of the page. Values of options without an attribute are left out, because they may be secret. */
function warn(property: string, given: unknown, used: unknown): void {
  const { attribute, values, wanted: expected, initial } = optionDefinitions.get(property) as Option<unknown>;
  const name = attributeOf(property);
  const message =
    attribute === 'none'
      ? `Invalid ${property}: a text cannot say it. Set the property by script`
      : `Invalid ${name}="${String(given)}". Expected ${values ? oneOf(values) : (expected ?? `a ${typeof initial}`)}. Using ${String(used || 'none')}`;
  // eslint-disable-next-line no-console -- for the developer of the page
  console.warn(`[tool-chat] ${message}. ${OPTIONS_LINK}`);
}

const oneOf = (values: readonly string[]) => `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
