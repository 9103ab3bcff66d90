/**
 * Builds the part of a request that carries the conversation. All calls and results use the protocol of this request, whichever one they
 * were written in, because a model imitates what the transcript shows.
 */
import type { PublishedResult } from '../../model/calls.js';
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import type { TurnMessage, TurnRequest } from '../../transports/wire.js';
import type { CallRecord, ReplyInput } from '../chart/chart-context.js';
import { neutraliseDialects } from '../../protocols/neutralize.js';
import { callOf } from '../chart/call-records.js';
import { mergeFallbackCall } from '../chart/fallback-call.js';
import { windowOf } from '../chart/message-window.js';
import type { Settings } from '../options/settings.js';
import { NATIVE } from './protocol-registry.js';

export interface HistoryWords {
  /** Wraps results in the protocol's envelope; with `repair`, an example of how to write a call follows. */
  tell(results: readonly PublishedResult[], repair: boolean): string;
  /** A note added to a result that was undone. */
  undone: string;
  /** A note added when an undo began and its outcome is unknown. */
  maybeUndone: string;
  /** Introduces the result of the fallback tool. */
  instead(toolName: string): string;
  /** Writes a call in the protocol of this request. */
  writeCall?(name: string, values: Record<string, unknown>, id?: string): string;
}

type ConversationSlice = Pick<ReplyInput, 'messages' | 'parts' | 'calls'> & { turn?: Pick<ReplyInput['turn'], 'isRetry' | 'results'> };
type HistoryPolicy = Pick<Settings, 'memory' | 'window' | 'protocol' | 'resultRole' | 'promptOptions' | 'orchestration' | 'accept'>;

/**
 * Returns the messages for the next request. A reply is sent as the model wrote it, markup included, and the results of its calls follow,
 * so that call and result stay adjacent. Calls that the host made itself are left out.
 */
export function buildHistory(
  talk: ConversationSlice,
  policy: HistoryPolicy,
  speech: HistoryWords,
): Pick<TurnRequest, 'messages' | 'answers'> {
  const history: TurnMessage[] = [];
  let answers: NonNullable<TurnRequest['answers']> = [];
  let told: CallRecord[] = [];
  // The service may have run what was approved before this retry, and would run it again.
  const isRepeated = talk.turn?.isRetry === true && talk.turn.results.length === 0;
  const tellResults = () => {
    // The model did not request a repeat by the user, so it is reported as text, even if calls and results have native fields.
    const [byPerson, asked] = [told.filter(isRepeat), told.filter((call) => !isRepeat(call))];
    if (policy.protocol === NATIVE)
      history.push(...asked.map((call) => nativeResult(call, policy, speech)), ...envelopes(byPerson, policy, speech));
    else history.push(...envelopes(told, policy, speech));
    told = [];
  };
  for (const message of windowOf(talk.messages, policy)) {
    if (message.role === 'tool') {
      const call = callOf(talk, message.metadata.toolCall?.requestId ?? '');
      if (!call?.result || call.manual) continue;
      if (call.approval) {
        // A stored or imported approval is none: only the user of this page can agree.
        if (!call.result.success || (call.byPerson && !isRepeated)) answers.push(answerTo(call));
      } else if (call.standsInFor !== undefined) told = mergeFallbackCall(told, call, speech.instead);
      else told.push(call);
      continue;
    }
    if (message.status.type === 'running') continue;
    tellResults();
    // An approval is answered only once, in the request that follows it.
    answers = [];
    const spoken = message.role === 'assistant' ? reply(message, talk, policy, speech) : { role: message.role, text: message.text };
    const attached = message.attachments && { attachments: message.attachments };
    const served = servedIn(message, talk, policy);
    if (spoken.text || spoken.toolCalls || attached || served) history.push({ ...spoken, ...attached, ...served });
  }
  tellResults();
  return { messages: history, ...(answers.length > 0 && { answers }) };
}

/** The service is stateless: it only knows the results of its own tools if we send them again. */
function servedIn(message: ChatMessage, talk: ConversationSlice, { accept }: HistoryPolicy): Pick<TurnMessage, 'served'> | undefined {
  const served = (talk.parts[message.id] ?? []).flatMap((part): NonNullable<TurnMessage['served']> => {
    const call = part.type === 'call' ? callOf(talk, part.requestId) : undefined;
    if (!call?.served || !call.result || call.result.status === 'cancelled') return [];
    const { result, toolName: name, params, signature } = call;
    const failed = result.status !== 'success';
    const text = result.result || result.message;
    const safe = accept === 'strict' ? text : neutraliseDialects(text);
    const output = failed || safe !== text ? safe : (result.data ?? text);
    return [
      {
        id: nativeId(call),
        name,
        arguments: { ...params },
        output,
        ...(failed && { failed }),
        ...(signature !== undefined && { signature }),
      },
    ];
  });
  return served.length > 0 ? { served } : undefined;
}

