/** What `xml-invoke` tells the model: the notation, the tools, the rules, the results. Texts of seed 000 §3.5, glossary.md §5. */
import { isObject, own } from '../../objects.js';
import { exampleArguments, typeOf } from '../example.js';
import { escapeAttribute, neutralise } from '../neutralise.js';
import type { MethodMetadata, RulesOptions, ToolDescription, ToolExecutionResult } from '../protocol.js';

const zh = {
  format: '当需要执行操作时，请使用以下XML格式：',
  skeleton: ['工具名称', '参数名', '参数值'] as [tool: string, parameter: string, value: string],
  heading: '重要规则：',
  one: '每次只调用一个工具',
  many: '每次只调用一个工具；互不依赖的操作可以在同一条回复中依次调用',
  rules: ['所有参数都是字符串', '布尔值用 "true"/"false"', '严格按照XML格式'],
  hints: ['如果参数值中含有 </parameter>，请把整个值写在 <![CDATA[ 和 ]]> 之间。', '不要把调用放进代码块：代码块中的内容不会执行。'],
  wrong: '错误示例（不会执行，请勿这样写）：',
  description: '描述：',
  parameters: '参数：',
  none: '无',
  required: '必填',
  optional: '可选',
  oneOf: '可选值：',
  example: '示例：',
  brackets: ['（', '）'] as [string, string],
};

const en: typeof zh = {
  format: 'When you need to act, use this XML format:',
  skeleton: ['tool_name', 'parameter_name', 'parameter value'],
  heading: 'Important rules:',
  one: 'Call one tool at a time',
  many: 'Call one tool at a time; calls that do not depend on each other may follow one another in one reply',
  rules: ['All parameters are strings', 'Write booleans as "true"/"false"', 'Keep strictly to the XML format'],
  hints: [
    'If a parameter value contains </parameter>, write the whole value between <![CDATA[ and ]]>.',
    'Do not put a call into a code block: what stands in a code block is not executed.',
  ],
  wrong: 'Wrong (is not executed, do not write this):',
  description: 'Description: ',
  parameters: 'Parameters:',
  none: ' none',
  required: 'required',
  optional: 'optional',
  oneOf: 'one of: ',
  example: 'Example:',
  brackets: [' (', ')'],
};

function textsFor(lang: string | undefined): typeof zh {
  return /^zh\b/i.test(lang ?? '') ? zh : en;
}

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
  const texts = textsFor(options?.lang);
  return tools.flatMap((tool) => tool.methods.map((method) => describeMethod(method, texts))).join('\n\n');
}

function describeMethod(method: MethodMetadata, texts: typeof zh): string {
  const parameters = describeParameters(method, texts);
  return [
    `### ${oneLine(method.name)}`,
    `${texts.description}${neutralise(method.description).trim()}`,
    texts.parameters + (parameters.length > 0 ? '' : texts.none),
    ...parameters,
    texts.example,
    writeCall(method.name, exampleArguments(method)),
  ].join('\n');
}

function describeParameters(method: MethodMetadata, texts: typeof zh): string[] {
  const schema = method.parameters ?? {};
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const text = isObject(property) ? describeProperty(property, texts) : '';
    return `- ${oneLine(name)} (${isRequired ? texts.required : texts.optional}): ${text}`.trimEnd();
  });
}

function describeProperty(property: Record<string, unknown>, texts: typeof zh): string {
  const described = own(property, 'description') ?? own(property, 'title');
  const values = own(property, 'enum');
  const type = typeOf(property);
  const format = own(property, 'format');
  const hint = Array.isArray(values)
    ? texts.oneOf + values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
    : [type !== 'string' && type, typeof format === 'string' && format].filter(Boolean).join(', ');
  const text = typeof described === 'string' ? described : '';
  if (!hint) return oneLine(text);
  return oneLine(text ? text + texts.brackets[0] + hint + texts.brackets[1] : hint);
}

function oneLine(text: string): string {
  return neutralise(text)
    .replace(/[\r\n]/g, ' ')
    .trim();
}

export function rules(options: RulesOptions): { format: string; rules: string } {
  const texts = textsFor(options.lang);
  const [tool, parameter, value] = texts.skeleton;
  const numbered = [options.callsPerTurn === 'many' ? texts.many : texts.one, ...texts.rules].map((rule, index) => `${index + 1}. ${rule}`);
  // The wrong example has no `<invoke`, so an echo of it is prose for our parser (S0-176).
  const wrong = options.counterExamples ? [texts.wrong, `<tool_use>{"name": "${tool}", "${parameter}": "${value}"}</tool_use>`] : [];
  return {
    format: `${texts.format}\n${writeCall(tool, { [parameter]: value })}`,
    rules: [texts.heading, ...numbered, '', ...texts.hints, ...wrong].join('\n'),
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
