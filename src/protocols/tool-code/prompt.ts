/** The prompt of `tool-code`: one JSON object between `<tool_code>` and `</tool_code>`. */
import { callJson, jsonWordsFor } from '../json-prompt.js';
import type { DefinitionOptions, RulesOptions, ProtocolPrompt, ToolDescription } from '../protocol.js';
import { countRule, renderAllTools, renderMethod, exampleOf, inLanguage, promptWordsFor, writeRules } from '../render-tool-docs.js';

export { formatToolResults } from '../json-prompt.js';

const zh = { format: '当需要使用工具时，请使用以下格式：', inside: '标签之间只写一个合法的 JSON 对象' };

const en: typeof zh = {
  format: 'When you need a tool, use this format:',
  inside: 'Write one valid JSON object between the tags, and nothing else',
};

/** Writes a call as the model should; our own parser reads exactly these values. */
export function writeCall(name: string, values: Record<string, unknown>): string {
  return `<tool_code>\n${callJson(name, values)}\n</tool_code>`;
}

export function generateToolDefinitions(tools: ToolDescription[], options?: DefinitionOptions): string {
  return renderAllTools(tools, (method, allowance) => renderMethod(method, options?.lang, writeCall, allowance));
}

export function rules(options: RulesOptions): ProtocolPrompt {
  const texts = inLanguage(options.lang, zh, en);
  const { tool, parameter, value, noFence, behaviour } = promptWordsFor(options.lang);
  const json = jsonWordsFor(options);
  const { name, args } = exampleOf(options);
  return {
    format: `${texts.format}\n${writeCall(name, args)}`,
    rules: writeRules(options, {
      numbered: [countRule(options), texts.inside, json.name, json.arguments, noFence],
      // Models often write code instead of JSON. An echo of this example between backticks is not read at all.
      wrong: `\`<tool_code>${tool}(${parameter}="${value}")</tool_code>\``,
    }),
    behaviour,
  };
}
