/** What a wire cannot carry is at least named. Small, for the wire of the seed is there from the start. */
import { field, stringOf } from './read-fields.js';

/**
 * The text, and a line for each attachment that stays behind: `[notes.pdf, application/pdf]`. So neither the model nor the person takes for
 * sent what was not: the model can say that it has not seen it.
 */
export function inWords(said: string, attachments: readonly object[] = []): string {
  const labels = attachments.map((one) => `[${[stringOf(field(one, 'name')), stringOf(field(one, 'type'))].filter(Boolean).join(', ')}]`);
  return [said, ...labels].filter(Boolean).join('\n');
}

/**
 * A result of a tool as data: where it stands among the user's words, none of it may read as one of them, or as markup of a call.
 */
export function resultInWords(toolName: string, result: string, status?: string): string {
  const said = JSON.stringify({ tool_result: { tool: toolName, ...(status !== undefined && { status }), result } });
  return said.replaceAll('<', String.raw`\u003c`);
}
