/**
 * Persists a conversation: loads it, resumes what was left open, saves every change, and agrees with the other tabs on which one leads.
 * Loaded only if `storage` is set. A storage failure is reported once and does not block the conversation. Only calls with an effect depend
 * on the storage (`tool-execution.ts`).
 */
import { own } from '../../base/objects.js';
import { fullEnglish } from '../../i18n/en.js';
import { NewerError, newerVersion } from '../../storage/conversation-area.js';
import { createConversationStore } from '../../storage/conversation-store.js';
import { isSettledCall, recover } from '../../storage/recover.js';
import { StorageError, type StorageReason } from '../../storage/storage-error.js';
import { emptyConversation, type StoredConversation } from '../../storage/stored-conversation.js';
import { openCalls } from '../chart/call-records.js';
import { cancelledTurn } from '../host/turn-queue.js';
import { sendEvent, toolNamed, type Chart, type ConversationServices } from '../chart/services.js';
import { createSerializer } from './serialize-conversation.js';
import { createErasure } from './erase-session.js';
import { createGuardedJournal } from './session-journal.js';
import type { SessionSync, SessionSyncHost } from './session-sync-types.js';
import { createPersistedGrants, createPersistedSlices } from './persisted-slices.js';
import { createTabMirror, createBroadcaster } from './tab-mirror.js';
import { rehydrate, withoutQuestions } from './rehydrate.js';
import { createScrubbing } from './secrets.js';
import { createTailPreview } from './tail-preview.js';
import { createStorageNotices, createTabNotices } from './storage-notices.js';
import { createOutbox } from './outbox.js';
import { createTabState } from './tab-machine.js';
import { joinConversation, openLease, type SessionTabs } from './join-tabs.js';

fullEnglish();
export { lastOpened } from './last-opened.js';

/**
 * Time that the last write may delay another tab, in milliseconds. It is shorter than the time that a duplicated tab waits for the
 * original.
 */
const LAST_WRITE = 500;

/** Time to wait for another tab before what is stored is shown, in milliseconds. */
const LEADER_WAIT = 200;

