/** Detects a model that answers in a tool-call format other than the one it was taught. */
import { registerCallSteps } from '../chart/call-steps.js';
import { createCallSink } from './call-sink.js';
import { fullEnglish } from '../../i18n/en.js';
import type { PublishedResult } from '../../model/calls.js';
import { findNearMiss, type NearMiss } from '../../protocols/near-miss.js';
import type { CallFlag } from '../../protocols/protocol.js';
import type { ConversationEvent, ReplyInput } from '../chart/chart-context.js';
import type { Settings } from '../options/settings.js';
import { NATIVE } from '../request/protocol-registry.js';
import type { StreamingReply } from './streaming-reply.js';
import type { Parsing } from './parsing.js';
import type { ReplyDependencies } from './reply-reading.js';

fullEnglish();
registerCallSteps();
createCallSink();

interface EndedReply {
  protocolId: string;
  parsing: Pick<Parsing, 'found' | 'foreign' | 'offer'>;
  live: StreamingReply;
  /** True if its end is proved and nothing limited its length. */
  isWhole: boolean;
}

/**
 * Reacts to a call in another format. With `auto`, the format is used from the next turn on. A call that was meant is not left as text. The
 * user is asked about it if it is in the protocol's own format and only in another place, if the provider should have made the calls, or if
 * it is in the model's own dialect. Otherwise the model is told how calls are written.
 */
export function detectProtocol(
  { protocolId, parsing, live, isWhole }: EndedReply,
  { turn: { settings, id: turnId }, messageId }: ReplyInput,
  { protocols, registry, createId, log }: ReplyDependencies,
  sendBack: (event: ConversationEvent) => void,
): void {
  const isNative = protocolId === NATIVE;
  const learn = (id: string) => {
    if (settings.autoProtocol || isNative) protocols.learn(settings, id);
  };
  if (parsing.foreign) learn(parsing.foreign);
  if (settings.tools === 'off' || parsing.found) return;

  const miss = findNearMiss(live.text, { active: protocolId, isTool: (name) => registry.has(name, protocolId) });
  if (!miss || !isLast(live)) return;
  if (!miss.loose && !miss.misplaced) learn(miss.protocol);
  // The model was sent the tools and does not use them, so only text works with it.
  if (isNative) protocols.noteRefusal(settings, turnId);
  live.removeTail(live.text.length - miss.start);

  const { protocol: used, name: toolName, raw } = miss;
  // A gated relay has read no call here, and accepts only an error.
  const flags = settings.orchestration === 'client' ? flagsOf(miss, protocolId, isWhole, settings.accept) : undefined;
  if (flags) {
    log.warn('call.offered', 'A call was written as text, or in an unusual place: it needs approval', { used, toolName });
    live.rebuildFromParts = true;
    for (const call of miss.calls)
      parsing.offer({ ...call, arguments: call.arguments!, raw, flags: [...new Set([...(call.flags ?? []), ...flags])] });
    return;
  }
  log.warn('call.near-miss', `A call was written in the format of ${used}`, { used, toolName }, { errorType: 'invalid_format' });
  const requestId = createId();
  const message = settings.texts.callUnread;
  const code = 'MALFORMED_CALL';
  const result: PublishedResult = Object.freeze({
    ...({ requestId, toolName, success: false, status: 'error', code, errorType: 'invalid_format', message } as const),
    result: `${code}: ${settings.texts.wrongNotation(toolName)}`,
    durationMs: 0,
  });
  live.placeCall(requestId);
  sendBack({ type: 'call.broken', broken: { requestId, toolName, raw, problem: 'malformed', protocol: protocolId }, messageId, result });
}

/**
 * Returns the flags with which the calls are offered to the user; undefined if they are not. None of these flags lets a call run by itself.
 */
function flagsOf(
  { protocol, calls, misplaced, loose, short }: NearMiss,
  active: string,
  isWhole: boolean,
  accept: Settings['accept'],
): CallFlag[] | undefined {
  if (calls.some((call) => call.arguments === undefined) || (short && !isWhole)) return undefined;
  const repaired: CallFlag[] = short ? ['repaired'] : [];
  if (active === NATIVE) return ['quoted', ...repaired];
  if (misplaced && protocol === active) return ['suspicious'];
  // The call is in a dialect of the model's own, after other text or in a fence.
  return loose && accept !== 'strict' ? ['foreign', 'quoted', ...repaired] : undefined;
}

/** Checks that nothing that is not shown, such as reasoning, follows the visible text. */
const isLast = ({ raw, text }: StreamingReply): boolean => raw.trimEnd().endsWith(text.trimEnd().slice(-64));
