/** Renders one argument as text: all of it can be reached, and nothing in it is interpreted as markup. */
import { html, nothing, type TemplateResult, css, unsafeCSS } from 'lit';
import { jsonText, valueText } from '../base/value-text.js';
import type { Texts } from '../i18n/en.js';
import { verifiedRender } from './verified-render.js';
import { visibleText, type Piece } from './visible-text.js';

/** Number of lines and of characters above which a value is folded. */
const LINES_SHOWN = 8;
const CHARACTERS_SHOWN = 600;

export const valueStyles = css`
  .rows {
    display: grid;
    gap: 4px;
    font-size: var(--_small);
    line-height: 1.5;
  }

  .key,
  .equals {
    color: var(--_muted);
  }

  .key {
    unicode-bidi: plaintext;
  }

  .value {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    /* Data is shown without trimming: trimming long runs of East Asian punctuation takes seconds. */
    text-spacing-trim: space-all;
    color: var(--_text);
  }

  .portion {
    display: block;
    content-visibility: auto;
    contain-intrinsic-block-size: auto 130em;
  }

  .value[data-folded] {
    display: block;
    max-height: ${unsafeCSS(LINES_SHOWN * 1.5)}em;
    overflow: hidden;
    mask-image: linear-gradient(#000 70%, rgb(0 0 0 / 25%));
  }

  .mark {
    display: inline-block;
    width: 1px;
    height: 1px;
    margin-inline-end: -1px;
    vertical-align: middle;
    /* Above the adjacent letter, which would otherwise count as covering the mark. */
    position: relative;
    z-index: 1;
  }

  .chip {
    display: inline-block;
    margin-inline: 1px;
    padding: 0 4px;
    border-radius: 4px;
    background: var(--_hover);
    color: var(--_muted);
    font: 0.8em / 1.5 var(--_mono);
    vertical-align: baseline;
    white-space: nowrap;
    unicode-bidi: isolate;
    direction: ltr;
  }

  .chip[data-hidden] {
    background: var(--_warn-soft);
    color: var(--_warn);
    box-shadow: inset 0 0 0 1px currentColor;
  }

  .hidden-note {
    display: block;
    margin-block-start: 2px;
    color: var(--_warn);
    font-size: var(--_tiny);
  }

  .fold {
    display: flex;
    align-items: center;
    gap: 6px;
    margin-block-start: 2px;
    margin-inline-start: -8px;
    color: var(--_muted);
    font-size: var(--_tiny);
  }
`;

export interface ValueOptions {
  texts: Texts;
  /** True if a long value is unfolded. */
  open: boolean;
  toggle: () => void;
  /** True to add marks at both ends, which show `Reading` that all of the value was on screen. */
  marked?: boolean;
}

/**
 * Largest number of rows. Further parameters are combined into one value, because a row costs more than a line, and every change renders
 * all rows again.
 */
const ROWS_SHOWN = 100;

/** Returns the arguments of a call as names and displayed texts. The result is cached for frozen arguments. */
export function argumentRows(args: Readonly<Record<string, unknown>>, texts: Texts): [name: string, text: string][] {
  const cached = rowsCache.get(args);
  if (cached?.texts === texts) return cached.rows;
  const rows = rowsOf(args, texts);
  if (Object.isFrozen(args)) rowsCache.set(args, { texts, rows });
  return rows;
}

const rowsCache = new WeakMap<object, { texts: Texts; rows: [name: string, text: string][] }>();

function rowsOf(args: Readonly<Record<string, unknown>>, texts: Texts): [name: string, text: string][] {
  const entries = Object.entries(args);
  const shown = entries.length > ROWS_SHOWN ? entries.slice(0, ROWS_SHOWN - 1) : entries;
  const rows = shown.map(([name, value]): [string, string] => [name, valueText(value)]);
  const rest = entries.slice(shown.length);
  if (rest.length > 0) rows.push([texts.moreParameters(rest.length), jsonText(Object.fromEntries(rest))]);
  return rows;
}

// Arrays, because white space between elements would become part of the text that is read and copied.
export function renderValue(text: string, { texts, open, toggle, marked = false }: ValueOptions): unknown {
  const { pieces, lines, characters } = visibleText(text);
  const long = lines > LINES_SHOWN || characters > CHARACTERS_SHOWN;
  const mark = marked ? readMark : nothing;
  const more = lines > LINES_SHOWN && !open ? `${texts.moreLines(lines - LINES_SHOWN)} · ` : '';
  return [
    html`<span
      class="value"
      translate="no"
      ?data-folded=${long && !open}
      dir=${characters > PORTION ? directionOf(text) : 'auto'}
      ${verifiedRender(`${String(marked)} ${text}`, () => [mark, ...inPortions(pieces), mark])}
    ></span>`,
    renderWarnings(text, texts),
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

/** The mark at each end of content that must have been on screen before "allow" is enabled; see `Reading`. */
export const readMark = html`<i class="mark"></i>`;

/** Renders warnings about parts of a text that are easily mistaken for something else. */
export function renderWarnings(text: string, texts: Texts): unknown {
  const { hidden, mixed } = visibleText(text);
  return [
    hidden > 0 ? html`<span class="hidden-note">${texts.hiddenCharacters(hidden)}</span>` : nothing,
    ...mixed.map(
      ({ word, scripts }) =>
        html`<span class="hidden-note"
          >${texts.mixedScripts(
            word,
            scripts.map((script) => texts.scripts[script]),
          )}</span
        >`,
    ),
  ];
}

/** Renders `name = value`. */
export function renderArgument(name: string, value: unknown, texts: Texts): TemplateResult {
  const parts = [
    html`<span class="key" translate="no" ${verifiedRender(name, () => renderVisible(name))}></span>`,
    html`<span class="equals"> = </span>`,
    value,
    renderWarnings(name, texts),
  ];
  return html`<div class="row" data-fact>${parts}</div>`;
}

/** Renders a text, such as a name or label, with all hidden characters visible. */
export function renderVisible(text: string): unknown {
  return visibleText(text).pieces.map(renderPiece);
}

/**
 * Size of the boxes of a long text, in UTF-16 units. The browser lays out a text as a whole, for some scripts in quadratic time, so a long
 * one is split into boxes.
 */
const PORTION = 4_096;

/**
 * Returns the direction that `dir="auto"` would find. The browser searches for it again for each added box, and through the whole text if
 * it has no letters.
 */
const directionOf = (text: string): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.test(/\p{L}/u.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr');
/** Letters from Hebrew to Arabic, their presentation forms, and the high surrogates of further right-to-left scripts. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc\ud802\ud803\ud83a\ud83b]/;

function inPortions(pieces: readonly Piece[]): unknown[] {
  return pieces.flatMap((piece) => (typeof piece === 'string' && piece.length > PORTION ? portions(piece) : renderPiece(piece)));
}

function portions(text: string): TemplateResult[] {
  const boxes: TemplateResult[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PORTION);
    // Search only within the portion: searching back through the whole text each time would be quadratic.
    const line = to < text.length ? from + text.slice(from, to).lastIndexOf('\n') + 1 : to;
    if (line > from) to = line;
    else if (isHalf(text.charCodeAt(to - 1))) to += 1;
    boxes.push(html`<span class="portion">${text.slice(from, to)}</span>`);
    from = to;
  }
  return boxes;
}

const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

function renderPiece(piece: Piece): unknown {
  if (typeof piece === 'string') return piece;
  const { mark, count, hidden } = piece;
  return html`<span class="chip" ?data-hidden=${hidden}>${mark}${count > 1 ? `×${String(count)}` : ''}</span>`;
}
