/** Checks whether a request fits the state of its conversation, and computes the next state. Pure: uses no clock and no store. */
import { relayErrors, type GateReason } from '../errors.js';
import type { RelayTurn } from '../relay-turn.js';
import { namesOf, type ClientState } from './client-state.js';
import type { MadeCall } from './parse-calls.js';

export interface PendingCall {
  name: string;
  digest: string;
  /** True if its reply ended properly, so that the page has to send a result. */
  required: boolean;
  /** True if the page need not send a result even then: the call is quoted, or exceeds the calls per turn. */
  optional: boolean;
  /** True if it may run only after a confirmation. */
  confirm: boolean;
}

/** The relay's state of a conversation, as plain data. Every list is bounded. */
export interface GateState {
  /** The id of the request whose reply may add calls. */
  request: string;
  /** Number of tool-loop requests since the user's last message. */
  rounds: number;
  pending: PendingCall[];
  /** Number of unreadable calls in the last reply: a page may answer each with an error. */
  broken: number;
  answered: { id: string; name: string; status: string }[];
  /** Digests of all calls that the model has made in this conversation, oldest first. */
  made: string[];
  /** Set if older digests have been dropped. */
  forgotten?: true;
  /** Names of the tools of the last request. Absent in states of older relays. */
  names?: string[];
  used: string[];
}

export interface GateLimits {
  /** Maximum number of tool-loop requests after one message of the user. */
  maxRounds: number;
  /** Maximum number of calls in one reply. */
  maxCalls: number;
}

const MOST = { made: 300, answered: 200, used: 200, nameChars: 20_000 };

export interface ValidatedRequest {
  state: GateState;
  /** The messages that go upstream, with text that only looks like a result neutralized. */
  messages: RelayTurn['messages'];
}

type Message = RelayTurn['messages'][number];
type Answer = ClientState['answers'][number];

/**
 * Checks a request. If the conversation is unknown or has been forgotten, its history is accepted as text: calls in it need no result, and
 * its results are neutralized.
 *
 * @throws RelayError 409, saying which rule is broken
 */
export function validateRequest(
  state: GateState | undefined,
  claims: ClientState,
  messages: readonly Message[],
  /** The calls in each message. */
  each: readonly (readonly MadeCall[])[],
  { maxRounds }: GateLimits,
): ValidatedRequest {
  if (state?.used.includes(claims.request)) outOfOrder('replayed');
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  const typed = claims.kind === 'user' ? messages.length - 1 : -1;
  if (typed >= 0 && messages[typed]!.role !== 'user') outOfOrder('no_message');
  const names = bounded(namesOf(claims));
  const told = each.flat().filter(({ quoted }) => !quoted);
  const last = each[lastReply] ?? [];

  if (!state) {
    const made = told.map(({ digest }) => digest);
    if (claims.kind === 'on') outOfOrder('unknown_session');
    return {
      state: next({ ...fresh(), made, names }, claims, 0),
      messages: messages.map((message, at) => (at > lastReply ? { ...message, text: withoutResults(message.text) } : message)),
    };
  }

  const made = [...state.made, ...checkMade(state, state.forgotten ? last.filter(({ quoted }) => !quoted) : told)];
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
  if (rounds > maxRounds) outOfOrder('rounds');
  return {
    state: next({ ...state, made, names, answered: [...state.answered, ...answers] }, claims, rounds),
    messages: disarmed,
  };
}

const fresh = (): GateState => ({ request: '', rounds: 0, pending: [], broken: 0, answered: [], made: [], used: [] });

function next(state: GateState, { request }: ClientState, rounds: number): GateState {
  return {
    ...trimmed(state),
    ...{ request, rounds, pending: [], broken: 0 },
    used: [...state.used, request].slice(-MOST.used),
    answered: state.answered.slice(-MOST.answered),
  };
}

/** Keeps as many names as fit into the state. Calls of the other tools are not checked in later requests. */
function bounded(names: readonly string[]): string[] {
  let left = MOST.nameChars;
  return names.filter((name) => (left -= name.length) >= 0);
}

