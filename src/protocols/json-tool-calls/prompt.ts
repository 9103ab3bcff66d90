/** What `json-tool-calls` tells the model: an object with the list `tool_calls`, bare and at the start of a line (S3-06 … S3-08). */
import { callJson, jsonWordsFor } from '../json-prompt.js';
import type { RulesOptions, Teaching, ToolDescription } from '../protocol.js';
import { describeAll, describeMethod, inLanguage, wordsFor, writeRules } from '../tool-prompt.js';

export { formatToolResults } from '../json-prompt.js';

const zh = {
  format: '当需要使用工具时，请另起一行，写出以下 JSON 对象：',
  start: '对象必须以 "tool_calls" 开头，并从行首开始',
  many: '每次只调用一个工具；互不依赖的操作可以依次写进同一个列表',
  bare: '不要把这个对象放进代码块。',
};

const en: typeof zh = {
  format: 'When you need a tool, write this JSON object on a line of its own:',
  start: 'The object begins with "tool_calls", at the start of the line',
  many: 'Call one tool at a time; calls that do not depend on each other may follow one another in the list',
  bare: 'Do not put the object into a code block.',
};

/** A call as the model should write it; our own parser reads exactly these values. */
export function writeCall(name: string, values: Record<string, unknown>): string {
  return `{"tool_calls": [${callJson(name, values)}]}`;
}

export function generateToolDefinitions(tools: ToolDescription[], options?: { lang: string }): string {
  return describeAll(tools, (method) => describeMethod(method, options?.lang, writeCall));
}

export function rules(options: RulesOptions): Teaching {
  const texts = inLanguage(options.lang, zh, en);
  const { tool, parameter, value, one } = wordsFor(options.lang);
  const json = jsonWordsFor(options);
  return {
    format: `${texts.format}\n${writeCall(tool, { [parameter]: value })}`,
    rules: writeRules(options, {
      numbered: [options.callsPerTurn === 'many' ? texts.many : one, texts.start, json.name, json.arguments],
      hints: [texts.bare, json.results],
      // Without the list it is prose.
      wrong: callJson(tool, { [parameter]: value }),
    }),
  };
}
