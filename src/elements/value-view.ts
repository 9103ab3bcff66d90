/** One argument as text: everything of it can be reached, and nothing in it is markup. Faults 115. */
import { html, nothing, type TemplateResult } from 'lit';
import { CHARACTERS_SHOWN, LINES_SHOWN } from './value-view.styles.js';
import type { Texts } from '../i18n/en.js';
import { visibleText, type Piece } from './visible-text.js';

export interface ValueOptions {
  texts: Texts;
  /** Whether a long value is unfolded now. */
  open: boolean;
  toggle: () => void;
  /** Marks at both ends, by which `Reading` knows that all of it was on screen. */
  marked?: boolean;
}

/** What a value looks like in a card: strings as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value);
  // A string that reads like another kind of value keeps its quotes.
  return value === '' || /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(value) ? `"${value}"` : value;
}

export function jsonText(value: unknown): string {
  try {
    return (JSON.stringify(value, null, 2) as string | undefined) ?? String(value);
  } catch {
    return String(value); // circular, or a BigInt
  }
}

// Blanks between elements would become part of what is read and copied: arrays have none.
export function renderValue(text: string, { texts, open, toggle, marked = false }: ValueOptions): unknown {
  const { pieces, hidden, lines, characters } = visibleText(text);
  const long = lines > LINES_SHOWN || characters > CHARACTERS_SHOWN;
  const mark = marked ? html`<i class="mark"></i>` : nothing;
  const more = lines > LINES_SHOWN && !open ? `${texts.moreLines(lines - LINES_SHOWN)} · ` : '';
  return [
    html`<span class="value" ?data-folded=${long && !open} dir="auto">${[mark, ...pieces.map(renderPiece), mark]}</span>`,
    hidden > 0 ? html`<span class="hidden-note">${texts.hiddenCharacters(hidden)}</span>` : nothing,
    long
      ? html`<span class="fold">
          <button type="button" class="quiet" aria-expanded=${String(open)} @click=${toggle}>
            ${open ? texts.showLess : texts.showAll}
          </button>
          <span>${more}${texts.characters(characters)}</span>
        </span>`
      : nothing,
  ];
}

/** `name = value` */
export function renderArgument(name: string, value: unknown): TemplateResult {
  const parts = [html`<span class="key">${renderVisible(name)}</span>`, html`<span class="equals"> = </span>`, value];
  return html`<div class="row" data-fact>${parts}</div>`;
}

/** Text in which everything shows: for names and labels. */
export function renderVisible(text: string): unknown {
  return visibleText(text).pieces.map(renderPiece);
}

function renderPiece(piece: Piece): unknown {
  if (typeof piece === 'string') return piece;
  const { mark, count, hidden } = piece;
  return html`<span class="chip" ?data-hidden=${hidden}>${mark}${count > 1 ? `×${String(count)}` : ''}</span>`;
}
