/** What a service shares with this page for the length of a conversation: it goes back with each request, untouched. In memory only. */
import type { Log } from '../../base/logging.js';
import type { TurnRequest } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';

export interface SharedState {
  /** For the next request. Another service, and a conversation that begins, start without. */
  of(input: Pick<ReplyInput, 'messages' | 'turn'>, endpoint: URL): Pick<TurnRequest, 'state'>;
  change(next: (before: unknown) => unknown): void;
  /** A part of this kind is not shown; said once a kind. */
  tell(kind: string): void;
}

/** Kinds that are remembered; a service may invent as many as it likes. */
const KINDS = 50;

export function createSharedState(log: Log): SharedState {
  let state: unknown;
  let whose = '';
  const told = new Set<string>();
  return {
    of({ messages, turn }, endpoint) {
      const key = `${turn.settings.sessionId}\n${endpoint.href}`;
      if (key !== whose || !messages.some(({ role, status }) => role === 'assistant' && status.type !== 'running')) state = undefined;
      whose = key;
      return state === undefined ? {} : { state };
    },
    change: (next) => (state = next(state)),
    tell(kind) {
      if (told.has(kind) || told.size >= KINDS) return;
      told.add(kind);
      log.warn('reply.part', `The service sent a part of the kind “${kind.slice(0, 80)}”, which is not shown here`, { kind });
    },
  };
}
