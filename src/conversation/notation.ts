/** Notices a model that answers in another notation than it was taught (protocols.md §8, near miss). */
import type { PublishedResult } from '../calls.js';
import { wholeEnglish } from '../i18n/en.js';
import { findNearMiss } from '../protocols/near-miss.js';
import type { ReplyInput } from './conversation-machine.js';
import type { LiveReply } from './live-reply.js';
import type { Parsing } from './parsing.js';
import type { ReplyDependencies } from './reply-actor.js';
import type { ConversationEvent } from './turn.js';

wholeEnglish();

/** `auto` follows the model from the next turn on; a call that was meant is answered with an example of how it is written. */
export function followNotation(
  protocolId: string,
  parsing: Pick<Parsing, 'found' | 'foreign'>,
  live: LiveReply,
  { turn: { settings }, messageId }: ReplyInput,
  { protocols, registry, createId, log }: ReplyDependencies,
  sendBack: (event: ConversationEvent) => void,
): void {
  const learn = (id: string) => {
    if (settings.autoProtocol) protocols.learn(settings, id);
  };
  if (parsing.foreign) learn(parsing.foreign);
  if (settings.tools === 'off' || parsing.found) return;

  const miss = findNearMiss(live.raw, { active: protocolId, isTool: (name) => registry.has(name) });
  if (!miss) return;
  learn(miss.protocol);
  const { protocol: used, name: toolName, raw } = miss;
  log.warn('call.near-miss', `A call was written in the notation of ${used}`, { used, toolName }, { errorType: 'invalid_format' });
  const requestId = createId();
  const message = settings.texts.wrongNotation(toolName);
  const code = 'MALFORMED_CALL';
  const result: PublishedResult = Object.freeze({
    ...({ requestId, toolName, success: false, status: 'error', code, errorType: 'invalid_format', message } as const),
    result: `${code}: ${message}`,
    durationMs: 0,
  });
  live.placeCall(requestId);
  sendBack({ type: 'call.broken', broken: { requestId, toolName, raw, problem: 'malformed', protocol: protocolId }, messageId, result });
}
