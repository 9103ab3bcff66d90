/**
 * Parses formulas in TeX to a tree: the subset that replies use, without macros. One forward pass. An unknown command fails the whole
 * formula, which is then shown as written: a part of it could mean something else. No DOM.
 */
import { isDigit } from './characters.js';
import { readChemistry } from './tex-chemistry.js';
import { leaf, longArrow, node, row, scripted, type MathNode } from './tex-nodes.js';
import { isLetter, UnsupportedTex, TexSource } from './tex-source.js';
import { ACCENTS, ENVIRONMENTS, FUNCTIONS, inAlphabet, INTEGRALS, isAlphabet } from './tex-symbols.js';
import { LARGE, LETTERS, LIMITS, OPERATORS, SPACES, UNDER } from './tex-symbols.js';

/**
 * Maximum length in UTF-16 units, and maximum depth. Beyond them a formula is shown as written, because each level slows down the layout.
 */
const MAX_LENGTH = 6_000;
const MAX_DEPTH = 24;
const INDEX_DEPTH = 6;

/** Returns the tree of a formula, given without its delimiters; undefined if it contains anything unknown. */
export function readTex(source: string): MathNode | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  try {
    const reader = new Reader(source);
    const row = reader.readRows('');
    return reader.atEnd ? row : undefined;
  } catch (error) {
    if (error instanceof UnsupportedTex) return undefined;
    throw error;
  }
}

const space = (em: number): MathNode => leaf('mspace', '', { width: `${em}em` });
const fence = (text: string): MathNode => leaf('mo', text, { fence: 'true', stretchy: 'true' });

const STILL = { stretchy: 'false' };
const FENCES = '()[]|‖⟨⟩⌊⌋⌈⌉{}/';

class Reader extends TexSource {
  #depth = 0;
  /** The style of letters. */
  #alphabet = '';

