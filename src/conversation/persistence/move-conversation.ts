/**
 * Moves a conversation to the place where the host wants it. A conversation that was not saved and had no name, or that is to be saved
 * elsewhere under the same name, moves there with the next turn. It never overwrites a conversation that is already stored there: it is
 * then saved as another one. Another name is another conversation, perhaps of another user: that one opens as soon as nothing is running,
 * and the current one stays where it is. A call that only waits for its user waits there, because another user cannot be asked about it.
 */
import { createId } from '../../base/ids.js';
import { load } from '../../base/load.js';
import { own } from '../../base/objects.js';
import { isSibling, siblingId } from '../../storage/conversation-list.js';
import { endedWithoutResult } from '../chart/call-records.js';
import { sendEvent, type Chart, type ConversationServices } from '../chart/services.js';
import { cancelledTurn } from '../host/turn-queue.js';
import type { Turns } from '../host/turns.js';
import type { FindFreeLocation, GatedTurn, Persistence, SessionDeps } from './persistence-types.js';
import type { createPersistedSession } from './persisted-session.js';
import { rememberOpened } from './last-opened.js';

export interface MovableConversation {
  now(): Persistence;
  /** Replaces it with another one. */
  put(by: typeof createPersistedSession | undefined, carry?: FindFreeLocation): void;
}

export interface ConversationMover {
  /** The texts that wait for the move. */
  readonly held: readonly string[];
  readonly isMoving: boolean;
  /** Begins a turn once its place is known. `isOver` returns true if the turn is no longer wanted. */
  gate(name: GatedTurn, given: readonly unknown[], turn: () => unknown, isOver: () => boolean): Promise<unknown>;
  /** `atOnce`: the next turn has already begun. */
  move(atOnce?: boolean): Promise<void>;
}

export function createConversationMover(
  chart: Chart,
  services: ConversationServices,
  things: SessionDeps,
  raw: Turns,
  { now, put }: MovableConversation,
): ConversationMover {
  const { on, emit, nextLocation: nextPlace, log, notices, texts } = services;
  const held: string[] = [];
  let moving: Promise<void> | undefined;
  const runs = () => chart.getSnapshot().context.turn !== null || !things.queue.isEmpty;
  async function over(): Promise<void> {
    let unheard = () => {};
    await new Promise<void>((resolve) => (unheard = on('over', resolve)));
    unheard();
  }

  /** Checks whether part of the turn continues without its user. */
  function goesOn(): boolean {
    const snapshot = chart.getSnapshot();
    return (
      snapshot.context.turn !== null &&
      (!snapshot.hasTag('awaitingApproval') || snapshot.hasTag('executing') || snapshot.hasTag('streaming'))
    );
  }

  /** Resolves when the turn is over or only waits for its user. */
  async function rest(): Promise<void> {
    while (goesOn()) {
      let stop = () => {};
      const asks = new Promise<void>((resolve) => {
        const { unsubscribe } = chart.subscribe(() => goesOn() || resolve());
        stop = unsubscribe;
      });
      await Promise.race([over(), asks]);
      stop();
      // Its end is reported before anything else happens.
      if (chart.getSnapshot().context.turn === null) await new Promise<void>(queueMicrotask);
    }
  }

  async function toNextPlace(atOnce: boolean): Promise<void> {
    const wanted = nextPlace();
    const by =
      wanted && wanted.storage !== 'none' ? (await load(() => import('./persisted-session.js'))).createPersistedSession : undefined;
    if (wanted?.carries === false) await rest();
    // If nothing is saved, no other page can know of a turn that has begun meanwhile, so that turn moves along.
    else if (services.storage === 'none') {
      if (!atOnce && runs()) await over();
    } else while (runs()) await over();
    const before = now();
    const place = nextPlace();
    if (!place) return things.queue.goOn();
    // The host has named another place meanwhile.
    if (place.storage !== wanted?.storage || place.carries !== wanted.carries) return toNextPlace(atOnce);
    // First fetch the state of another tab. If an approval is pending in it, it is answered where it was asked.
    if (place.carries && services.storage !== 'none' && (!(await before.takeOver()) || runs())) return;

    const written = before.close();
    if (!place.carries) {
      things.queue.cancel();
      things.stop();
      sendEvent(chart, { type: 'user.clear' });
      before.forgetParts();
    }
    services.moveTo(place);
    put(by, place.carries ? carry : undefined);
    if (!place.carries) services.openedAnother();
    await written;
    await now().ready();
  }

  const carry: FindFreeLocation = async (at) => {
    const { firstSession, sessionId } = services;
    let keeper = at(isSibling(firstSession, sessionId) ? sessionId : firstSession);
    await keeper.ready();
    if (!keeper.carried) {
      await keeper.close();
      keeper = at(siblingId(firstSession, createId('c')));
      await keeper.ready();
    }
    rememberOpened(services, services.sessionId);
    return keeper;
  };

  function move(atOnce = false): Promise<void> {
    moving ??= toNextPlace(atOnce)
      .catch((error: unknown) => {
        log.error('storage.failed', 'What keeps the conversation could not be loaded', {}, { error });
        notices.add({ id: 'storage', text: ({ loadFailed, storageMemory }) => `${loadFailed}. ${storageMemory}` });
      })
      .finally(() => {
        moving = undefined;
        emit('elsewhere');
      });
    return moving;
  }

  /** Checks whether the turn ends what is running: a new message while an approval waits, or an edit of a message. */
  function endsBefore(name: GatedTurn, id: unknown): boolean {
    const { context } = chart.getSnapshot();
    const waits = chart.getSnapshot().hasTag('awaitingApproval') && !chart.getSnapshot().hasTag('executing');
    return name === 'edit' ? context.messages.some((message) => message.id === id) : name === 'sendByPerson' && waits;
  }

  return {
    held,
    get isMoving() {
      return moving !== undefined;
    },
    async gate(name, given, turn, isOver) {
      // A turn that refers to an earlier message does not run in another conversation.
      const isAbout = name === 'retry' || name === 'runAgain' || name === 'edit';
      const place = nextPlace();
      const isOther = place?.carries === false;
      if (moving || place) {
        if (!isOther && endsBefore(name, given[0])) raw.stop();
        const said = given[name === 'edit' ? 1 : 0];
        const words = typeof said === 'string' && said ? [said] : [];
        held.push(...words);
        emit('elsewhere');
        await move();
        for (const word of words) held.splice(held.indexOf(word), 1);
        emit('elsewhere');
      }
      if (!isOver() && !(isOther && isAbout) && nextPlace()?.carries !== false) return turn();
      if (name !== 'runTool') return cancelledTurn();
      return endedWithoutResult('', String(own(given[0], 'name')), 'cancelled', 'CANCELLED', texts().notExecuted);
    },
    move,
  };
}
