/** GitHub's tables: a head row, a delimiter row of dashes, then one row per line. */
import type { MarkdownContext } from './render-context.js';
import { make } from './dom.js';
import { loadedSyntax } from './loaded-syntax.js';
import { NO_MATCH } from './scan-results.js';
import type { Leaf } from './inline-leaf.js';
import { fillInlines, fillPlain } from './inline-leaf.js';

export type Alignment = '' | 'align-left' | 'align-center' | 'align-right';

/** Length above which a row is rendered again only when it has grown by an eighth. */
const LONG = 4_096;

/** Maximum number of rows in a table element, which is laid out as a whole. The table then continues in another one with the same head. */
const ROWS = 200;

/** Maximum width of a head that is repeated: a wider one would cost more than the rows. */
const WIDE = 32;

/** Maximum number of columns. A wider table is shown as text: the layout of thousands of columns takes seconds. */
export const MAX_COLUMNS = 200;

/** Length of a row that is parsed as Markdown; the whole cells after it are plain text. */
const ROW_READ = 16_384;

/** Returns the alignments of a delimiter row, or undefined if the line is not one. */
export function readDelimiterRow(line: string): Alignment[] | undefined {
  if (!line.includes('|') || !/^[|:\- \t]+$/.test(line)) return undefined;
  const cells = splitRow(line);
  const alignments: Alignment[] = [];
  for (const cell of cells) {
    const left = cell.startsWith(':');
    const right = cell.endsWith(':') && cell.length > 1;
    const dashes = cell.slice(left ? 1 : 0, right ? -1 : cell.length);
    if (dashes === '' || dashes.replaceAll('-', '') !== '') return undefined;
    alignments.push(left && right ? 'align-center' : right ? 'align-right' : left ? 'align-left' : '');
  }
  return alignments;
}

/** Returns the trimmed cells of a row. `\|` is a bar inside a cell, also in code. */
export function splitRow(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let from = 0;
  const text = line.trim();
  for (let i = text.startsWith('|') ? (from = 1) : 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 92 /* \ */) {
      if (text.charCodeAt(i + 1) === 124) {
        cell += text.slice(from, i);
        from = i + 1;
      }
      i++;
    } else if (code === 36 /* $ */) {
      // A bar inside a formula does not separate cells (`$|x|$`), unless it has blanks around it.
      const end = loadedSyntax()?.scanFormula(text, i) ?? NO_MATCH;
      if (end > 0 && !text.slice(i, end).includes(' | ')) i = end - 1;
    } else if (code === 124 /* | */) {
      cells.push((cell + text.slice(from, i)).trim());
      cell = '';
      from = i + 1;
    }
  }
  const last = (cell + text.slice(from)).trim();
  if (last !== '') cells.push(last);
  return cells;
}

export class TableLeaf implements Leaf {
  /** The box around the table, which scrolls when that is wider; the first one of a long table. */
  readonly element: HTMLElement;
  readonly #context: MarkdownContext;
  readonly #alignments: readonly Alignment[];
  readonly #head: readonly string[];
  #box: HTMLElement;
  #body: HTMLElement | null = null;
  #rows = 0;
  #row: HTMLElement | null = null;
  #text = '';
  #shown = 0;

  constructor(context: MarkdownContext, head: readonly string[], alignments: readonly Alignment[]) {
    this.#context = context;
    this.#alignments = alignments;
    this.#head = head;
    this.element = this.#box = this.#makeTable();
  }

  startRow(): void {
    this.endRow();
    if (this.#rows > 0 && this.#rows % ROWS === 0 && this.#alignments.length <= WIDE) {
      const full = this.#box;
      full.after((this.#box = this.#makeTable()));
      this.#box.classList.add('continued');
      full.classList.add('frozen');
      this.#body = null;
    }
    const { document } = this.#context;
    if (!this.#body) this.#box.firstElementChild!.append((this.#body = make(document, 'tbody')));
    this.#row = make(document, 'tr');
    this.#body.append(this.#row);
    this.#rows++;
  }

  #makeTable(): HTMLElement {
    const { document } = this.#context;
    const box = make(document, 'div', 'table-scroll');
    const table = make(document, 'table');
    const section = make(document, 'thead');
    const row = make(document, 'tr');
    box.tabIndex = 0;
    this.#fill(row, 'th', this.#head);
    section.append(row);
    table.append(section);
    box.append(table);
    return box;
  }

  append(text: string): void {
    this.#text += text;
  }

  endRow(): void {
    if (this.#row) this.#fill(this.#row, 'td', splitRow(this.#text));
    this.#row = null;
    this.#text = '';
    this.#shown = 0;
  }

  flush(): void {
    const due = this.#shown > LONG ? this.#shown + this.#shown / 8 : this.#shown + 1;
    if (!this.#row || this.#text.length < due) return;
    this.#fill(this.#row, 'td', splitRow(this.#text), false);
    this.#shown = this.#text.length;
  }

  close(): void {
    this.endRow();
  }

  #fill(row: HTMLElement, tag: 'th' | 'td', cells: readonly string[], final = true): void {
    const { document } = this.#context;
    const columns = this.#alignments.length;
    let room = ROW_READ;
    const elements = cells.slice(0, columns).map((text, i) => {
      const cell = make(document, tag, this.#alignments[i]);
      room -= text.length;
      if (room >= 0) fillInlines(this.#context, cell, text, final);
      else fillPlain(cell, text);
      return cell;
    });
    if (elements.length < columns) {
      // Use one wide cell, so that short rows under a very wide head cannot multiply the cells.
      const rest = make(document, tag);
      rest.colSpan = columns - elements.length;
      elements.push(rest);
    }
    row.replaceChildren(...elements);
  }
}
