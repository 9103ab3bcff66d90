/** Checks the fields of `toolCallConfig` one by one and converts them to settings. */
import { isObject, own, readField } from '../../base/objects.js';
import { isCount, isWait } from '../../base/whole-numbers.js';
import type { Settings } from './settings.js';

/** Agent settings in the shape of the design that the `vcp` protocol comes from. Missing fields come from the preset or the default. */
export interface ToolCallConfig {
  enabled?: boolean;
  /** `manual`: every call waits for a click. */
  mode?: 'auto' | 'manual';
  /** Tools switched on or off, by name. */
  toolToggles?: Readonly<Record<string, boolean>>;
  /** The state of tools that `toolToggles` does not name. */
  defaultToolEnabled?: boolean;
  /** Maximum number of tool rounds in a turn, from 1. */
  maxIterations?: number;
  /** Time limit of a tool in milliseconds, from 1. */
  timeout?: number;
  /** `true`: every call needs approval. `false` counts as not set: a tool's own `risk` still applies. */
  requireConfirmation?: boolean;
  parallelExecution?: boolean;
  /** Id of a protocol. */
  protocol?: string;
}

/** The defaults of that design, frozen. Spread them: `{...DEFAULT_TOOL_CALL_CONFIG, enabled: true}` lets no call skip its approval. */
export const DEFAULT_TOOL_CALL_CONFIG: Readonly<Required<ToolCallConfig>> = Object.freeze({
  ...({ enabled: false, mode: 'auto', toolToggles: Object.freeze({}), defaultToolEnabled: true, maxIterations: 5 } as const),
  ...{ timeout: 30_000, requireConfirmation: false, parallelExecution: false, protocol: 'vcp' },
});

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const FIELDS: Readonly<Record<keyof ToolCallConfig, { fits(value: unknown): boolean; wanted: string }>> = {
  enabled: { fits: isBoolean, wanted: 'true or false' },
  mode: { fits: (value) => value === 'auto' || value === 'manual', wanted: '"auto" or "manual"' },
  toolToggles: { fits: isObject, wanted: 'an object of tool names and true or false' },
  defaultToolEnabled: { fits: isBoolean, wanted: 'true or false' },
  maxIterations: { fits: isCount, wanted: 'a whole number from 1' },
  timeout: { fits: isWait, wanted: 'milliseconds, a whole number from 1' },
  requireConfirmation: { fits: isBoolean, wanted: 'true or false' },
  parallelExecution: { fits: isBoolean, wanted: 'true or false' },
  protocol: { fits: (value) => typeof value === 'string' && value !== '', wanted: 'the id of a protocol' },
};

const UNKNOWN = { fits: () => false, wanted: `nothing: the fields are ${Object.keys(FIELDS).join(', ')}` };

/** Called for an invalid field. `wanted` describes the allowed values. */
export type InvalidField = (field: string, value: unknown, wanted: string) => void;

/** @returns the valid fields. Invalid ones are left out, but an invalid `enabled` becomes `false`, so that a mistake turns nothing on. */
export function readToolCallConfig(given: unknown, misfit: InvalidField = () => undefined): ToolCallConfig {
  if (given == null) return {};
  if (!isObject(given)) {
    misfit('toolCallConfig', given, 'an object');
    return {};
  }
  const config: Record<string, unknown> = {};
  for (const field of Object.keys(given)) {
    const value = readField(given, field);
    const { fits, wanted } = (own(FIELDS, field) as (typeof FIELDS)[keyof ToolCallConfig] | undefined) ?? UNKNOWN;
    if (value === undefined) continue;
    if (fits(value)) config[field] = field === 'toolToggles' ? readToggles(value as object, misfit) : value;
    else {
      misfit(`toolCallConfig.${field}`, value, wanted);
      if (field === 'enabled') config[field] = false;
    }
  }
  return config;
}

function readToggles(given: object, misfit: InvalidField): Record<string, boolean> {
  const toggles = Object.entries(given).filter(([name, value]) => {
    if (!isBoolean(value)) misfit(`toolCallConfig.toolToggles.${name}`, value, 'true or false');
    return isBoolean(value);
  });
  return Object.fromEntries(toggles) as Record<string, boolean>;
}

/** Returns the settings for the given fields, except those about approval. Missing fields set nothing. */
export function settingsOf(config: ToolCallConfig): Partial<Settings> {
  const { enabled, toolToggles, defaultToolEnabled, maxIterations, timeout, parallelExecution, protocol } = config;
  return {
    ...(enabled !== undefined && { tools: enabled ? 'on' : 'off' }),
    ...(toolToggles && { toolToggles }),
    ...(defaultToolEnabled !== undefined && { defaultToolEnabled }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(timeout !== undefined && { toolTimeout: timeout }),
    ...(parallelExecution !== undefined && { execution: parallelExecution ? 'parallel' : 'serial' }),
    ...(protocol !== undefined && { protocol }),
  };
}

const APPROVALS: readonly Settings['approval'][] = ['auto', 'by-risk', 'always', 'user-run'];

/** Returns the stricter of the given approval setting and that of the config. The config can never make it less strict. */
export function approvalUnder({ mode, requireConfirmation }: ToolCallConfig, set: Settings['approval']): Settings['approval'] {
  const least = mode === 'manual' ? 'user-run' : requireConfirmation ? 'always' : 'auto';
  return APPROVALS.indexOf(set) === -1 || APPROVALS.indexOf(set) >= APPROVALS.indexOf(least) ? set : least;
}
