/**
 * `orchestration="relay-gated"`: reports the state of this conversation to the relay. The relay does not trust it, but compares it with
 * what it has seen itself, in `relay/gate`.
 */
import { createId } from '../../base/ids.js';
import type { CallRecord, ReplyInput } from '../chart/chart-context.js';
import type { Settings } from '../options/settings.js';
import { type PromptContext, MAX_SENT_RESULTS } from './prompt-input.js';

export interface GateClientState {
  session: string;
  request: string;
  protocol: string;
  accept: Settings['accept'];
  callsPerTurn: Settings['callsPerTurn'];
  stopsAtCall: boolean;
  kind: 'user' | 'on';
  answers: { id: string; name: string; status: string; decidedBy?: string }[];
  withdraws: boolean;
  /** `as`: the tool's name in this protocol, if it differs from `name`. */
  tools: { name: string; as?: string; risk?: string }[];
}

/** Returns the claims for a request. Updates the gate's memory: results that are sent now count as known next time. */
export function gateStateOf(
  input: ReplyInput,
  protocol: string,
  { registry, gate: memory }: Pick<PromptContext, 'registry' | 'gate'>,
): GateClientState {
  const { settings } = input.turn;
  const kind =
    input.messages.findLast(({ role, status }) => role !== 'assistant' || status.type !== 'running')?.role === 'user' ? 'user' : 'on';
  const isNew = !input.messages.some((message) => message.role === 'assistant' && message.status.type !== 'running');
  if (memory.session === undefined || isNew || (memory.refused && kind === 'user')) {
    memory.session = createId('gate');
    memory.told = [];
    memory.refused = false;
  }
  const told = new Set(memory.told);
  const answers = answersOf(input);
  const withdraws = answers.every(({ id }) => told.has(id));
  memory.told = [...told, ...answers.flatMap(({ id }) => (told.has(id) ? [] : [id]))].slice(-MAX_SENT_RESULTS);
  return {
    session: memory.session,
    request: createId('request'),
    protocol: settings.tools === 'off' ? 'none' : protocol,
    accept: settings.accept,
    callsPerTurn: settings.callsPerTurn,
    stopsAtCall: settings.afterCall === 'stop-stream',
    kind,
    answers,
    withdraws,
    tools: registry.list().map(({ name, risk, aliases }) => {
      const as = aliases && Object.hasOwn(aliases, protocol) ? aliases[protocol] : undefined;
      return { name, ...(as !== undefined && { as }), ...(risk && { risk }) };
    }),
  };
}

/** Returns claims for a separate request outside the conversation, so that the relay accepts it. Calls in its reply are not parsed. */
export const gateStateWithoutHistory = (): GateClientState => ({
  ...{ session: createId('gate'), request: createId('request'), protocol: 'none', accept: 'active', callsPerTurn: 'many' },
  ...{ stopsAtCall: false, kind: 'user', answers: [], withdraws: false, tools: [] },
});

/** Returns the results after the last non-empty reply, the same ones that `buildHistory` sends. */
function answersOf({ messages, calls }: ReplyInput): GateClientState['answers'] {
  const lastReply = messages.findLastIndex(
    (message) => message.role === 'assistant' && message.status.type !== 'running' && (message.raw ?? message.text) !== '',
  );
  const byId = new Map(calls.map((call) => [call.requestId, call]));
  return messages.slice(lastReply + 1).flatMap((message) => {
    const call = message.role === 'tool' ? byId.get(message.metadata.toolCall?.requestId ?? '') : undefined;
    return call?.result && !call.manual && !call.approval && !call.served ? [answerOf(call)] : [];
  });
}

function answerOf({ requestId, result, call, byPerson }: CallRecord): GateClientState['answers'][number] {
  const decidedBy = byPerson ? 'person' : call?.decidedBy;
  return { id: requestId, name: result!.toolName, status: result!.status, ...(decidedBy && { decidedBy }) };
}
