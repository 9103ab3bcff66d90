/**
 * A saved conversation (`storage`) before it is loaded. The module that persists it (`session-sync.ts`) is imported once the conversation is set
 * up. Requests wait until it has loaded the stored conversation.
 *
 * If several tabs show one conversation, one of them leads: it alone acts and saves. The others show the state that it sends, and pass
 * requests on. An approval is never passed on: a click in another tab moves the conversation there, and the card asks again.
 */
import { createId } from '../../base/ids.js';
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import type { MessageView } from '../../model/snapshot.js';
import type { TurnResult } from '../../model/messages.js';
import type { Journal } from '../../storage/journal.js';
import { StorageError } from '../../storage/storage-error.js';
import { createTabDraft, type TabDraft } from '../../storage/tab-draft.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';
import { endedWithoutResult } from '../chart/call-records.js';
import type { SessionSync } from './session-sync-types.js';
import { cancelledTurn } from '../host/turn-queue.js';
import type { ConversationDesk, KeptPart } from '../../model/session.js';
import type { Persistence, TabRequest } from './persistence-types.js';
import { SILENT } from './storage-notices.js';
import type { TabTurn } from './outbox.js';

/** A message that waits for the leading tab, or for the conversation to be loaded. */
interface QueuedText {
  /** The id of the turn. */
  readonly id: string;
  readonly text: string;
  readonly byPerson: boolean;
  /** True if the leading tab is about to begin it. */
  isTaken: boolean;
  readonly drop: AbortController;
}

