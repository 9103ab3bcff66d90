/**
 * Keeps a conversation: loads it, goes on with what was left open, saves every change, and settles with the other tabs who leads. Loaded only
 * where `storage` is set. Storage that fails is said once and is never in the way; only what has an effect needs it (`call-work.ts`).
 */
import type { TurnResult } from '../../messages.js';
import { own } from '../../objects.js';
import { createConversationStore } from '../../storage/conversation-store.js';
import type { JournalEntry, Journal, LastingJournal } from '../../storage/journal.js';
import { isSettledCall, recordsFor, recover } from '../../storage/recover.js';
import { asStorageError, StorageError, type StorageReason } from '../../storage/storage-error.js';
import type { StoredConversation, StoredGrant } from '../../storage/stored-conversation.js';
import type { SendOptions } from '../api.js';
import { openCalls } from '../call-changes.js';
import { createId } from '../ids.js';
import type { KeepingHost, KeptPart, Shown, TabRequest } from '../keeping.js';
import type { Notice } from '../notices.js';
import type { Activity } from '../snapshot.js';
import { cancelledTurn } from '../turn-queue.js';
import type { Turns } from '../turns.js';
import { createComposer } from './compose.js';
import { createMirror, createNoteWriter } from './mirror.js';
import { toRestore, withoutQuestions } from './restored.js';
import { joinConversation, type Tabs } from './tabs-of.js';

/** Milliseconds between two notes to other tabs. */
const NOTE_EVERY = 150;
/** How long another tab is waited for before what is stored is shown, in milliseconds. */
const LEADER_WAIT = 200;

/** A turn that another tab is to begin. */
export interface TurnRequest {
  type: 'send' | 'retry';
  text?: string;
  extra?: SendOptions;
  byPerson?: boolean;
  goOn?: boolean;
}

export interface KeeperHost extends KeepingHost {
  parts: ReadonlyMap<string, KeptPart>;
  turns: Turns;
  draft(): string;
  restoreDraft(text: string): void;
}

export interface Keeper {
  /** This tab may act, and has everything it needs for it. */
  readonly leads: boolean;
  /** Another tab leads. */
  readonly follows: boolean;
  /** What another tab is doing; undefined while this one leads. */
  readonly shown: Shown | undefined;
  readonly journal: Journal;
  /** Resolves when it is known who leads, and what there is. */
  ready(): Promise<void>;
  changed(): void;
  /** A part of this name came after the conversation was loaded. */
  added(name: string): void;
  ask(request: TabRequest): Promise<void>;
  send(request: TurnRequest): Promise<TurnResult>;
  /** Whether this tab leads now. */
  takeOver(): Promise<boolean>;
  /** After a click on a card that another tab holds: the conversation comes here, and the card asks again. */
  moveHere(): Promise<void>;
  clear(all: boolean): Promise<void>;
  pause(): void;
  close(): void;
}

