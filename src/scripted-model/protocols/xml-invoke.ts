import { writeCall } from '../../protocols/xml-invoke/prompt.js';
import type { ScriptedProtocol, PromptResult, WrittenCall } from './protocol.js';
import { readToolSections } from './tool-sections.js';

const RESULT_OPEN = '<tool_result';
const RESULT_CLOSE = '</tool_result>';

export const xmlInvoke: ScriptedProtocol = {
  id: 'xml-invoke',
  isTyped: false,
  isTaught: (system) => system.includes('<tool_use>') && system.includes('<invoke name="'),
  readTools: readToolSections,
  write: (calls) => ['<tool_use>', ...calls.flatMap(writeInvoke), '</tool_use>'].join('\n'),
  writeBroken: (call) => ['<tool_use>', ...writeInvoke(call).toSpliced(-1, 0, 'and then </parameter>'), '</tool_use>'].join('\n'),

  readResults(text) {
    const results: PromptResult[] = [];
    let rest = '';
    let at = 0;
    for (;;) {
      const open = text.indexOf(RESULT_OPEN, at);
      const tagEnd = open < 0 ? -1 : text.indexOf('>', open);
      const close = tagEnd < 0 ? -1 : text.indexOf(RESULT_CLOSE, tagEnd);
      if (close < 0) return { results, rest: (rest + text.slice(at)).trim() };
      rest += text.slice(at, open);
      const tag = text.slice(open + RESULT_OPEN.length, tagEnd);
      results.push({ name: attribute(tag, 'name'), status: attribute(tag, 'status'), text: text.slice(tagEnd + 1, close).trim() });
      at = close + RESULT_CLOSE.length;
    }
  },
};

function writeInvoke({ name, arguments: values }: WrittenCall): string[] {
  return writeCall(name, values).split('\n').slice(1, -1);
}

function attribute(tag: string, name: string): string {
  const start = tag.indexOf(` ${name}="`);
  if (start < 0) return '';
  const value = start + name.length + 3;
  return tag.slice(value, tag.indexOf('"', value));
}
