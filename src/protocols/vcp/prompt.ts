/**
 * The prompt of `vcp`: its tools (in the original wording one `TOOL_DEFINITION` block for each method), and results in `TOOL_RESULT`
 * blocks.
 */
import type { Allowance } from '../../base/allowance.js';
import { exampleArguments } from '../example.js';
import { neutralise } from '../neutralize.js';
import type { DefinitionOptions, MethodMetadata, RulesOptions, ProtocolPrompt, ToolDescription, ToolExecutionResult } from '../protocol.js';
import {
  countRule,
  renderAllTools,
  renderMethod,
  renderParameters,
  inLanguage,
  kindOf,
  oneLine,
  prose,
  textRules,
  promptWordsFor,
  writeRules,
} from '../render-tool-docs.js';

const zh = {
  format: '当需要使用工具时，请使用以下格式：',
  seed: ['所有参数都是字符串', '每个值都写在「始」和「末」之间', '以 <<<[END_TOOL_REQUEST]>>> 结束'],
  plain: ['每个值（包括数字）都写在「始」和「末」之间', '以 <<<[END_TOOL_REQUEST]>>> 结束'],
};

const en: typeof zh = {
  format: 'When you need a tool, use this format:',
  seed: ['All parameters are strings', 'Write each value between 「始」 and 「末」', 'End with <<<[END_TOOL_REQUEST]>>>'],
  plain: ['Write each value, numbers too, between 「始」 and 「末」', 'End with <<<[END_TOOL_REQUEST]>>>'],
};

/** Marks that a value cannot contain unescaped. */
const EXPOSED = /「[始末]|<<<\[END_TOOL_REQUEST/;

/**
 * Writes a call as the model should; our own parser reads these values, as strings, trimmed. Values that contain a mark are escaped; one
 * that contains the end of the escape itself cannot be written in this protocol, and loses that mark.
 */
export function writeCall(name: string, values: Record<string, unknown>): string {
  const fields = Object.entries({ tool_name: name, ...values }).map(([key, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return `${key}:${EXPOSED.test(text) ? `「始ESCAPE」${text.replaceAll('「末ESCAPE」', '『末ESCAPE」')}「末ESCAPE」` : `「始」${text}「末」`}\n`;
  });
  return `<<<[TOOL_REQUEST]>>>\n${fields.join('')}<<<[END_TOOL_REQUEST]>>>`;
}

/** Writes a block. The fields must be neutralized, so that they cannot end it early. */
function writeBlock(kind: 'DEFINITION' | 'RESULT', fields: [name: string, text: string][], more = ''): string {
  return `<<<[TOOL_${kind}]>>>\n${fields.map(([name, text]) => `${name}:「始」${text}「末」\n`).join('')}${more}<<<[END_TOOL_${kind}]>>>`;
}

/**
 * Writes the definitions as prose, because models copy the original blocks, which look like calls. Those are written only in the original
 * wording.
 */
export function generateToolDefinitions(tools: ToolDescription[], { lang, wording }: Partial<DefinitionOptions> = {}): string {
  return renderAllTools(tools, (given, allowance) => {
    const method = { ...given, name: given.protocolConfig?.vcpCommand ?? given.name };
    return wording === 'seed' ? writeDefinition(method, lang, allowance) : renderMethod(method, lang, writeCall, allowance);
  });
}

function writeDefinition(method: MethodMetadata, lang: string | undefined, allowance: Allowance): string {
  const words = promptWordsFor(lang);
  const { name } = method;
  const parameters = renderParameters(method, words, allowance);
  const fields: [string, string][] = [
    ['tool_name', oneLine(name)],
    ['description', [prose(method.description), ...kindOf(method, words)].join('\n')],
    ['parameters', parameters.length > 0 ? `\n${parameters.join('\n')}\n` : words.none.trim()],
  ];
  return writeBlock('DEFINITION', fields, `example:\n${writeCall(name, exampleArguments(method, { lang, allowance }))}\n`);
}

export function rules(options: RulesOptions): ProtocolPrompt {
  const texts = inLanguage(options.lang, zh, en);
  const { tool, value, behaviour } = promptWordsFor(options.lang);
  const { name, args } = options.example ?? { name: tool, args: { key: value } };
  return {
    format: `${texts.format}\n${writeCall(name, args)}`,
    rules: writeRules(options, {
      ...textRules(options, [countRule(options), ...(options.wording === 'seed' ? texts.seed : texts.plain)]),
      wrong: `\`<<<[TOOL_REQUEST]>>>${tool}(key="${value}")<<<[END_TOOL_REQUEST]>>>\``,
    }),
    behaviour,
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
