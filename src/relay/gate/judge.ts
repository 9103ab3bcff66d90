/** Whether a request fits the state of its conversation, and the state that follows. Pure: no clock, no store. */
import { faults } from '../faults.js';
import type { GateReason } from '../faults.js';
import type { RelayTurn } from '../relay-turn.js';
import { namesOf, type Claims } from './claims.js';
import type { MadeCall } from './made-calls.js';
import { readResults, withoutResults, type GateResult } from './told-results.js';

export interface PendingCall {
  name: string;
  digest: string;
  /** Its reply ended properly, so the page has to answer it. */
  required: boolean;
  /** The page need not answer it even then: it is quoted, or one too many. */
  optional: boolean;
  /** It may run only after somebody's word. */
  confirm: boolean;
}

/** What the relay knows of a conversation; plain data. Every list is bounded. */
export interface GateState {
  /** The request whose reply may add calls. */
  request: string;
  /** Requests of the loop since the person's last message. */
  rounds: number;
  pending: PendingCall[];
  /** Calls of the last reply that were no calls: a page may answer each with an error. */
  broken: number;
  answered: { id: string; name: string; status: string }[];
  /** Digests of all calls that the model has made here, oldest first. */
  made: string[];
  /** Some have been forgotten. */
  forgotten?: true;
  /** Names of tools that every request so far has had. Absent in states of older relays. */
  names?: string[];
  used: string[];
}

export interface GateLimits {
  /** Requests of the loop that may follow one message of the person. */
  maxRounds: number;
  /** Calls of one reply. */
  maxCalls: number;
}

const MOST = { made: 300, answered: 200, used: 200, nameChars: 20_000 };

export interface Judgement {
  state: GateState;
  /** What goes upstream: results that are none are disarmed in it. */
  messages: RelayTurn['messages'];
}

type Message = RelayTurn['messages'][number];
type Answer = Claims['answers'][number];

/** The calls in the messages of a request. */
export interface ToldCalls {
  /** In each message: those that were calls for every request so far. */
  each: readonly (readonly MadeCall[])[];
  /** In the last reply: those that are calls by now. */
  last: readonly MadeCall[];
}

/**
 * The names by which the messages are read. A call in a dialect is one only if it names a tool: what a reply wrote before there was such a tool was
 * text, for the page and for the relay, and stays text.
 */
export function namesThen(state: GateState | undefined, claims: Pick<Claims, 'tools'>): string[] {
  const then = state?.names && new Set(state.names);
  const names = namesOf(claims);
  return then ? names.filter((name) => then.has(name)) : names;
}

/**
 * A conversation that is new here, or forgotten, is taken as it is told, as text: what it says of calls binds nobody, and its results are
 * disarmed.
 *
 * @throws RelayFault 409, saying which rule is broken
 */
export function judge(
  state: GateState | undefined,
  claims: Claims,
  messages: readonly Message[],
  { each, last }: ToldCalls,
  { maxRounds }: GateLimits,
): Judgement {
  if (state?.used.includes(claims.request)) refuse('replayed');
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  const typed = claims.kind === 'user' ? messages.length - 1 : -1;
  if (typed >= 0 && messages[typed]!.role !== 'user') refuse('no_message');
  const made = each.flatMap((calls) => calls.flatMap(({ digest, quoted }) => (quoted ? [] : [digest])));

  if (!state) {
    if (claims.kind === 'on') refuse('unknown_session');
    return {
      state: next({ ...fresh(), made, names: bounded(namesOf(claims)) }, claims, 0),
      messages: messages.map((message, at) => (at > lastReply ? { ...message, text: withoutResults(message.text) } : message)),
    };
  }

  checkMade(state, made, each[lastReply] ?? []);
  const results: GateResult[] = [];
  const disarmed = messages.map((message, at) => {
    if (at <= lastReply) return message;
    if (at === typed) return { ...message, text: withoutResults(message.text) };
    const read = readResults(claims.protocol, message.text);
    results.push(...read.results);
    return { ...message, text: read.text };
  });
  const answers = checkAnswers(
    state,
    claims,
    results,
    last.map(({ digest }) => digest),
  );
  const rounds = claims.kind === 'user' ? 0 : state.rounds + 1;
  if (rounds > maxRounds) refuse('rounds');
  return {
    state: next({ ...state, names: bounded(namesThen(state, claims)), answered: [...state.answered, ...answers] }, claims, rounds),
    messages: disarmed,
  };
}

