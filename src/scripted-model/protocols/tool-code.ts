import { writeCall } from '../../protocols/tool-code/prompt.js';
import { asText, cutOut, parseObject } from './protocol.js';
import type { ScriptedProtocol } from './protocol.js';
import { readToolCallResults } from './tool-call-results.js';
import { readToolSections } from './tool-sections.js';

export const toolCode: ScriptedProtocol = {
  id: 'tool-code',
  isTyped: true,
  isTaught: (system) => system.includes('\n<tool_code>\n'),
  readTools: readToolSections,
  write: (calls) => calls.map(({ name, arguments: values }) => writeCall(name, values)).join('\n\n'),
  writeBroken: ({ name, arguments: values }) => writeCall(name, values).replace('\n</tool_code>', '\nand then\n</tool_code>'),
  readCalls: (text) => cutOut(text, ['<tool_code>\n', '\n</tool_code>'], (inside) => asText(parseObject(inside)?.['name'] ?? '')).found,
  readResults: readToolCallResults,
};
