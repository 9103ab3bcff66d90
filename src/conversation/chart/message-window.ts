/** Selects the messages of a request, by the options `memory` and `window`. */
import type { ChatMessage } from '../../model/messages.js';
import type { Settings } from '../options/settings.js';

/**
 * Returns the last `window` messages at most. It never starts with a result whose reply is cut off. If the current turn is longer than the
 * window, its user message is kept.
 */
export function windowOf(
  messages: readonly ChatMessage[],
  { memory, window }: Pick<Settings, 'memory' | 'window'>,
): readonly ChatMessage[] {
  // The message of the coming reply is already in the list.
  const said = messages.at(-1)?.status.type === 'running' ? messages.slice(0, -1) : messages;
  if (memory === 'full' || said.length <= window) return said;
  const asked = said.findLastIndex(({ role }) => role === 'user');
  const long = asked >= 0 && asked < said.length - window;
  let start = said.length - window + (long ? 1 : 0);
  while (said[start]?.role === 'tool') start += 1;
  return long ? [said[asked] as ChatMessage, ...said.slice(start)] : said.slice(start);
}
