/** Writes the request for a summary and parses the answer: notes of a conversation, and findings that are worth remembering. */
import type { MemoryKind, Summary } from '../model/memory.js';
import { isObject, own } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { parseTolerant } from '../protocols/json/tolerant.js';
import { neutralise } from '../protocols/neutralize.js';
import { asSentence, holdsSecret } from './items.js';
import { memoryTextsFor } from './memory-texts.js';

export interface SaidLine {
  role: string;
  text: string;
}

export interface SummaryFinding {
  kind: Extract<MemoryKind, 'fact' | 'preference' | 'entity'>;
  /** The text that identifies the finding; for an entity, its name. */
  key: string;
  text: string;
}

export interface SummaryNotes {
  summary: Summary;
  findings: SummaryFinding[];
}

/** The maximum length of one message, and of all messages together, in UTF-16 units. The newest are kept. */
const LINE_CHARS = 2_000;
const TRANSCRIPT_CHARS = 24_000;
const FIELD_CHARS = 600;
const FINDING_CHARS = 300;

/** The maximum number of findings of one kind in one answer. A model that returns more did not select. */
const FINDINGS = 20;

/** The maximum length of an answer that is parsed, in UTF-16 units. */
export const ANSWER_CHARS = 65_536;

/**
 * Returns the system prompt and the only message of the request. The conversation is data: one JSON object per line, with call marks
 * neutralized.
 */
export function askForNotes(
  lines: readonly SaidLine[],
  { soFar, known, lang }: { soFar: string; known: readonly string[]; lang: string },
): { system: string; text: string } {
  const texts = memoryTextsFor(lang);
  const before = [
    soFar && JSON.stringify({ [texts.notesSoFar]: neutralise(soFar) }),
    known.length > 0 && JSON.stringify({ [texts.alreadyKnown]: known.map(neutralise) }),
  ];
  return { system: texts.keepNotes, text: [...before, ...tellLines(lines)].filter(Boolean).join('\n') };
}

/** Returns the newest lines that fit. */
function tellLines(lines: readonly SaidLine[]): string[] {
  const told: string[] = [];
  let room = TRANSCRIPT_CHARS;
  for (const { role, text } of lines.toReversed()) {
    const line = JSON.stringify({ role, text: neutralise(cutText(text, LINE_CHARS)) });
    if ((room -= line.length) < 0) break;
    told.unshift(line);
  }
  return told;
}

/** Parses the text from the first brace to the last, because models often add an introduction and fences. */
export function readSummaryAnswer(answer: string): SummaryNotes | undefined {
  const text = cutText(answer, ANSWER_CHARS);
  const thought = text.lastIndexOf('</think>');
  const start = text.indexOf('{', Math.max(0, thought));
  const end = text.lastIndexOf('}');
  return end > start && start >= 0 ? readNotes(parseTolerant(text.slice(start, end + 1)).value) : undefined;
}

/** Keeps the valid parts and drops the rest; undefined if all three sentences are missing. */
export function readNotes(value: unknown): SummaryNotes | undefined {
  const sentence = (name: string) => {
    const said: unknown = own(value, name);
    return asSentence(Array.isArray(said) ? said.filter(isText).join('; ') : isText(said) ? said : '', FIELD_CHARS);
  };
  const summary: Summary = { goal: sentence('goal'), done: sentence('done'), open: sentence('open') };
  if (!isObject(value) || !(summary.goal || summary.done || summary.open)) return undefined;
  const listed = (name: string, kind: SummaryFinding['kind']) => {
    const said: unknown = own(value, name);
    return (Array.isArray(said) ? said.slice(0, FINDINGS).filter(isText) : []).map((one): SummaryFinding => {
      const text = asSentence(one, FINDING_CHARS);
      return { kind, key: text, text };
    });
  };
  const named: unknown = own(value, 'entities');
  const entities = (isObject(named) ? Object.entries(named).slice(0, FINDINGS) : []).flatMap(([name, said]): SummaryFinding[] => {
    const [key, text] = [
      asSentence(name, FINDING_CHARS),
      isText(said) || typeof said === 'number' ? asSentence(String(said), FINDING_CHARS) : '',
    ];
    return key && text ? [{ kind: 'entity', key, text: `${key}: ${text}` }] : [];
  });
  const findings = [...entities, ...listed('preferences', 'preference'), ...listed('facts', 'fact')];
  return { summary, findings: findings.filter(({ text }) => text !== '' && !holdsSecret(text)) };
}

/** Returns the three sentences, one per line. */
export function writeSummary({ goal, done, open }: Summary, lang: string): string {
  const texts = memoryTextsFor(lang);
  const line = (label: string, text: string) => `${label}${texts.colon}${text || texts.nothing}`;
  return [line(texts.goal, goal), line(texts.done, done), line(texts.open, open)].join('\n');
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Writes the request for a profile from the user's own messages, and parses the answer. */
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
