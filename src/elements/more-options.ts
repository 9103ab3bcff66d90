/**
 * The options that few pages set. They work like all others, but their table is loaded with the engine: the launcher, which every page
 * loads, has no room for it. Until then a property that is set waits on the element as a plain one, and counts before the attribute:
 * which of the two came last, nobody has seen.
 */
import { own } from '../base/objects.js';

interface MoreOption {
  property: string;
  /** Absent: an object or a function, by property only. */
  attribute?: string;
  /** The only values that fit, the default first. */
  values?: readonly string[];
  /** A count or a text: its default. */
  initial?: number | string;
  /** A number between these, both included; not set by default. */
  range?: readonly [least: number, most: number];
  /** Its default follows from other options. */
  byOthers?: (value: (property: string) => unknown) => string;
}

const choice = (property: string, attribute: string, ...values: string[]): MoreOption => ({ property, attribute, values });

const options: readonly MoreOption[] = [
  choice('resultLoop', 'result-loop', 'multi', 'single'),
  choice('onDeny', 'on-deny', 'feed-back', 'stop'),
  choice('coercion', 'coercion', 'schema', 'pattern', 'none'),
  {
    ...{ property: 'memory', attribute: 'memory', values: ['window', 'full', 'layered'] },
    byOthers: (value) => (value('memoryStore') || value('embed') || own(value('memoryOptions'), 'summarise') ? 'layered' : 'window'),
  },
  {
    ...{ property: 'confirmVia', attribute: 'confirm-via', values: ['buttons', 'keyword', 'both'] },
    byOthers: (value) => (value('callsPerTurn') === 'confirm-chain' ? 'both' : 'buttons'),
  },
  choice('approvalUi', 'approval-ui', 'inline', 'dialog'),
  choice('planning', 'planning', 'off', 'threshold'),
  choice('orchestration', 'orchestration', 'client', 'relay-gated'),
  choice('degrade', 'degrade', 'auto', 'ask', 'off'),
  choice('composerWhileBusy', 'composer-while-busy', 'draft', 'queue', 'disabled'),
  choice('storage', 'storage', 'none', 'session', 'indexeddb'),
  { property: 'tokenBudget', attribute: 'token-budget', initial: 0 },
  { property: 'temperature', attribute: 'temperature', range: [0, 2] },
  { property: 'contextSize', attribute: 'context-size', initial: 0 },
  choice('constrain', 'constrain', 'off', 'auto'),
  { property: 'feedbackUrl', attribute: 'feedback-url', initial: '' },
  choice('preset', 'preset', 'balanced', 'cutie-xml', 'json-block', 'aio-vcp', 'semi-auto', 'orchestrated'),
  choice('approval', 'approval', 'by-risk', 'auto', 'always', 'user-run'),
  choice('callsPerTurn', 'calls-per-turn', 'many', 'one', 'confirm-chain'),
  choice('dispatch', 'dispatch', 'on-turn-end', 'on-block'),
  {
    ...{ property: 'afterCall', attribute: 'after-call', values: ['continue', 'stop-stream'] },
    byOthers: (value) => (value('callsPerTurn') === 'one' ? 'stop-stream' : 'continue'),
  },
  choice('execution', 'execution', 'serial', 'parallel', 'by-resource'),
  choice('accept', 'accept', 'active', 'any'),
  choice('parseMode', 'parse-mode', 'stream', 'complete'),
  choice('onBrokenCall', 'on-broken-call', 'repair', 'report', 'skip'),
  choice('resultRole', 'result-role', 'user-envelope', 'tool'),
  choice('promptInjection', 'prompt-injection', 'client', 'relay', 'off'),
  ...['beforeSend', 'protocolByModel', 'promptOptions', 'promptTemplates', 'errorStrategies', 'planningOptions', 'memoryOptions'].map(
    (property) => ({ property }),
  ),
  ...['memoryStore', 'embed', 'answerCache', 'confirmKeywords', 'plugins'].map((property) => ({ property })),
];

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
  const fits = ({ values, initial, range }: MoreOption, value: unknown) =>
    value != null &&
    (!values || values.includes(value as string)) &&
    (initial === undefined || typeof value === typeof initial) &&
    (!range || (typeof value === 'number' && value >= range[0] && value <= range[1]));
  const complain = (option: MoreOption, value: unknown) => {
    if (value != null && !fits(option, value))
      // eslint-disable-next-line no-console -- for whoever writes the page, as the launcher says it of its own options
      console.warn(
        `[tool-chat] ${option.property}="${String(value)}" does not fit: ${String(option.initial ?? option.values?.[0] ?? option.range?.join(' … '))}`,
      );
  };
  const take = (option: MoreOption, given: unknown) => {
    const digits = option.range ? /^\d{1,9}(?:\.\d{1,9})?$/ : typeof option.initial === 'number' ? /^\d+$/ : undefined;
    const value = typeof given === 'string' && digits?.test(given) ? Number(given) : given;
    complain(option, value);
    set.set(option.property, fits(option, value) ? value : undefined);
  };
  /** What `config` said last: it is looked at often, and complained about once. */
  const heard = new Map<MoreOption, unknown>();
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
    const configured = ofConfig(option.property);
    if (configured !== heard.get(option)) complain(option, configured);
    heard.set(option, configured);
    const value =
      set.get(option.property) ??
      (fits(option, configured)
        ? configured
        : (ofPreset(option.property) ?? option.initial ?? option.byOthers?.(valueNamed) ?? option.values?.[0]));
    return effective(option.property, value);
  };

  const valueNamed = (property: string): unknown => {
    const option = options.find((one) => one.property === property);
    return option && valueOf(option);
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
  const values = Object.defineProperties(
    {},
    Object.fromEntries(options.map((option) => [option.property, { enumerable: true, get: () => valueOf(option) }])),
  );
  return { values, isSet: (property) => set.get(property) !== undefined };
}
