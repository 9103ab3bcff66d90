/**
 * Whether a conversation is kept, and where (`storage`, `session-id`): as the host wants it when a turn begins. This file is all that one without
 * storage loads.
 */
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import type { KeptPart } from '../../model/session.js';
import { createMemoryJournal, type Journal } from '../../storage/journal.js';
import { unsuccessful } from '../chart/call-records.js';
import type { Chart, Services } from '../chart/services.js';
import { cancelledTurn } from '../host/turn-queue.js';
import type { Turns } from '../host/turns.js';
import type { Carry, Keeping, KeptThings } from './keeping-host.js';
import type { kept } from './kept.js';

/**
 * @param journal the host's own; instead of the one that goes with the storage
 * @param keep what keeps it, where the storage is not `none`
 */
export function createKeeping(services: Services, journal: Journal | undefined, keep: typeof kept | undefined): Keeping {
  const { log, notices, happens, nextPlace, texts } = services;
  const parts = new Map<string, KeptPart>();
  /** Texts that wait for the move. */
  const held: string[] = [];
  let draft = '';
  let turns: Turns;
  let moving: Promise<void> | undefined;
  /** No call may have its effect before this. */
  let switching: Promise<void> | undefined;
  /** Counts what ends turns that wait for the move. */
  let era = 0;
  let now = make(keep);

  function make(by: typeof kept | undefined): Keeping {
    if (services.storage === 'none') return notKept(services, journal ?? createMemoryJournal());
    if (!by) throw new Error('What keeps the conversation is not loaded.');
    return by(services, journal);
  }

  function begin(chart: Chart, things: KeptThings, raw: Turns): Turns {
    const put = (by: typeof kept | undefined, carry?: Carry) => {
      now = make(by);
      for (const [name, part] of parts) now.keep(name, part);
      if (carry) now.write(draft);
      turns = now.begin(chart, things, raw, carry);
      return now;
    };
    const move = (atOnce = false) => {
      moving ??= load(() => import('./moving.js'))
        .then((module) => module.move(chart, services, things, { now: () => now, put, atOnce }))
        .catch((error: unknown) => {
          log.error('storage.failed', 'What keeps the conversation could not be loaded', {}, { error });
          notices.add({ id: 'storage', text: ({ loadFailed, storageMemory }) => `${loadFailed}. ${storageMemory}` });
        })
        .finally(() => (moving = switching = undefined));
      if (atOnce) switching = moving;
      return moving;
    };
    /** `stays`: it is about what was said here, and not said in another conversation. */
    async function gate<T>(text: unknown, turn: () => Promise<T>, instead: () => T, stays = false): Promise<T> {
      const place = nextPlace();
      if (!moving && (!place || (stays && !place.carries))) return turn();
      const mine = era;
      const words = typeof text === 'string' && text ? [text] : [];
      held.push(...words);
      happens('elsewhere');
      await move();
      for (const word of words) held.splice(held.indexOf(word), 1);
      happens('elsewhere');
      return mine === era ? turn() : instead();
    }
    // What waited has begun: it is the next turn.
    services.when('over', () => {
      if (services.storage === 'none' && !moving && nextPlace() && chart.getSnapshot().context.turn) void move(true);
    });
    turns = now.begin(chart, things, raw);
    const { send, sendByPerson, retry, runTool, runAgain, edit, ...rest } = ofNow(() => turns);
    return {
      ...rest,
      send: (...given) => gate(given[0], () => send(...given), cancelledTurn),
      sendByPerson(...given) {
        // As it would end there; the move waits for that.
        const snapshot = chart.getSnapshot();
        if (snapshot.hasTag('awaitingApproval') && !snapshot.hasTag('executing') && nextPlace()) raw.stop();
        void gate(given[0], async () => sendByPerson(...given), nothing);
      },
      runTool: (tool) =>
        gate(
          '',
          () => runTool(tool),
          (): PublishedResult => unsuccessful('', tool?.name ?? '', 'cancelled', 'CANCELLED', texts().notExecuted),
        ),
      retry: (...given) => gate('', () => retry(...given), cancelledTurn, true),
      runAgain: (...given) => gate('', () => runAgain(...given), cancelledTurn, true),
      edit(...given) {
        if (nextPlace()?.carries && chart.getSnapshot().context.messages.some(({ id }) => id === given[0])) raw.stop();
        return gate(given[1], () => edit(...given), cancelledTurn, true);
      },
    };
  }

  const { intent, ...journalOfNow } = ofNow(() => now.journal);
  const endingTurns =
    <Given extends unknown[], T>(work: (...given: Given) => T) =>
    (...given: Given): T => {
      era += 1;
      return work(...given);
    };
  const door = ofNow(() => now);
  const { keep: keepPart, write, clear, pause, close } = door;
  return Object.defineProperties(
    door,
    Object.getOwnPropertyDescriptors({
      begin,
      journal: {
        ...journalOfNow,
        async intent(entry: Parameters<Journal['intent']>[0]) {
          await switching;
          return intent(entry);
        },
      },
      desk: ofNow(() => now.desk),
      get waiting() {
        return [...now.waiting, ...held];
      },
      keep(name: string, part: KeptPart) {
        parts.set(name, part);
        keepPart(name, part);
      },
      write(text: string) {
        draft = text;
        write(text);
      },
      ...{ clear: endingTurns(clear), pause: endingTurns(pause), close: endingTurns(close) },
    }),
  );
}

/** The same fields and methods, of whatever is there when they are used. */
function ofNow<T extends object>(now: () => T): T {
  const door = {} as T;
  for (const name of Object.keys(now()) as (keyof T)[]) {
    const call = (...given: unknown[]) => (now()[name] as (...given: unknown[]) => unknown)(...given);
    const get = () => (typeof now()[name] === 'function' ? call : now()[name]);
    Object.defineProperty(door, name, { get, enumerable: true, configurable: true });
  }
  return door;
}

function notKept(services: Services, journal: Journal): Keeping {
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
    keep: nothing,
    write: nothing,
    begin(_chart, things, turns) {
      clear = () => things.clear(false);
      return turns;
    },
    elsewhere: () => false,
    clear: () => Promise.resolve(),
    ready: () => Promise.resolve(),
    decorate: (view) => view,
    pause: nothing,
    takeOver: () => Promise.resolve(true),
    close: () => Promise.resolve(),
    forgetParts: nothing,
  };
}

function nothing() {}

const notHere = () => Promise.reject(new TypeError('No conversation is kept. Set storage="indexeddb" to keep them.'));
