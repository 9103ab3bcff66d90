/** What `vcp` tells the model: one `TOOL_DEFINITION` block a method (S2-31, S2-50), and results in `TOOL_RESULT` blocks. */
import { exampleArguments } from '../example.js';
import { neutralise } from '../neutralise.js';
import type { MethodMetadata, RulesOptions, Teaching, ToolDescription, ToolExecutionResult } from '../protocol.js';
import { countRule, describeAll, describeParameters, inLanguage, oneLine, prose, wordsFor, writeRules } from '../tool-prompt.js';

const zh = {
  format: '当需要使用工具时，请使用以下格式：',
  rules: ['所有参数都是字符串', '每个值都写在「始」和「末」之间', '以 <<<[END_TOOL_REQUEST]>>> 结束'],
  escape: '如果值中含有「末」，请把它写在「始ESCAPE」和「末ESCAPE」之间。',
};

const en: typeof zh = {
  format: 'When you need a tool, use this format:',
  rules: ['All parameters are strings', 'Write each value between 「始」 and 「末」', 'End with <<<[END_TOOL_REQUEST]>>>'],
  escape: 'If a value contains 「末」, write it between 「始ESCAPE」 and 「末ESCAPE」.',
};

/** What a value cannot hold as it is. */
const EXPOSED = /「[始末]|<<<\[END_TOOL_REQUEST/;

/**
 * A call as the model should write it; our own parser reads these values, as strings, trimmed. Values that hold a mark are escaped; one
 * that holds the end of the escape itself cannot be written in this notation, and loses that mark.
 */
export function writeCall(name: string, values: Record<string, unknown>): string {
  const fields = Object.entries({ tool_name: name, ...values }).map(([key, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return `${key}:${EXPOSED.test(text) ? `「始ESCAPE」${text.replaceAll('「末ESCAPE」', '『末ESCAPE」')}「末ESCAPE」` : `「始」${text}「末」`}\n`;
  });
  return `<<<[TOOL_REQUEST]>>>\n${fields.join('')}<<<[END_TOOL_REQUEST]>>>`;
}

/** A block of ours: what comes from outside is neutral, so it cannot end early. */
function writeBlock(kind: 'DEFINITION' | 'RESULT', fields: [name: string, text: string][], more = ''): string {
  return `<<<[TOOL_${kind}]>>>\n${fields.map(([name, text]) => `${name}:「始」${text}「末」\n`).join('')}${more}<<<[END_TOOL_${kind}]>>>`;
}

export function generateToolDefinitions(tools: ToolDescription[], options?: { lang: string }): string {
  return describeAll(tools, (method) => describeMethod(method, options?.lang));
}

function describeMethod(method: MethodMetadata, lang: string | undefined): string {
  const words = wordsFor(lang);
  const name = method.protocolConfig?.vcpCommand ?? method.name;
  const parameters = describeParameters(method, words);
  const fields: [string, string][] = [
    ['tool_name', oneLine(name)],
    ['description', prose(method.description)],
    ['parameters', parameters.length > 0 ? `\n${parameters.join('\n')}\n` : words.none.trim()],
  ];
  return writeBlock('DEFINITION', fields, `example:\n${writeCall(name, exampleArguments(method, { lang }))}\n`);
}

export function rules(options: RulesOptions): Teaching {
  const texts = inLanguage(options.lang, zh, en);
  const { tool, value, lists, noFence } = wordsFor(options.lang);
  return {
    format: `${texts.format}\n${writeCall(tool, { key: value })}`,
    rules: writeRules(options, {
      numbered: [countRule(options), ...texts.rules],
      hints: [lists, texts.escape, noFence],
      wrong: `\`<<<[TOOL_REQUEST]>>>${tool}(key="${value}")<<<[END_TOOL_REQUEST]>>>\``,
    }),
  };
}

export function formatToolResults(results: ToolExecutionResult[]): string {
  return results
    .map(({ toolName, requestId, status, result }) =>
      writeBlock('RESULT', [
        ['tool_name', oneLine(toolName)],
        ['request_id', oneLine(requestId)],
        ['status', status],
        ['result', neutralise(result)],
      ]),
    )
    .join('\n');
}
