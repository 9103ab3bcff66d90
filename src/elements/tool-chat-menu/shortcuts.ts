/** The keys that do something in the widget, for people to read. */
import { html, type TemplateResult } from 'lit';
import type { Texts } from '../../i18n/en.js';

type Named = 'keySend' | 'keyLine' | 'keyLast' | 'keyCommands' | 'keyMove' | 'keyClose' | 'keyShortcuts';

/** Keys that are pressed together stand in one list; what they do is a key of the catalogue. */
export const shortcuts: readonly (readonly [does: Named, ...keys: string[]])[] = [
  ['keySend', 'Enter'],
  ['keyLine', 'Shift', 'Enter'],
  ['keyLast', '↑'],
  ['keyCommands', '/'],
  ['keyMove', '↑ ↓'],
  ['keyClose', 'Esc'],
  ['keyShortcuts', '?'],
];

export function shortcutsPage(texts: Texts): TemplateResult {
  return html`<dl class="keys">
    ${shortcuts.map(
      ([does, ...keys]) =>
        html`<div>
          <dt>${texts[does]}</dt>
          <dd dir="ltr">${keys.map((key) => html`<kbd>${key}</kbd>`)}</dd>
        </div>`,
    )}
  </dl>`;
}
