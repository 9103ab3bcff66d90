/** The list of keyboard shortcuts in the widget, for users. */
import { html, type TemplateResult } from 'lit';
import type { Texts } from '../../i18n/en.js';
import { enterBreaksLine } from '../keys.js';

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
