/** What the model is told where there is nothing to teach: the conversation alone. Prompts and protocols load with the first tool. */
import type { ChatMessage } from '../messages.js';
import type { ReplyInput } from './conversation-machine.js';
import type { Settings } from './settings.js';
import type { Said, Speaker } from './wording.js';

export async function sayTurn(protocolId: string, input: ReplyInput, speaker: Speaker, signal: AbortSignal): Promise<Said> {
  const { settings } = input.turn;
  const teaches = settings.tools === 'on' && speaker.registry.list().length > 0;
  if (teaches || input.calls.length > 0 || settings.systemPrompt !== '')
    return (await import('./wording.js')).sayTurn(protocolId, input, speaker, signal);
  const messages = windowOf(input.messages, settings)
    .filter((message) => message.role !== 'tool' && message.status.type !== 'running')
    .map(({ role, text, raw, attachments }) => ({
      role,
      text: role === 'assistant' ? (raw ?? text) : text,
      ...(attachments && { attachments }),
    }));
  return { messages: messages.filter(({ text }) => text), system: '' };
}

/** The last `window` messages, and what belongs to the first of them: no result without its reply, no reply without its question. */
export function windowOf(
  messages: readonly ChatMessage[],
  { memory, window }: Pick<Settings, 'memory' | 'window'>,
): readonly ChatMessage[] {
  if (memory === 'full' || messages.length <= window) return messages;
  let start = messages.length - window;
  while (start > 0 && messages[start]?.role !== 'user') start -= 1;
  return messages.slice(start);
}
