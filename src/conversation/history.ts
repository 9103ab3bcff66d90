/** What the model is sent of a conversation: text in two roles, whatever the screen shows (glossary §2, `result-role`: `user-envelope`). */
import type { PublishedResult } from '../calls.js';
import type { ChatMessage } from '../messages.js';
import type { TurnRequest } from '../transports/wire.js';
import type { Settings } from './settings.js';
import type { CallRecord } from './turn.js';

/**
 * Messages for the next request. A reply goes back as the model wrote it, markup included; the results of its calls follow as one
 * user message in the protocol's envelope, so that call and result stay adjacent. Calls of the host are not the model's and are left out.
 *
 * @param tell puts results into that envelope
 */
export function buildHistory(
  messages: readonly ChatMessage[],
  calls: readonly CallRecord[],
  settings: Pick<Settings, 'memory' | 'window'>,
  tell: (results: readonly PublishedResult[]) => string,
): TurnRequest['messages'] {
  const byId = new Map(calls.map((call) => [call.requestId, call]));
  const history: TurnRequest['messages'] = [];
  let results: PublishedResult[] = [];
  const tellResults = () => {
    if (results.length > 0) history.push({ role: 'user', text: tell(results) });
    results = [];
  };
  for (const message of windowOf(messages, settings)) {
    if (message.role === 'tool') {
      const call = byId.get(message.metadata.toolCall?.requestId ?? '');
      if (!call?.result || call.manual) continue;
      results.push(call.result);
      continue;
    }
    tellResults();
    const text = message.role === 'assistant' ? (message.raw ?? message.text) : message.text;
    if (text && message.status.type !== 'running')
      history.push({ role: message.role, text, ...(message.attachments && { attachments: message.attachments }) });
  }
  tellResults();
  return history;
}

/** The last `window` messages, and what belongs to the first of them: no result without its reply, no reply without its question. */
function windowOf(messages: readonly ChatMessage[], { memory, window }: Pick<Settings, 'memory' | 'window'>): readonly ChatMessage[] {
  if (memory === 'full' || messages.length <= window) return messages;
  let start = messages.length - window;
  while (start > 0 && messages[start]?.role !== 'user') start -= 1;
  return messages.slice(start);
}
