/** Remembers the state of the relay's gate between requests, for `relay-gating.ts`. */
import { own } from '../../base/objects.js';
import type { KeptPart } from '../../model/session.js';

/** Plain data, saved with the conversation, so that the relay recognizes it after a reload. */
export interface RelayGateState {
  /** The relay's id for this conversation. Unlike a `session-id`, it is never shared by several visitors. */
  session?: string;
  /** Ids of calls whose results were sent to the relay. */
  told?: string[];
  /** True if the relay refused a request: the user's next message then starts a new gate session. */
  refused?: boolean;
}

/** The number of ids to remember. Older results are sent again, which is harmless. */
export const MAX_SENT_RESULTS = 500;

/** The slice that `keeping.keep` saves. Invalid data counts as absent; the relay then starts a new gate session. */
export const restoreGateState = (gate: RelayGateState): KeptPart => ({
  save: () => (gate.session === undefined ? undefined : { ...gate }),
  load(kept) {
    const [session, told, refused] = ['session', 'told', 'refused'].map((name) => own(kept, name));
    delete gate.session;
    if (typeof session !== 'string' || session.length > 100 || !Array.isArray(told)) return;
    gate.session = session;
    gate.told = told.filter((id): id is string => typeof id === 'string' && id.length <= 1000).slice(-MAX_SENT_RESULTS);
    gate.refused = refused === true;
  },
});
