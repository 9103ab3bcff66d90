/** Works out, from settings and messages, whose memory it is, where it is kept and what is looked at. */
import type { MemoryItem, MemoryStore } from '../../model/memory.js';
import { asSentence, readItems } from '../../memory/items.js';
import type { SaidLine } from '../../memory/summary-notes.js';
import { inMemoryStore, lastingMemoryStore, sessionMemoryStore } from '../../memory/stores.js';
import type { ChatMessage } from '../../model/messages.js';
import { own } from '../../base/objects.js';
import type { Settings } from '../options/settings.js';
import { foreignMessages } from '../chart/taint.js';
import type { ConversationContext } from '../chart/chart-context.js';

/** Messages after which a summary is due, unless the page sets another number. */
const SUMMARY_EVERY = 10;

/** What is told first when there is room for more than what fits the question. */
export const ranks: readonly MemoryItem['kind'][] = ['slot', 'entity', 'preference', 'fact', 'summary'];

/** Of slots and their names; whoever writes the page knows them all. */
const SLOTS = 100;

export const isSlot = ({ kind }: MemoryItem) => kind === 'slot';
export const isSaid = ({ role }: ChatMessage) => role === 'user' || role === 'assistant';
export const summaryId = (sessionId: string, until: string) => `summary ${sessionId} ${until}`;
export const languageOf = ({ promptOptions, lang }: Settings) => promptOptions.lang ?? lang;

export function periodOf({ memoryOptions: { summaryEvery } }: Settings): number {
  return typeof summaryEvery === 'number' && summaryEvery >= 1 ? summaryEvery : SUMMARY_EVERY;
}

/** Of what fits a question, the items that count as used by it. */
const USED = 5;

/** Milliseconds within which an item is not marked as used again; a name is told with most requests, so that once a day will do. */
const USED_AGAIN_MS = 60_000;
const NAME_USED_AGAIN_MS = 24 * 60 * USED_AGAIN_MS;

/** What is to be marked as used: what fits best, and names, which do not grow old while the person talks. */
export function usedBy(fitting: readonly MemoryItem[], all: readonly MemoryItem[]): MemoryItem[] {
  const now = Date.now();
  const best = fitting.slice(0, USED);
  return all.filter((item) =>
    item.kind === 'entity'
      ? now - item.usedAt > NAME_USED_AGAIN_MS
      : now - item.usedAt > USED_AGAIN_MS && best.some(({ id }) => id === item.id),
  );
}

/** What was forgotten in the meantime does not come back by this. */
export async function noteUse(store: MemoryStore, used: readonly MemoryItem[]): Promise<void> {
  const now = Date.now();
  const there = new Set(readItems(await store.list()).map(({ id }) => id));
  for (const item of used) if (there.has(item.id)) await store.put({ ...item, usedAt: now });
}

/** What the page has set, as sentences. */
export function slotSentences({ memoryOptions: { slots = {} } }: Settings): string[] {
  return Object.entries(slots)
    .slice(0, SLOTS)
    .flatMap(([name, value]) => (typeof value === 'string' && value.trim() ? [asSentence(`${name}: ${value}`)] : []));
}

/** Where the host has given none. */
export function defaultStore(settings: Settings): MemoryStore {
  const owner = ownerOf(settings);
  if (settings.storage === 'indexeddb' && 'indexedDB' in globalThis) return lastingMemoryStore(owner);
  if (settings.storage === 'session' && 'sessionStorage' in globalThis) return sessionMemoryStore(owner);
  return inMemoryStore();
}

/** Whose memory it is, as the page's `context.user` tells; where it tells nothing, the browser's. */
export function ownerOf({ context }: Settings): string {
  const user = own(context, 'user');
  const name = typeof user === 'object' ? (own(user, 'id') ?? own(user, 'email') ?? own(user, 'name')) : user;
  return typeof name === 'string' || typeof name === 'number' ? String(name).slice(0, 200) : '';
}

/**
 * What the person has typed since then in turns that outside content had no part in; answers to questions of the model are not it. What a
 * service says of its tools is no part of what was typed: else a connected server would end this memory.
 */
export function ownWords(
  fresh: readonly ChatMessage[],
  { messages, calls, parts }: Pick<ConversationContext, 'messages' | 'calls' | 'parts'>,
  since: number,
): SaidLine[] {
  const foreign = foreignMessages({ messages, calls }, 'no descriptions');
  const told = new Set(fresh.map(({ id }) => id));
  let asked = false;
  // The questions that the first of them answers may stand before it.
  return turnsIn(messages).flatMap((turn) => {
    const isAnswer = asked;
    asked = turn.some(({ id }) => parts[id]?.some(({ type }) => type === 'clarify'));
    if (isAnswer || turn.some(({ id }) => foreign.has(id))) return [];
    return turn
      .filter(({ id }) => told.has(id))
      .filter(({ role, text, metadata, createdAt }) => role === 'user' && !metadata.imported && createdAt >= since && text.trim() !== '')
      .map(({ role, text }) => ({ role, text }));
  });
}

/** Each begins with what a person said. */
function turnsIn(messages: readonly ChatMessage[]): ChatMessage[][] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' || turns.length === 0) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

/**
 * What the summarizer is told of these messages, the last ones of all. Of turns that untrusted content had a part in, only what the person has
 * typed.
 */
export function linesOf(
  fresh: readonly ChatMessage[],
  { messages, calls, parts }: Pick<ConversationContext, 'messages' | 'calls' | 'parts'>,
): SaidLine[] {
  const foreign = foreignMessages({ messages, calls }, 'descriptions');
  const told = new Set(fresh.map(({ id }) => id));
  const lines: SaidLine[] = [];
  let offered = false;
  // The questions that the first of them answers may stand before it.
  for (const turn of turnsIn(messages)) {
    const tainted = turn.some(({ id }) => foreign.has(id));
    for (const { id, role, text, metadata } of turn) {
      if (!told.has(id)) continue;
      // An answer to questions of the model is made of its words.
      if (role === 'user' && !metadata.imported && !offered) lines.push({ role, text });
      else if (tainted || role === 'user') continue;
      else if (role === 'assistant') lines.push({ role, text });
      else if (metadata.toolCall) lines.push({ role, text: `${metadata.toolCall.toolName}: ${metadata.toolCall.status}` });
    }
    offered = tainted && turn.some(({ id }) => parts[id]?.some(({ type }) => type === 'clarify'));
  }
  return lines.filter(({ text }) => text.trim() !== '');
}
