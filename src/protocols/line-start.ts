/**
 * Determines from the beginning of a line in which quotations and list items its text is, and whether it is code by indentation or
 * continues a paragraph, as CommonMark defines. Raw HTML and link definitions are treated as paragraphs; `markdown-context.ts` handles the
 * consequences.
 */

/** A quotation, or a list item whose text is indented by `width` more columns than its parent's. */
export interface LineContainer {
  quote: boolean;
  width: number;
  /** True for an item with no content yet: a blank line ends it. */
  empty: boolean;
}

export interface Before {
  readonly containers: readonly LineContainer[];
  /** True if the innermost container ends in a paragraph that may continue. */
  readonly paragraph: boolean;
  /** The fence that is open in the innermost container. */
  readonly fence: object | undefined;
}

export interface LineStart {
  /** The kind of line. `text` may be a fence line. `fenced`: all its containers continue, so it belongs to the open fence. */
  kind: 'blank' | 'fenced' | 'code' | 'heading' | 'rule' | 'text';
  /** The containers of the line. For a lazy continuation line, only those whose marks the line has. */
  containers: readonly LineContainer[];
  /** True if the open paragraph continues, with or without the marks of its containers. */
  continues: boolean;
  /** The number of columns before the first character that is not a mark. */
  indent: number;
  /** True if a character that is not a mark has come already. */
  hasContent: boolean;
  hasMarks: boolean;
  /** True if there are more containers than we count. */
  tooDeep: boolean;
}

/** Characters that a line may begin with before its structure must be determined. */
export const LINE_MARKS = ' \t>*+-_=#.)0123456789';

const MAX_DEPTH = 32;

/** Limits of the cache: longer line beginnings, and more of them, are not remembered. */
const LONGEST_REMEMBERED = 64;
const MOST_REMEMBERED = 256;

const noMarks = { containers: [], continues: false, indent: 0, hasContent: false, hasMarks: false, tooDeep: false };
/** The most frequent lines: in no container, and without any mark. */
const plainLines: Readonly<Record<'blank' | 'fenced' | 'next' | 'first', LineStart>> = {
  blank: { ...noMarks, kind: 'blank' },
  fenced: { ...noMarks, kind: 'fenced' },
  next: { ...noMarks, kind: 'text', continues: true },
  first: { ...noMarks, kind: 'text' },
};

/** @param prefix Only `LINE_MARKS`. @param isWhole True if the line ends after it. */
export type ReadLineStart = (before: Before, prefix: string, isWhole: boolean) => LineStart;

/** Creates a reader that caches line beginnings. Most are alike, and parsing marks takes many times as long as reading a line. */
export function createLineStarts(): ReadLineStart {
  const signatures = new WeakMap<readonly LineContainer[], string>();
  const known = new Map<string, LineStart>();

  function signatureOf(containers: readonly LineContainer[]): string {
    let signature = signatures.get(containers);
    if (signature === undefined) {
      signature = containers.map(({ quote, width, empty }) => (quote ? '>' : `${width}${empty ? '-' : '.'}`)).join('');
      signatures.set(containers, signature);
    }
    return signature;
  }

  return (before, prefix, isWhole) => {
    if (prefix === '' && before.containers.length === 0)
      return plainLines[before.fence ? 'fenced' : isWhole ? 'blank' : before.paragraph ? 'next' : 'first'];
    if (prefix.length > LONGEST_REMEMBERED) return readLineStart(before, prefix, isWhole);
    const situation = (before.paragraph ? 'p' : '') + (before.fence ? 'f' : '') + (isWhole ? 'w' : '');
    const key = `${signatureOf(before.containers)}${situation}|${prefix}`;
    let start = known.get(key);
    if (!start) {
      if (known.size === MOST_REMEMBERED) known.clear();
      known.set(key, (start = readLineStart(before, prefix, isWhole)));
    }
    return start;
  };
}

