/**
 * What is remembered, as a section at the end of the system prompt: after what the host says and before the messages, so that no call is
 * parted from its result. It is quoted as data: one line an item, nothing in it can be a call, an envelope or its end.
 */
import type { MemoryItem } from '../model/memory.js';
import { isObject } from '../base/objects.js';
import { neutralise } from '../protocols/neutralise.js';
import { asSentence } from './items.js';
import { memoryTextsFor } from './memory-texts.js';

export interface Recalled {
  /** Of this conversation, as it was written down; may have several lines. */
  summary?: string | undefined;
  /** Kept in every request, whatever they cost. */
  slots: readonly string[];
  /** The most fitting first. */
  items: readonly Pick<MemoryItem, 'kind' | 'text'>[];
}

export interface RecallWords {
  lang: string;
  /**
   * Estimated tokens that summary, slots and items may use; items are left out before the others, but for entities, which have half of the
   * tokens to themselves.
   */
  tokens: number;
  estimate(text: string): number;
}

/** Of the tokens: names and their values have them for themselves, whatever else fits the question. */
const ENTITY_SHARE = 0.5;
const isEntity = ({ kind }: Pick<MemoryItem, 'kind'>) => kind === 'entity';

/** Empty where nothing is remembered. */
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
      // A long one that does not fit leaves room for shorter ones.
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

/** The host's `context.profile`: language, format and the like, as far as they are plain values, and what was learnt. Empty where there is none. */
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

/** One line that holds no mark of a notation and cannot close our envelope. */
function harmless(text: string): string {
  return neutralise(asSentence(text)).replace(/<(?=\/?memory\b)/gi, '&lt;');
}
