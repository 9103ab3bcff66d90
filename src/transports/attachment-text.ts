/** Text for content that a wire cannot carry. Kept small, because the default wire `cutie` needs it. */
import { field, stringOf } from './read-fields.js';

/**
 * Returns the text with a line for each attachment that is not sent: `[notes.pdf, application/pdf]`. Neither the model nor the user then
 * believes that it was sent, and the model can say that it has not seen it.
 */
export function withAttachmentLabels(said: string, attachments: readonly object[] = []): string {
  const labels = attachments.map((one) => `[${[stringOf(field(one, 'name')), stringOf(field(one, 'type'))].filter(Boolean).join(', ')}]`);
  return [said, ...labels].filter(Boolean).join('\n');
}

/**
 * Returns a tool result as data. It is inserted among the user's messages, so it must not read as the user's text or as the markup of a
 * call.
 */
export function resultText(toolName: string, result: string, status?: string): string {
  const said = JSON.stringify({ tool_result: { tool: toolName, ...(status !== undefined && { status }), result } });
  return said.replaceAll('<', String.raw`\u003c`);
}
