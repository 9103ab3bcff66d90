/** What every toolkit does with the words of others: names that can be registered, one sentence for a description, a short label for people. */
import { cutText } from '../base/cut-text.js';

/** So long may the name of a tool be. */
const NAME_CHARS = 64;

/** Names of ours that no tool of others may take. */
const RESERVED = new Set(['describe_tool', 'task_plan', 'clarify']);

/** `listPets`, `repos/list-for-org`, `V1.Users` → `list_pets`, `repos_list_for_org`, `v1_users`; empty where nothing is left. */
export function snakeCase(text: string): string {
  const words = text
    .slice(0, 500)
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1_')
    .replace(/([A-Z])(?=[A-Z][a-z]{2})/g, '$1_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  const name = trim(words, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Names, each with the number that a second tool of that name begins to count with. */
export type TakenNames = Map<string, number>;

/** A name that is not taken yet, and takes it: too long a one ends with a whole word, a second one with a number. */
export function takeName(wanted: string, taken: TakenNames): string {
  const fits = (name: string, room: number) => {
    if (name.length <= room) return name;
    const cut = name.slice(0, room);
    const border = cut.lastIndexOf('_');
    return trim(border > room / 2 ? cut.slice(0, border) : cut, '_');
  };
  const whole = fits(wanted || 'tool', NAME_CHARS);
  let name = whole;
  // Counting goes on where it stopped: a document may give one name to thousands of operations.
  for (let count = taken.get(whole) ?? 2; taken.has(name) || RESERVED.has(name); count += 1) {
    name = `${fits(wanted || 'tool', NAME_CHARS - 5)}_${String(count)}`;
    taken.set(whole, count + 1);
  }
  if (!taken.has(name)) taken.set(name, 2);
  return name;
}

/** The first paragraph of a text, on one line, without links and emphasis of Markdown. */
function firstParagraph(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return text
    .slice(0, 2000)
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/\[([^[\]]{0,300})\]\([^()]{0,500}\)/g, '$1')
    .replace(/[*`]+/g, '')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .find((paragraph) => paragraph && !paragraph.startsWith('#'));
}

/** As many sentences of the first paragraph as fit; cut at a word where the first one is longer. */
export function someSentences(text: unknown, chars: number): string {
  const plain = firstParagraph(text) ?? '';
  if (plain.length <= chars) return plain;
  const ends = [...plain.slice(0, chars).matchAll(/[.!?](?= [A-Z])|[。！？]/g)];
  return ends.length > 0 && ends.at(-1)!.index > chars / 3 ? plain.slice(0, ends.at(-1)!.index + 1) : shorter(plain, chars);
}

/** The first sentence of a text; cut at a word where it is longer. */
export function oneSentence(text: unknown, chars = 200): string {
  const plain = firstParagraph(text);
  if (!plain) return '';
  const end = /[.!?](?= [A-Z])|[。！？]/.exec(plain);
  // `e.g. X` ends no sentence.
  const sentence = end && end.index > 15 && !/\b(?:e\.g|i\.e|etc)$/.test(plain.slice(0, end.index)) ? plain.slice(0, end.index + 1) : plain;
  return shorter(sentence, chars);
}

/** At most so many UTF-16 units, cut at a word, with a sign that it was cut. */
export function shorter(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = cutText(text, chars - 1);
  const blank = cut.lastIndexOf(' ');
  return `${(blank > chars / 2 ? cut.slice(0, blank) : cut).replace(/[\s,;:]+$/, '')}…`;
}

function trim(text: string, sign: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === sign) start += 1;
  while (end > start && text[end - 1] === sign) end -= 1;
  return text.slice(start, end);
}
