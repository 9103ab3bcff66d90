/**
 * The prompt of `xml-invoke`: the format, the tools, the rules and the results. With `wording: 'seed'` the rules are the original text.
 */
import { escapeAttribute, neutralise } from '../neutralize.js';
import type { DefinitionOptions, RulesOptions, ProtocolPrompt, ToolDescription, ToolExecutionResult } from '../protocol.js';
import {
  countRule,
  renderAllTools,
  renderMethod,
  exampleOf,
  inPromptLanguage,
  textRules,
  promptWordsFor,
  writeRules,
} from '../render-tool-docs.js';

/** Texts of the format and its rules; the Chinese ones are in `chinese.ts`. */
export const xmlInvokeTexts = {
  format: 'When you need to act, use this XML format:',
  seed: ['All parameters are strings', 'Write booleans as "true"/"false"', 'Keep strictly to the XML format'],
  plain: [
    'Write each value between its tags as it is, without quotes',
    'Write booleans as true or false',
    'Keep strictly to the XML format, and close every tag',
  ],
};

/** Writes a call as the model should; our own parser reads exactly these values, as strings. Values that need it go into CDATA. */
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

export function generateToolDefinitions(tools: ToolDescription[], options?: DefinitionOptions): string {
  return renderAllTools(tools, (method, allowance) => renderMethod(method, options?.lang, writeCall, allowance));
}

export function rules(options: RulesOptions): ProtocolPrompt {
  const texts = inPromptLanguage(options.lang, xmlInvokeTexts);
  const { tool, parameter, value, behaviour } = promptWordsFor(options.lang);
  const { name, args } = exampleOf(options);
  return {
    format: `${texts.format}\n${writeCall(name, args)}`,
    rules: writeRules(options, {
      ...textRules(options, [countRule(options), ...(options.wording === 'seed' ? texts.seed : texts.plain)]),
      // Without `<invoke`, our parser reads an echo of this example as prose.
      wrong: `<tool_use>{"name": "${tool}", "${parameter}": "${value}"}</tool_use>`,
    }),
    behaviour,
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
