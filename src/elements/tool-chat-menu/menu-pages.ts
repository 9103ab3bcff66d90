/** Pages of the menu: settings, keyboard shortcuts, and the calls of the activity log. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ToolCallConfig } from '../../conversation/options/tool-call-config.js';
import type { Texts } from '../../i18n/en.js';
import { enterBreaksLine } from '../keys.js';
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

/** The interface to the settings, provided by the owner of the panel. */
export interface SettingsController {
  /** The user's own settings. */
  readonly overrides: Readonly<ToolCallConfig>;
  /** Returns the effective settings. */
  now(): { tools: boolean; maxIterations: number; toolTimeout: number; asksAlways: boolean; parallel: boolean; protocol: string };
  /** Returns all registered tools. */
  tools(): readonly { name: string; label: string; icon?: string; isOn: boolean; canChange: boolean }[];
  protocols: readonly string[];
  set(overrides: ToolCallConfig): void;
  /** Returns the system prompt and its size in tokens. */
  preview(): Promise<{ text: string; tokens: number }>;
}

export interface SettingsState {
  preview: { text: string; tokens: number } | undefined;
  /** Names of the fields with invalid values. */
  refused: ReadonlySet<string>;
}

/**
 * Renders the settings that the page lets the user change. They can only make the assistant do less or ask more often, or change how it is
 * addressed.
 *
 * @param change called with the new settings, or with undefined if the value of the field is invalid
 */
export function settingsPage(
  controller: SettingsController,
  { preview, refused }: SettingsState,
  texts: Texts,
  change: (overrides: ToolCallConfig | undefined, field: string) => void,
): TemplateResult {
  const now = controller.now();
  const { overrides } = controller;
  const set = (field: string, value: ToolCallConfig) => change(value, field);
  const toggle = (label: string, isOn: boolean, field: string, to: (isOn: boolean) => ToolCallConfig, isFixed = false, icon = '') =>
    html`<label class="setting"
      ><span>${icon ? html`<span aria-hidden="true">${icon} </span>` : nothing}${label}</span
      ><input
        type="checkbox"
        role="switch"
        aria-checked=${String(isOn)}
        .checked=${isOn}
        ?disabled=${isFixed}
        @change=${(event: Event) => set(field, to((event.target as HTMLInputElement).checked))}
    /></label>`;
  const number = (label: string, value: number, field: 'maxIterations' | 'timeout', unit: number) =>
    html`<label class="setting"
        ><span>${label}</span
        ><input
          type="number"
          min="1"
          step="1"
          inputmode="numeric"
          .value=${String(Math.round(value / unit))}
          aria-invalid=${String(refused.has(field))}
          aria-describedby=${refused.has(field) ? `no-${field}` : nothing}
          @change=${(event: Event) => {
            const entered = (event.target as HTMLInputElement).valueAsNumber;
            const fits = Number.isInteger(entered) && entered >= 1 && entered <= 100_000;
            change(fits ? { [field]: entered * unit } : undefined, field);
          }} /></label
      >${refused.has(field) ? html`<p class="refused" id=${`no-${field}`} role="alert">${texts.fromOne}</p>` : nothing}`;
  return html`<div class="settings">
    ${toggle(texts.useTools, now.tools, 'enabled', (isOn) => ({ enabled: isOn }))}
    ${
      now.tools
        ? html`<h3>${texts.settingsTools}</h3>
            ${controller
              .tools()
              .map(({ name, label, icon, isOn, canChange }) =>
                toggle(label, isOn, name, (on) => ({ toolToggles: { ...overrides.toolToggles, [name]: on } }), !canChange, icon),
              )}
            ${toggle(texts.newTools, overrides.defaultToolEnabled !== false, 'defaultToolEnabled', (isOn) => ({ defaultToolEnabled: isOn }))}
            <h3>${texts.settingsMore}</h3>
            ${toggle(texts.asksAlways, now.asksAlways, 'requireConfirmation', (isOn) => ({ requireConfirmation: isOn }), now.asksAlways && !overrides.requireConfirmation)}
            ${toggle(texts.parallel, now.parallel, 'parallelExecution', (isOn) => ({ parallelExecution: isOn }))}
            ${number(texts.maxRounds, now.maxIterations, 'maxIterations', 1)} ${number(texts.toolSeconds, now.toolTimeout, 'timeout', 1000)}
            <label class="setting"
              ><span>${texts.notation}</span
              ><select @change=${(event: Event) => set('protocol', { protocol: (event.target as HTMLSelectElement).value })}>
                ${[...new Set([now.protocol, ...controller.protocols])].map(
                  (id) => html`<option value=${id} ?selected=${id === now.protocol}>${id}</option>`,
                )}
              </select></label
            >`
        : nothing
    }
    <h3>${texts.promptPreview}</h3>
    ${
      preview
        ? html`<p class="tokens" role="status">${texts.aboutTokens(preview.tokens)}</p>
            <pre tabindex="0" aria-label=${texts.promptPreview} dir="auto">${preview.text}</pre>`
        : nothing
    }
  </div>`;
}

