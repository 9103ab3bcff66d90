/**
 * The options that few pages set. They work like all others, but their table is loaded with the engine: the launcher, which every page
 * loads, has no room for it. Until then a property that is set waits on the element as a plain one, and counts before the attribute:
 * which of the two came last, nobody has seen.
 */

interface MoreOption {
  property: string;
  /** Absent: an object or a function, by property only. */
  attribute?: string;
  /** The only values that fit, the default first. */
  values?: readonly string[];
}

const choice = (property: string, attribute: string, ...values: string[]): MoreOption => ({ property, attribute, values });

const options: readonly MoreOption[] = [
  choice('resultLoop', 'result-loop', 'multi', 'single'),
  choice('onDeny', 'on-deny', 'feed-back', 'stop'),
  choice('coercion', 'coercion', 'schema', 'pattern', 'none'),
  choice('memory', 'memory', 'window', 'full'),
  choice('accept', 'accept', 'active', 'any'),
  choice('parseMode', 'parse-mode', 'stream', 'complete'),
  choice('onBrokenCall', 'on-broken-call', 'repair', 'report', 'skip'),
  choice('resultRole', 'result-role', 'user-envelope', 'tool'),
  choice('promptInjection', 'prompt-injection', 'client', 'relay', 'off'),
  ...['beforeSend', 'protocolByModel', 'promptOptions', 'promptTemplates'].map((property) => ({ property })),
];

/**
 * @param ofConfig the host's `config`, by property
 * @returns their effective values, each looked up when it is read: set on the element > `config` > default
 */
export function moreOptions(
  element: HTMLElement,
  ofConfig: (property: string) => unknown,
  changed: () => void,
): Readonly<Record<string, unknown>> {
  const set = new Map<string, unknown>();
  const fits = ({ values }: MoreOption, value: unknown) => value != null && (!values || values.includes(value as string));
  const read = (option: MoreOption, value: unknown) => {
    if (fits(option, value)) return value;
    if (value != null)
      // eslint-disable-next-line no-console -- for whoever writes the page, as the launcher says it of its own options
      console.warn(`[tool-chat] ${option.property}="${String(value)}" does not fit: ${String(option.values?.[0])}`);
    return undefined;
  };
  const take = (option: MoreOption, value: unknown) => void set.set(option.property, read(option, value));
  /** What `config` said last, and what of it fits: it is looked at often, and complained about once. */
  const configured = new Map<MoreOption, readonly [said: unknown, value: unknown]>();
  const ofConfigRead = (option: MoreOption) => {
    const said = ofConfig(option.property);
    const known = configured.get(option);
    if (known && known[0] === said) return known[1];
    const value = read(option, said);
    configured.set(option, [said, value]);
    return value;
  };
  const observer = new MutationObserver(note);
  /** Attributes change without a call; whoever reads or sets a value has noted the changes first, so that the last one set counts. */
  function note(records: readonly MutationRecord[]) {
    for (const { attributeName } of records) {
      const option = options.find(({ attribute }) => attribute === attributeName);
      if (option) take(option, element.getAttribute(attributeName ?? ''));
    }
    if (records.length > 0) changed();
  }
  const valueOf = (option: MoreOption): unknown => {
    note(observer.takeRecords());
    return set.get(option.property) ?? ofConfigRead(option) ?? option.values?.[0];
  };

  for (const option of options) {
    const { property, attribute } = option;
    const early: unknown = Object.hasOwn(element, property) ? Reflect.get(element, property) : undefined;
    if (attribute !== undefined && element.hasAttribute(attribute)) take(option, element.getAttribute(attribute));
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
  observer.observe(element, { attributes: true, attributeFilter: options.flatMap(({ attribute = [] }) => attribute) });
  return Object.defineProperties(
    {},
    Object.fromEntries(options.map((option) => [option.property, { enumerable: true, get: () => valueOf(option) }])),
  );
}
