/** Chemistry as in `\ce{2H2 + O2 -> 2H2O}`: atoms, numbers, charges and arrows. Anything else leaves the formula as it was written. */
import { isDigit } from './characters.js';
import { leaf, longArrow, node, row, scripted, type MathNode } from './tex-nodes.js';
import { isLetter, UnsupportedTex, TexSource } from './tex-source.js';

/** `<->` has to come before `<-`. */
const ARROWS = Object.entries({ '<=>': '⇌', '<->': '↔', '-->': '⟶', '->': '→', '<-': '←' });
const MARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({ '+': '+', '-': '−', '=': '=', '#': '≡', '.': '⋅', '*': '⋅', ',': ',' }),
);

export function readChemistry(source: string): MathNode {
  return new Chemistry(source).read();
}

class Chemistry extends TexSource {
  read(): MathNode {
    const terms: MathNode[] = [];
    for (this.skipBlanks(); !this.atEnd; this.skipBlanks()) terms.push(this.#readTerm());
    return row(terms);
  }

  get #next(): string {
    return this.source.charAt(this.at);
  }

  #readTerm(): MathNode {
    const arrow = ARROWS.find(([mark]) => this.source.startsWith(mark, this.at));
    if (arrow) {
      this.at += arrow[0].length;
      const above = this.#readBetween('[', ']');
      return scripted(longArrow(arrow[1]), undefined, above ? leaf('mtext', above) : undefined, true);
    }
    const from = this.at;
    while (isLetter(this.source.charCodeAt(this.at))) this.at++;
    if (this.at > from) return this.#readScripts(leaf('mi', this.source.slice(from, this.at), { mathvariant: 'normal' }));
    if (isDigit(this.source.charCodeAt(this.at))) return leaf('mn', this.#readDigits());
    const character = this.#next;
    if (character === '^' || character === '_') return this.#readScripts(node('mrow', []));
    const mark = MARKS.get(character);
    if (mark === undefined && !'()[]'.includes(character)) throw new UnsupportedTex();
    this.at++;
    if (character === ')' || character === ']') return this.#readScripts(leaf('mo', character, { stretchy: 'false' }));
    return leaf('mo', mark ?? character, mark === undefined ? { stretchy: 'false' } : undefined);
  }

  /** Directly after an atom or a bracket, digits are a count, and a final sign is a charge. */
  #readScripts(base: MathNode): MathNode {
    let below: MathNode | undefined;
    let above: MathNode | undefined;
    for (;;) {
      const character = this.#next;
      if (!below && isDigit(this.source.charCodeAt(this.at))) below = leaf('mn', this.#readDigits());
      else if (!below && character === '_') below = this.#readScript();
      else if (!above && character === '^') above = this.#readScript();
      else if (!above && this.#isCharge()) above = leaf('mo', MARKS.get(this.source.charAt(this.at++))!);
      else return scripted(base, below, above);
    }
  }

  #isCharge(): boolean {
    const after = this.source.charAt(this.at + 1);
    return (this.#next === '+' || this.#next === '-') && (after === '' || ' )]'.includes(after));
  }

  #readScript(): MathNode {
    this.at++;
    const group = this.#readBetween('{', '}');
    const from = this.at;
    if (group === undefined) {
      this.#readDigits();
      if (this.#next === '+' || this.#next === '-') this.at++;
    }
    const text = group ?? this.source.slice(from, this.at);
    if (text === '') throw new UnsupportedTex();
    return leaf('mn', text.replace('-', '−'));
  }

  #readDigits(): string {
    const from = this.at;
    while (isDigit(this.source.charCodeAt(this.at))) this.at++;
    return this.source.slice(from, this.at);
  }

  #readBetween(open: string, close: string): string | undefined {
    if (this.#next !== open) return undefined;
    const from = this.at + 1;
    this.skipPast(close);
    return this.source.slice(from, this.at - 1);
  }
}
