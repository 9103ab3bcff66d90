/** Helpers for toolkits that read descriptions of external tools: valid names, short descriptions, and labels. */
import { cutText } from '../base/cut-text.js';

/** Maximum length of a tool's name. */
const NAME_CHARS = 64;

/** Built-in names that an external tool must not have. */
const RESERVED = new Set(['describe_tool', 'task_plan', 'clarify']);

/**
 * Converts to snake case: `listPets`, `repos/list-for-org`, `V1.Users` → `list_pets`, `repos_list_for_org`, `v1_users`. Returns '' if
 * nothing is left.
 */
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

/** The used names, each with the number that the next tool of that name gets. */
export type TakenNames = Map<string, number>;

/** Returns an unused name and marks it as used. A name that is too long is cut at a word; a repeated one gets a number. */
export function uniqueName(wanted: string, taken: TakenNames): string {
  const fits = (name: string, room: number) => {
    if (name.length <= room) return name;
    const cut = name.slice(0, room);
    const border = cut.lastIndexOf('_');
    return trim(border > room / 2 ? cut.slice(0, border) : cut, '_');
  };
  const whole = fits(wanted || 'tool', NAME_CHARS);
  let name = whole;
  // Counting continues from the last number, because a document may give one name to thousands of operations.
  for (let count = taken.get(whole) ?? 2; taken.has(name) || RESERVED.has(name); count += 1) {
    name = `${fits(wanted || 'tool', NAME_CHARS - 5)}_${String(count)}`;
    taken.set(whole, count + 1);
  }
  if (!taken.has(name)) taken.set(name, 2);
  return name;
}

/** Returns the first paragraph of a text on one line, without HTML tags, links and emphasis. */
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

/** Returns as many sentences of the first paragraph as fit. If the first one is too long, it is cut at a word. */
export function someSentences(text: unknown, chars: number): string {
  const plain = firstParagraph(text) ?? '';
  if (plain.length <= chars) return plain;
  const ends = [...plain.slice(0, chars).matchAll(/[.!?](?= [A-Z])|[。！？]/g)];
  return ends.length > 0 && ends.at(-1)!.index > chars / 3 ? plain.slice(0, ends.at(-1)!.index + 1) : shorter(plain, chars);
}

/** Returns the first sentence of a text, cut at a word if it is too long. */
export function oneSentence(text: unknown, chars = 200): string {
  const plain = firstParagraph(text);
  if (!plain) return '';
  const end = /[.!?](?= [A-Z])|[。！？]/.exec(plain);
  // The period of `e.g. X` does not end a sentence.
  const sentence = end && end.index > 15 && !/\b(?:e\.g|i\.e|etc)$/.test(plain.slice(0, end.index)) ? plain.slice(0, end.index + 1) : plain;
  return shorter(sentence, chars);
}

/** Cuts a text to at most `chars` UTF-16 units at a word, with an ellipsis. */
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
