/** A client that comes back for the rest of its answer, or says that it wants no more of it. */
import type { EventSource } from './event-stream.js';
import { faultBody, faults } from './faults.js';
import type { RelayFault } from './faults.js';
import { mayRead } from './origin.js';
import { isLast } from './store.js';
import type { FoundStream, StreamStore } from './store.js';

/**
 * The stream, if who asks may have it. One that belongs to another page is as unknown as one that does not exist.
 *
 * @throws RelayFault 404, or 503 while the store cannot be read
 */
export async function findStream(streams: StreamStore, id: string, request: Request): Promise<FoundStream> {
  const found = /^[0-9a-f]{32}$/.test(id) ? await streams.find(id).catch(unreadable) : undefined;
  if (!found || !mayRead(request, found.origin)) throw faults.unknownStream();
  return found;
}

function unreadable(error: unknown): never {
  throw faults.noStore(error);
}

/**
 * After which event the client wants to go on: 0, everything, where it does not say.
 *
 * @throws RelayFault 400 for an id that is none of this stream
 */
export function lastSeen(id: string, request: Request): number {
  const lastEventId = request.headers.get('last-event-id')?.trim();
  if (!lastEventId) return 0;
  const seq = lastEventId.startsWith(`${id}.`) ? lastEventId.slice(id.length + 1) : '';
  if (!/^\d{1,9}$/.test(seq)) throw faults.badRequest('`Last-Event-ID` is no event of this answer.');
  return Number(seq);
}

/** What follows `after`, and whatever is still to come. */
export function createReplay(streams: StreamStore, id: string, after: number, onFault: (fault: RelayFault) => void): EventSource {
  const leaving = new AbortController();
  const pieces = streams.follow(id, after, leaving.signal);
  let last = after;

  return {
    id,
    async next() {
      try {
        const { done, value: events } = await pieces.next();
        if (done) return { events: [], ended: true };
        const event = events.at(-1)!;
        last = event.seq;
        return { events, ended: isLast(event) };
      } catch (error) {
        const fault = faults.connectionLost(error);
        onFault(fault);
        return { events: [{ seq: last + 1, event: 'error', data: JSON.stringify(faultBody(fault)) }], ended: true };
      }
    },
    leave() {
      leaving.abort();
      void pieces.return().catch(() => {});
    },
  };
}
