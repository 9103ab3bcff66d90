/** Writes the request for a profile from the user's own messages, and parses the answer. */
import { cutText } from '../base/cut-text.js';
import { isObject, own } from '../base/objects.js';
import { parseTolerant } from '../protocols/json/tolerant.js';
import { asSentence, holdsSecret } from './items.js';
import { memoryTextsFor } from './memory-texts.js';
import { ANSWER_CHARS, tellLines, type SaidLine } from './summary-notes.js';

const FIELDS = 10;
const NAME_CHARS = 60;
const VALUE_CHARS = 200;

export function askForProfile(lines: readonly SaidLine[], lang: string): { system: string; text: string } {
  return { system: memoryTextsFor(lang).keepProfile, text: tellLines(lines).join('\n') };
}

/** Parses the answer; empty if it contains no profile. */
export function readProfile(answer: string): { name: string; text: string }[] {
  const text = cutText(answer, ANSWER_CHARS);
  const start = text.indexOf('{', Math.max(0, text.lastIndexOf('</think>')));
  const end = text.lastIndexOf('}');
  const profile: unknown = end > start && start >= 0 ? own(parseTolerant(text.slice(start, end + 1)).value, 'profile') : undefined;
  if (!isObject(profile)) return [];
  return Object.entries(profile)
    .slice(0, FIELDS)
    .flatMap(([key, value]) => {
      const name = asSentence(key, NAME_CHARS);
      const said = typeof value === 'string' || typeof value === 'number' ? asSentence(String(value), VALUE_CHARS) : '';
      const sentence = `${name}: ${said}`;
      return name && said && !holdsSecret(sentence) ? [{ name, text: sentence }] : [];
    });
}
