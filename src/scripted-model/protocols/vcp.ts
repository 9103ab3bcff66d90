import { writeCall } from '../../protocols/vcp/prompt.js';
import { cutOut } from './protocol.js';
import type { ScriptedProtocol, PromptTool, PromptResult } from './protocol.js';
import { readParameter, readToolSections } from './tool-sections.js';

export const vcp: ScriptedProtocol = {
  id: 'vcp',
  isTyped: false,
  isTaught: (system) => system.includes('<<<[TOOL_REQUEST]>>>'),
  // The prompt lists tools in blocks or in sections.
  readTools(system) {
    const { found } = cutOut(system, ['<<<[TOOL_DEFINITION]>>>', '<<<[END_TOOL_DEFINITION]>>>'], readTool);
    return found.length > 0 ? found : readToolSections(system);
  },
  write: (calls) => calls.map(({ name, arguments: values }) => writeCall(name, values)).join('\n\n'),
  // The last value has no end mark.
  writeBroken: ({ name, arguments: values }) => writeCall(name, values).replace(/「末(?:ESCAPE)?」(?=[^」]*$)/, ''),

  readResults(text) {
    const marks = ['<<<[TOOL_RESULT]>>>', '<<<[END_TOOL_RESULT]>>>'] as const;
    const { found: results, rest } = cutOut(text, marks, (inside): PromptResult => {
      const { tool_name: name = '', status = '', result = '' } = readFields(inside);
      return { name, status, text: result };
    });
    return { results, rest };
  },
};

function readTool(inside: string): PromptTool {
  const { tool_name: name = '', description = '', parameters = '' } = readFields(inside);
  return {
    name,
    description: description.split('\n')[0]!,
    parameters: parameters.split('\n').flatMap((line) => readParameter(line) ?? []),
  };
}

/** Reads fields, the first of each name: a definition is followed by an example with fields of its own. */
function readFields(inside: string): Record<string, string> {
  const fields: Record<string, string> = { __proto__: null as never };
  for (const [, key, value] of inside.matchAll(/^([\p{L}\p{M}\p{N}_-]+):「始」([^「]*)「末」/gmu)) fields[key!] ??= value!.trim();
  return fields;
}