function reply(message: ChatMessage, talk: ConversationSlice, policy: HistoryPolicy, { writeCall }: HistoryWords): TurnMessage {
  const asWritten = { role: 'assistant', text: message.raw ?? message.text };
  const parts = talk.parts[message.id] ?? [];
  const calls = parts.flatMap((part) => (part.type === 'call' ? (callOf(talk, part.requestId) ?? []) : []));
  const made = calls.filter((call) => call.result && !call.served && !call.manual && !call.approval && !isRepeat(call));
  if (policy.protocol === NATIVE) {
    if (made.length === 0) return asWritten;
    return {
      role: 'assistant',
      text: message.text,
      toolCalls: made.map(({ signature, ...call }) => ({
        id: nativeId(call),
        name: call.toolName,
        arguments: { ...call.params },
        ...(signature !== undefined && { signature }),
      })),
    };
  }
  const sameProtocol = message.raw !== undefined && made.every((call) => call.protocol === policy.protocol);
  if (!writeCall || made.length === 0 || sameProtocol) return asWritten;
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text.trim();
    if (part.type !== 'call') return writeBlock(part);
    const call = made.find(({ requestId, result }) => requestId === part.requestId && result?.code !== 'MALFORMED_CALL');
    return call ? writeCall(call.toolName, { ...call.params }, nativeId(call)) : '';
  });
  return { role: 'assistant', text: texts.filter(Boolean).join('\n\n') };
}

/** Writes a block the way the prompt teaches it. */
function writeBlock(part: Extract<MessagePart, { type: 'plan' | 'clarify' }>): string {
  const block = part.type === 'plan' ? { task_plan: part.plan } : { clarify: part.clarify };
  return `\`\`\`json\n${JSON.stringify(block)}\n\`\`\``;
}

/** Results carry the model's own call ids, unless the relay tracks results: then each needs an id that is unique in the conversation. */
function envelopes(
  calls: readonly CallRecord[],
  { protocol, resultRole, promptOptions, orchestration }: HistoryPolicy,
  words: HistoryWords,
): TurnMessage[] {
  const role = resultRole === 'tool' && protocol !== NATIVE ? 'tool' : 'user';
  const groups = promptOptions.mergeResults === false ? calls.map((call) => [call]) : calls.length > 0 ? [calls] : [];
  return groups.map((group) => ({
    role,
    text: words.tell(
      group.map((call) => ({
        ...withUndo(call, words),
        requestId: orchestration === 'client' ? nativeId(call) : call.requestId,
      })),
      group.some((call) => call.repair),
    ),
  }));
}

const isRepeat = ({ repeats }: CallRecord): boolean => repeats !== undefined;

function withUndo({ result: published, fate }: CallRecord, { undone, maybeUndone }: Pick<HistoryWords, 'undone' | 'maybeUndone'>) {
  const result = published as PublishedResult;
  const added = result.undone ? undone : fate === 'maybe-undone' ? maybeUndone : undefined;
  return added === undefined ? result : { ...result, result: `${result.result}\n${added}` };
}

function nativeResult(call: CallRecord, { accept }: HistoryPolicy, words: HistoryWords): TurnMessage {
  const { result, status, data } = withUndo(call, words);
  const text = accept === 'strict' ? result : neutraliseDialects(result);
  return {
    ...{ role: 'tool', text, toolCallId: nativeId(call), toolName: call.toolName },
    ...(status !== 'success' ? { failed: true } : text === result && valueIn(result, data)),
  };
}

/**
 * Returns the raw value if the text contains all of it and only one sentence before it. Notes and truncated values exist in the text only.
 */
function valueIn(text: string, data: unknown): Pick<TurnMessage, 'output'> {
  if (data === undefined) return {};
  if (Array.isArray(data) && data.length === 0) return { output: data };
  const written = typeof data === 'string' ? data : JSON.stringify(data);
  const isWhole = text.endsWith(`\n${written}`) && text.indexOf('\n') === text.length - written.length - 1;
  return isWhole ? { output: data } : {};
}

/** The service's or the model's id of a call, if it gave one. Cards, journal and events use our own id. */
const nativeId = (call: Pick<CallRecord, 'providerId' | 'requestId'>): string => call.providerId ?? call.requestId;

/** Answers with exactly the arguments that the card showed, because the service runs what was approved. */
function answerTo({ approval, toolName, params, providerId, status, result }: CallRecord): NonNullable<TurnRequest['answers']>[number] {
  const approved = status === 'success';
  return {
    ...{ id: approval?.id ?? '', toolName, approved, arguments: { ...params } },
    ...(providerId !== undefined && { toolCallId: providerId }),
    ...(approval?.keep !== undefined && { keep: approval.keep }),
    ...(!approved && result && { reason: result.message }),
  };
}
