/** The settings of a conversation as all of its parts read them. */
import type { Texts } from '../../i18n/en.js';
import type { Limits } from './option-shapes.js';
import type { settingsTable, OptionValues } from './option-table.js';

/** The settings that a host passes; `undefined` counts as not set. */
export type GivenSettings = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** Read when a turn begins and kept for that turn; a change takes effect from the next one. */
export interface Settings extends OptionValues<typeof settingsTable> {
  /** Tools that the host switched on or off by name. `defaultToolEnabled` applies to the others. */
  toolToggles: Readonly<Record<string, boolean>>;
  defaultToolEnabled: boolean;
  /** True if `protocol` was chosen by model and may be learned. Set by the conversation. */
  autoProtocol: boolean;
  retries: 'balanced' | 'cutie-xml';
  /** Number of messages that are sent under `memory="window"`; `memoryOptions.window` takes precedence. */
  window: number;
  /** Language of the screen (BCP 47); prompts follow it. */
  lang: string;
  /** The texts of that language. */
  texts: Texts;
  limits: Limits;
}
