/** Remembers the relay's gate from one request to the next, for `gating.ts`. */
import { own } from '../../base/objects.js';
import type { KeptPart } from '../../model/session.js';

/** Plain data: kept with the conversation, the relay knows it again after a reload. */
export interface GateMemory {
  /** The relay's name for this conversation. Nobody's but its own: a `session-id` may be shared by many visitors. */
  session?: string;
  /** Calls whose results the relay has been told. */
  told?: string[];
  /** The relay has refused a request: the person's next message begins anew there. */
  refused?: boolean;
}

/** Results further back are told again, which does no harm. */
export const MOST_TOLD = 500;

/** For `keeping.keep`. What is not as it was written is as if there were nothing: then the relay begins anew. */
export const keptGate = (gate: GateMemory): KeptPart => ({
  save: () => (gate.session === undefined ? undefined : { ...gate }),
  load(kept) {
    const [session, told, refused] = ['session', 'told', 'refused'].map((name) => own(kept, name));
    delete gate.session;
    if (typeof session !== 'string' || session.length > 100 || !Array.isArray(told)) return;
    gate.session = session;
    gate.told = told.filter((id): id is string => typeof id === 'string' && id.length <= 1000).slice(-MOST_TOLD);
    gate.refused = refused === true;
  },
});
