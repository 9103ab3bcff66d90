/** Everything about a conversation that a host can set, with its default. Names and defaults: contract §2, glossary §2 (`balanced`). */
import { en, type Texts } from '../i18n/en.js';
import type { Log } from '../logging.js';

export interface Limits {
  /** UTF-16 units of one line of a stream. */
  lineChars: number;
  /** UTF-16 units of one result as the model gets it; the screen can show all. */
  resultChars: number;
  /** Nesting of arguments. */
  depth: number;
  callsPerReply: number;
  asksPerTurn: number;
}

export const defaultLimits: Limits = { lineChars: 4_194_304, resultChars: 32_768, depth: 64, callsPerReply: 20, asksPerTurn: 10 };

export type HeadersOption = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** Read when a turn begins and kept for that turn; a change takes effect from the next one. */
export interface Settings {
  /** URL that answers. */
  endpoint: string;
  wire: string;
  stream: 'on' | 'off';
  protocol: string;
  /** `off` = plain chat: nothing is taught and no call is read. */
  tools: 'on' | 'off';
  model: string;
  systemPrompt: string;
  maxTokens: number;
  /** Rounds of a turn in which at least one call was executed. */
  maxIterations: number;
  /** Identical executed calls in a turn. */
  repeatLimit: number;
  /** Milliseconds. */
  toolTimeout: number;
  requestTimeout: number;
  heartbeat: number;
  blockTimeout: number;
  /** UTF-16 units of one unfinished call. */
  maxAccumulator: number;
  approval: 'auto' | 'by-risk' | 'always' | 'user-run';
  callsPerTurn: 'one' | 'many' | 'confirm-chain';
  resultLoop: 'single' | 'multi';
  onDeny: 'feed-back' | 'stop';
  coercion: 'schema' | 'pattern' | 'none';
  retries: 'balanced' | 'cutie-xml';
  memory: 'full' | 'window';
  /** Messages kept under `memory="window"`. */
  window: number;
  /** BCP 47, of the screen; prompts follow it. */
  lang: string;
  /** The catalogue of that language. */
  texts: Texts;
  /** `{user, permissions, …}`; also the values of `{variables}` in the system prompt. */
  context: Readonly<Record<string, unknown>>;
  headers: HeadersOption | undefined;
  fetch: typeof globalThis.fetch;
  sessionId: string;
  limits: Limits;
}

export const defaultSettings: Omit<Settings, 'fetch' | 'headers' | 'sessionId'> = {
  endpoint: '',
  wire: 'auto',
  stream: 'on',
  protocol: 'xml-invoke',
  tools: 'on',
  model: '',
  systemPrompt: '',
  maxTokens: 2000,
  maxIterations: 5,
  repeatLimit: 3,
  toolTimeout: 30_000,
  requestTimeout: 60_000,
  heartbeat: 30_000,
  blockTimeout: 10_000,
  maxAccumulator: 1_048_576,
  approval: 'by-risk',
  callsPerTurn: 'many',
  resultLoop: 'multi',
  onDeny: 'feed-back',
  coercion: 'schema',
  retries: 'balanced',
  memory: 'window',
  window: 20,
  lang: 'en',
  texts: en,
  context: {},
  limits: defaultLimits,
};

/** The settings as they are now: what the host set, over the defaults. `undefined` counts as not set, and so does what cannot be read. */
export function readSettings(options: Partial<Settings>, log: Log): Settings {
  const settings: Record<string, unknown> = {
    ...defaultSettings,
    headers: undefined,
    fetch: globalThis.fetch.bind(globalThis),
    sessionId: '',
  };
  for (const key of Object.keys(settings)) {
    try {
      const value: unknown = options[key as keyof Settings];
      if (value !== undefined) settings[key] = value;
    } catch (error) {
      log.warn('config.unreadable', `The option \`${key}\` could not be read; using its default`, { option: key }, { error });
    }
  }
  settings['limits'] = { ...defaultLimits, ...(settings['limits'] as Partial<Limits>) };
  return settings as unknown as Settings;
}
