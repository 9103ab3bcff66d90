/**
 * Moves a conversation to where the next turn is to be kept. One that was kept nowhere, or is to be kept under the same name elsewhere, goes along
 * as it stands; nothing that is kept there already is written over: then it is kept beside that. Another name is another conversation: that one
 * opens, and this one stays where it is. What is under way ends first, where it began.
 */
import { createId } from '../../base/ids.js';
import { load } from '../../base/load.js';
import { isSibling, siblingId } from '../../storage/conversation-list.js';
import { say, type Chart, type Services } from '../chart/services.js';
import type { Carry, Keeping, KeptThings } from './keeping-host.js';
import type { kept } from './kept.js';
import { rememberOpened } from './last-opened.js';

export interface Movable {
  now(): Keeping;
  /** Puts another in its place. */
  put(by: typeof kept | undefined, carry?: Carry): Keeping;
  /** The next turn has begun already. */
  atOnce: boolean;
}

export async function move(chart: Chart, services: Services, things: KeptThings, { now, put, atOnce }: Movable): Promise<void> {
  const { when, happens, nextPlace } = services;
  const runs = () => chart.getSnapshot().context.turn !== null || !things.queue.isEmpty;
  async function over(): Promise<void> {
    let unheard = () => {};
    await new Promise<void>((resolve) => (unheard = when('over', resolve)));
    unheard();
  }

  const { kept: by } = await load(() => import('./kept.js'));
  // A turn that has begun meanwhile goes along where no other page can know of it.
  if (services.storage === 'none') {
    if (!atOnce && runs()) await over();
  } else while (runs()) await over();
  const before = now();
  const place = nextPlace();
  if (!place) return;
  // What another tab has comes here first; where a question comes with it, that is answered where it was asked.
  if (place.carries && services.storage !== 'none' && (!(await before.takeOver()) || runs())) return;

  const written = before.close();
  if (!place.carries) {
    things.stop();
    say(chart, { type: 'user.clear' });
    before.forgetParts();
  }
  services.moveTo(place);
  const next = put(by, place.carries ? carry(services) : undefined);
  await written;
  await next.ready();
  happens('elsewhere');
}

const carry =
  (services: Services): Carry =>
  async (at) => {
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
