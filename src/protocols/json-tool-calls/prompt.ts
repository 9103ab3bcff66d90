/** The prompt of `json-tool-calls`: an object with the list `tool_calls`, without a fence, at the start of a line. */
import { callJson, jsonWordsFor, spacedJson } from '../json-prompt.js';
import type { DefinitionOptions, RulesOptions, ProtocolPrompt, ToolDescription } from '../protocol.js';
import { renderAllTools, renderMethod, exampleOf, inLanguage, promptWordsFor, writeRules } from '../render-tool-docs.js';

export { formatToolResults } from '../json-prompt.js';

const zh = {
  format: '当需要使用工具时，请另起一行，写出以下 JSON 对象：',
  start: '对象必须以 "tool_calls" 开头，并从行首开始',
  many: '列表中可以依次写多个互不依赖的调用；需要前一个结果时，先等待结果',
  id: '每个调用的 "id" 各不相同；结果以 {"tool_call_result": {"toolCallId": …}} 返回，并带有这个 id',
};

const en: typeof zh = {
  format: 'When you need a tool, write this JSON object on a line of its own:',
  start: 'The object begins with "tool_calls", at the start of the line',
  many: 'The list may hold several calls, if none of them needs the result of another',
  id: 'Give each call an "id" of its own; its result comes back as {"tool_call_result": {"toolCallId": …}} with this id',
};

/**
 * Writes a call as the model should, in the standard object of the protocol; our own parser reads exactly these values. Arguments are an
 * object, because small models fail to quote JSON inside a JSON string.
 */
export function writeCall(name: string, values: Record<string, unknown>, id = 'call_1'): string {
  return `{"tool_calls": [${spacedJson({ id, type: 'function', function: { name, arguments: values } })}]}`;
}

export function generateToolDefinitions(tools: ToolDescription[], options?: DefinitionOptions): string {
  return renderAllTools(tools, (method, allowance) => renderMethod(method, options?.lang, writeCall, allowance));
}

export function rules(options: RulesOptions): ProtocolPrompt {
  const texts = inLanguage(options.lang, zh, en);
  const { tool, parameter, value, one, behaviour } = promptWordsFor(options.lang);
  const json = jsonWordsFor(options);
  const { name, args } = exampleOf(options);
  return {
    format: `${texts.format}\n${writeCall(name, args)}`,
    rules: writeRules(options, {
      numbered: [options.callsPerTurn === 'many' ? texts.many : one, texts.start, texts.id, json.name, json.arguments],
      // Without the list it is prose.
      wrong: callJson(tool, { [parameter]: value }),
    }),
    behaviour,
  };
}
