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
  // The reply that is to come is there already.
  const said = messages.at(-1)?.status.type === 'running' ? messages.slice(0, -1) : messages;
  if (memory === 'full' || said.length <= window) return said;
  const asked = said.findLastIndex(({ role }) => role === 'user');
  const long = asked >= 0 && asked < said.length - window;
  let start = said.length - window + (long ? 1 : 0);
  while (said[start]?.role === 'tool') start += 1;
  return long ? [said[asked] as ChatMessage, ...said.slice(start)] : said.slice(start);
}
