import { writeCall } from '../../protocols/json-tool-calls/prompt.js';
import { asText, parseObject } from './protocol.js';
import type { ScriptedProtocol, WrittenCall } from './protocol.js';
import { readToolCallResults } from './tool-call-results.js';
import { readToolSections } from './tool-sections.js';

const OPEN = '{"tool_calls": [';
const CLOSE = ']}';

export const jsonToolCalls: ScriptedProtocol = {
  id: 'json-tool-calls',
  isTyped: true,
  isTaught: (system) => system.includes(`\n${OPEN}`),
  readTools: readToolSections,
  write: (calls) => OPEN + calls.map((call, at) => writeEntry(call, `call_${at + 1}`)).join(', ') + CLOSE,
  writeBroken: (call) => `${OPEN}${writeEntry(call)} and then${CLOSE}`,

  readCalls: (text) =>
    text.split('\n').flatMap((line) => {
      if (!line.startsWith(OPEN)) return [];
      const calls = parseObject(line)?.['tool_calls'];
      return Array.isArray(calls) ? calls.map(nameIn) : [''];
    }),
  readResults: readToolCallResults,
};

/** Returns the name from an entry in the standard form, or in the flat form. */
function nameIn(entry: unknown): string {
  const { function: inner, name } = (entry ?? {}) as { function?: { name?: unknown } | null; name?: unknown };
  return asText(inner?.name ?? name);
}

/** Writes one entry of the list. */
function writeEntry({ name, arguments: values }: WrittenCall, id?: string): string {
  return writeCall(name, values, id).slice(OPEN.length, -CLOSE.length);
}
