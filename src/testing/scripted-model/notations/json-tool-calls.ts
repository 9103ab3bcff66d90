import { writeCall } from '../../../protocols/json-tool-calls/prompt.js';
import { asText, parseObject } from './notation.js';
import type { ScriptedNotation, WrittenCall } from './notation.js';
import { readToolCallResults } from './tool-call-results.js';
import { readToolSections } from './tool-sections.js';

const OPEN = '{"tool_calls": [';
const CLOSE = ']}';

export const jsonToolCalls: ScriptedNotation = {
  id: 'json-tool-calls',
  isTyped: true,
  isTaught: (system) => system.includes(`\n${OPEN}`),
  readTools: readToolSections,
  write: (calls) => OPEN + calls.map(writeEntry).join(', ') + CLOSE,
  writeBroken: (call) => `${OPEN}${writeEntry(call)} and then${CLOSE}`,

  readCalls: (text) =>
    text.split('\n').flatMap((line) => {
      if (!line.startsWith(OPEN)) return [];
      const calls = parseObject(line)?.['tool_calls'];
      return Array.isArray(calls) ? calls.map((call: unknown) => asText((call as { name?: unknown } | null)?.name)) : [''];
    }),
  readResults: readToolCallResults,
};

/** One entry of the list. */
function writeEntry({ name, arguments: values }: WrittenCall): string {
  return writeCall(name, values).slice(OPEN.length, -CLOSE.length);
}
