/** A line and a position in it, in characters and in columns: tabs extend to the next multiple of four. */
import { isSpaceOrTab } from './characters.js';

export class Line {
  readonly text: string;
  offset = 0;
  column = 0;
  /** The index of the first character from `offset` on that is neither space nor tab. */
  nextOffset = 0;
  nextColumn = 0;
  /** True if a part of the tab at `offset` has been consumed. */
  #insideTab = false;

  constructor(text: string) {
    this.text = text;
    this.#findNext();
  }

  /** The number of columns between the position and the next visible character. */
  get indent(): number {
    return this.nextColumn - this.column;
  }

  /** True for an indent of four columns or more, with which only code starts. */
  get indented(): boolean {
    return this.indent >= 4;
  }

  get blank(): boolean {
    return this.nextOffset >= this.text.length;
  }

  /** The code of the next visible character; NaN at the end. */
  get nextCode(): number {
    return this.text.charCodeAt(this.nextOffset);
  }

  /** Returns the rest, from the next visible character on. */
  get content(): string {
    return this.text.slice(this.nextOffset);
  }

  /** Returns the rest of the line, with the remaining columns of a partly consumed tab. */
  get rest(): string {
    if (!this.#insideTab) return this.text.slice(this.offset);
    return ' '.repeat(4 - (this.column % 4)) + this.text.slice(this.offset + 1);
  }

  skipSpaces(): void {
    this.offset = this.nextOffset;
    this.column = this.nextColumn;
    this.#insideTab = false;
  }

  skipCharacters(count: number): void {
    this.offset += count;
    this.column += count;
    this.#insideTab = false;
    this.#findNext();
  }

  /** Skips up to `count` columns of spaces and tabs. */
  skipColumns(count: number): void {
    while (count > 0 && isSpaceOrTab(this.text.charCodeAt(this.offset))) {
      const width = this.text.charCodeAt(this.offset) === 9 ? 4 - (this.column % 4) : 1;
      this.#insideTab = width > count;
      if (!this.#insideTab) this.offset++;
      const step = Math.min(width, count);
      this.column += step;
      count -= step;
    }
    this.#findNext();
  }

  #findNext(): void {
    this.nextOffset = this.offset;
    this.nextColumn = this.column;
    for (;;) {
      const code = this.text.charCodeAt(this.nextOffset);
      if (code === 32) this.nextColumn++;
      else if (code === 9) this.nextColumn += 4 - (this.nextColumn % 4);
      else return;
      this.nextOffset++;
    }
  }
}