export function createKeeper(host: KeeperHost): Keeper {
  const { sessionId, storage, log, chart, queue, turns, parts, texts, notices } = host;
  const area = storage === 'session' ? 'session' : 'indexeddb';
  const store = createConversationStore({ sessionId, area, onProblem: report });
  const lasting = openJournal(sessionId, area);
  lasting.catch(() => undefined); // whoever uses it hears of it
  const composed = createComposer(host);
  const noteOf = createNoteWriter();
  const mirror = createMirror(sessionId, host.settings, host.changed);

  let tabs: Tabs | undefined;
  let role: 'joining' | 'leading' | 'following' | 'away' = 'joining';
  /** Counts who led: what was begun under another one is not finished. */
  let era = 0;
  let yielding = false;
  /** What is stored could not be looked at: it is not written over. */
  let unread = false;
  let told = false;
  /** Other tabs are listening. */
  let watched = false;
  let noteTimer: ReturnType<typeof setTimeout> | undefined;
  /** What parts of the conversation stored that have not come yet. */
  let kept: Readonly<Record<string, unknown>> = {};
  let storedGrants: readonly StoredGrant[] = [];
  let known: (() => void) | undefined;
  let knowing = Promise.resolve();
  /** Turns that another tab has begun for this one. */
  const results = new Map<string, (result: TurnResult) => void>();
  const accepted = new Set<string>();

  const wonder = () => {
    if (!known) knowing = new Promise((resolve) => (known = resolve));
  };
  const know = () => {
    known?.();
    known = undefined;
    host.changed();
  };
  const leads = () => role === 'leading' && !yielding;
  const context = () => chart().getSnapshot().context;

  // ——— Trouble

  function report(problem: StorageError): void {
    const { reason } = problem;
    if (!(['damaged', 'newer', 'unkept', 'full'] as StorageReason[]).includes(reason) && role !== 'leading') unread = true;
    log.warn('storage.failed', problem.message, { reason, sessionId }, { error: problem });
    if (told) return;
    told = true;
    const sentence = SENTENCES[reason];
    notices.add({ id: 'storage', text: (now) => [sentence(now), ...(reason === 'damaged' ? [] : [now.storageMemory])].join('. ') });
    host.tell({ type: 'error', error: { code: 'STORAGE', layer: 'execution', message: sentence(texts()), retryable: false } });
  }

  const say = (text: Notice['text']) => {
    notices.add({ id: 'tab', text });
  };

  // ——— What is kept

  function now(): StoredConversation {
    const keptNow: Record<string, unknown> = { ...kept };
    for (const [name, part] of parts) {
      const value = attempt(() => part.save());
      if (value === undefined) delete keptNow[name];
      else keptNow[name] = value;
    }
    const grants = host
      .grants()
      ?.list()
      .filter(({ scope }) => scope === 'always' && area === 'indexeddb');
    const beside = {
      draft: host.draft(),
      queue: queue.texts,
      grants: (grants ?? storedGrants) as readonly StoredGrant[],
      ...(Object.keys(keptNow).length > 0 && { kept: keptNow }),
    };
    return composed({ context: context(), live: host.live(), beside });
  }

  /** Undefined for nothing worth a place in the storage. */
  function toStore(): StoredConversation | undefined {
    if (role !== 'leading' || unread) return undefined;
    const stored = now();
    return stored.messages.length > 0 || stored.draft || stored.grants.length > 0 || stored.kept ? stored : undefined;
  }

  function changed(): void {
    if (role !== 'leading') return;
    store.save(toStore);
    if (watched) noteTimer ??= setTimeout(() => tellOthers(false), NOTE_EVERY);
  }

  function loadPart(name: string): void {
    const part = parts.get(name);
    if (!part || !Object.hasOwn(kept, name)) return;
    const value = kept[name];
    const { [name]: _, ...rest } = kept;
    kept = rest;
    attempt(() => part.load(value));
  }

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      log.error('storage.part', 'A part of the conversation could not be kept or taken back', {}, { error });
      return undefined;
    }
  }

  // ——— Leading

  async function takeUp(): Promise<void> {
    const mine = (era += 1);
    wonder();
    const settings = host.settings();
    const loaded = await store.load();
    const stored = loaded && tabs?.isCopy ? withoutQuestions(loaded, settings) : loaded;
    const records = await readRecords(stored);
    if (mine !== era) return;
    const recovery = recover(stored, records, {
      sessionId,
      texts: { interrupted: settings.texts.interrupted, notExecuted: settings.texts.notExecuted },
    });
    const settledBefore = new Set(stored?.calls.filter(isSettledCall).map(({ requestId }) => requestId));
    const left = recovery.questions.flatMap((question) => {
      const call = settledBefore.has(question.requestId) && stored?.calls.find(({ requestId }) => requestId === question.requestId);
      return call && call.result ? [call.result] : [];
    });
    for (const result of [...recovery.settle, ...left]) settle(result.requestId, result);
    kept = stored?.kept ?? {};
    storedGrants = area === 'indexeddb' ? (stored?.grants ?? []) : [];
    if (storedGrants.length > 0) void loadGrants(mine);
    if (stored?.draft) host.restoreDraft(stored.draft);

    role = 'leading';
    const restore = toRestore(stored, recovery, settings);
    if (restore)
      void queue.enqueue('', () => {
        const goesOn = restore.context.turn !== null;
        const said = restore.context.messages.findLast((message) => message.role === 'user');
        if (goesOn) host.tell({ type: 'stream-start', message: said?.text ?? '' });
        host.say(restore);
        return goesOn;
      });
    for (const resolve of results.values()) resolve(cancelledTurn());
    notices.remove('tab');
    for (const name of [...parts.keys()]) loadPart(name);
    // What a person had sent and nobody had begun.
    for (const text of stored?.queue ?? []) turns.send(text).catch(nothing);
    changed();
    attempt(() => tabs?.tell('leads'));
    know();
  }

  /** Whatever went wrong: nothing is written over, and nobody waits for ever. */
  function beginAnew(error: unknown): void {
    report(new StorageError('damaged', 'The stored conversation could not be taken up.', error));
    unread = true;
    role = 'leading';
    know();
  }

  /** A journal that cannot be read knows nothing: then every open call may have happened. */
  async function readRecords(stored: StoredConversation | undefined): Promise<JournalEntry[]> {
    try {
      return await recordsFor(stored, await lasting);
    } catch (error) {
      report(asStorageError(error));
      const open = stored?.calls.filter((call) => !isSettledCall(call)) ?? [];
      return open.map(({ requestId, toolName }) => ({ requestId, toolName, digest: '', startedAt: 0 }));
    }
  }

  /** Nothing is granted by what is stored alone: it is read like any other grant, and put into words anew. */
  async function loadGrants(mine: number): Promise<void> {
    const desk = await host.openGrants();
    if (mine !== era) return;
    desk.load([...desk.list().filter(({ scope }) => scope === 'session'), ...storedGrants]);
    storedGrants = [];
  }

  function settle(requestId: string, result: Parameters<Journal['settle']>[1]): void {
    lasting
      .then((journal) => journal.settle(requestId, result))
      .catch((error: unknown) => {
        log.error('journal.failed', 'The end of a call could not be recorded', { requestId }, { error });
      });
  }

  /** Another tab leads: nothing of this one may go on, and nothing of what ends here is an end there. */
  function letGo(): void {
    era += 1;
    if (role === 'leading') mirror.show(now());
    role = 'following';
    wonder();
    queue.cancel();
    turns.stop();
    host.say({ type: 'user.clear' });
    void follow();
  }

  /** Everything is written, and nothing runs but questions to a person. */
  async function mayYield(): Promise<boolean> {
    const waits = () => {
      const { turn } = context();
      return (
        turn === null || (context().phase === 'tool_call' && openCalls(context()).every(({ status }) => status === 'awaiting_approval'))
      );
    };
    if (role !== 'leading' || !waits()) return false;
    yielding = true;
    try {
      store.save(toStore);
      await store.flush();
      return waits();
    } finally {
      // The lead is given up in the same step as this is answered, or not at all.
      setTimeout(() => (yielding = false));
    }
  }

  // ——— Following

  async function follow(): Promise<void> {
    const mine = era;
    if (role === 'joining') {
      role = 'following';
      // At once, in case nobody answers; looked at, and nothing more.
      const stored = await store.load();
      if (mine !== era) return;
      if (stored) mirror.show(stored);
    }
    await tabs?.request('state').then(show, () => undefined);
    if (mine === era) know();
  }

  function show(note: unknown): void {
    if (role !== 'following' || note === undefined) return;
    try {
      mirror.take(note);
    } catch (error) {
      log.warn('storage.elsewhere', 'What another tab told could not be read', {}, { error });
    }
  }

  // ——— Tabs talk

  function tellOthers(whole: boolean): void {
    clearTimeout(noteTimer);
    noteTimer = undefined;
    if (role !== 'leading') return;
    attempt(() => tabs?.tell('state', note(whole)));
  }

  function note(whole: boolean) {
    const snapshot = chart().getSnapshot();
    const activities = ACTIVITIES.filter((name) => snapshot.hasTag(name));
    return noteOf(now(), snapshot.context.phase, activities, whole);
  }

  function onNote(name: string, body: unknown): void {
    if (name === 'state') show(body);
    // Who leads now does not know yet who is listening.
    else if (name === 'leads' && role === 'following') {
      // What the one before had begun for this tab, nobody will tell the end of.
      for (const id of accepted) results.get(id)?.(cancelledTurn());
      void tabs?.request('state').then(show, () => undefined);
    } else if (name === 'ended') {
      const result = readResult(own(body, 'result'));
      const id = own(body, 'id');
      if (typeof id === 'string') results.get(id)?.(result);
    }
  }

  /** Everything here could as well be asked of the element by any script of the page. */
  function onRequest(name: string, body: unknown): unknown {
    if (role !== 'leading') throw new Error('This tab does not lead.');
    const field = (key: string) => own(body, key);
    switch (name) {
      case 'state':
        watched = true;
        return note(true);
      case 'turn':
        return begin(body);
      case 'stop':
        return turns.stop();
      case 'sendResults':
        return turns.sendResults();
      case 'revoke':
        host.grants()?.revoke(String(field('grantId')));
        return undefined;
      case 'undo':
        return host.undo(String(field('requestId')), field('back') === true);
      case 'clear':
      case 'forget':
        return host.clear(name === 'forget');
      default:
        throw new Error('Nobody knows this request.');
    }
  }

  function begin(body: unknown): true {
    const [type, id, text, given] = ['type', 'id', 'text', 'extra'].map((key) => own(body, key));
    if (typeof id !== 'string') throw new Error('A request has an id.');
    if (type === 'retry') {
      void turns.retry({ goOn: own(body, 'goOn') === true }).then((result) => ended(id, result));
      return true;
    }
    if (typeof text !== 'string') throw new Error('There is nothing to send.');
    const tool = own(given, 'tool');
    const tools = own(given, 'tools');
    const attachments = own(given, 'attachments');
    const extra: SendOptions = {
      ...(typeof tool === 'string' && { tool }),
      ...(typeof tools === 'boolean' && { tools }),
      ...(Array.isArray(attachments) && { attachments: attachments as NonNullable<SendOptions['attachments']> }),
    };
    const waits = own(body, 'byPerson') === true && chart().getSnapshot().hasTag('awaitingApproval');
    turns
      .send(text, extra, () => {
        if (waits && !chart().getSnapshot().hasTag('executing')) turns.stop();
      })
      .then(
        (result) => ended(id, result),
        () => ended(id, cancelledTurn()),
      );
    return true;
  }

  function ended(id: string, result: TurnResult): void {
    attempt(() => tabs?.tell('ended', { id, result }));
  }

  async function send(request: TurnRequest): Promise<TurnResult> {
    const id = createId('turn');
    const seen = mirror.shown.context.messages.length;
    const done = new Promise<TurnResult>((resolve) => results.set(id, resolve));
    try {
      for (let tries = 3; ; tries -= 1) {
        try {
          await tabs?.request('turn', { ...request, id });
          accepted.add(id);
          break;
        } catch (error) {
          // The one that led is gone. It may have begun: then what was said stands in what it stored.
          await knowing;
          if (leads()) return isThere(request, seen) ? cancelledTurn() : await here(request);
          if (tries === 0 || !(error instanceof StorageError)) throw error;
        }
      }
      return await done;
    } finally {
      results.delete(id);
      accepted.delete(id);
    }
  }

  function isThere({ text }: TurnRequest, seen: number): boolean {
    const since = context().messages.slice(seen);
    return text !== undefined && (queue.texts.includes(text) || since.some((message) => message.role === 'user' && message.text === text));
  }

  const here = ({ type, text = '', extra, goOn }: TurnRequest) =>
    type === 'retry' ? turns.retry({ goOn: goOn === true }) : turns.send(text, extra);

  async function takeOver(): Promise<boolean> {
    if (!tabs || !(await tabs.takeOver())) {
      say(({ elsewhere }) => elsewhere);
      return false;
    }
    await knowing;
    return leads();
  }

  // ——— Coming and going

  function join(): void {
    role = 'joining';
    wonder();
    tabs = joinConversation(area, {
      sessionId,
      onNote,
      onRequest,
      mayYield,
      onLeader(isLeader) {
        if (isLeader) takeUp().catch(beginAnew);
        else if (role !== 'away') letGo();
      },
    });
    const mine = era;
    if (area === 'session') return; // nobody to follow
    setTimeout(() => {
      if (mine === era && role === 'joining' && !tabs?.isLeader) void follow();
    }, LEADER_WAIT);
  }

  function goAway(): void {
    if (role === 'leading') store.save(toStore());
    role = 'away';
    era += 1;
    clearTimeout(noteTimer);
    tabs?.leave();
    tabs = undefined;
  }

  join();

  return {
    get leads() {
      return leads();
    },
    get follows() {
      return role === 'following';
    },
    get shown() {
      return role === 'following' ? mirror.shown : undefined;
    },
    journal: {
      async intent(intent) {
        if (role !== 'leading') throw new StorageError('lost', 'Another tab leads.');
        return (host.journal ?? (await lasting)).intent(intent);
      },
      async settle(requestId, result) {
        // Who leads now says how it ended; here it was only stopped.
        if (role !== 'leading' && result.status === 'cancelled') return;
        await (host.journal ?? (await lasting)).settle(requestId, result);
      },
      find: async (requestId) => (host.journal ?? (await lasting)).find(requestId),
    },
    ready() {
      if (role === 'away') join();
      return yielding ? new Promise((resolve) => setTimeout(resolve)) : knowing;
    },
    changed,
    added: loadPart,
    async ask({ type, ...body }) {
      await tabs?.request(type, body);
    },
    send,
    takeOver,
    async moveHere() {
      if (await takeOver()) say(({ decideHere }) => decideHere);
    },
    async clear(all) {
      if (all) {
        for (const part of parts.values()) attempt(() => part.load(undefined));
        host.grants()?.load([]);
        kept = {};
        storedGrants = [];
      }
      if (role !== 'leading') return;
      unread = false;
      try {
        await store.clear();
        await (await lasting).clear();
      } catch (error) {
        report(asStorageError(error));
      }
      changed();
    },
    pause: goAway,
    close() {
      goAway();
      void store.close();
    },
  };
}

