/**
 * What `json-action` tells the model. The Chinese prompt has seed 001's own words (S1-16 … S1-20, glossary.md §5): they are English but
 * for what stands behind the three kinds of operations. The rules come before the tools, as there.
 */
import { spacedJson } from '../json-prompt.js';
import { neutralise } from '../neutralise.js';
import type { RulesOptions, Teaching, ToolDescription, ToolExecutionResult } from '../protocol.js';
import { describeAll, describeMethod, inLanguage, wordsFor, writeRules } from '../tool-prompt.js';

const FORMAT = '## Tool Call Protocol\n\nWhen you need to use a tool, use this exact JSON format in a code block:\n';
const RULES = [
  'Always use a code block with ```json',
  'Set "action" to "tool_call"',
  '"name" must be exactly one of the available tools',
  '"arguments" must be valid JSON matching the tool\'s parameters',
  'Do not add any other text outside the code block when making a tool call',
  'After receiving tool results, respond naturally to the user',
];

const zh = { at: '直接执行', ask: '需要用户确认', many: '互不依赖的操作可以在同一条回复中依次调用，每个调用使用单独的代码块' };

const en: typeof zh = {
  at: 'run at once',
  ask: 'need the user’s confirmation',
  many: 'Calls that do not depend on each other may follow one another in one reply, each in a code block of its own',
};

/** A call as the model should write it; our own parser reads exactly these values. */
export function writeCall(name: string, values: Record<string, unknown>): string {
  return fence(`{\n  "action": "tool_call",\n  "name": ${JSON.stringify(name)},\n  "arguments": ${spacedJson(values)}\n}`);
}

function fence(json: string): string {
  return `\`\`\`json\n${json}\n\`\`\``;
}

export function generateToolDefinitions(tools: ToolDescription[], options?: { lang: string }): string {
  return `## Available Tools\n\n${describeAll(tools, (method) => describeMethod(method, options?.lang, writeCall))}`;
}

export function rules(options: RulesOptions): Teaching {
  const texts = inLanguage(options.lang, zh, en);
  const { one } = wordsFor(options.lang);
  return {
    order: ['format', 'rules', 'tools', 'behaviour'],
    format: FORMAT + writeCall('tool_name', { arg1: 'value1' }),
    rules: writeRules(options, {
      heading: 'Rules:',
      numbered: [...RULES, options.callsPerTurn === 'many' ? texts.many : one],
      // Without `action` it is a code block like any other.
      wrong: fence('{"name": "tool_name", "arg1": "value1"}'),
    }),
    behaviour: `## Tool Usage Rules\n1. Query operations: ${texts.at}\n2. Write operations: ${texts.at}\n3. Dangerous operations: ${texts.ask}`,
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
