/** The result of a tool: a table for a list of objects, a tree for nested data, else text. */
import { html, nothing, type PropertyValues } from 'lit';
import { copyText } from '../../base/copy-text.js';
import { isObject, own } from '../../base/objects.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import { PanelElement } from '../context.js';
import { icons } from '../icons.js';
import { shared } from '../shared.styles.js';
import { valueText } from '../../base/value-text.js';
import { renderValue, renderVisible, valueStyles } from '../value-view.js';
import { styles } from './tool-chat-result.styles.js';
import { defineOnce } from '../define-once.js';

/** Height of a row in pixels; the style sheet has the same value. */
const ROW_HEIGHT = 30;

/** Number of rows rendered above and below the visible ones. */
const OVERSCAN = 12;

/** Number of entries of a branch rendered before the user asks for more. */
const MAX_BRANCH = 100;

/** Number of characters rendered in a cell. The copy has all of them. */
const MAX_CELL_LENGTH = 200;

/**
 * @summary Shows the data that a call returned, of any size.
 * @tagname tool-chat-result
 * @csspart call-details - The data of a call.
 * @csspart copy-button - Copies all of it.
 */
export class ToolChatResult extends PanelElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = {
    data: { attribute: false },
    from: { state: true },
    open: { state: true },
    grown: { state: true },
    copied: { state: true },
  };

  /** The result of the tool as plain data. */
  declare data: unknown;
  /** Index of the first visible row. */
  declare protected from: number;
  /** Branches and long values that are unfolded, by path. */
  declare protected open: ReadonlySet<string>;
  /** Number of rendered entries of a branch, by path. */
  declare protected grown: ReadonlyMap<string, number>;
  declare protected copied: '' | 'yes' | 'no';

  #kind: ResultKind = 'empty';
  #rows: readonly object[] = [];
  /** Total number of rows, if not all of them were stored. */
  #total: number | undefined;
  #columns: Columns = { shown: [], leftOut: 0 };
  #widths: number[] = [];

  constructor() {
    super();
    this.from = 0;
    this.open = new Set();
    this.grown = new Map();
    this.copied = '';
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (!changed.has('data')) return;
    const part = partOf(this.data);
    this.#kind = resultKind(part?.rows ?? this.data);
    if (part && this.#kind !== 'table') this.#kind = 'tree';
    if (this.#kind !== 'table') return;
    const rows = (part?.rows ?? this.data) as object[];
    this.#rows = rows;
    this.#total = part?.total;
    this.#columns = columnsOf(rows);
    const em = parseFloat(getComputedStyle(this).fontSize);
    this.#widths = this.#columns.shown.map((column) => Math.round(widthOf(column, rows) * em + 22));
  }

  override render() {
    const texts = this.services?.texts;
    if (!texts) return nothing;
    if (this.#kind === 'empty') return html`<p part="call-details" class="none">${texts.noResults}</p>`;
    const label = this.copied === 'yes' ? texts.copied : texts.copyResult;
    return html`<div part="call-details" class="data" data-kind=${this.#kind}>
      ${
        this.#kind === 'table'
          ? this.#table(this.#rows, texts)
          : html`<div class="text">
              ${this.#kind === 'tree' ? this.#branch(this.data as object, '', texts) : this.#leaf(this.data, '', texts)}
            </div>`
      }
      <div class="foot">
        <span>${this.#count(texts)}</span>
        ${this.copied === 'no' ? html`<span>${texts.copyFailed}</span>` : nothing}
        <button type="button" part="copy-button" class="quiet square" aria-label=${label} title=${label} @click=${this.#copy}>
          ${this.copied === 'yes' ? icons.check : icons.copy}
        </button>
      </div>
    </div>`;
  }

  #count(texts: Texts): string {
    if (this.#kind !== 'table') return '';
    const { leftOut } = this.#columns;
    const { length } = this.#rows;
    const rows = this.#total === undefined ? texts.rowsShown(length) : texts.firstRows(length, this.#total);
    return [rows, leftOut > 0 ? texts.columnsLeftOut(leftOut) : ''].filter(Boolean).join(' · ');
  }

  /** Renders the rows around the visible ones, with empty space for the others. */
  #table(rows: readonly object[], texts: Texts) {
    const { shown } = this.#columns;
    const start = Math.max(0, this.from - OVERSCAN);
    const end = Math.min(rows.length, this.from + ROWS_IN_VIEW + OVERSCAN);
    const width = this.#widths.reduce((sum, one) => sum + one, 0);
    const gap = (count: number) =>
      count > 0
        ? html`<tr aria-hidden="true">
            <td colspan=${shown.length} height=${count * ROW_HEIGHT}></td>
          </tr>`
        : nothing;
    return html`<div class="frame" tabindex="0" role="group" aria-label=${texts.resultTable(rows.length)} @scroll=${this.#scrolled}>
      <table aria-rowcount=${rows.length + 1} width=${width}>
        <colgroup>
          ${this.#widths.map((one) => html`<col width=${one} />`)}
        </colgroup>
        <thead>
          <tr aria-rowindex="1">
            ${shown.map((column) => html`<th scope="col" dir="auto">${renderVisible(column)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${gap(start)}
          ${rows.slice(start, end).map(
            (row, at) =>
              html`<tr aria-rowindex=${start + at + 2} class="row-of-data">
                ${shown.map((column) => renderCell(cellOf(row, column)))}
              </tr>`,
          )}
          ${gap(rows.length - end)}
        </tbody>
      </table>
    </div>`;
  }

  /** Updates the rows in the frame of the scroll event, so that no gap is visible. */
  readonly #scrolled = ({ target }: Event) => {
    const frame = target as HTMLElement;
    const { scrollTop } = frame;
    this.from = Math.floor(scrollTop / ROW_HEIGHT);
    // WebKit once lays the table out too low, and scrolls back from its end.
    void this.updateComplete.then(() => {
      if (frame.scrollTop < scrollTop) frame.scrollTop = scrollTop;
    });
  };

  #branch(value: object, path: string, texts: Texts): unknown {
    const list = Array.isArray(value);
    const keys = list ? undefined : Object.keys(value);
    const length = keys ? keys.length : (value as unknown[]).length;
    const renderedCount = Math.min(length, this.grown.get(path) ?? MAX_BRANCH);
    const items = [];
    for (let at = 0; at < renderedCount; at += 1) {
      const key = keys?.[at] ?? String(at);
      const inner = (value as Record<string, unknown>)[key];
      items.push(html`<li>${this.#entry(list ? String(at + 1) : key, inner, `${path}/${key}`, texts)}</li>`);
    }
    const more = Math.min(MAX_BRANCH, length - renderedCount);
    return html`<ul>
        ${items}
      </ul>
      ${
        more > 0
          ? html`<button type="button" class="quiet" @click=${() => (this.grown = new Map(this.grown).set(path, renderedCount + more))}>
              ${texts.moreEntries(more)}
            </button>`
          : nothing
      }`;
  }

  #entry(name: string, value: unknown, path: string, texts: Texts): unknown {
    const key = html`<span class="key">${renderVisible(name)}</span>`;
    if (typeof value !== 'object' || value === null) return [key, ': ', this.#leaf(value, path, texts)];
    const size = isObject(value) ? Object.keys(value).length : (value as unknown[]).length;
    if (size === 0) return [key, ': ', html`<span class="muted">${texts.noResults}</span>`];
    const open = this.open.has(path);
    return html`<details ?open=${open} @toggle=${(event: Event) => this.#unfold(path, (event.target as HTMLDetailsElement).open)}>
      <summary>${icons.chevron}${key} <span class="muted">${texts.entries(size)}</span></summary>
      ${open ? this.#branch(value, path, texts) : nothing}
    </details>`;
  }

  #leaf(value: unknown, path: string, texts: Texts): unknown {
    const open = this.open.has(path);
    return renderValue(valueText(value), { texts, open, toggle: () => this.#unfold(path, !open) });
  }

  #unfold(path: string, open: boolean) {
    if (open === this.open.has(path)) return;
    const all = new Set(this.open);
    if (open) all.add(path);
    else all.delete(path);
    this.open = all;
  }

  readonly #copy = async () => {
    const done = await copyText(rawText(this.data));
    const { services } = this;
    services?.announce(done ? services.texts.copied : services.texts.copyFailed);
    this.copied = done ? 'yes' : 'no';
    setTimeout(() => (this.copied = ''), 2600);
  };
}

/** Number of rows in the tallest frame. */
const ROWS_IN_VIEW = 12;

function renderCell(value: unknown): unknown {
  if (value === undefined || value === null) return html`<td></td>`;
  const text =
    typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value).slice(0, MAX_CELL_LENGTH + 1) : String(value);
  const cut = text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH)}…` : text;
  return html`<td dir="auto" ?data-number=${typeof value === 'number'} title=${cut}>${renderVisible(cut)}</td>`;
}

/** Returns the width of a column in em. It depends only on the first rows, so that columns keep their width during scrolling. */
function widthOf(column: string, rows: readonly object[]): number {
  const texts = rows.slice(0, 50).map((row) => {
    const value = cellOf(row, column) ?? '';
    return typeof value === 'object' ? '' : String(value);
  });
  return Math.min(18, Math.max(2, ...[column, ...texts].map(emOf)));
}

/** Estimates the width of a text in em. East Asian characters are as wide as they are high. */
function emOf(text: string): number {
  let em = 0;
  for (const letter of text.slice(0, 32)) em += letter > '\u2e80' ? 1 : 0.56;
  return em;
}

/** Chooses how a result is displayed. */
type ResultKind = 'empty' | 'text' | 'table' | 'tree';

/** Largest number of displayed columns. The copy has all of them. */
const COLUMNS_SHOWN = 24;

interface Columns {
  shown: string[];
  leftOut: number;
}

function resultKind(data: unknown): ResultKind {
  if (data === null || data === undefined || data === '') return 'empty';
  if (typeof data !== 'object') return 'text';
  if (Array.isArray(data)) {
    if (data.length === 0) return 'empty';
    return data.every((item) => isObject(item) && hasKey(item)) ? 'table' : 'tree';
  }
  return hasKey(data) ? 'tree' : 'empty';
}

/** Returns the rows of a list that was truncated (`boundedData` in `tools/result.ts`). */
function partOf(data: unknown): { rows: readonly unknown[]; total: number } | undefined {
  const [rows, truncated, total] = ['items', 'truncated', 'total'].map((key) => own(data, key));
  return truncated === true && typeof total === 'number' && Array.isArray(rows) ? { rows, total } : undefined;
}

/** Returns every key of the rows, in order of appearance. */
function columnsOf(rows: readonly object[]): Columns {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  const all = [...keys];
  return { shown: all.slice(0, COLUMNS_SHOWN), leftOut: Math.max(0, all.length - COLUMNS_SHOWN) };
}

function hasKey(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** Returns a cell. Only own properties count, because a column may be called "constructor". */
const cellOf = (row: object, column: string): unknown =>
  Object.hasOwn(row, column) ? (row as Record<string, unknown>)[column] : undefined;

/** Returns the whole result as text, for the clipboard. */
function rawText(data: unknown): string {
  if (typeof data === 'string') return data;
  try {
    return (JSON.stringify(data, null, 2) as string | undefined) ?? String(data);
  } catch {
    return String(data); // circular, or a BigInt
  }
}

fullEnglish();
defineOnce('tool-chat-result', ToolChatResult);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-result': ToolChatResult;
  }
}