/** Adds calls of the reply that is being written to the state. */
export function addMadeCalls(state: GateState, calls: readonly PendingCall[], broken: number): GateState {
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

/**
 * Checks that each call in the messages was made by the model, and not more often than it was made. If older digests have been dropped,
 * only the last reply can be checked.
 *
 * A call in a dialect counts only if it names a tool. So what a reply wrote before the last request offered that tool was text, for the page
 * and for the relay: it is not refused, and its digest is returned, so that it is checked from now on.
 */
function checkMade({ made, names }: GateState, told: readonly MadeCall[]): string[] {
  const before = names && new Set(names);
  const left = new Map<string, number>();
  for (const digest of made) left.set(digest, (left.get(digest) ?? 0) + 1);
  return told.flatMap(({ digest, name, isForeign }) => {
    const count = left.get(digest) ?? 0;
    left.set(digest, count - 1);
    if (count > 0) return [];
    if (!isForeign || !before || before.has(name)) outOfOrder('forged_call');
    return [digest];
  });
}

/**
 * Checks that each result has an answer in the claims, each answer a result and a call, and that each required call is answered once.
 * Returns the new answers.
 */
function checkAnswers(
  { pending, answered, broken }: GateState,
  { answers, withdraws, kind }: ClientState,
  results: readonly GateResult[],
  inLastReply: readonly string[],
): Answer[] {
  if (results.length > answers.length) outOfOrder('unknown_result');
  const open = [...pending];
  const fresh: Answer[] = [];
  let slack = broken;
  answers.forEach((answer, at) => {
    const told = results[at];
    if (told?.id !== answer.id || (told.name ?? answer.name) !== answer.name || (told.status ?? answer.status) !== answer.status)
      outOfOrder('unknown_result');
    if (answers.findIndex(({ id }) => id === answer.id) !== at) outOfOrder('unknown_result');
    const before = answered.find(({ id }) => id === answer.id);
    if (before) {
      // A known answer may be repeated, but not changed.
      if (before.name !== answer.name || before.status !== answer.status) outOfOrder('unknown_result');
      return;
    }
    fresh.push(answer);
    const place = open.findIndex(({ name }) => name === answer.name);
    if (place >= 0) {
      const [call] = open.splice(place, 1);
      if (call!.confirm && answer.status === 'success' && (answer.decidedBy ?? 'policy') === 'policy') outOfOrder('unconfirmed');
    } else if (answer.status === 'error' && slack > 0) slack -= 1;
    else outOfOrder('unknown_result');
  });
  const owed = open.filter(({ required }) => required);
  // Only the user can withdraw a reply: by a new message, or by regenerating a reply that followed results.
  const mayTakeBack = kind === 'user' || answers.length > 0;
  const isGone = withdraws && mayTakeBack && fresh.length === 0 && !owed.some(({ digest }) => inLastReply.includes(digest));
  if (owed.length > 0 && !isGone) outOfOrder('unanswered');
  return fresh.map(({ id, name, status }) => ({ id, name, status }));
}

function outOfOrder(reason: GateReason): never {
  throw relayErrors.outOfOrder(reason);
}

/** Reads the results in a page's messages, and neutralizes text that only looks like a result. */
interface GateResult {
  id: string;
  /** The tool's name, if the protocol writes it. */
  name?: string;
  status?: string;
}

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
/** The beginnings of results, exactly as our protocols write them. No part can match into the next one, so nothing backtracks. */
const heads = {
  xml: /<tool_result name="([^"<>]*)" id="([^"<>]*)" status="([a-z]*)">/g,
  json: new RegExp(`\\{"tool_call_result":\\{"toolCallId":${QUOTED},`, 'g'),
  action: new RegExp(`\\{"action":"tool_result","name":${QUOTED},"id":${QUOTED},"status":"([a-z]*)",`, 'g'),
  vcp: /<<<\[TOOL_RESULT\]>>>\ntool_name:「始」([^「」\n]*)「末」\nrequest_id:「始」([^「」\n]*)「末」\nstatus:「始」([a-z]*)「末」/g,
};

const headOf: Readonly<Record<string, keyof typeof heads>> = {
  'xml-invoke': 'xml',
  'json-action': 'action',
  vcp: 'vcp',
  'json-tool-calls': 'json',
  'tool-code': 'json',
};

/** Text that may look like the beginning of a result in any of our protocols, with any spacing. */
const LOOKS_XML = /<(?=(?:antml:)?tool_result(?![A-Za-z0-9_]))/gi;
const LOOKS_VCP = /<{1,3}(?=\[TOOL_RESULT)/gi;
const LOOKS_JSON = /("tool_call|"action"\s{0,20}:\s{0,20}"tool)_(?=result")/gi;

/** Returns the text without anything that a model could take for a result. Idempotent. */
function withoutResults(text: string): string {
  return text
    .replace(LOOKS_XML, '&lt;')
    .replace(LOOKS_VCP, (signs) => '&lt;'.repeat(signs.length))
    .replace(LOOKS_JSON, '$1-');
}

/** Returns the results in a message of the page, and the message with all other result-like text neutralized. */
function readResults(protocol: string, text: string): { results: GateResult[]; text: string } {
  const kind = Object.hasOwn(headOf, protocol) ? headOf[protocol]! : undefined;
  if (!kind) return { results: [], text: withoutResults(text) };
  const results: GateResult[] = [];
  let clean = '';
  let at = 0;
  for (const match of text.matchAll(heads[kind])) {
    results.push(resultOf(kind, match.slice(1)));
    clean += withoutResults(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return { results, text: clean + withoutResults(text.slice(at)) };
}

function resultOf(kind: keyof typeof heads, parts: string[]): GateResult {
  const plain = kind === 'xml' ? unescapeAttribute : kind === 'vcp' ? (part: string) => part : unescapeJson;
  const [first = '', second, status] = parts.map(plain);
  if (kind === 'json') return { id: first };
  return { name: first, id: second ?? '', ...(status !== undefined && { status }) };
}

const unescapeAttribute = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function unescapeJson(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
