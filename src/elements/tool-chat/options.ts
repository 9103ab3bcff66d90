/** Every scalar option of `<tool-chat>`: attribute (kebab-case) and property (camelCase) in one table. Contract §2. */

/** How a value is read: a list names the only values that fit. */
type Kind = 'text' | 'count' | 'flag' | readonly string[];

const onOff = ['on', 'off'] as const;

/** A value that is not in its list, or not a number, logs one warning and falls back to the default. */
export const optionTable: Readonly<Record<string, readonly [kind: Kind, standard: string | number | boolean]>> = {
  endpoint: ['text', ''],
  wire: ['text', 'auto'],
  stream: [onOff, 'on'],
  protocol: ['text', 'xml-invoke'],
  tools: [onOff, 'on'],
  model: ['text', ''],
  'system-prompt': ['text', ''],
  'max-tokens': ['count', 2000],
  'max-iterations': ['count', 5],
  'repeat-limit': ['count', 3],
  'tool-timeout': ['count', 30000],
  'request-timeout': ['count', 60000],
  heartbeat: ['count', 30000],
  'block-timeout': ['count', 10000],
  'max-accumulator': ['count', 1048576],
  approval: [['auto', 'by-risk', 'always'], 'by-risk'],
  'calls-per-turn': [['one', 'many'], 'many'],
  'result-loop': [['single', 'multi'], 'multi'],
  'on-deny': [['feed-back', 'stop'], 'feed-back'],
  coercion: [['schema', 'pattern', 'none'], 'schema'],
  memory: [['full', 'window'], 'window'],
  layout: [['inline', 'floating', 'sidebar', 'fullscreen'], 'inline'],
  open: ['flag', false],
  heading: ['text', ''],
  placeholder: ['text', ''],
  theme: [['auto', 'light', 'dark'], 'auto'],
  lang: ['text', ''],
  'quick-commands': ['text', ''],
  'help-url': ['text', ''],
  'session-id': ['text', ''],
  'log-level': [['debug', 'info', 'warn', 'error', 'off'], 'warn'],
};

export type OptionValue = string | number | boolean;

export const propertyOf = (attribute: string): string => attribute.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `undefined` when the value does not fit. */
export function readOption(attribute: string, value: unknown): OptionValue | undefined {
  const kind = optionTable[attribute]?.[0];
  if (kind === 'flag') return value !== false && value !== null;
  if (kind === 'count') {
    const count = value === '' || value === null || typeof value === 'boolean' ? NaN : Number(value);
    return count >= 0 && count < Infinity ? count : undefined;
  }
  if (typeof value !== 'string') return undefined;
  return kind === 'text' || kind?.includes(value) ? value : undefined;
}