/** @param own the host's journal; instead of the one that goes with the storage */
export function createPersistedSession(services: ConversationServices, own: Journal | undefined): Persistence {
  const { log, texts, storage, notices } = services;
  const changed = () => services.emit('elsewhere');
  const parts = new Map<string, KeptPart>();
  const held: QueuedText[] = [];
  let keeper: SessionSync | undefined;
  let draft = '';
  let restored = '';
  let drafts: TabDraft | undefined;
  /** Id of the first message that was shown of a long conversation. */
  let first: string | undefined;
  let closed = false;
  let begin: (keeper: Promise<SessionSync>) => void = nothing;
  let loading = beginning();
  let queued: () => readonly string[] = () => [];
  let context: () => Pick<ConversationContext, 'messages'> = () => ({ messages: [] });
  let desk: Promise<ConversationDesk> | undefined;
  let openDesk: () => Promise<ConversationDesk> = () => Promise.reject(new Error('The conversation has not begun.'));

  function beginning(): Promise<SessionSync> {
    const promise = new Promise<SessionSync>((resolve) => (begin = resolve));
    promise.catch((error: unknown) => {
      log.error('storage.failed', 'What keeps the conversation could not be loaded', {}, { error });
      notices.add({ id: 'storage', text: ({ loadFailed, storageMemory }) => `${loadFailed}. ${storageMemory}` });
    });
    return promise;
  }

  const unheard = services.on('kept', () => keeper?.changed());

  /** Runs `here` if this tab leads, and `there` otherwise. If the keeper could not be loaded, everything runs here. */
  async function route<T>(here: () => T | Promise<T>, there: (keeper: SessionSync) => Promise<T>): Promise<T> {
    if (keeper?.leads) return here();
    changed();
    const loaded = await loading.catch(nothing);
    await loaded?.ready();
    changed();
    return !loaded || loaded.leads ? here() : there(loaded);
  }

  /** Shows a message as waiting until a tab has begun it. Until then, it can be withdrawn. */
  async function routeMessage(request: TabTurn, here: () => TurnResult | Promise<TurnResult>): Promise<TurnResult> {
    if (keeper?.leads) return here();
    const { id, byPerson = false } = request;
    const text = typeof request.text === 'string' ? request.text : '';
    const one: QueuedText = { id, text, byPerson, isTaken: false, drop: new AbortController() };
    const { signal } = one.drop;
    const timer = setTimeout(() => one.isTaken || keeper?.tellSilent(), SILENT);
    const release = () => {
      clearTimeout(timer);
      if (held.includes(one)) held.splice(held.indexOf(one), 1);
      changed();
    };
    held.push(one);
    try {
      const taken = () => {
        one.isTaken = true;
        changed();
      };
      const begin = () => {
        release();
        return signal.aborted ? cancelledTurn() : here();
      };
      return await route(begin, (loaded) => (signal.aborted ? Promise.resolve(cancelledTurn()) : loaded.send(request, { signal, taken })));
    } catch (error) {
      if (signal.aborted) return cancelledTurn();
      throw error;
    } finally {
      release();
    }
  }

  /** Checks whether the message is on the screen, in the conversation or in the queue. */
  function isShown({ id, text }: QueuedText): boolean {
    const { messages } = keeper?.shown?.context ?? context();
    return messages.some((message) => message.id === `${id}-user`) || (keeper?.shown?.around.queue ?? queued()).includes(text);
  }
  const shownHeld = () => held.filter((one) => one.text && !one.drop.signal.aborted && !isShown(one));

  /** Withdraws all messages that no tab has accepted. */
  function dropHeld(): void {
    const dropped = held.filter((one) => !one.isTaken && !one.drop.signal.aborted);
    for (const one of dropped) one.drop.abort();
    const texts = dropped.flatMap((one) => (one.byPerson ? [one.text] : []));
    if (texts.length > 0) giveBack(texts.join('\n'));
  }

  /** Runs a turn whose end is reported in this tab, in whichever tab it ends. */
  function followed(about: Omit<TabTurn, 'id'>, here: (id: string) => Promise<TurnResult>): Promise<TurnResult> {
    const request = { ...about, id: createId('turn') };
    return routeMessage(request, async () => {
      const result = await here(request.id);
      return keeper ? keeper.endOf(request, result) : result;
    });
  }
  /** Puts a text that was not sent back into the composer. */
  function giveBack(text: string): void {
    restored = text;
    changed();
  }
  const ask = (request: TabRequest) => (loaded: SessionSync) => loaded.ask(request);
  const quietly = (promise: Promise<unknown>) => {
    promise.catch((error: unknown) => {
      log.warn('storage.elsewhere', 'What another tab was asked for did not happen', {}, { error });
    });
  };
  const atDesk = async <T>(work: (open: ConversationDesk) => Promise<T>): Promise<T> => work(await (desk ??= openDesk()));
  /** Takes the lead for work that can only happen in this tab. */
  const moved =
    <T>(here: () => Promise<T>, instead: () => T) =>
    async (loaded: SessionSync): Promise<T> =>
      (await loaded.takeOver()) ? here() : instead();

  return {
    lasting: storage === 'indexeddb',
    desk: {
      listConversations: () => atDesk((open) => open.listConversations()),
      newConversation: () => atDesk((open) => open.newConversation()),
      openConversation: (id) => atDesk((open) => open.openConversation(id)),
      renameConversation: (id, title) => atDesk((open) => open.renameConversation(id, title)),
      deleteConversation: (id) => atDesk((open) => open.deleteConversation(id)),
    },
    journal: {
      intent: async (intent) => (await loading).journal.intent(intent),
      settle: async (requestId, result) => (await loading).journal.settle(requestId, result),
      find: async (requestId) => (await loading).journal.find(requestId),
    },
    get shown() {
      return keeper?.shown;
    },
    get end() {
      return keeper?.end;
    },
    readOn: () => keeper?.readOn(),
    look: nothing,
    get handedOn() {
      return keeper?.handedOn === true;
    },
    get draft() {
      return restored;
    },
    get pending() {
      return !keeper?.leads && !keeper?.follows;
    },
    get waiting() {
      return held.length === 0 ? [] : shownHeld().map(({ text }) => text);
    },
    unqueue(at, text) {
      const before = keeper?.follows ? (keeper.shown?.around.queue.length ?? 0) : queued().length;
      const one = shownHeld()[at - before];
      if (at >= before) {
        if (!one || one.text !== text || one.isTaken) return false;
        one.drop.abort();
        changed();
        return true;
      }
      if (!keeper?.follows) return undefined;
      // Only the leading tab knows whether it has begun the message.
      quietly(ask({ type: 'unqueue', at, text })(keeper).then((wasThere) => wasThere === true && giveBack(text)));
      return false;
    },
    keep(name, part) {
      parts.set(name, part);
      keeper?.added(name);
    },
    write(text) {
      draft = text;
      drafts?.write(text);
    },
    begin(chart, things, raw, carry) {
      queued = () => things.queue.texts;
      context = () => chart.getSnapshot().context;
      const restoreDraft = (text: string) => {
        if (!draft) draft = restored = text;
      };
      const openKeeper = async (id?: string) => {
        const { createSessionSync, lastOpened } = await load(() => import('./session-sync.js'));
        const at = (place: string) => {
          services.openSession(place);
          drafts?.close();
          drafts = createTabDraft(place);
          // Text that was written before the place was known belongs here.
          if (draft) drafts.write(draft);
          else restoreDraft(drafts.read() ?? '');
          return createSessionSync(chart, services, {
            ...{ ...things, parts, journal: own, turns: raw, carries: !id && carry !== undefined },
            restoreDraft,
          });
        };
        keeper = !id && carry ? await carry(at) : at(id ?? lastOpened(services));
        if (closed) void keeper.close();
        return keeper;
      };
      openDesk = async () => {
        const { createSavedConversations } = await load(() => import('./saved-conversations.js'));
        return createSavedConversations(chart, services, things, {
          keeper: () => loading,
          swap(leave, id) {
            loading = beginning(); // requests that arrive now wait for the other conversation
            leave();
            drafts?.close();
            drafts = undefined;
            draft = restored = '';
            services.openedAnother();
            begin(openKeeper(id));
            return loading;
          },
        });
      };
      // Wait until the conversation is set up.
      begin(Promise.resolve().then(() => openKeeper()));
      return {
        ...raw,
        send: (text, extra, accepted) => followed({ type: 'send', text, extra: { ...extra } }, (id) => raw.send(text, extra, accepted, id)),
        sendByPerson: (text, extra) => {
          restored = '';
          quietly(
            routeMessage({ type: 'send', id: createId('turn'), text, extra: { ...extra }, byPerson: true }, () => {
              raw.sendByPerson(text, extra);
              return cancelledTurn(); // the result is not used
            }).catch((error: unknown) => {
              giveBack(text);
              throw error;
            }),
          );
        },
        retry: (extra) => followed({ type: 'retry', goOn: extra?.isContinuation === true }, (id) => raw.retry(extra, id)),
        stop: (reason) => {
          dropHeld();
          if (keeper?.follows) quietly(ask({ type: 'stop' })(keeper));
          else raw.stop(reason);
        },
        sendResults: () => {
          if (keeper?.follows) quietly(ask({ type: 'sendResults' })(keeper));
          else raw.sendResults();
        },
        decide: (decision) => {
          if (keeper?.leads) raw.decide(decision);
          // A denial counts in every tab. An approval is only possible in the tab that holds the card.
          else if (keeper?.follows && decision.verdict === 'deny') {
            const { requestId, digest } = decision;
            keeper.ask({ type: 'deny', requestId, digest }).catch(() => keeper?.moveHere());
          } else
            quietly(
              route<unknown>(
                () => raw.decide(decision),
                (loaded) => loaded.moveHere(),
              ),
            );
        },
        runTool: (tool) =>
          route(
            () => raw.runTool(tool),
            moved(
              () => raw.runTool(tool),
              (): PublishedResult => endedWithoutResult('', tool.name, 'cancelled', 'CANCELLED', texts().elsewhere),
            ),
          ),
        runAgain: (request) =>
          route(
            () => raw.runAgain(request),
            moved((): Promise<TurnResult> => raw.runAgain(request), cancelledTurn),
          ),
        edit: (id, text) =>
          route(
            () => raw.edit(id, text),
            moved(
              (): Promise<TurnResult> => raw.edit(id, text),
              () => {
                giveBack(text);
                return cancelledTurn();
              },
            ),
          ),
        switchTo: (from, place) => {
          const here = () => raw.switchTo(from, place);
          return route(here, moved(here, nothing as () => void));
        },
      };
    },
    elsewhere(request) {
      if (!keeper?.follows && !keeper?.end) return false;
      quietly(ask(request)(keeper));
      return true;
    },
    async clear(all) {
      draft = restored = '';
      drafts?.write('');
      const loaded = await loading.catch((error: unknown) => {
        throw new StorageError('unavailable', 'What keeps the conversation could not be loaded.', error);
      });
      await loaded.clear(all);
    },
    async ready() {
      await (await loading.catch(nothing))?.ready();
    },
    decorate(view, draw) {
      if (keeper?.end) {
        const { views, cards } = draw(keeper.end);
        first = views[0]?.message.id;
        return { ...view, views, cards };
      }
      const prepended = first === undefined ? 0 : view.views.findIndex(({ message }) => message.id === first);
      if (prepended < 0 && view.views.length > 0) first = undefined;
      const handled = keeper?.shown?.handled;
      const noted = (one: MessageView) => (handled?.has(one.message.id) && !one.note ? { ...one, note: texts().handledElsewhere } : one);
      return { ...view, ...(handled?.size && { views: view.views.map(noted) }), ...(prepended > 0 && { prepended }) };
    },
    pause() {
      keeper?.pause();
    },
    async takeOver() {
      const loaded = await loading.catch(nothing);
      await loaded?.ready();
      return !loaded || loaded.leads || loaded.takeOver();
    },
    async written() {
      return (await keeper?.written()) ?? true;
    },
    async close() {
      closed = true;
      unheard();
      drafts?.close();
      await keeper?.close();
    },
    forgetParts() {
      keeper?.forgetParts();
    },
  };
}

function nothing() {}
