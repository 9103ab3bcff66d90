/**
 * Writes memory as a section at the end of the system prompt: after the host's text and before the messages, so that no call is separated
 * from its result. It is quoted as data with one line per item, and no item can contain a call or close the envelope.
 */
import type { MemoryItem } from '../model/memory.js';
import { isObject } from '../base/objects.js';
import { neutralise } from '../protocols/neutralize.js';
import { asSentence } from './items.js';
import { memoryTextsFor } from './memory-texts.js';

export interface Recalled {
  /** The stored summary of this conversation; may have several lines. */
  summary?: string | undefined;
  /** Included in every request, whatever they cost. */
  slots: readonly string[];
  /** The best matches first. */
  items: readonly Pick<MemoryItem, 'kind' | 'text'>[];
}

export interface RecallWords {
  lang: string;
  /**
   * The estimated tokens that summary, slots and items may use together. Items are left out before the others, except entities, for which
   * half of the tokens are reserved.
   */
  tokens: number;
  estimate(text: string): number;
}

/** The share of the tokens reserved for entities, however well other items match the question. */
const ENTITY_SHARE = 0.5;
const isEntity = ({ kind }: Pick<MemoryItem, 'kind'>) => kind === 'entity';

/** Returns the section, or an empty text if nothing is remembered. */
export function tellRecalled({ summary = '', slots, items }: Recalled, { lang, tokens, estimate }: RecallWords): string {
  const texts = memoryTextsFor(lang);
  const lines: string[] = [];
  const summaryLines = summary.split('\n').map(harmless).filter(Boolean);
  if (summaryLines.length > 0) lines.push(`${texts.summary}${texts.colon}`.trimEnd(), ...summaryLines);
  lines.push(...slots.map(harmless).filter(Boolean).map(asPoint));
  const fill = (from: Recalled['items'], room: number) => {
    for (const { kind, text } of from) {
      const said = harmless(text);
      const line = asPoint(kind === 'summary' ? `${texts.earlier}${texts.colon}${said}` : said);
      const cost = estimate(line);
      // A long item that does not fit leaves room for shorter ones.
      if (!said || cost > room) continue;
      room -= cost;
      lines.push(line);
    }
  };
  fill(items.filter(isEntity), tokens * ENTITY_SHARE);
  fill(
    items.filter((item) => !isEntity(item)),
    tokens - lines.reduce((sum, line) => sum + estimate(line), 0),
  );
  return lines.length === 0 ? '' : `${texts.remembered}\n<memory>\n${lines.join('\n')}\n</memory>`;
}

/**
 * Returns the host's `context.profile` (language, format and the like, as far as the values are plain) and what was learned; an empty text
 * if there is neither.
 */
export function tellProfile(profile: unknown, lang: string, learnt: readonly string[] = []): string {
  const texts = memoryTextsFor(lang);
  const lines = Object.entries(isObject(profile) ? profile : {})
    .slice(0, PROFILE_FIELDS)
    .flatMap(([name, value]) => {
      const said = plainValue(value);
      return said === '' ? [] : [asPoint(harmless(`${name}${texts.colon}${said}`))];
    });
  lines.push(...learnt.map((said) => asPoint(harmless(said))));
  return lines.length === 0 ? '' : `${texts.profile}\n${lines.join('\n')}`;
}

const PROFILE_FIELDS = 50;

function plainValue(value: unknown): string {
  if (Array.isArray(value)) return value.slice(0, PROFILE_FIELDS).map(plainValue).filter(Boolean).join(', ');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

const asPoint = (line: string) => `- ${line}`;

/** Returns one line that contains no call marks and cannot close our envelope. */
function harmless(text: string): string {
  return neutralise(asSentence(text)).replace(/<(?=\/?memory\b)/gi, '&lt;');
}
