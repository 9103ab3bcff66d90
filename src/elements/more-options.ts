/**
 * The options that few pages set. They work like all others, but their table is loaded with the engine: the launcher, which every page
 * loads, has no room for it. Until then a property that is set waits on the element as a plain one, and counts before the attribute:
 * which of the two came last, nobody has seen.
 */
import { ABOUT_OPTIONS } from '../base/chapter.js';
import { attributeOf, elementTable, settingsTable, type Option } from '../conversation/options/option-table.js';

interface MoreOption extends Option<unknown> {
  property: string;
  /** Absent: an object or a function, by property only. */
  attributeName?: string;
}

/** What the launcher takes as it comes: objects, which it does not look into. */
const launchers = new Set(['context', 'headers', 'fetch']);

const options: readonly MoreOption[] = Object.entries<Option<unknown>>({ ...settingsTable, ...elementTable }).flatMap(
  ([property, option]) =>
    option.attribute === 'launcher' || launchers.has(property)
      ? []
      : [{ ...option, property, ...(option.attribute !== 'none' && { attributeName: attributeOf(property) }) }],
);

export interface OptionSources {
  /** The host's `config`, by property. */
  ofConfig(property: string): unknown;
  /** What the chosen preset says, by property. */
  ofPreset(property: string): unknown;
  /** What becomes of a value by what stands above it. */
  effective(property: string, value: unknown): unknown;
}

export interface MoreOptions {
  /** Effective values, each looked up when it is read: set on the element > `config` > preset > default. */
  values: Readonly<Record<string, unknown>>;
  /** Whether the element itself sets it. */
  isSet(property: string): boolean;
}

export function moreOptions(element: HTMLElement, { ofConfig, ofPreset, effective }: OptionSources, changed: () => void): MoreOptions {
  const set = new Map<string, unknown>();
  const fits = ({ values, initial, attribute, fits: isFit }: MoreOption, value: unknown) => {
    if (value == null || attribute === 'none') return value != null;
    if (values) return values.includes(value as string);
    return isFit ? isFit(value) : typeof value === typeof initial;
  };
  const complain = (option: MoreOption, value: unknown) => {
    if (value != null && !fits(option, value))
      // eslint-disable-next-line no-console -- for whoever writes the page, as the launcher says it of its own options
      console.warn(
        `[tool-chat] ${option.property}="${String(value)}" does not fit: ${String(option.initial ?? option.values?.[0] ?? option.wanted)} ${ABOUT_OPTIONS}`,
      );
  };
  const take = (option: MoreOption, given: unknown) => {
    const digits = option.digits && (option.digits === 'whole' ? /^\d+$/ : /^\d{1,9}(?:\.\d{1,9})?$/);
    const bare = given === '' && option.values?.includes('on') === true;
    const value = bare ? 'on' : typeof given === 'string' && digits?.test(given) ? Number(given) : given;
    complain(option, value);
    set.set(option.property, fits(option, value) ? value : undefined);
  };
  /** What `config` said last: it is looked at often, and complained about once. */
  const heard = new Map<MoreOption, unknown>();
  const observer = new MutationObserver(note);
  /** Attributes change without a call; whoever reads or sets a value has noted the changes first, so that the last one set counts. */
  function note(records: readonly MutationRecord[]) {
    for (const { attributeName } of records) {
      const option = options.find((one) => one.attributeName === attributeName);
      if (option) take(option, element.getAttribute(attributeName ?? ''));
    }
    if (records.length > 0) changed();
  }
  const valueOf = (option: MoreOption): unknown => {
    note(observer.takeRecords());
    const configured = ofConfig(option.property);
    if (configured !== heard.get(option)) complain(option, configured);
    heard.set(option, configured);
    const value = set.get(option.property) ?? (fits(option, configured) ? configured : (ofPreset(option.property) ?? fallbackOf(option)));
    return effective(option.property, value);
  };

  /** Objects are the conversation's to fill in. */
  const fallbackOf = ({ attribute, initial, derive }: MoreOption): unknown =>
    attribute === 'none' ? undefined : (initial ?? derive?.(valueNamed));

  const valueNamed = (property: string): unknown => {
    const option = options.find((one) => one.property === property);
    return option && valueOf(option);
  };

  for (const option of options) {
    const { property, attributeName } = option;
    const early: unknown = Object.hasOwn(element, property) ? Reflect.get(element, property) : undefined;
    if (attributeName !== undefined && element.hasAttribute(attributeName)) take(option, element.getAttribute(attributeName));
    if (early !== undefined) take(option, early);
    Object.defineProperty(element, property, {
      configurable: true,
      enumerable: true,
      get: () => valueOf(option),
      set(value: unknown) {
        note(observer.takeRecords());
        take(option, value);
        changed();
      },
    });
  }
  observer.observe(element, { attributes: true, attributeFilter: options.flatMap(({ attributeName = [] }) => attributeName) });
  const values = Object.defineProperties(
    {},
    Object.fromEntries(options.map((option) => [option.property, { enumerable: true, get: () => valueOf(option) }])),
  );
  return { values, isSet: (property) => set.get(property) !== undefined };
}