function readLineStart(before: Before, prefix: string, isWhole: boolean): LineStart {
  const line = expandTabs(prefix);
  const isBlank = (from: number) => isWhole && from === line.length;
  let at = 0;
  let matched = 0;
  for (const container of before.containers) {
    const content = skipSpaces(line, at);
    if (container.quote) {
      if (isBlank(content) || content - at > 3 || line[content] !== '>') break;
      at = afterMark(line, content);
    } else if (isBlank(content)) {
      if (container.empty) break;
      at = content;
    } else if (content - at >= container.width) at += container.width;
    else break;
    matched += 1;
  }
  const holds = matched === before.containers.length;
  const containers = before.containers.slice(0, matched).map((one) => ({ ...one }));
  const found = (kind: LineStart['kind'], tooDeep = false, continues = false): LineStart => {
    const content = skipSpaces(line, at);
    const last = containers.at(-1);
    if (last && kind !== 'blank') last.empty = false;
    return {
      ...{ kind, containers, continues, tooDeep, indent: content - at, hasContent: content < line.length },
      hasMarks: at > 0 && line.slice(0, at).trim() !== '',
    };
  };
  if (before.fence && holds) return found('fenced');

  let inParagraph = before.paragraph && holds;
  let mayContinue = before.paragraph;
  let tooDeep = false;
  const enter = (container: LineContainer) => {
    const parent = containers.at(-1);
    if (parent) parent.empty = false;
    if (containers.length < MAX_DEPTH) containers.push(container);
    else tooDeep = true;
    inParagraph = mayContinue = false;
  };

  for (;;) {
    const content = skipSpaces(line, at);
    if (isBlank(content)) return found('blank', tooDeep);
    const char = line[content];
    if (content - at > 3 || char === undefined) break;
    if (char === '>') {
      enter({ quote: true, width: 0, empty: false });
      at = afterMark(line, content);
      continue;
    }
    if (isHeading(line, content, isWhole)) return found('heading', tooDeep);
    if (isWhole && inParagraph && '=-'.includes(char) && isRunOf(char, line.slice(content).trimEnd())) return found('rule');
    if (isWhole && isRule(line.slice(content))) return found('rule', tooDeep);
    const mark = listMark(line, content, isWhole);
    if (!mark || (inParagraph && (mark.isEmpty || !mark.canInterrupt))) break;
    enter({ quote: false, width: content - at + mark.width, empty: mark.isEmpty });
    at = Math.min(content + mark.width, line.length);
  }
  if (mayContinue) return found('text', false, true);
  const isCode = skipSpaces(line, at) - at > 3;
  return found(isCode ? 'code' : 'text', tooDeep);
}

function expandTabs(prefix: string): string {
  if (!prefix.includes('\t')) return prefix;
  let line = '';
  for (const char of prefix) line += char === '\t' ? ' '.repeat(4 - (line.length % 4)) : char;
  return line;
}

function skipSpaces(line: string, at: number): number {
  while (line[at] === ' ') at += 1;
  return at;
}

const afterMark = (line: string, at: number) => (line[at + 1] === ' ' ? at + 2 : at + 1);

function isHeading(line: string, at: number, isWhole: boolean): boolean {
  let end = at;
  while (line[end] === '#') end += 1;
  return end > at && end - at <= 6 && (line[end] === ' ' || (isWhole && end === line.length));
}

const isRunOf = (char: string, text: string) => text !== '' && text === char.repeat(text.length);

function isRule(rest: string): boolean {
  const marks = rest.replaceAll(' ', '');
  return marks.length >= 3 && '*-_'.includes(marks[0]!) && isRunOf(marks[0]!, marks);
}

/** Returns the list mark at `at` with its width up to the text of the item. A blank or the end of the line must follow. */
function listMark(line: string, at: number, isWhole: boolean): { width: number; isEmpty: boolean; canInterrupt: boolean } | undefined {
  let end = at;
  while (end - at < 9 && line[end]! >= '0' && line[end]! <= '9') end += 1;
  const isNumber = end > at;
  if (!(isNumber ? '.)' : '*+-').includes(line[end] ?? ' ')) return undefined;
  const canInterrupt = !isNumber || Number(line.slice(at, end)) === 1;
  end += 1;
  const content = skipSpaces(line, end);
  const isEmpty = isWhole && content === line.length;
  if (content === end && !isEmpty) return undefined;
  // If five or more blanks follow, only one belongs to the mark. The rest is code by indentation.
  const width = isEmpty || content - end > 4 ? end - at + 1 : content - at;
  return { width, isEmpty, canInterrupt };
}
