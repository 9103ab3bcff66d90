/** The request body of the wires `cutie` and `text`. It is a module of its own because `text` loads `cutie` only if it is needed. */
import { withAttachmentLabels } from './attachment-text.js';
import type { TurnRequest } from './wire.js';

/**
 * Returns the request body: text only, without tools. The role `tool` is sent only if the host wants results in that form; every other role
 * except `assistant` becomes `user`.
 */
export function cutieBody(turn: TurnRequest): object {
  return {
    messages: turn.messages
      .map(({ role, text, attachments }) => ({
        role: role === 'assistant' || role === 'tool' ? role : 'user',
        text: withAttachmentLabels(text, attachments),
      }))
      .filter((message) => message.text.trim() !== ''),
    system: turn.system,
    max_tokens: turn.maxTokens,
    ...(turn.temperature !== undefined && { temperature: turn.temperature }),
    ...(turn.grammar !== undefined && { grammar: turn.grammar }),
    stream: turn.stream,
    ...(turn.model !== undefined && { model: turn.model }),
    ...(turn.config && { config: turn.config }),
  };
}
