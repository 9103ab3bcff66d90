/** What a person may set, where the page lets them: only what makes the assistant do less or ask more, and how it is spoken with. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ToolCallConfig } from '../../conversation/options/tool-call-config.js';
import type { Texts } from '../../i18n/en.js';

/** What the panel is given by whoever placed it. */
export interface SettingsDesk {
  /** What the person has set. */
  readonly wishes: Readonly<ToolCallConfig>;
  /** As they are in force. */
  now(): { tools: boolean; maxIterations: number; toolTimeout: number; asksAlways: boolean; parallel: boolean; protocol: string };
  /** All that are registered. */
  tools(): readonly { name: string; label: string; icon?: string; isOn: boolean; canChange: boolean }[];
  protocols: readonly string[];
  set(wishes: ToolCallConfig): void;
  /** What the model is told, and what it comes to in tokens. */
  preview(): Promise<{ text: string; tokens: number }>;
}

export interface SettingsState {
  preview: { text: string; tokens: number } | undefined;
  /** Fields that were refused. */
  refused: ReadonlySet<string>;
}

/** @param change tells what is set, or which field was refused */
export function settingsPage(
  desk: SettingsDesk,
  { preview, refused }: SettingsState,
  texts: Texts,
  change: (wishes: ToolCallConfig | undefined, field: string) => void,
): TemplateResult {
  const now = desk.now();
  const { wishes } = desk;
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
            const given = (event.target as HTMLInputElement).valueAsNumber;
            const fits = Number.isInteger(given) && given >= 1 && given <= 100_000;
            change(fits ? { [field]: given * unit } : undefined, field);
          }} /></label
      >${refused.has(field) ? html`<p class="refused" id=${`no-${field}`} role="alert">${texts.fromOne}</p>` : nothing}`;
  return html`<div class="settings">
    ${toggle(texts.useTools, now.tools, 'enabled', (isOn) => ({ enabled: isOn }))}
    ${
      now.tools
        ? html`<h3>${texts.settingsTools}</h3>
            ${desk
              .tools()
              .map(({ name, label, icon, isOn, canChange }) =>
                toggle(label, isOn, name, (on) => ({ toolToggles: { ...wishes.toolToggles, [name]: on } }), !canChange, icon),
              )}
            ${toggle(texts.newTools, wishes.defaultToolEnabled !== false, 'defaultToolEnabled', (isOn) => ({ defaultToolEnabled: isOn }))}
            <h3>${texts.settingsMore}</h3>
            ${toggle(texts.asksAlways, now.asksAlways, 'requireConfirmation', (isOn) => ({ requireConfirmation: isOn }), now.asksAlways && !wishes.requireConfirmation)}
            ${toggle(texts.parallel, now.parallel, 'parallelExecution', (isOn) => ({ parallelExecution: isOn }))}
            ${number(texts.maxRounds, now.maxIterations, 'maxIterations', 1)} ${number(texts.toolSeconds, now.toolTimeout, 'timeout', 1000)}
            <label class="setting"
              ><span>${texts.notation}</span
              ><select @change=${(event: Event) => set('protocol', { protocol: (event.target as HTMLSelectElement).value })}>
                ${[...new Set([now.protocol, ...desk.protocols])].map(
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
