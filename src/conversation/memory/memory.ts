/**
 * Memory in layers: in addition to the last messages there is a summary of the whole conversation, and items that are useful in later
 * conversations. Loaded for `memory="layered"` only. Nothing here can delay or fail a turn beyond its time limits.
 *
 * Untrusted content is never remembered, nor are replies written after it; from such turns only what the user typed is used. So no page or
 * mail that a tool has read, and no imported file, can plant a memory. Of other tools, only the fact that they ran is kept, not their
 * results.
 */
import { load } from '../../base/load.js';
import { own } from '../../base/objects.js';
import { asSentence, itemId, readItems } from '../../memory/items.js';
import { memoryLimits, toEvict } from '../../memory/limits.js';
import { tellProfile, tellRecalled } from '../../memory/recalled-text.js';
import { inMemoryStore } from '../../memory/stores.js';
import { askForNotes, readSummaryAnswer, readNotes, writeSummary, type SaidLine, type SummaryNotes } from '../../memory/summary-notes.js';
import { removeSentence } from '../../memory/remove-sentence.js';
import type { MemoryItem, MemoryStore } from '../../model/memory.js';
import type { ChatMessage } from '../../model/messages.js';
import type { RememberedView } from '../../model/snapshot.js';
import type { ReplyInput } from '../chart/chart-context.js';
import { sendEvent, type Chart, type ConversationServices } from '../chart/services.js';
import { timeLimit } from '../chart/clock.js';
import type { Settings } from '../options/settings.js';
import type { Budget } from '../request/token-budget.js';
import {
  defaultStore,
  isUserOrAssistant,
  isSlot,
  languageOf,
  linesOf,
  noteUse,
  ownerOf,
  periodOf,
  ranks,
  slotSentences,
  summaryId,
  usedBy,
} from './memory-queries.js';
import { createProfile, isAnswer, isOfProfile, profileIn, toRemembered } from './profile.js';
import type { SessionRecords } from './session-records.js';
import { askForText } from './summarize.js';
import { vectorsBy } from './vectors.js';

export type MemoryService = ReturnType<typeof createMemoryService>;

/** Milliseconds that a store may delay a request; `embed` has separate limits. */
const STORE_MS = 3_000;

/** The maximum number of items that a search returns. */
const FOUND = 20;

export interface MemoryParts {
  /** Stores summaries for the session file. */
  records: Pick<SessionRecords, 'addSummary' | 'dropSummaries' | 'rewordSummaries'>;
  /** Summaries use it, too; when it is used up, no more summaries are made. */
  budget: Budget;
}

