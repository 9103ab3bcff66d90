/** Validates and normalizes memory items from any source: bounded, one sentence each. */
import type { MemoryItem, MemoryKind } from '../model/memory.js';
import { cutText } from '../base/cut-text.js';
import { redactText } from '../base/redact.js';
import { list, number, oneOf, optional, read, object, text } from '../base/checks.js';

/** The maximum length of an item in UTF-16 units; a summary has three sentences. */
export const ITEM_CHARS = 2_000;

/** The limit is larger than the dimension of any embedding in use. */
const VECTOR_MAX = 8_192;
const ID_CHARS = 400;

const item = object<MemoryItem>({
  id: text(ID_CHARS),
  kind: oneOf('fact', 'preference', 'entity', 'slot', 'summary'),
  text: text(ITEM_CHARS),
  vector: optional(list(number, VECTOR_MAX)),
  createdAt: number,
  usedAt: number,
});

/** Returns a copy of an item from an adapter or a database, or undefined if it is invalid. */
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
 * Returns an id from the item's text without case, width, blanks and punctuation, so that the same fact is stored once. The id of an entity
 * contains only its name, so that a new value replaces the old one.
 */
export function itemId(kind: MemoryKind, said: string): string {
  const plain = said
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\p{C}\p{S}]+/gu, '');
  return `${kind} ${plain || said}`.slice(0, ID_CHARS);
}

/** Returns one line without control characters, cut to the length of an item. */
export function asSentence(said: string, max = ITEM_CHARS): string {
  return cutText(
    cutText(said, 2 * max)
      .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
      .trim(),
    max,
  );
}

/** Checks whether a text contains keys, tokens or passwords, which must not be remembered. */
export function holdsSecret(said: string): boolean {
  const redacted = redactText(said);
  return redacted !== said && /\[(?:key|token|hidden)\]/.test(redacted);
}
