/**
 * The settings that the page lets the user change. They can only make the assistant do less or ask more often, or change how it is
 * addressed.
 */
import { html, nothing, type TemplateResult } from 'lit';
import type { ToolCallConfig } from '../../conversation/options/tool-call-config.js';
import type { Texts } from '../../i18n/en.js';

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
 * Renders the settings page.
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