type Named = 'keySend' | 'keyLine' | 'keyLast' | 'keyCommands' | 'keyMove' | 'keyClose' | 'keyShortcuts';

/** Each row names a text of the catalog and the keys that are pressed together. */
const shortcuts = (): readonly (readonly [does: Named, ...keys: string[]])[] => [
  ...(enterBreaksLine()
    ? ([
        ['keySend', 'Ctrl', 'Enter'],
        ['keyLine', 'Enter'],
      ] as const)
    : ([
        ['keySend', 'Enter'],
        ['keyLine', 'Shift', 'Enter'],
      ] as const)),
  ['keyLast', '↑'],
  ['keyCommands', '/'],
  ['keyMove', '↑ ↓'],
  ['keyClose', 'Esc'],
  ['keyShortcuts', '?'],
];

/** Renders the list of keyboard shortcuts in the widget. */
export function shortcutsPage(texts: Texts): TemplateResult {
  return html`<dl class="keys">
    ${shortcuts().map(
      ([does, ...keys]) =>
        html`<div>
          <dt>${texts[does]}</dt>
          <dd dir="ltr">${keys.map((key) => html`<kbd>${key}</kbd>`)}</dd>
        </div>`,
    )}
  </dl>`;
}

const LOGGED_STATUSES = new Set<CardView['status']>(['success', 'error', 'denied', 'interrupted', 'undone']);

/**
 * Returns the calls for the activity log, newest first: every call that changed something or may have done so, was denied, or failed.
 * Successful read-only calls are left out; they are visible in the conversation.
 */
export function activitiesOf({ views, cards }: Pick<ViewSnapshot, 'views' | 'cards'>): CardView[] {
  const ids = views.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.requestId] : [])));
  return [...new Set(ids)]
    .flatMap((id) => (Object.hasOwn(cards, id) ? [cards[id] as CardView] : []))
    .filter(({ status, call }) => LOGGED_STATUSES.has(status) && !(status === 'success' && call?.risk === 'query'))
    .reverse();
}

/** Returns the result of a call and who decided, in words. */
export function activityOutcome({ status, call, result, undo }: CardView, texts: Texts): string[] {
  const decidedBy = { person: texts.youAllowed, grant: texts.youAllowedBefore }[call?.decidedBy as string];
  switch (status) {
    case 'denied':
      return [!result?.message || result.message === texts.declined ? texts.youDeclined : result.message];
    case 'error':
      return [result?.message || texts.toolFailed, ...(decidedBy ? [decidedBy] : [])];
    case 'undone':
      return [texts.undone];
    case 'interrupted':
      return [texts.interrupted];
    default:
      return [...(undo === 'unsure' || undo === 'retry' ? [texts.undoUnsure] : []), ...(decidedBy ? [decidedBy] : [])];
  }
}
