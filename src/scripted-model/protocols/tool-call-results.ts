/** Results of the `json-tool-calls` notation: one per line, in the order of the calls, without tool names. */
import { asText, parseObject } from './protocol.js';
import type { ToldResult } from './protocol.js';

export function readToolCallResults(text: string): { results: ToldResult[]; rest: string } {
  const results: ToldResult[] = [];
  const rest: string[] = [];
  for (const line of text.split('\n')) {
    const told = line.startsWith('{') ? parseObject(line)?.['tool_call_result'] : undefined;
    if (typeof told === 'object' && told !== null && Object.hasOwn(told, 'result'))
      results.push({ text: asText((told as Record<string, unknown>)['result']) });
    else rest.push(line);
  }
  return { results, rest: rest.join('\n').trim() };
}
