/** The settings of a conversation, as every part of it reads them. Values come from `read-settings.ts`. */
import type { Texts } from '../../i18n/en.js';
import type { Limits } from './option-shapes.js';
import type { settingsTable, OptionValues } from './option-table.js';

/** The settings that a host gives; `undefined` is none given. */
export type GivenSettings = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** Read when a turn begins and kept for that turn; a change takes effect from the next one. */
export interface Settings extends OptionValues<typeof settingsTable> {
  /** Tools that the host switched on or off by name, and what holds for the others. */
  toolToggles: Readonly<Record<string, boolean>>;
  defaultToolEnabled: boolean;
  /** `protocol` was chosen by model, and may be learnt. Set by the conversation. */
  autoProtocol: boolean;
  retries: 'balanced' | 'cutie-xml';
  /** Messages kept under `memory="window"`; `memoryOptions.window` goes before. */
  window: number;
  /** BCP 47, of the screen; prompts follow it. */
  lang: string;
  /** The catalogue of that language. */
  texts: Texts;
  limits: Limits;
}