export function createSessionSync(chart: Chart, services: ConversationServices, host: SessionSyncHost): SessionSync {
  const { sessionId, storage, log, notices } = services;
  const { queue, turns } = host;
  const area = storage === 'session' ? 'session' : 'indexeddb';
  const tab = createTabState();
  const { is } = tab;
  const lease = openLease(sessionId, area);
  const storageNotices = createStorageNotices(services);
  const store = createConversationStore({
    ...{ sessionId, area, lease, onProblem: report, onRecovered: storageNotices.recovered },
    onForgotten: ({ all }) => erasure.happened(all),
    leftOut: { sentence: () => services.texts().resultLeftOut, happened: storageNotices.leftOut },
  });
  const journal = createGuardedJournal(sessionId, area, report, log, lease);
  const { lasting } = journal;
  const scrubbing = createScrubbing();
  const serializer = createSerializer({ ...services, toolNamed: (name) => toolNamed(chart, services, name) }, scrubbing);
  const mirror = createTabMirror(sessionId, services.settings, () => services.emit('elsewhere'));
  const parts = createPersistedSlices(host.parts, log);
  const grants = createPersistedGrants(host.grants, area === 'indexeddb');
  const outbox = createOutbox(chart, {
    ...host,
    tabs: () => tabs,
    is,
    resolveKnown: () => leaderKnown,
  });

  const erasure = createErasure({
    ...{ sessionId, store, lasting, clear: host.clear },
    tabs: () => tabs,
    is,
    known: () => leaderKnown,
    showNothing() {
      if (is('following')) mirror.show(emptyConversation(sessionId));
    },
  });

  const tailPreview = createTailPreview(services, store, tab, report);
  const broadcaster = createBroadcaster({
    ...{ chart, log, tabs: () => tabs, leads: () => is('leading'), now },
    undo: host.undoing.state,
  });
  const stopListening = services.on('cards', broadcaster.changed);

  let tabs: SessionTabs | undefined;
  /** Number of changes of the lead. Work that began under an earlier leader is not finished. */
  let leaderEpoch = 0;
  /** True if the stored conversation could not be read. It is not overwritten then. */
  let unread = false;
  /** Set if a newer version has stored the conversation. This page then only shows the part that it can read. */
  let newer: NewerError | undefined;
  let { carries } = host;
  /** True if the reply that was streaming when this tab lost the lead was stored with its position. */
  let handedOn = false;
  let known: (() => void) | undefined;
  let leaderKnown = Promise.resolve();

  const resetLeaderKnown = () => {
    if (!known) leaderKnown = new Promise((resolve) => (known = resolve));
  };
  const resolveLeaderKnown = () => {
    known?.();
    known = undefined;
    services.emit('elsewhere');
  };
  const context = () => chart.getSnapshot().context;

  // ——— Errors

  function report(problem: StorageError): void {
    const { reason } = problem;
    if (problem instanceof NewerError) {
      newer = problem;
      unread = true;
      return storageNotices.report(problem, problem.stored !== undefined);
    }
    if (!(['damaged', 'newer', 'unkept', 'full'] as StorageReason[]).includes(reason) && !is('leading')) unread = true;
    storageNotices.report(problem);
  }

  const aboutTabs = createTabNotices(notices, () => is('following') && tabs !== undefined);

  // ——— Saving

  function now(): StoredConversation {
    const kept = parts.save();
    const extras = { draft: '', queue: queue.texts, grants: grants.save(), ...(kept && { kept }) };
    return serializer({ context: context(), live: host.arriving.live, extras });
  }

  /** Returns undefined if this tab may not write or there is nothing worth storing. */
  function toStore(): StoredConversation | undefined {
    if (!is('leading') || unread) return undefined;
    const stored = now();
    return stored.messages.length > 0 || stored.grants.length > 0 || stored.kept ? stored : undefined;
  }

  /** Returns the last state to store, and notes whether another page can resume the reply. */
  function handOn(): StoredConversation | undefined {
    const stored = toStore();
    handedOn = stored?.reply?.place !== undefined;
    return stored;
  }

  function changed(restMs = 0): void {
    // A change has to be saved, and for that the rest of the conversation has to be read.
    if (!is('leading')) return tailPreview.readOn();
    store.save(toStore, restMs);
    if (restMs === 0) broadcaster.changed();
  }

  // ——— Leading

  async function loadAndResume(): Promise<void> {
    const mine = (leaderEpoch += 1);
    tab.send('lead.won');
    resetLeaderKnown();
    const settings = services.settings();
    const loaded = await tailPreview.readAll(() => mine !== leaderEpoch);
    if (mine !== leaderEpoch) return;
    if (newer?.stored && !carries) return showReadOnly(newer.stored);
    const stored = loaded && tabs?.isCopy ? withoutQuestions(loaded, settings) : loaded;
    // A newer version settles the calls that it left open itself.
    const records = newer ? [] : await journal.records(stored);
    if (mine !== leaderEpoch) return;
    if (carries) return carry(stored, records.length > 0);
    const recovery = recover(stored, records, {
      sessionId,
      texts: { interrupted: settings.texts.interrupted, notExecuted: settings.texts.notExecuted },
    });
    const settledBefore = new Set(stored?.calls.filter(isSettledCall).map(({ requestId }) => requestId));
    const left = recovery.questions.flatMap((question) => {
      const isLeft = question.type === 'verify' && settledBefore.has(question.requestId);
      const call = isLeft && stored?.calls.find(({ requestId }) => requestId === question.requestId);
      return call && call.result ? [call.result] : [];
    });
    journal.settle([...recovery.settle, ...left]);
    void grants.load(stored?.grants ?? [], () => mine === leaderEpoch);
    if (stored?.draft) host.restoreDraft(stored.draft);

    tab.send('taken.up');
    const restore = rehydrate(stored, recovery, settings);
    if (restore) {
      const { turn } = restore.context;
      const goesOn = turn !== null;
      const end = queue.enqueue('', () => {
        const said = restore.context.messages.findLast((message) => message.role === 'user');
        if (goesOn) services.notifyHost({ type: 'stream-start', message: said?.text ?? '' });
        sendEvent(chart, restore);
        return goesOn;
      });
      if (goesOn) outbox.goesOn(turn.id, end);
    }
    aboutTabs.remove();
    tailPreview.drop();
    parts.load(stored?.kept ?? {});
    // Messages that the user had sent and that no turn had begun to answer.
    for (const text of stored?.queue ?? []) outbox.waits(text, turns.send(text).catch(cancelledTurn));
    outbox.newLeader();
    changed();
    broadcaster.tell('leads');
    resolveLeaderKnown();
  }

  /** Saves the chart's content here, unless something else is already stored at this place. That is left unchanged. */
  async function carry(stored: StoredConversation | undefined, hasOpen: boolean): Promise<void> {
    const ours = new Set(context().messages.map(({ id }) => id));
    unread ||= hasOpen || Boolean(stored?.turn ?? stored?.queue[0]) || stored?.messages.some(({ id }) => !ours.has(id)) === true;
    tab.send('taken.up');
    carries = unread;
    if (!unread) {
      const epochAtStart = leaderEpoch;
      void grants.load(stored?.grants ?? [], () => epochAtStart === leaderEpoch);
      if (stored?.draft) host.restoreDraft(stored.draft);
      changed();
      await store.flush();
    }
    resolveLeaderKnown();
  }

  /** Shows the conversation read-only, and leaves the lead to a tab that can continue it. */
  function showReadOnly(stored: StoredConversation): void {
    const leave = tabs?.leave;
    tabs = undefined;
    leave?.();
    if (is('joining')) tab.send('lead.elsewhere');
    mirror.show(stored);
    leaderEpoch += 1;
    tailPreview.drop();
    resolveLeaderKnown();
  }

  /** Handles a failed load: nothing stored is overwritten, and nothing waits forever. */
  function handleLoadError(error: unknown): void {
    report(new StorageError('damaged', 'The stored conversation could not be taken up.', error));
    unread = true;
    tab.send('taken.up');
    resolveLeaderKnown();
  }

  /** Stops everything in this tab, because another one leads. A turn that is stopped here continues there. */
  function loseLead(): void {
    leaderEpoch += 1;
    if (is('leading')) {
      handOn();
      mirror.show(now());
    }
    tab.send('lead.lost');
    outbox.letGo();
    tailPreview.drop();
    resetLeaderKnown();
    queue.cancel();
    turns.stop();
    sendEvent(chart, { type: 'user.clear' });
    void follow();
  }

  /** Writes everything. Resolves with `true` if nothing is running except approvals that wait for the user. */
  async function mayYield(): Promise<boolean> {
    const waits = () => {
      if (context().turn === null) return true;
      // A reply that is being read continues here.
      const noReply = chart.getSnapshot().matches({ talk: { turn: { reply: 'answered', work: 'calls' } } });
      return noReply && openCalls(context()).every(({ status }) => status === 'awaiting_approval');
    };
    if (tab.showsEnd) await ready();
    if (!is('leading') || !waits()) return false;
    tab.send('yield');
    try {
      store.save(toStore);
      await store.flush();
      return waits();
    } finally {
      // The lead is given up in the same step as this answer, or not at all.
      setTimeout(() => tab.send('yield.over'));
    }
  }

  // ——— Following

  async function follow(): Promise<void> {
    const epochAtStart = leaderEpoch;
    if (is('joining')) {
      tab.send('lead.elsewhere');
      // Show what is stored at once, in case no tab answers. It is only displayed.
      const stored = await store.load();
      if (epochAtStart !== leaderEpoch) return;
      if (newer?.stored) return showReadOnly(newer.stored);
      if (stored) mirror.show(stored);
    }
    await tabs?.request('state').then(show, () => undefined);
    if (epochAtStart === leaderEpoch) resolveLeaderKnown();
  }

  function show(note: unknown): void {
    if (!is('following') || note === undefined) return;
    aboutTabs.heard(own(note, 'title'));
    try {
      mirror.take(note);
    } catch (error) {
      const version = newerVersion(own(note, 'head'));
      if (version !== undefined) return void showNewerVersion(version);
      log.warn('storage.elsewhere', 'What another tab told could not be read', {}, { error });
    }
  }

  /** Handles a leading tab of a newer version, whose messages cannot be read: what is stored is shown instead. */
  async function showNewerVersion(version: number): Promise<void> {
    const epochAtStart = leaderEpoch;
    const stored = await store.load();
    if (epochAtStart !== leaderEpoch || newer?.stored) return;
    report(new NewerError(version, stored ?? emptyConversation(sessionId)));
    if (newer?.stored) showReadOnly(newer.stored);
  }

  // ——— Messages between tabs

  function onBroadcast(name: string, body: unknown): void {
    if (name === 'state') show(body);
    // A new leader (`leads`) does not know yet which tabs are listening, so ask it for its state.
    else if (name === 'gone') void store.look();
    else if (name === 'leads' && is('following')) {
      outbox.newLeader();
      void tabs?.request('state').then(show, () => undefined);
    } else if (name === 'ended') outbox.ended(body);
  }

  async function onRequest(name: string, body: unknown): Promise<unknown> {
    if (tab.showsEnd) await ready();
    // The leader is still reading what is stored.
    else if (tabs?.isLeader) await leaderKnown;
    if (!is('leading')) throw new Error('This tab does not lead.');
    if (name !== 'state') return outbox.answer(name, body);
    return broadcaster.whole();
  }

  /** Resolves when it is known which tab leads and what is stored. */
  async function ready(): Promise<void> {
    if (is('away')) join();
    if (!is('leading')) tailPreview.need();
    await (tab.yields ? new Promise((resolve) => setTimeout(resolve)) : leaderKnown);
  }

  /** Throws if this page may only show the conversation. */
  function mayAsk(): void {
    if (!newer?.stored || is('leading')) return;
    storageNotices.report(newer, true);
    throw newer;
  }

  async function takeOver(): Promise<boolean> {
    if (newer?.stored && !is('leading')) {
      storageNotices.report(newer, true);
      return false;
    }
    const leads = tabs ? await aboutTabs.patiently(tabs.takeOver()) : false;
    if (!leads) {
      if (!aboutTabs.isSilent) aboutTabs.tell(({ elsewhere }) => elsewhere);
      return false;
    }
    await leaderKnown;
    return tab.acts;
  }

  function forgetParts(): void {
    parts.forget();
    grants.forget();
  }

  // ——— Joining and leaving

  function join(): void {
    tab.send('return');
    newer = undefined;
    resetLeaderKnown();
    const onLeader = (isLeader: boolean) => {
      if (isLeader) loadAndResume().catch(handleLoadError);
      else if (!is('away')) loseLead();
    };
    tabs = joinConversation(area, { sessionId, onNote: onBroadcast, onRequest, mayYield, onLeader }, lease);
    const epochAtStart = leaderEpoch;
    if (area === 'session') return; // there is no other tab to follow
    setTimeout(() => {
      if (epochAtStart === leaderEpoch && is('joining') && !tabs?.isLeader) void follow();
    }, LEADER_WAIT);
  }

  function goAway(): void {
    const led = is('leading');
    if (led) store.save(handOn());
    tab.send('leave');
    outbox.letGo();
    outbox.close();
    leaderEpoch += 1;
    tailPreview.drop();
    broadcaster.stop();
    const leave = tabs?.leave ?? nothing;
    tabs = undefined;
    // The next leader finds the latest state in the storage, unless writing takes too long.
    if (led) void Promise.race([store.flush(), new Promise((resolve) => setTimeout(resolve, LAST_WRITE))]).finally(leave);
    else leave();
  }

  join();

  return {
    get leads() {
      return tab.acts;
    },
    get follows() {
      return is('following');
    },
    get carried() {
      return tab.acts && !carries;
    },
    get shown() {
      return is('following') ? mirror.shown : undefined;
    },
    get end() {
      return tailPreview.context;
    },
    get handedOn() {
      return !is('leading') && handedOn;
    },
    journal: journal.guarded(host.journal, {
      get holds() {
        return is('leading');
      },
      get generation() {
        return store.generation;
      },
      verify: erasure.verify,
      clean(value) {
        if (services.hasSecrets()) now();
        return scrubbing.now.data(value);
      },
    }),
    ready,
    readOn: tailPreview.readOn,
    changed,
    added: parts.added,
    async ask({ type, ...body }) {
      if (tab.showsEnd) await ready();
      mayAsk();
      return tabs ? aboutTabs.patiently(tabs.request(type, body)) : undefined;
    },
    async send(request, watch) {
      mayAsk();
      try {
        return await outbox.send(request, { ...watch, taken: () => (aboutTabs.heard(), watch?.taken?.()) });
      } catch (error) {
        if (request.byPerson || request.text === undefined) aboutTabs.tellNotSent();
        // Without a text, the user has nothing to lose.
        if (request.text === undefined && error instanceof StorageError) return cancelledTurn();
        throw error;
      }
    },
    tellSilent: aboutTabs.tellSilent,
    endOf: outbox.endOf,
    takeOver,
    async moveHere() {
      if (await takeOver()) aboutTabs.tell(({ decideHere }) => decideHere);
    },
    async clear(all) {
      if (all) forgetParts();
      const isShown = newer?.stored !== undefined && is('following');
      if (is('leading')) unread = false;
      await erasure.forget(all, isShown).finally(() => changed());
      if (!isShown) return;
      unread = false;
      goAway();
      join();
    },
    pause: goAway,
    async written() {
      const [isKept] = await Promise.all([store.flush(), journal.written()]);
      return isKept;
    },
    async close() {
      stopListening();
      goAway();
      await Promise.all([store.close(), journal.written()]);
    },
    forgetParts,
  };
}

function nothing() {}
