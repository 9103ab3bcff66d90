/** What may be remembered: read from anywhere, bounded, one sentence each. */
import type { MemoryItem, MemoryKind } from '../model/memory.js';
import { cutText } from '../base/cut-text.js';
import { redactText } from '../base/redact.js';
import { list, number, oneOf, optional, read, shape, text } from '../base/checks.js';

/** UTF-16 units of one item; a summary has three sentences. */
export const ITEM_CHARS = 2_000;

/** More dimensions than any embedding in use. */
const VECTOR_MAX = 8_192;
const ID_CHARS = 400;

const item = shape<MemoryItem>({
  id: text(ID_CHARS),
  kind: oneOf('fact', 'preference', 'entity', 'slot', 'summary'),
  text: text(ITEM_CHARS),
  vector: optional(list(number, VECTOR_MAX)),
  createdAt: number,
  usedAt: number,
});

/** A copy of what an adapter or a database gave, or undefined where it is no item. */
export function readItem(value: unknown): MemoryItem | undefined {
  try {
    const found = read(item, value);
    return found.id && found.text.trim() ? found : undefined;
  } catch {
    return undefined;
  }
}

export function readItems(values: unknown): MemoryItem[] {
  return Array.isArray(values) ? values.flatMap((value) => readItem(value) ?? []) : [];
}

/**
 * The same thing said twice is one item: its id is what it says, without case, width, blanks and punctuation. Of an entity it is the name
 * alone, so that a new value takes the place of the old one.
 */
export function itemId(kind: MemoryKind, said: string): string {
  const plain = said
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\p{C}\p{S}]+/gu, '');
  return `${kind} ${plain || said}`.slice(0, ID_CHARS);
}

/** One line without control characters, and not longer than an item may be. */
export function asSentence(said: string, max = ITEM_CHARS): string {
  return cutText(
    cutText(said, 2 * max)
      .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
      .trim(),
    max,
  );
}

/** Keys, tokens and passwords are not remembered. */
export function holdsSecret(said: string): boolean {
  const redacted = redactText(said);
  return redacted !== said && /\[(?:key|token|hidden)\]/.test(redacted);
}
