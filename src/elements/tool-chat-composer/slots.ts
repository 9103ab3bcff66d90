/** Helpers for templates with placeholders: `Translate {text} into {language}`. */

/** Longest name of a placeholder, in UTF-16 units. */
const MAX_SLOT_LENGTH = 40;

type Field = Pick<HTMLTextAreaElement, 'value' | 'selectionStart' | 'selectionEnd' | 'setSelectionRange' | 'setRangeText'>;

/** Inserts the text at the cursor and selects its first placeholder. Without one, the cursor is after the text. */
export function insertTemplate(field: Field & { focus(): void }, text: string): void {
  const start = field.selectionStart;
  field.focus();
  field.setRangeText(text, start, field.selectionEnd, 'end');
  const slot = slotsOf(text)[0];
  if (slot) field.setSelectionRange(start + slot.start, start + slot.end);
}

/**
 * Selects the next placeholder after the cursor, or the previous one.
 * @returns false if there is none
 */
export function nextSlot(field: Field, back = false): boolean {
  const slots = slotsOf(field.value);
  const next = back
    ? slots.findLast(({ end, start }) => end <= field.selectionStart && start < field.selectionStart)
    : slots.find(({ start }) => start >= field.selectionEnd);
  if (next) field.setSelectionRange(next.start, next.end);
  return next !== undefined;
}

/** Returns the positions of all placeholders: `{name}` on one line. */
export function slotsOf(text: string): { start: number; end: number }[] {
  const slots: { start: number; end: number }[] = [];
  let start = -1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') start = at;
    else if (character === '\n' || at - start > MAX_SLOT_LENGTH) start = -1;
    else if (character === '}' && start >= 0) {
      if (at > start + 1) slots.push({ start, end: at + 1 });
      start = -1;
    }
  }
  return slots;
}
