/**
 * `orchestration: 'relay-gated'`: the relay checks that every request fits the conversation so far, and follows every reply to know which
 * calls it leaves open. The rules are in `validate-request.ts`. This file keeps the state in the relay's store and changes it only by
 * compare-and-swap, so that any number of relays and tabs agree on one order.
 */
import { relayErrors, RelayError } from '../errors.js';
import type { RelayTurn } from '../relay-turn.js';
import type { StateStore } from '../store.js';
import { validateRequest, addMadeCalls, type GateState, type PendingCall, type GateLimits } from './validate-request.js';
import { namesOf, type ClientState } from './client-state.js';
import { createCallsReader, createMadeCallReader, isReadable, type MadeCall } from './parse-calls.js';
import type { Yield } from '../../tools/yield-to-main.js';
import { sha256 } from '../../tools/digest.js';

/** Follows one reply. Its text may go to the client only after `settle`. */
export interface ReplyTracker {
  push(text: string): void;
  /** Saves the calls found so far. @throws RelayError if there are too many, or the conversation has continued without this reply */
  settle(): Promise<void>;
  /** Marks the reply as properly ended: its calls have to be answered now. */
  end(finishReason: string): Promise<void>;
  /** Restores the state before the request, because no part of the reply was sent. Never rejects. */
  abandon(): Promise<void>;
}

export interface Admitted {
  turn: RelayTurn;
  watch: ReplyTracker;
}

export interface GateClient {
  origin: string;
  /** The client, as named for `rateLimit`. */
  holder: string;
  /** Awaited between steps of long work. */
  breathe: Yield;
}

interface Conversation {
  key: string;
  holder: string;
}

/** Number of attempts to change a state. A change is retried if another writer was faster. */
const TRIES = 8;

export function createGate(options: GateOptions, states: StateStore) {
  const readCalls = createCallsReader();

  async function read(key: string): Promise<{ state?: GateState; version: number }> {
    const found = await states.read(key);
    return found ? { state: JSON.parse(found.value) as GateState, version: found.version } : { version: 0 };
  }

  /**
   * @param change returns the next state; `undefined` deletes it
   * @returns the result of `change`, once it is stored
   */
  async function update<T extends { state: GateState | undefined; hasEnded?: boolean }>(
    { key, holder }: Conversation,
    change: (state: GateState | undefined) => Promise<T> | T,
  ): Promise<T> {
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        const { state, version } = await read(key);
        const changed = await change(state);
        const { state: next, hasEnded = false } = changed;
        if (!state && !next) return changed;
        const about = { holder, isOpen: !hasEnded || (next?.pending.length ?? 0) > 0 };
        if (await states.swap(key, version, next ? JSON.stringify(next) : '', next ? options.ageMs : 0, about)) return changed;
      }
    } catch (error) {
      throw error instanceof RelayError ? error : relayErrors.noStore(error);
    }
    throw relayErrors.noStore('too many changes at once');
  }

  /**
   * Admits a request.
   *
   *   @throws RelayError 409 if it breaks a rule, 503 if the state is unavailable: no request passes unchecked
   */
  async function admit(turn: RelayTurn, { origin, holder, breathe }: GateClient): Promise<Admitted> {
    const { claims } = turn;
    if (!claims) throw relayErrors.outOfOrder('no_claims');
    if (!isReadable(claims)) throw relayErrors.outOfOrder('unreadable');
    const conversation = { key: await sha256(`${origin}\n${claims.session}`), holder };
    const { messages, before } = await update(conversation, async (state) => {
      const calls = await readCalls({ ...claims, names: new Set(namesOf(claims)) }, turn.messages, breathe);
      await breathe();
      return { ...validateRequest(state, claims, turn.messages, calls, options), before: state };
    });
    return { turn: { ...turn, messages }, watch: watchReply(conversation, claims, before) };
  }

  function watchReply(conversation: Conversation, claims: ClientState, before: GateState | undefined): ReplyTracker {
    const reader = createMadeCallReader({ ...claims, names: new Set(namesOf(claims)) });
    const needsWord = new Set([...options.confirm, ...claims.tools.flatMap(({ name, risk }) => (risk === 'danger' ? [name] : []))]);
    const realName = new Map(claims.tools.flatMap(({ name, as }) => (as === undefined ? [] : [[as, name] as const])));
    const isOne = claims.callsPerTurn === 'one' || claims.stopsAtCall;
    let count = 0;
    let told = 0;

    const ours = (state: GateState | undefined): GateState => {
      if (state?.request !== claims.request) throw relayErrors.outOfOrder('superseded');
      return state;
    };
    const pendingOf = (calls: readonly MadeCall[]): PendingCall[] =>
      calls.map(({ name: written, digest, quoted }) => {
        const name = realName.get(written) ?? written;
        const place = quoted ? 0 : count++;
        const isLaterLink = claims.callsPerTurn === 'confirm-chain' && place > 0;
        return {
          name,
          digest,
          required: false,
          optional: quoted || (isOne && place > 0),
          confirm: isLaterLink || needsWord.has(name),
        };
      });

    async function settle() {
      // The page may have started one of these calls meanwhile, so its result is still accepted.
      if (reader.withdrawn())
        await update(conversation, (state) => {
          const now = ours(state);
          return { state: { ...now, pending: now.pending.map((call) => ({ ...call, optional: true })) } };
        });
      const calls = pendingOf(await reader.take());
      if (count > options.maxCalls) throw relayErrors.outOfOrder('calls');
      if (calls.length === 0 && reader.broken === told) return;
      told = reader.broken;
      await update(conversation, (state) => ({ state: addMadeCalls(ours(state), calls, reader.broken) }));
    }

    return {
      push: reader.push,
      settle,
      async end(finishReason) {
        const isWhole = finishReason !== 'content_filter';
        reader.end(!isWhole ? 'abort' : finishReason === 'length' ? 'length' : 'stop');
        await settle();
        // The page may send one error to a model that announced a call but wrote none.
        const broken = Math.max(1, reader.broken);
        await update(conversation, (state) => {
          const now = ours(state);
          const pending = now.pending.map((call) => ({ ...call, required: isWhole && !call.optional }));
          return { state: { ...now, broken, pending }, hasEnded: true };
        });
      },
      async abandon() {
        // If the conversation began with this request, its state is deleted.
        const back = (state: GateState | undefined) => ({ state: state?.request === claims.request ? before : state, hasEnded: true });
        await update(conversation, back).catch(() => {});
      },
    };
  }

  return { admit };
}

/** Options of the relay's gate, with their defaults. */
export interface GateOptions extends GateLimits {
  /** Names of tools that always need confirmation, regardless of the risk that the page sends. */
  confirm: readonly string[];
  /** Milliseconds for which the state of a conversation is kept after its last request. */
  ageMs: number;
}

export const defaultGateOptions: GateOptions = { maxRounds: 25, maxCalls: 20, confirm: [], ageMs: 3_600_000 };
