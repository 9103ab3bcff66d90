/** The text of a formula and a position in it that only moves forward. */

/** The error for an unknown or unclosed construct. */
export class UnsupportedTex extends Error {}

/** Characters that a backslash escapes. */
const ESCAPED = '%$&#_{}';

export const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

export class TexSource {
  readonly source: string;
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  get atEnd(): boolean {
    return this.at >= this.source.length;
  }

  /** Reads the name of a command: letters, or one other character. */
  readName(): string {
    let end = this.at + 1;
    while (isLetter(this.source.charCodeAt(end))) end++;
    if (end === this.at + 1) end++;
    else if (this.source.charAt(end) === '*' && this.source.startsWith('operatorname', this.at + 1)) end++;
    const name = this.source.slice(this.at + 1, end);
    this.at = end;
    return name;
  }

  /** Returns the text in braces, unchanged. Braces in it are balanced. */
  readRaw(): string {
    this.skipBlanks();
    if (!this.take('{')) throw new UnsupportedTex();
    let from = this.at;
    let raw = '';
    let depth = 1;
    for (; this.at < this.source.length; this.at++) {
      const character = this.source.charAt(this.at);
      if (character === '\\' && ESCAPED.includes(this.source.charAt(this.at + 1) || ' ')) {
        raw += this.source.slice(from, this.at);
        from = ++this.at;
        continue;
      }
      if (character === '\\' || character === '$') throw new UnsupportedTex();
      if (character === '{') depth++;
      else if (character === '}' && --depth === 0) return raw + this.source.slice(from, this.at++);
    }
    throw new UnsupportedTex();
  }

  /** A command must end with its name. */
  take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    const end = this.at + text.length;
    if (text.length > 2 && isLetter(this.source.charCodeAt(end))) return false;
    this.at = end;
    return true;
  }

  skipPast(closer: string): void {
    const end = this.source.indexOf(closer, this.at);
    if (end < 0) throw new UnsupportedTex();
    this.at = end + 1;
  }

  skipBlanks(): void {
    while (this.source.charCodeAt(this.at) <= 32) this.at++;
  }
}