const fresh = (): GateState => ({ request: '', rounds: 0, pending: [], broken: 0, answered: [], made: [], used: [] });

function next(state: GateState, { request }: Claims, rounds: number): GateState {
  return {
    ...trimmed(state),
    ...{ request, rounds, pending: [], broken: 0 },
    used: [...state.used, request].slice(-MOST.used),
    answered: state.answered.slice(-MOST.answered),
  };
}

/** Names beyond the bound are not held to anything. */
function bounded(names: readonly string[]): string[] {
  let left = MOST.nameChars;
  return names.filter((name) => (left -= name.length) >= 0);
}

/** The state with one more call of the reply that is being written. */
export function withMadeCalls(state: GateState, calls: readonly PendingCall[], broken: number): GateState {
  return trimmed({
    ...state,
    broken,
    pending: [...state.pending, ...calls],
    made: [...state.made, ...calls.map(({ digest }) => digest)],
  });
}

function trimmed(state: GateState): GateState {
  if (state.made.length <= MOST.made) return state;
  return { ...state, made: state.made.slice(-MOST.made), forgotten: true };
}

/** Every call in the messages is one that the model made, no oftener than it made it. Where some are forgotten, the last reply alone can be held to it. */
function checkMade({ made, forgotten }: GateState, told: readonly string[], last: readonly { digest: string; quoted: boolean }[]): void {
  const left = new Map<string, number>();
  for (const digest of made) left.set(digest, (left.get(digest) ?? 0) + 1);
  const held = forgotten ? last.flatMap(({ digest, quoted }) => (quoted ? [] : [digest])) : told;
  for (const digest of held) {
    const count = left.get(digest) ?? 0;
    if (count === 0) refuse('forged_call');
    left.set(digest, count - 1);
  }
}

/** Each result has its claim, each claim its result and its call; each call that was to be answered is, once. Gives those that are new. */
function checkAnswers(
  { pending, answered, broken }: GateState,
  { answers, withdraws, kind }: Claims,
  results: readonly GateResult[],
  inLastReply: readonly string[],
): Answer[] {
  if (results.length > answers.length) refuse('unknown_result');
  const open = [...pending];
  const fresh: Answer[] = [];
  let slack = broken;
  answers.forEach((answer, at) => {
    const told = results[at];
    if (told?.id !== answer.id || (told.name ?? answer.name) !== answer.name || (told.status ?? answer.status) !== answer.status)
      refuse('unknown_result');
    if (answers.findIndex(({ id }) => id === answer.id) !== at) refuse('unknown_result');
    const before = answered.find(({ id }) => id === answer.id);
    if (before) {
      // What is known may be told again, never otherwise.
      if (before.name !== answer.name || before.status !== answer.status) refuse('unknown_result');
      return;
    }
    fresh.push(answer);
    const place = open.findIndex(({ name }) => name === answer.name);
    if (place >= 0) {
      const [call] = open.splice(place, 1);
      if (call!.confirm && answer.status === 'success' && (answer.decidedBy ?? 'policy') === 'policy') refuse('unconfirmed');
    } else if (answer.status === 'error' && slack > 0) slack -= 1;
    else refuse('unknown_result');
  });
  const owed = open.filter(({ required }) => required);
  // Only a person takes back: by a new message, or by having a reply asked for anew that followed results.
  const mayTakeBack = kind === 'user' || answers.length > 0;
  const isGone = withdraws && mayTakeBack && fresh.length === 0 && !owed.some(({ digest }) => inLastReply.includes(digest));
  if (owed.length > 0 && !isGone) refuse('unanswered');
  return fresh.map(({ id, name, status }) => ({ id, name, status }));
}

function refuse(reason: GateReason): never {
  throw faults.outOfOrder(reason);
}