const ACTIVITIES: readonly Activity[] = ['streaming', 'parsing', 'awaitingApproval', 'executing', 'retrying', 'summarising'];

const SENTENCES: Readonly<Record<StorageReason, (texts: ReturnType<KeeperHost['texts']>) => string>> = {
  unavailable: (texts) => texts.storageUnavailable,
  blocked: (texts) => texts.storageBlocked,
  newer: (texts) => texts.storageNewer,
  full: (texts) => texts.storageFull,
  slow: (texts) => texts.storageSlow,
  lost: (texts) => texts.storageLost,
  damaged: (texts) => texts.storageDamaged,
  unkept: (texts) => texts.storageUnkept,
};

async function openJournal(sessionId: string, area: 'session' | 'indexeddb'): Promise<LastingJournal> {
  if (area === 'session') return (await import('../../storage/session-journal.js')).createSessionJournal({ sessionId });
  return (await import('../../storage/lasting-journal.js')).createLastingJournal({ sessionId });
}

const REASONS: readonly unknown[] = ['stop', 'length', 'cut', 'cancelled', 'error', 'limit', 'budget', 'denied'];

/** As far as another tab can be believed: nothing depends on it but what a caller is told. */
function readResult(result: unknown): TurnResult {
  const [success, reason, text] = ['success', 'reason', 'text'].map((key) => own(result, key));
  if (!REASONS.includes(reason)) return cancelledTurn();
  return { success: success === true, reason: reason as TurnResult['reason'], text: typeof text === 'string' ? text : '', results: [] };
}

function nothing() {}
