/** Which messages a request carries, by the options `memory` and `window`. */
import type { ChatMessage } from '../../model/messages.js';
import type { Settings } from '../options/settings.js';

/**
 * The last `window` messages, no more. No result stands there without its reply, and of a turn that is longer than that its question stays.
 */
export function windowOf(
  messages: readonly ChatMessage[],
  { memory, window }: Pick<Settings, 'memory' | 'window'>,
): readonly ChatMessage[] {
  // The reply that is to come stands there already.
  const isSaid = ({ status }: ChatMessage) => status.type !== 'running';
  if (memory === 'full') return messages.filter(isSaid);
  let first = messages.length;
  for (let count = 0; first > 0 && count < window;) if (isSaid(messages[(first -= 1)] as ChatMessage)) count += 1;
  const last = messages.slice(first).filter(isSaid);
  if (first === 0) return last;
  const asked = messages.findLastIndex((message) => message.role === 'user' && isSaid(message));
  const long = asked >= 0 && asked < first;
  let start = long ? 1 : 0;
  while (last[start]?.role === 'tool') start += 1;
  return long ? [messages[asked] as ChatMessage, ...last.slice(start)] : last.slice(start);
}
