/**
 * Footnotes and sources: `[^1]` in the text, and `[^1]: …` at the start of a line. While a reply grows, each mark shows its name. When it
 * is complete, marks are numbered in the order of the text, and a list of their notes follows. Marks without a note stay as written.
 */
import { make } from './dom.js';
import { normalizeLabel } from './inline-scan.js';
import { lazyStyles } from './lazy-styles.js';
import { textsFor } from './lazy-labels.js';
import type { MarkdownContext } from './render-context.js';

/** The name of a mark, as written. */
const originalLabels = new WeakMap<Element, string>();

interface Note {
  number: number;
  content: readonly Node[];
  marks: HTMLButtonElement[];
}

/** @param element a mark, or the whole of an answer that is complete */
export function finish(element: HTMLElement, context: MarkdownContext): void {
  lazyStyles.adopt(element);
  if (element.className === 'note') return showName(element);
  const marks = [...element.querySelectorAll<HTMLElement>('.note')];
  marks.forEach(showName);
  const notes = takeNotes(element);
  const used = new Map<string, Note>();
  for (const mark of marks) {
    if (!element.contains(mark)) continue; // it starts a note
    const label = labelOf(mark);
    const note = notes.get(label);
    if (!note) {
      mark.replaceWith(originalLabels.get(mark) ?? '');
      continue;
    }
    used.set(label, note);
    note.number ||= used.size;
    note.marks.push(makeMark(mark, context, note.number));
  }
  for (const [label, note] of notes) used.set(label, note); // notes without a mark in the text come last
  if (used.size > 0) element.append(makeList([...used.values()], context));
}

function showName(mark: HTMLElement): void {
  if (originalLabels.has(mark)) return;
  originalLabels.set(mark, mark.textContent);
  mark.textContent = mark.textContent.slice(2, -1);
}

const labelOf = (mark: Element): string => normalizeLabel((originalLabels.get(mark) ?? '').slice(1, -1));

/** Removes the notes from the text. If two have the same name, the first counts. */
function takeNotes(element: HTMLElement): Map<string, Note> {
  const notes = new Map<string, Note>();
  const add = (label: string, content: readonly ChildNode[]) => {
    if (!notes.has(label)) notes.set(label, { number: 0, content, marks: [] });
  };
  for (const paragraph of element.querySelectorAll('.group > p')) {
    let label = '';
    let content: ChildNode[] = [];
    for (const child of [...paragraph.childNodes]) {
      if (beginsNote(child)) {
        if (label !== '') add(label, content);
        label = labelOf(child);
        content = [];
      } else if (label !== '') content.push(child);
    }
    if (label === '') continue;
    add(label, content);
    // Content before the first note stays.
    const first = [...paragraph.childNodes].findIndex(beginsNote);
    for (const child of [...paragraph.childNodes].slice(first)) child.remove();
    trimEnd(paragraph.lastChild);
    if (!paragraph.hasChildNodes()) paragraph.remove();
  }
  return notes;
}

/** Matches a mark at the start of a line, followed by a colon. */
function beginsNote(child: ChildNode): child is HTMLElement {
  if (!(child instanceof HTMLElement) || child.className !== 'note') return false;
  const { previousSibling, nextSibling } = child;
  if (!(nextSibling?.textContent ?? '').startsWith(':')) return false;
  return previousSibling === null || previousSibling.nodeName === 'BR' || /\n\s*$/.test(previousSibling.textContent ?? '');
}

function trimEnd(last: ChildNode | null | undefined): void {
  if (last instanceof Text) last.data = last.data.trimEnd();
}

function makeMark(mark: HTMLElement, context: MarkdownContext, number: number): HTMLButtonElement {
  const button = make(context.document, 'button', 'note-mark');
  button.type = 'button';
  button.textContent = String(number);
  button.ariaLabel = textsFor(context).sourceNumber(number);
  mark.replaceWith(button);
  return button;
}

function makeList(notes: readonly Note[], context: MarkdownContext): HTMLElement {
  const { document } = context;
  const texts = textsFor(context);
  const group = make(document, 'div', 'group notes');
  const title = make(document, 'p', 'notes-title');
  const list = make(document, 'ol');
  for (const { content, marks } of notes) {
    const item = make(document, 'li');
    item.tabIndex = -1;
    item.append(...content);
    trimEnd(item.lastChild);
    const { firstChild } = item;
    if (firstChild instanceof Text && firstChild.data.startsWith(':')) firstChild.data = firstChild.data.slice(1).trimStart();
    for (const mark of marks) mark.addEventListener('click', () => item.focus());
    const [first] = marks;
    if (first) {
      const back = make(document, 'button', 'note-back');
      back.type = 'button';
      back.textContent = '↩';
      back.ariaLabel = back.title = texts.backToText;
      back.addEventListener('click', () => first.focus());
      item.append(' ', back);
    }
    list.append(item);
  }
  title.textContent = [...list.children].every((item) => item.querySelector('a')) ? texts.sources : texts.notes;
  group.append(title, list);
  return group;
}