  /** Parses rows of cells, up to the `\end` of the environment. A single cell is returned as it is. */
  readRows(environment: string): MathNode {
    const [open, close, columns] = ENVIRONMENTS.get(environment) ?? ['', '', 'pairs'];
    const rows: MathNode[][] = [[]];
    /** Rows with a line above them. */
    const lined = new Set<number>();
    for (;;) {
      while (environment !== '' && this.#takesLine()) lined.add(rows.length - 1);
      rows.at(-1)!.push(row(this.#readTerms()));
      if (this.take('&')) continue;
      if (this.take('\\\\')) {
        if (this.source.charAt(this.at) === '[') this.skipPast(']');
        rows.push([]);
        continue;
      }
      break;
    }
    if (rows.length > 1 && isEmpty(rows.at(-1)!)) rows.pop();
    if (rows.length === 1 && rows[0]!.length === 1 && open + close === '') return rows[0]![0]!;
    const lines = rows.map((cells, at) =>
      node(
        'mtr',
        cells.map((cell, i) => node('mtd', [cell], alignment(columns, i))),
        lined.has(at) ? { class: 'lined' } : undefined,
      ),
    );
    const table = node('mtable', lines, columns === 'center' ? undefined : { class: columns });
    return open + close === '' ? table : row([...(open ? [fence(open)] : []), table, ...(close ? [fence(close)] : [])]);
  }

  #takesLine(): boolean {
    this.skipBlanks();
    return this.take('\\hline');
  }

  /** Parses terms up to their closing mark: a brace, the end of a cell, `\right`, `\end`, or `stop`. */
  #readTerms(stop = ''): MathNode[] {
    const terms: MathNode[] = [];
    if (++this.#depth > MAX_DEPTH) throw new UnsupportedTex();
    for (;;) {
      this.skipBlanks();
      const character = this.source.charAt(this.at);
      if (character === '' || character === '}' || character === '&' || (stop !== '' && character === stop)) break;
      if (character === '\\' && /^\\(?:\\|(?:right|end|middle)(?![a-zA-Z]))/.test(this.source.slice(this.at, this.at + 8))) {
        if (!this.source.startsWith('\\middle', this.at)) break;
        this.at += 7;
        terms.push(fence(this.#readDelimiter()));
        continue;
      }
      // An exponent may come first, as in `45$^\circ$`.
      const term = terms.length === 0 && (character === '^' || character === '_') ? row([]) : this.#readTerm();
      terms.push(this.#readScripts(term));
      if (term.attributes?.['class'] === 'function' && this.#isSpaced()) terms.push(space(0.167));
    }
    this.#depth--;
    return terms;
  }

  /** Parses the subscript and superscript of a term. */
  #readScripts(base: MathNode): MathNode {
    let below: MathNode | undefined;
    const above: MathNode[] = [];
    let limits = base.attributes?.['movablelimits'] === 'true' || base.tag === 'munder' || base.attributes?.['class'] === 'brace';
    for (;;) {
      this.skipBlanks();
      const character = this.source.charAt(this.at);
      if (character === "'") {
        let primes = '';
        while (this.take("'")) primes += '′';
        above.unshift(leaf('mo', primes));
      } else if (character === '_' || character === '^') {
        this.at++;
        const script = this.#readArgument();
        if (character === '_') {
          if (below) throw new UnsupportedTex();
          below = script;
        } else above.push(script);
      } else if (this.take('\\limits')) limits = true;
      else if (this.take('\\nolimits')) limits = false;
      else break;
    }
    return scripted(base, below, above.length > 0 ? row(above) : undefined, limits);
  }

  /** Parses a group, a command, or a single character. */
  #readArgument(): MathNode {
    this.skipBlanks();
    const code = this.source.charCodeAt(this.at);
    // `x^23` is x squared and a three.
    if (isDigit(code)) return leaf('mn', inAlphabet(this.#alphabet, this.source.charAt(this.at++)));
    if (++this.#depth > MAX_DEPTH) throw new UnsupportedTex();
    const term = this.#readTerm();
    this.#depth--;
    return term;
  }

  #readTerm(): MathNode {
    const code = this.source.codePointAt(this.at);
    if (code === undefined) throw new UnsupportedTex();
    const character = String.fromCodePoint(code);
    if (character === '\\') return this.#readCommand();
    if (isDigit(code) || (code === 46 && isDigit(this.source.charCodeAt(this.at + 1)))) return this.#readNumber();
    this.at += character.length;
    if (character === '{') {
      const terms = this.#readTerms();
      if (!this.take('}')) throw new UnsupportedTex();
      return row(terms);
    }
    if (isLetter(code)) return this.#letter(character);
    if (code > 127) return leaf(/\p{L}/u.test(character) ? (code > 0x2e00 ? 'mtext' : 'mi') : 'mo', character);
    if (character === '~') return space(0.25);
    if ('#$_^&}`"@'.includes(character)) throw new UnsupportedTex();
    if (character === '-') return leaf('mo', '−');
    if (character === '*') return leaf('mo', '∗');
    return leaf('mo', character, FENCES.includes(character) ? STILL : undefined);
  }

  #readNumber(): MathNode {
    let number = '';
    for (;;) {
      const code = this.source.charCodeAt(this.at);
      // A comma belongs to a number between a digit and three more: `1,000`.
      const joins = code === 46 || (code === 44 && /^,\d{3}(?!\d)/.test(this.source.slice(this.at, this.at + 5)));
      if (!isDigit(code) && !(joins && isDigit(this.source.charCodeAt(this.at + 1)))) break;
      number += inAlphabet(this.#alphabet, this.source.charAt(this.at++));
    }
    return leaf('mn', number);
  }

  #letter(character: string): MathNode {
    if (this.#alphabet === 'mathrm') return leaf('mi', character, { mathvariant: 'normal' });
    return leaf('mi', inAlphabet(this.#alphabet, character));
  }

  #readCommand(): MathNode {
    const name = this.readName();
    const letter = LETTERS.get(name);
    if (letter !== undefined) return leaf('mi', letter, /\p{Lu}/u.test(letter) ? { mathvariant: 'normal' } : undefined);
    const operator = OPERATORS.get(name);
    if (operator !== undefined) return leaf('mo', operator, FENCES.includes(operator) ? STILL : undefined);
    const large = LARGE.get(name);
    if (large !== undefined) return leaf('mo', large, { movablelimits: 'true' });
    const integral = INTEGRALS.get(name);
    if (integral !== undefined) return leaf('mo', integral);
    const limit = LIMITS.get(name);
    if (limit !== undefined) return leaf('mo', limit, { movablelimits: 'true', class: 'function' });
    if (FUNCTIONS.has(name)) return this.#readCommandName(name);
    const width = SPACES.get(name);
    if (width !== undefined) return space(width);
    const over = ACCENTS.get(name);
    if (over !== undefined) {
      const accent = leaf('mo', over, { stretchy: String(/^(?:wide|over)/.test(name)) });
      return node('mover', [this.#readArgument(), accent], name === 'overbrace' ? { class: 'brace' } : { accent: 'true' });
    }
    const under = UNDER.get(name);
    if (under !== undefined)
      return node('munder', [this.#readArgument(), leaf('mo', under, { stretchy: 'true' })], { accentunder: 'true' });
    if (isAlphabet(name)) return this.#inAlphabet(name, () => this.#readArgument());
    return this.#readStructure(name);
  }

  #readStructure(name: string): MathNode {
    switch (name) {
      case 'frac':
      case 'dfrac':
      case 'tfrac':
      case 'cfrac':
        return node('mfrac', [this.#readArgument(), this.#readArgument()]);
      case 'binom':
      case 'dbinom':
      case 'tbinom': {
        const pair = node('mfrac', [this.#readArgument(), this.#readArgument()], { linethickness: '0' });
        return row([fence('('), pair, fence(')')]);
      }
      case 'sqrt': {
        this.skipBlanks();
        if (!this.take('[')) return node('msqrt', [this.#readArgument()]);
        // Browsers double the height of a root for each root in its index.
        this.#depth += INDEX_DEPTH;
        const index = row(this.#readTerms(']'));
        this.#depth -= INDEX_DEPTH;
        if (!this.take(']')) throw new UnsupportedTex();
        return node('mroot', [this.#readArgument(), index]);
      }
      case 'text':
      case 'textrm':
      case 'textbf':
      case 'textit':
      case 'textsf':
      case 'texttt':
      case 'mbox':
      case 'hbox':
        return leaf('mtext', this.readRaw().replaceAll(/^ | $/g, '\u00a0'));
      case 'operatorname':
      case 'operatorname*':
        return this.#readCommandName(this.readRaw());
      case 'left':
        return this.#readFenced();
      case 'begin':
        return this.#readEnvironment();
      case 'overset':
      case 'stackrel': {
        const above = this.#readArgument();
        return node('mover', [this.#readArgument(), above]);
      }
      case 'underset': {
        const below = this.#readArgument();
        return node('munder', [this.#readArgument(), below]);
      }
      case 'substack': {
        if (!this.take('{')) throw new UnsupportedTex();
        const rows = this.readRows('gathered');
        if (!this.take('}')) throw new UnsupportedTex();
        return rows;
      }
      case 'xrightarrow':
      case 'xleftarrow': {
        this.skipBlanks();
        const below = this.take('[') ? row(this.#readTerms(']')) : undefined;
        if (below && !this.take(']')) throw new UnsupportedTex();
        const above = this.#readArgument();
        return scripted(longArrow(name === 'xrightarrow' ? '→' : '←'), below, above, true);
      }
      case 'ce':
        return readChemistry(this.readRaw());
      case 'cancel':
      case 'bcancel':
      case 'xcancel':
        return node('mrow', [this.#readArgument()], { class: 'cancel' });
      case 'textcolor':
        this.readRaw(); // the color is not shown
        return this.#readArgument();
      case 'phantom':
        return node('mphantom', [this.#readArgument()]);
      case 'boxed':
      case 'fbox':
        return node('mrow', [this.#readArgument()], { class: 'boxed' });
      case 'pmod':
        return row([space(0.5), leaf('mo', '(', STILL), leaf('mi', 'mod'), space(0.25), this.#readArgument(), leaf('mo', ')', STILL)]);
      case 'bmod':
      case 'mod':
        return row([space(0.25), leaf('mi', 'mod'), space(0.25)]);
      case 'not': {
        const { text } = this.#readArgument();
        if (text === undefined) throw new UnsupportedTex();
        return leaf('mo', `${text}\u0338`.normalize('NFC'));
      }
      case 'tag':
        return row([space(2), leaf('mtext', `(${this.readRaw()})`)]);
      case 'label':
        this.readRaw();
        return row([]);
      case 'displaystyle':
      case 'textstyle':
      case 'nonumber':
      case 'notag':
        return row([]);
      default:
        if (/^[bB]igg?[lrm]?$/.test(name))
          return leaf('mo', this.#readDelimiter(), { stretchy: 'true', minsize: /igg/.test(name) ? '2.2em' : '1.5em' });
        throw new UnsupportedTex();
    }
  }

  #inAlphabet<T>(name: string, read: () => T): T {
    const before = this.#alphabet;
    this.#alphabet = name;
    const result = read();
    this.#alphabet = before;
    return result;
  }

  /** Several letters are upright, and so is a single one. */
  #readCommandName(name: string): MathNode {
    return leaf('mi', name, { class: 'function', ...(name.length === 1 && { mathvariant: 'normal' }) });
  }

  /** Adds a thin space between a function and its argument, unless that is in brackets. */
  #isSpaced(): boolean {
    this.skipBlanks();
    return (
      !this.atEnd &&
      !'([{}&,'.includes(this.source.charAt(this.at)) &&
      !/^\\(?:left|\\|end|right|[bB]ig)/.test(this.source.slice(this.at, this.at + 6))
    );
  }

  #readFenced(): MathNode {
    const open = this.#readDelimiter();
    const terms = this.#readTerms();
    if (!this.take('\\right')) throw new UnsupportedTex();
    const close = this.#readDelimiter();
    return node('mrow', [...(open ? [fence(open)] : []), ...terms, ...(close ? [fence(close)] : [])]);
  }

  #readDelimiter(): string {
    this.skipBlanks();
    const character = this.source.charAt(this.at);
    const found = character === '\\' ? OPERATORS.get(this.readName()) : character === '<' ? '⟨' : character === '>' ? '⟩' : character;
    if (character !== '\\') this.at++;
    if (found === '.') return '';
    if (!found || (!FENCES.includes(found) && !'↑↓↕∖'.includes(found))) throw new UnsupportedTex();
    return found;
  }

  #readEnvironment(): MathNode {
    const name = this.readRaw();
    if (!ENVIRONMENTS.has(name)) throw new UnsupportedTex();
    this.skipBlanks();
    if (name === 'array' || name === 'alignedat') this.readRaw();
    if (++this.#depth > MAX_DEPTH) throw new UnsupportedTex();
    const rows = this.readRows(name);
    this.#depth--;
    if (!this.take('\\end') || this.readRaw() !== name) throw new UnsupportedTex();
    return rows;
  }
}

const isEmpty = (cells: readonly MathNode[]): boolean => cells.length === 1 && cells[0]!.tag === 'mrow' && cells[0]!.children?.length === 0;

/** Aligns equations at the sign after `&`. */
function alignment(columns: 'center' | 'left' | 'pairs', column: number): MathNode['attributes'] {
  if (columns === 'center') return undefined;
  return { class: columns === 'left' || column % 2 === 1 ? 'align-left' : 'align-right' };
}
