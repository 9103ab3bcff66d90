/**
 * The prompt of `json-action`, in the structure of its original: the rules come before the tools. The original wording is used if it is
 * requested.
 */
import { spacedJson } from '../json-prompt.js';
import { neutralise } from '../neutralize.js';
import type { DefinitionOptions, RulesOptions, ProtocolPrompt, ToolDescription, ToolExecutionResult, Wording } from '../protocol.js';
import { renderAllTools, renderMethod, exampleOf, inLanguage, promptWordsFor, writeRules } from '../render-tool-docs.js';

const en = {
  title: '## Tool Call Protocol',
  format: 'When you need to use a tool, use this exact JSON format in a code block:',
  heading: 'Rules:',
  rules: [
    'Always use a code block with ```json',
    'Set "action" to "tool_call"',
    '"name" must be exactly one of the available tools',
    '"arguments" must be valid JSON matching the tool\'s parameters',
    'Do not add any other text outside the code block when making a tool call',
    'After receiving tool results, respond naturally to the user',
  ],
  many: 'A reply may hold several calls, each in a code block of its own, if none of them needs the result of another',
  tools: '## Available Tools',
  usage: '## Tool Usage Rules',
  kinds: ['Query operations: run at once', 'Write operations: run at once', 'Dangerous operations: need the user’s confirmation'],
};

const zh: typeof en = {
  title: '## 工具调用协议',
  format: '当需要使用工具时，请在代码块中严格使用以下 JSON 格式：',
  heading: '规则：',
  rules: [
    '始终使用 ```json 代码块',
    '"action" 写为 "tool_call"',
    '"name" 必须与某个可用工具的名称完全一致',
    '"arguments" 必须是符合该工具参数的合法 JSON',
    '调用工具时，不要在代码块之外添加其他文字',
    '收到工具结果后，用自然的语言回复用户',
  ],
  many: '一条回复中可以依次写多个互不依赖的调用，每个调用使用单独的代码块',
  tools: '## 可用工具',
  usage: '## 工具使用规则',
  kinds: ['查询操作：直接执行', '写入操作：直接执行', '危险操作：需要用户确认'],
};

/** The original Chinese wording: English except for the text after the three kinds of operations. */
const seedZh: typeof en = {
  ...en,
  kinds: ['Query operations: 直接执行', 'Write operations: 直接执行', 'Dangerous operations: 需要用户确认'],
};

const textsFor = ({ lang, wording }: { lang: string; wording?: Wording | undefined }) =>
  inLanguage(lang, wording === 'seed' ? seedZh : zh, en);

/** Writes a call as the model should; our own parser reads exactly these values. */
export function writeCall(name: string, values: Record<string, unknown>): string {
  return fence(`{\n  "action": "tool_call",\n  "name": ${JSON.stringify(name)},\n  "arguments": ${spacedJson(values)}\n}`);
}

function fence(json: string): string {
  return `\`\`\`json\n${json}\n\`\`\``;
}

export function generateToolDefinitions(tools: ToolDescription[], { lang = 'en', wording }: Partial<DefinitionOptions> = {}): string {
  return `${textsFor({ lang, wording }).tools}\n\n${renderAllTools(tools, (method, allowance) => renderMethod(method, lang, writeCall, allowance))}`;
}

export function rules(options: RulesOptions): ProtocolPrompt {
  const { lang, wording, callsPerTurn } = options;
  const texts = textsFor(options);
  const isSeed = wording === 'seed';
  const { tool, parameter, value, behaviour } = promptWordsFor(lang);
  const { name, args } =
    options.example ?? (isSeed || !/^zh\b/i.test(lang) ? { name: 'tool_name', args: { arg1: 'value1' } } : exampleOf(options));
  // The original rules are English in any language, and a rule uses the language of the others.
  const count = callsPerTurn === 'many' ? texts.many : promptWordsFor(isSeed ? 'en' : lang).one;
  return {
    order: ['format', 'rules', 'tools', 'behaviour'],
    format: `${texts.title}\n\n${texts.format}\n${writeCall(name, args)}`,
    rules: writeRules(options, {
      heading: texts.heading,
      numbered: [...texts.rules, count],
      // Without `action` it is an ordinary code block.
      wrong: fence(isSeed ? '{"name": "tool_name", "arg1": "value1"}' : `{"name": "${tool}", "${parameter}": "${value}"}`),
    }),
    behaviour: [
      [texts.usage, ...texts.kinds.map((kind, at) => `${at + 1}. ${kind}`)].join('\n'),
      // Skips the heading, and the line about kinds of tools, which is stated above.
      ...(isSeed
        ? []
        : [
            behaviour
              .split('\n')
              .filter((_, at) => at === 1 || at === 3)
              .join('\n'),
          ]),
    ].join('\n'),
  };
}

export function formatToolResults(results: ToolExecutionResult[]): string {
  return results
    .map(({ toolName, requestId, status, result }) =>
      fence(
        JSON.stringify({
          ...{ action: 'tool_result', name: neutralise(toolName), id: neutralise(requestId) },
          ...{ status, result: neutralise(result) },
        }),
      ),
    )
    .join('\n');
}
