/** Reads the settings of a conversation. The defaults are the preset `balanced`. */
import { english } from '../../i18n/english.js';
import type { Log } from '../../base/logging.js';
import type { MemoryOptions } from '../../model/memory.js';
import { settingsTable, type Option, type OptionValues } from './option-table.js';
import { presetOf } from './presets.js';
import { isFirst } from '../../base/log-once.js';
import { approvalUnder, readToolCallConfig, settingsOf, type InvalidField, type ToolCallConfig } from './tool-call-config.js';
import { isCount } from '../../base/whole-numbers.js';
import { isObject, own } from '../../base/objects.js';
import { toPlain } from '../../base/plain.js';
import type { GivenSettings, Settings } from './settings.js';
import type { Limits, PromptOptions } from './option-shapes.js';

export const defaultLimits: Limits = { lineChars: 4_194_304, resultChars: 32_768, depth: 64, callsPerReply: 20, asksPerTurn: 10 };

const rows = Object.entries(settingsTable) as [keyof typeof settingsTable, Option<unknown>][];

/** The default settings, without those that derive from other options. */
export const defaultSettings: Omit<Settings, 'fetch'> = {
  ...(Object.fromEntries(rows.map(([name, { initial }]) => [name, initial])) as OptionValues<typeof settingsTable>),
  ...{ toolToggles: {}, defaultToolEnabled: true, autoProtocol: false, retries: 'balanced', window: 20 },
  ...{ lang: 'en', texts: english, limits: defaultLimits },
};

/** True if the model guesses first and may ask with a card. */
export const plansFirst = ({ planning, promptOptions }: Pick<Settings, 'planning' | 'promptOptions'>): boolean =>
  promptOptions.clarify ?? planning === 'threshold';

/** Returns the permissions of the page. A tool that requires another one is neither described to the model nor run. */
export function permissionsOf(context: Readonly<Record<string, unknown>>): string[] {
  const permissions = Object.hasOwn(context, 'permissions') ? context['permissions'] : undefined;
  return Array.isArray(permissions) ? permissions.filter((one): one is string => typeof one === 'string') : [];
}

/** Identifies a user by `id` if there is one, because the other fields may change at any time. */
export function userOf({ context: { user } }: Pick<Settings, 'context'>): string {
  return JSON.stringify(own(user, 'id') ?? toPlain(user)) ?? '';
}

/** Checks a value with the `fits` of its option. */
export const fitsSetting = (name: string, value: unknown): boolean =>
  (own(settingsTable, name) as Option<unknown> | undefined)?.fits?.(value) !== false;

/**
 * Returns the current settings: `toolCallConfig` over the host's options, those over the preset, and that over the defaults. For approval,
 * the strictest setting wins. Values that are undefined, unreadable or invalid count as not set.
 */
export function readSettings(
  options: GivenSettings & { preset?: string | undefined; toolCallConfig?: ToolCallConfig | undefined },
  log: Log,
): Settings {
  const misfit = (option: string, value: unknown, wanted: string) => {
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    if (isFirst(log, `${option} ${type}`))
      log.warn('config.value', `Invalid \`${option}\` (${type}). Expected ${wanted}. Using the default`, { option, type });
  };
  const given = (option: keyof typeof options): unknown => {
    try {
      return options[option];
    } catch (error) {
      if (isFirst(log, `unreadable ${option}`))
        log.warn('config.unreadable', `The option \`${option}\` could not be read; using its default`, { option }, { error });
      // The private values are unknown then, which must be noticed: `null` would count as not set.
      return option === 'privateValues' ? '' : undefined;
    }
  };
  const settings: Record<string, unknown> = {
    ...defaultSettings,
    // Jest's DOM has no `fetch`; a test passes its own.
    fetch: (globalThis.fetch as typeof fetch | undefined)?.bind(globalThis) ?? (() => Promise.reject(new TypeError('There is no fetch'))),
  };
  const preset = presetOf(given('preset') ?? 'balanced', log);
  Object.assign(settings, preset);
  for (const key of Object.keys(settings)) {
    const value = given(key as keyof Settings);
    if (value == null) continue;
    if (fitsSetting(key, value)) settings[key] = value;
    else misfit(key, value, (own(settingsTable, key) as Option<unknown>).wanted ?? '');
  }
  const config = readToolCallConfig(given('toolCallConfig'), misfit);
  Object.assign(settings, settingsOf(config));
  settings['approval'] = approvalUnder(config, settings['approval'] as Settings['approval']);
  if (preset.promptOptions) settings['promptOptions'] = { ...preset.promptOptions, ...(settings['promptOptions'] as PromptOptions) };
  for (const [name, { derive }] of rows as [string, Option<unknown>][]) settings[name] ??= derive?.((other: string) => settings[other]);
  const { window } = settings['memoryOptions'] as MemoryOptions;
  if (typeof window === 'number' && window >= 1) settings['window'] = Math.floor(window);
  settings['limits'] = readLimits(settings['limits'], misfit);
  return settings as unknown as Settings;
}

function readLimits(given: unknown, misfit: InvalidField): Limits {
  const limits = { ...defaultLimits };
  if (!isObject(given)) misfit('limits', given, 'an object');
  else
    for (const name of Object.keys(limits) as (keyof Limits)[]) {
      const value = own(given, name);
      if (isCount(value)) limits[name] = value as number;
      else if (value !== undefined) misfit(`limits.${name}`, value, 'a whole number from 1');
    }
  return limits;
}
