/** Works out, from settings and messages, who owns the memory, which store it uses, and which messages are read. */
import type { MemoryItem, MemoryStore } from '../../model/memory.js';
import { asSentence, readItems } from '../../memory/items.js';
import type { SaidLine } from '../../memory/summary-notes.js';
import { inMemoryStore, lastingMemoryStore, sessionMemoryStore } from '../../memory/stores.js';
import type { ChatMessage } from '../../model/messages.js';
import { own } from '../../base/objects.js';
import type { Settings } from '../options/settings.js';
import { untrustedMessageIds } from '../chart/untrusted-content.js';
import type { ConversationContext } from '../chart/chart-context.js';

/** The number of messages after which a summary is due. The page may set another number. */
const SUMMARY_EVERY = 10;

/** The order in which kinds are included if there is room for more than the items that match the question. */
export const ranks: readonly MemoryItem['kind'][] = ['slot', 'entity', 'preference', 'fact', 'summary'];

/** The maximum number of slots that a page may set. */
const SLOTS = 100;

export const isSlot = ({ kind }: MemoryItem) => kind === 'slot';
export const isUserOrAssistant = ({ role }: ChatMessage) => role === 'user' || role === 'assistant';
export const summaryId = (sessionId: string, until: string) => `summary ${sessionId} ${until}`;
export const languageOf = ({ promptOptions, lang }: Settings) => promptOptions.lang ?? lang;

export function periodOf({ memoryOptions: { summaryEvery } }: Settings): number {
  return typeof summaryEvery === 'number' && summaryEvery >= 1 ? summaryEvery : SUMMARY_EVERY;
}

/** The number of best matches of a question that count as used. */
const USED = 5;

/** Milliseconds before an item is marked as used again. Names are part of most requests, so once a day is enough for them. */
const USED_AGAIN_MS = 60_000;
const NAME_USED_AGAIN_MS = 24 * 60 * USED_AGAIN_MS;

/** Returns the items to mark as used: the best matches, and names, which must not expire while the user keeps chatting. */
export function usedBy(fitting: readonly MemoryItem[], all: readonly MemoryItem[]): MemoryItem[] {
  const now = Date.now();
  const best = fitting.slice(0, USED);
  return all.filter((item) =>
    item.kind === 'entity'
      ? now - item.usedAt > NAME_USED_AGAIN_MS
      : now - item.usedAt > USED_AGAIN_MS && best.some(({ id }) => id === item.id),
  );
}

/** Updates `usedAt`. Does not bring back items that were forgotten in the meantime. */
export async function noteUse(store: MemoryStore, used: readonly MemoryItem[]): Promise<void> {
  const now = Date.now();
  const there = new Set(readItems(await store.list()).map(({ id }) => id));
  for (const item of used) if (there.has(item.id)) await store.put({ ...item, usedAt: now });
}

/** Returns the slots that the page has set, as sentences. */
export function slotSentences({ memoryOptions: { slots = {} } }: Settings): string[] {
  return Object.entries(slots)
    .slice(0, SLOTS)
    .flatMap(([name, value]) => (typeof value === 'string' && value.trim() ? [asSentence(`${name}: ${value}`)] : []));
}

/** Returns the store to use if the host sets none. */
export function defaultStore(settings: Settings): MemoryStore {
  const owner = ownerOf(settings);
  if (settings.storage === 'indexeddb' && 'indexedDB' in globalThis) return lastingMemoryStore(owner);
  if (settings.storage === 'session' && 'sessionStorage' in globalThis) return sessionMemoryStore(owner);
  return inMemoryStore();
}

/**
 * Returns the owner of the memory, from the page's `context.user`; empty if it is not set, and then the browser's users share one memory.
 */
export function ownerOf({ context }: Settings): string {
  const user = own(context, 'user');
  const name = typeof user === 'object' ? (own(user, 'id') ?? own(user, 'email') ?? own(user, 'name')) : user;
  return typeof name === 'string' || typeof name === 'number' ? String(name).slice(0, 200) : '';
}

/**
 * Returns what the user typed since `since`, only from turns without untrusted content and without answers to the model's questions. Tool
 * descriptions do not count as untrusted content here; otherwise a connected server would stop this memory.
 */
export function ownWords(
  fresh: readonly ChatMessage[],
  { messages, calls, parts }: Pick<ConversationContext, 'messages' | 'calls' | 'parts'>,
  since: number,
): SaidLine[] {
  const foreign = untrustedMessageIds({ messages, calls }, 'no descriptions');
  const told = new Set(fresh.map(({ id }) => id));
  let asked = false;
  // An answer may be the first of these messages, and its question comes before it, so all turns are read.
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

/** Splits messages into turns. Each begins with a user message. */
function turnsIn(messages: readonly ChatMessage[]): ChatMessage[][] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' || turns.length === 0) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

/** Returns the lines of these messages for the summarizer. From turns with untrusted content it takes only what the user typed. */
export function linesOf(
  fresh: readonly ChatMessage[],
  { messages, calls, parts }: Pick<ConversationContext, 'messages' | 'calls' | 'parts'>,
): SaidLine[] {
  const foreign = untrustedMessageIds({ messages, calls }, 'descriptions');
  const told = new Set(fresh.map(({ id }) => id));
  const lines: SaidLine[] = [];
  let offered = false;
  // An answer may be the first of these messages, and its question comes before it, so all turns are read.
  for (const turn of turnsIn(messages)) {
    const tainted = turn.some(({ id }) => foreign.has(id));
    for (const { id, role, text, metadata } of turn) {
      if (!told.has(id)) continue;
      // An answer to the model's questions repeats the model's text.
      if (role === 'user' && !metadata.imported && !offered) lines.push({ role, text });
      else if (tainted || role === 'user') continue;
      else if (role === 'assistant') lines.push({ role, text });
      else if (metadata.toolCall) lines.push({ role, text: `${metadata.toolCall.toolName}: ${metadata.toolCall.status}` });
    }
    offered = tainted && turn.some(({ id }) => parts[id]?.some(({ type }) => type === 'clarify'));
  }
  return lines.filter(({ text }) => text.trim() !== '');
}