export function createMemoryService(chart: Chart, services: ConversationServices, { records, budget }: MemoryParts) {
  const { log, wires, setTimer, settings: settingsNow, changed, notices, privacy } = services;
  const context = () => chart.getSnapshot().context;
  let opened: { of: unknown; sessionId: string; store: Promise<MemoryStore> } | undefined;
  /** The items in the store of this key, as of the last read. */
  let read: { of: unknown; items: readonly MemoryItem[] } = { of: undefined, items: [] };
  /** The summary of this conversation. It is valid while the message that it reaches to still exists. */
  let summary: { text: string; until: string } | undefined;
  /** Messages up to this one are not read again, because the user wanted them forgotten. */
  let forgottenUntil: string | undefined;
  const forgotten = new Set<string>();
  let recalled: { turnId: string; text: string } | undefined;
  let running: AbortController | undefined;
  /** The number of new messages when the last attempt failed. */
  let failedAt = 0;

  // Changes to the store run one at a time, so that none overwrites another.
  let last: Promise<unknown> = Promise.resolve();
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work);
    last = next.catch(ignore);
    return next;
  }

  // ——— The store

  /** The keys of opened stores. A page may change the user in place, so a key is made once. */
  const keys = new WeakMap<MemoryStore, unknown>();
  const keyOf = (settings: Settings) => settings.memoryStore ?? JSON.stringify([settings.storage, ownerOf(settings)]);
  /** Returns the items that were read, if they belong to this user. */
  const itemsFor = (settings: Settings) => (read.of === keyOf(settings) ? read.items : []);

  function open(settings: Settings): Promise<MemoryStore> {
    const of = keyOf(settings);
    const { sessionId } = settings;
    if (opened?.of === of && opened.sessionId === sessionId) return opened.store;
    const store = begin(settings, of);
    opened = { of, sessionId, store };
    // A failed store is opened again the next time.
    store.catch(() => (opened = opened?.store === store ? undefined : opened));
    return store;
  }

  async function begin(settings: Settings, of: unknown): Promise<MemoryStore> {
    const { sessionId, memoryStore } = settings;
    summary = undefined;
    recalled = undefined;
    let store: MemoryStore;
    try {
      keys.set((store = memoryStore ?? defaultStore(settings)), of);
      await refresh(store);
    } catch (error) {
      if (memoryStore) throw error;
      log.warn('memory.storage', 'The storage cannot be used; what is remembered lasts as long as the page', {}, { error });
      keys.set((store = inMemoryStore()), of);
      await refresh(store);
    }
    const kept = itemsFor(settings).find(({ id }) => id.startsWith(summaryId(sessionId, '')));
    if (kept) summary = { text: kept.text, until: kept.id.slice(summaryId(sessionId, '').length) };
    return store;
  }

  async function refresh(store: MemoryStore): Promise<void> {
    const items = readItems(await store.list());
    // The page may have named another user meanwhile.
    if (keys.get(store) === keyOf(settingsNow())) read = { of: keys.get(store), items };
    changed();
  }

  async function evict(store: MemoryStore, settings: Settings): Promise<void> {
    const gone = toEvict(readItems(await store.list()), memoryLimits(settings.memoryOptions), Date.now());
    for (const { id } of gone) await store.delete(id);
    if (gone.length > 0) log.info('memory.evicted', 'The least useful of what was remembered made room', { count: gone.length });
  }

  const within = timeLimit(setTimer);
  const vectorOf = vectorsBy(within, log);

  // ——— Before a request

  /** Returns the memory section for the system prompt; empty if there is none. Never rejects. */
  async function recall({ turn, messages }: Pick<ReplyInput, 'turn' | 'messages'>): Promise<string> {
    const { settings } = turn;
    const ofHost: unknown = own(settings.context, 'profile');
    if (settings.memory !== 'layered') return tellProfile(ofHost, languageOf(settings));
    if (recalled?.turnId === turn.id) return recalled.text;
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    let found: readonly MemoryItem[] = [];
    try {
      found = await within(STORE_MS, find(question, settings));
    } catch (error) {
      log.warn('memory.recall', 'What is remembered could not be read; going on without it', {}, { error });
    }
    const { estimateTokens } = await load(() => import('../../prompts/tokens.js'));
    const kept = summaryFor(messages);
    const text = tellRecalled(
      {
        summary: kept?.text,
        slots: [...slotSentences(settings), ...found.filter(isSlot).map(({ text: slot }) => slot)],
        items: found.filter((item) => !isSlot(item)),
      },
      { lang: languageOf(settings), tokens: memoryLimits(settings.memoryOptions).tokens, estimate: estimateTokens },
    );
    profile.offer(itemsFor(settings), settings);
    const all = [tellProfile(ofHost, languageOf(settings), profileIn(itemsFor(settings), settings)), text].filter(Boolean).join('\n\n');
    recalled = { turnId: turn.id, text: all };
    return all;
  }

  /** Returns the items that match the question first, then the other items by kind. */
  async function find(question: string, settings: Settings): Promise<MemoryItem[]> {
    const store = await open(settings);
    const vector = question ? await vectorOf(question, settings) : undefined;
    const [all, hits] = await Promise.all([
      store.list().then(readItems),
      question ? store.search({ text: question, ...(vector && { vector }), limit: FOUND }).then(readItems) : [],
    ]);
    read = { of: keys.get(store), items: all };
    const ours = summaryId(settings.sessionId, '');
    const fitting = hits.filter((item) => !item.id.startsWith(ours) && !isOfProfile(item));
    const used = usedBy(fitting, all);
    if (used.length > 0)
      void inOrder(() => noteUse(store, used)).catch((error: unknown) => {
        log.warn('memory.write', 'What was used could not be noted', {}, { error });
      });
    const seen = new Set(fitting.map(({ id }) => id));
    const rest = all
      .filter((item) => !seen.has(item.id) && item.kind !== 'summary' && !isOfProfile(item))
      .sort((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind) || b.usedAt - a.usedAt || b.createdAt - a.createdAt);
    return [...fitting, ...rest];
  }

  const summaryFor = (messages: readonly ChatMessage[]) =>
    summary && messages.some(({ id }) => id === summary?.until) ? summary : undefined;

  // ——— After a turn

  /** Starts a summary in the background if one is due. */
  function turnEnded(): void {
    const settings = settingsNow();
    if (settings.memory !== 'layered' || running || budget.isUsedUp(settings)) return;
    const { messages, calls, parts } = context();
    const fresh = freshOf(messages);
    const every = periodOf(settings);
    const count = fresh.filter(isUserOrAssistant).length;
    if (count < failedAt) failedAt = 0;
    if (count < failedAt + every) return;
    const until = fresh.at(-1)?.id ?? '';
    const lines = linesOf(fresh, { messages, calls, parts });
    // All of these messages contain untrusted content, so there is nothing to remember.
    if (lines.length === 0) return;
    const { signal } = (running = new AbortController());
    const over = () => {
      if (running?.signal !== signal) return;
      running = undefined;
      sendEvent(chart, { type: 'summary.over' });
    };
    signal.addEventListener('abort', () => {
      failedAt = count;
      over();
    });
    sendEvent(chart, { type: 'summary.begun' });
    void summarise(lines, until, settings, signal)
      .then(() => profile.learn(fresh, itemsFor(settings), settings, signal))
      .then(
        () => (failedAt = 0),
        (error: unknown) => {
          if (signal.aborted) return;
          failedAt = count;
          log.warn('memory.summary', 'No summary this time; the chat goes on without it', {}, { error });
        },
      )
      .finally(over);
  }

  /** Returns the finished messages since the last summary. */
  function freshOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    const until = Math.max(
      messages.findIndex(({ id }) => id === summary?.until),
      messages.findIndex(({ id }) => id === forgottenUntil),
    );
    return messages.slice(until + 1).filter(({ status }) => status.type !== 'running');
  }

  async function summarise(lines: readonly SaidLine[], until: string, settings: Settings, signal: AbortSignal): Promise<void> {
    const store = await open(settings);
    const notes = await takeNotes(lines, settings, signal);
    if (!notes) throw new Error('The answer holds no goal, done and open.');
    await inOrder(async () => {
      signal.throwIfAborted();
      await keep(store, notes, until, settings);
    });
  }

  async function takeNotes(lines: readonly SaidLine[], settings: Settings, signal: AbortSignal): Promise<SummaryNotes | undefined> {
    const { summarise: own } = settings.memoryOptions;
    if (own)
      return privacy.detokenize(
        readNotes(await within(settings.requestTimeout || SUMMARY_MS, Promise.resolve(own(lines.map((line) => ({ ...line })))))),
      );
    const request = askForNotes(lines, {
      soFar: summaryFor(context().messages)?.text ?? '',
      known: itemsFor(settings)
        .flatMap((item) => (item.kind === 'summary' || isOfProfile(item) ? [] : [item.text]))
        .slice(-KNOWN),
      lang: languageOf(settings),
    });
    return privacy.detokenize(readSummaryAnswer(await askForText(request, settings, { wires, setTimer, budget }, signal)));
  }

  async function keep(store: MemoryStore, { summary: said, findings }: SummaryNotes, until: string, settings: Settings): Promise<void> {
    const now = Date.now();
    const { sessionId } = settings;
    const text = writeSummary(said, languageOf(settings));
    const there = readItems(await store.list());
    for (const { kind, key, text: finding } of findings) {
      const id = itemId(kind, key);
      const known = there.find((item) => item.id === id);
      // Items that the user deleted or corrected stay that way; only an entity can get a new value.
      if (forgotten.has(id) || (known && (kind !== 'entity' || known.text === finding))) continue;
      const vector = await vectorOf(finding, settings);
      await store.put({ id, kind, text: finding, ...(vector && { vector }), createdAt: known?.createdAt ?? now, usedAt: now });
    }
    await store.put({ id: summaryId(sessionId, until), kind: 'summary', text, createdAt: now, usedAt: now });
    for (const { id } of there) if (id.startsWith(summaryId(sessionId, '')) && id !== summaryId(sessionId, until)) await store.delete(id);
    await evict(store, settings);
    summary = { text, until };
    records.addSummary(text);
    recalled = undefined;
    await refresh(store);
  }

  // ——— User actions

  function change(work: (store: MemoryStore) => Promise<void>): Promise<void> {
    recalled = undefined;
    return inOrder(async () => {
      const store = await open(settingsNow());
      await work(store);
      await refresh(store);
    });
  }

  const profile = createProfile({
    ...{ log, notice: notices.add, change, context, inward: privacy.detokenize },
    ask: (request, settings, signal) => askForText(request, settings, { wires, setTimer, budget }, signal),
  });

  return {
    recall,
    turnEnded,
    /** Everything that is remembered, as the user may see it: the page's slots first, then the newest items. */
    get items(): RememberedView[] {
      const fixed = slotSentences(settingsNow()).map((text): RememberedView => ({ id: `page ${text}`, kind: 'slot', text, fixed: true }));
      const own = [...itemsFor(settingsNow())].sort((a, b) => b.createdAt - a.createdAt);
      return [...fixed, ...own.map((item) => toRemembered(item, settingsNow()))];
    },
    /** Reads the store, so that its items can be shown before the first message. */
    look: () => inOrder(async () => void (await open(settingsNow()))),
    edit(id: string, text: string): Promise<void> {
      const said = text
        .split('\n')
        .map((line) => asSentence(line))
        .filter(Boolean)
        .join('\n');
      return change(async (store) => {
        const item = readItems(await store.list()).find((one) => one.id === id);
        if (!item || !said || isAnswer(item)) return;
        const { vector: _old, ...rest } = item;
        const vector = item.kind === 'summary' ? undefined : await vectorOf(said, settingsNow());
        await store.put({ ...rest, text: said, ...(vector && { vector }), usedAt: Date.now() });
        if (summary && id === summaryId(settingsNow().sessionId, summary.until)) summary = { ...summary, text: said };
      });
    },
    /** @returns a function that restores the item */
    async forget(id: string): Promise<() => Promise<void>> {
      let gone: MemoryItem | undefined;
      /** The original summaries that contained the item. */
      const said: MemoryItem[] = [];
      let recordsBack = ignore;
      const { sessionId } = settingsNow();
      await change(async (store) => {
        gone = readItems(await store.list()).find((one) => one.id === id);
        forgotten.add(id);
        await store.delete(id);
        if (summary && id === summaryId(sessionId, summary.until)) {
          forgottenUntil = summary.until;
          summary = undefined;
        }
        if (!gone || gone.kind === 'summary') return;
        const fact = gone.text;
        for (const item of readItems(await store.list())) {
          const text = item.kind === 'summary' ? removeSentence(item.text, fact) : item.text;
          if (text === item.text) continue;
          said.push(item);
          if (text) await store.put({ ...item, text });
          else await store.delete(item.id);
          if (summary && item.id === summaryId(sessionId, summary.until)) summary = { ...summary, text };
        }
        recordsBack = records.rewordSummaries((text) => removeSentence(text, fact));
      });
      return () =>
        change(async (store) => {
          forgotten.delete(id);
          if (!gone) return;
          await store.put(isAnswer(gone) ? { ...gone, createdAt: Date.now() } : gone);
          recordsBack();
          for (const item of said) {
            await store.put(item);
            if (summary && item.id === summaryId(sessionId, summary.until)) summary = { ...summary, text: item.text };
          }
          if (id.startsWith(summaryId(sessionId, ''))) summary = { text: gone.text, until: id.slice(summaryId(sessionId, '').length) };
        });
    },
    forgetAll(): Promise<void> {
      running?.abort();
      forgottenUntil = context().messages.at(-1)?.id;
      failedAt = 0;
      summary = undefined;
      records.dropSummaries();
      return change(async (store) => {
        await store.clear();
      });
    },
    /** Deletes the summaries of a deleted conversation. */
    forgetSession: (sessionId: string): Promise<void> =>
      change(async (store) => {
        for (const { id } of readItems(await store.list())) if (id.startsWith(summaryId(sessionId, ''))) await store.delete(id);
      }),
    stop() {
      running?.abort();
    },
  };
}

/** Milliseconds for a host's summarizer if requests have no time limit. */
const SUMMARY_MS = 60_000;

/** The number of known items that a summarizer is given, so that it does not repeat them. */
const KNOWN = 40;
function ignore() {}
