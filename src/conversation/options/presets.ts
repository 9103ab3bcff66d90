/** Presets: sets of options by name. The host's own setting overrides its preset, and a preset overrides the default. */
import type { Log } from '../../base/logging.js';
import { isFirst } from '../../base/log-once.js';
import type { Settings } from './settings.js';

/** Presets of earlier designs use the exact wording of those prompts. */
const seed = { wording: 'seed' } as const;

const typed = { coercion: 'none', memory: 'full', onBrokenCall: 'report' } as const satisfies Partial<Settings>;

/** The presets by name. `balanced` has the values of `defaultSettings`. */
export const presets: Readonly<Record<string, Partial<Settings>>> = {
  __proto__: null as never, // so that a name such as `constructor` is not found
  balanced: {},
  /** For the `xml-invoke` protocol: calls run while the reply streams, without approval. */
  'cutie-xml': {
    ...{ protocol: 'xml-invoke', dispatch: 'on-block', afterCall: 'continue', callsPerTurn: 'one', approval: 'auto' },
    ...{ coercion: 'pattern', memory: 'full', onBrokenCall: 'skip', retries: 'cutie-xml' },
    promptOptions: { ...seed, counterExamples: true },
  },
  /** For the `json-action` protocol: one typed call in a JSON block, and nothing after it. */
  'json-block': { ...typed, protocol: 'json-action', callsPerTurn: 'one', afterCall: 'stop-stream', promptOptions: seed },
  /** For the `vcp` protocol: many calls, read and run at the end of the reply. Off until `toolCallConfig.enabled` is set. */
  'aio-vcp': { ...typed, protocol: 'vcp', parseMode: 'complete', approval: 'auto', resultRole: 'tool', tools: 'off', promptOptions: seed },
  /** For the `json-tool-calls` protocol: only the user's click runs a call. */
  'semi-auto': { ...typed, protocol: 'json-tool-calls', parseMode: 'complete', approval: 'user-run', promptInjection: 'relay' },
  /** A controlled chain of calls. */
  orchestrated: {
    ...{ parseMode: 'complete', afterCall: 'stop-stream', callsPerTurn: 'confirm-chain', execution: 'by-resource', resultRole: 'tool' },
    ...{ maxIterations: 20, memory: 'layered', planning: 'threshold', orchestration: 'relay-gated' },
  },
};

/** @returns the settings of the preset; for an unknown name, an empty object, with a warning */
export function presetOf(name: unknown, log: Log): Partial<Settings> {
  const preset = typeof name === 'string' ? presets[name] : undefined;
  if (!preset && isFirst(log, `preset ${String(name)}`))
    log.warn('config.preset', `There is no preset named “${String(name)}”; using balanced`, { preset: name });
  return preset ?? {};
}
