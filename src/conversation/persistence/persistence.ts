/**
 * Decides whether and where a conversation is saved (`storage`, `session-id`), as the host has set it when a turn begins. A conversation
 * without storage loads only this file.
 */
import { load } from '../../base/load.js';
import type { KeptPart } from '../../model/session.js';
import { createMemoryJournal, type Journal, type JournalIntent } from '../../storage/journal.js';
import type { LazyPermissions } from '../calls/call-actors.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { Turns } from '../host/turns.js';
import { userOf } from '../options/read-settings.js';
import { gatedTurns, type GatedTurn, type Persistence, type SessionDeps } from './persistence-types.js';
import type { createPersistedSession } from './persisted-session.js';
import type { ConversationMover } from './move-conversation.js';

/**
 * @param journal the host's own; instead of the one that goes with the storage
 * @param keep what keeps it, where the storage is not `none`
 */
export function createPersistence(
  services: ConversationServices,
  journal: Journal | undefined,
  keep: typeof createPersistedSession | undefined,
): Persistence {
  const make = (by = keep): Persistence => {
    if (services.storage === 'none') return withoutPersistence(services, journal ?? createMemoryJournal());
    if (!by) throw new Error('What keeps the conversation is not loaded.');
    return by(services, journal);
  };
  let now = make();
  let mover: ConversationMover | undefined;
  let turns: Turns;
  let draft = '';
  /** Number of events that end turns waiting for a move. */
  let era = 0;
  /** The move of a turn that is already running to the place where it is saved. */
  let late: Promise<unknown> | undefined;
  const parts = new Map<string, KeptPart>();
  let look: () => void = nothing;
  const { intent, ...journalOfNow } = ofNow(() => now.journal);
  const door = ofNow(() => now);
  const { keep: keepPart, write, clear, pause, close } = door;
  const ending =
    <Given extends unknown[], T>(work: (...given: Given) => T) =>
    (...given: Given): T => {
      era += 1;
      return work(...given);
    };

  function begin(chart: Chart, things: SessionDeps, raw: Turns): Turns {
    turns = now.begin(chart, things, raw);
    const moving = async () => {
      const { createConversationMover } = await load(() => import('./move-conversation.js'));
      return (mover ??= createConversationMover(chart, services, things, raw, {
        now: () => now,
        put(by, carry) {
          now = make(by ?? keep);
          for (const [name, part] of parts) now.keep(name, part);
          if (carry) now.write(draft);
          turns = now.begin(chart, things, raw, carry);
        },
      }));
    };
    const gate =
      (name: GatedTurn) =>
      (...given: unknown[]) => {
        const turn = () => (turns[name] as (...given: unknown[]) => unknown)(...given);
        const mine = era;
        if (!mover?.isMoving && !services.nextLocation()) return turn();
        return moving().then((one) => one.gate(name, given, turn, () => mine !== era), turn);
      };
    // Another user may be signed in now, so the previous user's conversation is shown no longer than its turn takes.
    look = () => {
      if (mover?.isMoving || services.nextLocation()?.carries !== false) return;
      moving().then((one) => one.move(), nothing);
    };
    services.on('over', () => {
      // The waiting message has already begun as the next turn.
      if (services.storage === 'none' && services.nextLocation()?.carries && chart.getSnapshot().context.turn)
        late = moving().then((one) => one.move(true));
      look();
    });
    const decide: Turns['decide'] = (decision) => {
      if (isForAnother(chart, services)) {
        // The call can no longer be decided.
        if (services.nextLocation()?.carries !== false) turns.stop();
        else look();
      } else turns.decide(decision);
    };
    return Object.assign({ ...ofNow(() => turns), decide }, Object.fromEntries(gatedTurns.map((name) => [name, gate(name)])));
  }

  return Object.defineProperties(
    door,
    Object.getOwnPropertyDescriptors({
      begin,
      look: () => look(),
      journal: {
        ...journalOfNow,
        // Record the call at the place where its turn is saved.
        intent: async (entry: JournalIntent) => (await late?.catch(nothing), intent(entry)),
      },
      desk: ofNow(() => now.desk),
      get waiting() {
        return [...now.waiting, ...(mover?.held ?? [])];
      },
      keep(name: string, part: KeptPart) {
        parts.set(name, part);
        keepPart(name, part);
      },
      write(text: string) {
        draft = text;
        write(text);
      },
      ...{ clear: ending(clear), pause: ending(pause), close: ending(close) },
    }),
  );
}

/** Returns an object with the same fields and methods, which forwards to the object that `now` returns when they are used. */
function ofNow<T extends object>(now: () => T): T {
  const door = {} as T;
  for (const name of Object.keys(now()) as (keyof T)[]) {
    const call = (...given: unknown[]) => (now()[name] as (...given: unknown[]) => unknown)(...given);
    const get = () => (typeof now()[name] === 'function' ? call : now()[name]);
    Object.defineProperty(door, name, { get, enumerable: true, configurable: true });
  }
  return door;
}

/** Checks whether a waiting call would act for a user other than the current one. */
function isForAnother(chart: Chart, services: ConversationServices): boolean {
  if (services.nextLocation()?.carries === false) return true;
  const { turn } = chart.getSnapshot().context;
  return turn !== null && userOf(turn.settings) !== userOf(services.settings());
}

function withoutPersistence(services: ConversationServices, journal: Journal): Persistence {
  const parts = new Map<string, KeptPart>();
  let grants: LazyPermissions | undefined;
  let clear: () => Promise<void> = () => Promise.resolve();
  return {
    ...{ journal, lasting: false, pending: false, handedOn: false, shown: undefined, end: undefined, draft: '', waiting: [] },
    desk: {
      listConversations: () => Promise.resolve([]),
      async newConversation() {
        await clear();
        return services.sessionId;
      },
      ...{ openConversation: notHere, renameConversation: notHere, deleteConversation: notHere },
    },
    readOn: nothing,
    look: nothing,
    keep: (name, part) => void parts.set(name, part),
    write: nothing,
    begin(_chart, things, turns) {
      grants = things.grants;
      clear = () => things.clear(false);
      return turns;
    },
    ...{ elsewhere: () => false, unqueue: () => undefined },
    clear: () => Promise.resolve(),
    ready: () => Promise.resolve(),
    decorate: (view) => view,
    pause: nothing,
    takeOver: () => Promise.resolve(true),
    written: () => Promise.resolve(true),
    close: () => Promise.resolve(),
    forgetParts() {
      for (const part of parts.values()) part.load(undefined);
      grants?.now()?.load([]);
    },
  };
}

function nothing() {}

const notHere = () => Promise.reject(new TypeError('No conversation is kept. Set storage="indexeddb" to keep them.'));
