/** What `xml-invoke` tells the model: the notation, the tools, the rules, the results. Texts of seed 000 §3.5, glossary.md §5. */
import { escapeAttribute, neutralise } from '../neutralise.js';
import type { RulesOptions, Teaching, ToolDescription, ToolExecutionResult } from '../protocol.js';
import { countRule, describeAll, describeMethod, inLanguage, wordsFor, writeRules } from '../tool-prompt.js';

const zh = {
  format: '当需要执行操作时，请使用以下XML格式：',
  rules: ['所有参数都是字符串', '布尔值用 "true"/"false"', '严格按照XML格式'],
  escape: '如果参数值中含有 </parameter>，请把整个值写在 <![CDATA[ 和 ]]> 之间。',
};

const en: typeof zh = {
  format: 'When you need to act, use this XML format:',
  rules: ['All parameters are strings', 'Write booleans as "true"/"false"', 'Keep strictly to the XML format'],
  escape: 'If a parameter value contains </parameter>, write the whole value between <![CDATA[ and ]]>.',
};

/** A call as the model should write it; our own parser reads exactly these values, as strings. Values that need it go into CDATA. */
export function writeCall(name: string, values: Record<string, unknown>): string {
  const parameters = Object.entries(values).map(([key, value]) => `<parameter name=${quote(key)}>${writeValue(value)}</parameter>\n`);
  return `<tool_use>\n<invoke name=${quote(name)}>\n${parameters.join('')}</invoke>\n</tool_use>`;
}

function quote(name: string): string {
  return name.includes('"') ? `'${name}'` : `"${name}"`;
}

function writeValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const exposed = text.trim() !== text || /<\/?parameter|^<!\[CDATA\[/.test(text);
  return exposed ? `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` : text;
}

export function generateToolDefinitions(tools: ToolDescription[], options?: { lang: string }): string {
  return describeAll(tools, (method) => describeMethod(method, options?.lang, writeCall));
}

export function rules(options: RulesOptions): Teaching {
  const texts = inLanguage(options.lang, zh, en);
  const { tool, parameter, value, lists, noFence } = wordsFor(options.lang);
  return {
    format: `${texts.format}\n${writeCall(tool, { [parameter]: value })}`,
    rules: writeRules(options, {
      numbered: [countRule(options), ...texts.rules],
      hints: [lists, texts.escape, noFence],
      // Has no `<invoke`, so an echo of it is prose for our parser (S0-176).
      wrong: `<tool_use>{"name": "${tool}", "${parameter}": "${value}"}</tool_use>`,
    }),
  };
}

export function formatToolResults(results: ToolExecutionResult[]): string {
  return results
    .map(({ toolName, requestId, status, result }) => {
      const [name, id] = [toolName, requestId].map(escapeAttribute) as [string, string];
      return `<tool_result name="${name}" id="${id}" status="${status}">${neutralise(result)}</tool_result>`;
    })
    .join('\n');
}
