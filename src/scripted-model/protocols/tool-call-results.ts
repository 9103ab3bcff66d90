/** Results of the `json-tool-calls` protocol: one per line, in the order of the calls, without tool names. */
import { asText, parseObject } from './protocol.js';
import type { PromptResult } from './protocol.js';

export function readToolCallResults(text: string): { results: PromptResult[]; rest: string } {
  const results: PromptResult[] = [];
  const rest: string[] = [];
  for (const line of text.split('\n')) {
    const told = line.startsWith('{') ? parseObject(line)?.['tool_call_result'] : undefined;
    if (typeof told === 'object' && told !== null && Object.hasOwn(told, 'result'))
      results.push({ text: asText((told as Record<string, unknown>)['result']) });
    else rest.push(line);
  }
  return { results, rest: rest.join('\n').trim() };
}
