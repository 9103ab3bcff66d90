/** The protocols that the scripted model understands: how it detects each in a prompt, reads its tools, and writes its calls. */
import { writeCall as writeXmlInvoke } from '../protocols/xml-invoke/prompt.js';
import { writeCall as writeJsonAction } from '../protocols/json-action/prompt.js';
import { writeCall as writeVcp } from '../protocols/vcp/prompt.js';
import { writeCall as writeJsonToolCalls } from '../protocols/json-tool-calls/prompt.js';
import { writeCall as writeToolCode } from '../protocols/tool-code/prompt.js';
import { asText, cutOut, parseObject } from './protocol.js';
import type { ScriptedProtocol, PromptParameter, PromptResult, PromptTool, WrittenCall } from './protocol.js';

const RESULT_OPEN = '<tool_result';
const RESULT_CLOSE = '</tool_result>';

const xmlInvoke: ScriptedProtocol = {
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
  return writeXmlInvoke(name, values).split('\n').slice(1, -1);
}

function attribute(tag: string, name: string): string {
  const start = tag.indexOf(` ${name}="`);
  if (start < 0) return '';
  const value = start + name.length + 3;
  return tag.slice(value, tag.indexOf('"', value));
}

const jsonAction: ScriptedProtocol = {
  id: 'json-action',
  isTyped: true,
  isTaught: (system) => /```json\s*\{\s*"action": "tool_call"/.test(system),
  readTools: readToolSections,
  write: (calls) => calls.map(({ name, arguments: values }) => writeJsonAction(name, values)).join('\n\n'),
  writeBroken: ({ name, arguments: values }) => writeJsonAction(name, values).replace(/\n\}\n```$/, ' and then\n}\n```'),

  readResults(text) {
    const { found: results, rest } = cutOut(text, ['```json\n', '\n```'], (inside): PromptResult | undefined => {
      const { action, name, status, result } = parseObject(inside) ?? {};
      return action === 'tool_result' ? { name: asText(name), status: asText(status), text: asText(result) } : undefined;
    });
    return { results, rest };
  },
};

const vcp: ScriptedProtocol = {
  id: 'vcp',
  isTyped: false,
  isTaught: (system) => system.includes('<<<[TOOL_REQUEST]>>>'),
  // The prompt lists tools in blocks or in sections.
  readTools(system) {
    const { found } = cutOut(system, ['<<<[TOOL_DEFINITION]>>>', '<<<[END_TOOL_DEFINITION]>>>'], readTool);
    return found.length > 0 ? found : readToolSections(system);
  },
  write: (calls) => calls.map(({ name, arguments: values }) => writeVcp(name, values)).join('\n\n'),
  // The last value has no end mark.
  writeBroken: ({ name, arguments: values }) => writeVcp(name, values).replace(/「末(?:ESCAPE)?」(?=[^」]*$)/, ''),

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

const OPEN = '{"tool_calls": [';
const CLOSE = ']}';

const jsonToolCalls: ScriptedProtocol = {
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
  return writeJsonToolCalls(name, values, id).slice(OPEN.length, -CLOSE.length);
}

const toolCode: ScriptedProtocol = {
  id: 'tool-code',
  isTyped: true,
  isTaught: (system) => system.includes('\n<tool_code>\n'),
  readTools: readToolSections,
  write: (calls) => calls.map(({ name, arguments: values }) => writeToolCode(name, values)).join('\n\n'),
  writeBroken: ({ name, arguments: values }) => writeToolCode(name, values).replace('\n</tool_code>', '\nand then\n</tool_code>'),
  readCalls: (text) => cutOut(text, ['<tool_code>\n', '\n</tool_code>'], (inside) => asText(parseObject(inside)?.['name'] ?? '')).found,
  readResults: readToolCallResults,
};

export const scriptedProtocols: readonly ScriptedProtocol[] = [xmlInvoke, jsonAction, vcp, jsonToolCalls, toolCode];

/** Reads results of the `json-tool-calls` protocol: one per line, in the order of the calls, without tool names. */
function readToolCallResults(text: string): { results: PromptResult[]; rest: string } {
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

/** Reads sections of the form `### name`, a description, `- parameter (required): …`, in Chinese or English. */
function readToolSections(system: string): PromptTool[] {
  const tools: PromptTool[] = [];
  let tool: PromptTool | undefined;
  for (const line of system.split('\n').map((raw) => raw.trim())) {
    const heading = /^### ([\p{L}_][\p{L}\p{M}\p{N}_-]{0,63})$/u.exec(line);
    if (heading) tools.push((tool = { name: heading[1]!, description: '', parameters: [] }));
    else if (line.startsWith('#') || /^(?:重要规则|Important rules|规则：|Rules:|何时调用|When to call)/.test(line)) tool = undefined;
    if (!tool) continue;
    const description = /^(?:描述|Description)[:：] ?(.*)$/.exec(line);
    if (description) tool.description = description[1]!;
    const parameter = readParameter(line);
    if (parameter) tool.parameters.push(parameter);
  }
  return tools;
}

/** Reads a line such as `- quantity (optional): How many (integer)`. */
function readParameter(line: string): PromptParameter | undefined {
  const [, name, need, rest = ''] = /^- ([\p{L}\p{M}\p{N}_-]+) ?[(（]([^)）]*)[)）][:：]?(.*)$/u.exec(line) ?? [];
  if (name === undefined || need === undefined) return undefined;
  const hint = rest.slice(Math.max(rest.lastIndexOf('('), rest.lastIndexOf('（')) + 1);
  const type = /^ ?(integer|number|boolean)\b/.exec(hint)?.[1];
  return { name, required: /必填|required/.test(need), ...(type && { type }) };
}
