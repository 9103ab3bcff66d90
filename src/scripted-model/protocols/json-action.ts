import { writeCall } from '../../protocols/json-action/prompt.js';
import { asText, cutOut, parseObject } from './protocol.js';
import type { ScriptedProtocol, PromptResult } from './protocol.js';
import { readToolSections } from './tool-sections.js';

export const jsonAction: ScriptedProtocol = {
  id: 'json-action',
  isTyped: true,
  isTaught: (system) => /```json\s*\{\s*"action": "tool_call"/.test(system),
  readTools: readToolSections,
  write: (calls) => calls.map(({ name, arguments: values }) => writeCall(name, values)).join('\n\n'),
  writeBroken: ({ name, arguments: values }) => writeCall(name, values).replace(/\n\}\n```$/, ' and then\n}\n```'),

  readResults(text) {
    const { found: results, rest } = cutOut(text, ['```json\n', '\n```'], (inside): PromptResult | undefined => {
      const { action, name, status, result } = parseObject(inside) ?? {};
      return action === 'tool_result' ? { name: asText(name), status: asText(status), text: asText(result) } : undefined;
    });
    return { results, rest };
  },
};
