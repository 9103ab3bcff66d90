/**
 * State that a service shares with this page for the length of a conversation. It is returned unchanged with each request, and kept in
 * memory only.
 */
import type { TurnRequest, WireEvent } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';

/** Empty until a service shares something. This module is loaded then. */
export interface SharedState {
  loading?: Promise<void>;
  /** Returns the state for the next request. Another service, or a conversation that begins, starts without one. */
  of?: (input: Place, endpoint: URL) => Pick<TurnRequest, 'state'>;
  state?: unknown;
  whose?: string;
  /** True if a change that was left out was reported. */
  hasSkipped?: true;
  /** Kinds of parts that were reported. */
  told?: Set<string>;
}

type Place = Pick<ReplyInput, 'messages' | 'turn'>;

/** Maximum number of kinds that are remembered, because a service may invent any number of them. */
export const KINDS = 50;

export function takeShared(
  event: WireEvent & { type: 'state' | 'part' },
  input: Place,
  endpoint: URL,
  { shared, log }: { shared: SharedState; log: ConversationServices['log'] },
): void {
  const keyOf = ({ turn }: Place, { href }: URL) => `${turn.settings.sessionId}\n${href}`;
  shared.of ??= (next, at) => {
    const begins = !next.messages.some(({ role, status }) => role === 'assistant' && status.type !== 'running');
    if (begins || keyOf(next, at) !== shared.whose) shared.state = undefined;
    return shared.state === undefined ? {} : { state: shared.state };
  };
  if (event.type === 'state') {
    if (keyOf(input, endpoint) !== shared.whose) shared.state = undefined;
    shared.whose = keyOf(input, endpoint);
    shared.state = event.next(shared.state, (error) => {
      if (shared.hasSkipped) return;
      shared.hasSkipped = true;
      log.debug('reply.state', 'A change of the shared state does not fit, or is too large, and was left out', {}, { error });
    });
    return;
  }
  const { kind } = event;
  const told = (shared.told ??= new Set());
  if (told.has(kind) || told.size >= KINDS) return;
  told.add(kind);
  log.warn('reply.part', `The service sent a part of the kind “${kind.slice(0, 80)}”, which is not shown here`, { kind });
}
