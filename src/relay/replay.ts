/** Resumes a stream for a client that reconnects, and finds the stream that a client stops. */
import type { EventSource } from './event-stream.js';
import { errorBody, relayErrors } from './errors.js';
import type { RelayError } from './errors.js';
import { mayRead } from './origin.js';
import { isLast } from './store.js';
import type { FoundStream, StreamStore } from './store.js';

/**
 * Finds a stream that the request may read. A stream of another page counts as unknown.
 *
 * @throws RelayError 404, or 503 while the store cannot be read
 */
export async function findStream(streams: StreamStore, id: string, request: Request): Promise<FoundStream> {
  const found = /^[0-9a-f]{32}$/.test(id) ? await streams.find(id).catch(unreadable) : undefined;
  if (!found || !mayRead(request, found.origin)) throw relayErrors.unknownStream();
  return found;
}

function unreadable(error: unknown): never {
  throw relayErrors.noStore(error);
}

/**
 * Returns the number of the last event that the client has: 0 (send all) if it does not say.
 *
 * @throws RelayError 400 for an id that does not belong to this stream
 */
export function lastSeen(id: string, request: Request): number {
  const lastEventId = request.headers.get('last-event-id')?.trim();
  if (!lastEventId) return 0;
  const seq = lastEventId.startsWith(`${id}.`) ? lastEventId.slice(id.length + 1) : '';
  if (!/^\d{1,9}$/.test(seq)) throw relayErrors.badRequest('`Last-Event-ID` is no event of this answer.');
  return Number(seq);
}

/** Creates the source of the events after `after`, including those still to come. */
export function createReplay(streams: StreamStore, id: string, after: number, onFault: (fault: RelayError) => void): EventSource {
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
        const fault = relayErrors.connectionLost(error);
        onFault(fault);
        return { events: [{ seq: last + 1, event: 'error', data: JSON.stringify(errorBody(fault)) }], ended: true };
      }
    },
    leave() {
      leaving.abort();
      void pieces.return().catch(() => {});
    },
  };
}
