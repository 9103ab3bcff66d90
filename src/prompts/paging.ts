/**
 * Handles many tools in a small context: the prompt lists only names and one line each, and the model requests the definitions with a tool
 * of ours. Definitions are sent as results, so the prompt does not change and the server's prompt cache stays valid.
 */
import type { MethodMetadata, ToolDescription } from '../protocols/protocol.js';
import { oneLine, sortTools, inLanguage } from '../protocols/render-tool-docs.js';
import { toolSection, type SectionOptions } from './tool-section.js';
import { estimateTokens } from './tokens.js';

/** The name of the tool that returns definitions of tools. No other tool may use it. */
export const DESCRIBE_TOOL = 'describe_tool';

/** Limits for the length of a tool's description, in characters, tried in this order until the list fits. */
const PURPOSE_CHARS = [160, 80, 60, 40, 30, 20, 15, 10, 0];

/** Returns the tool section within `toolTokens` if possible: descriptions are shortened and finally dropped. */
export function pagedSection(options: SectionOptions & { toolTokens: number }): string {
  let section = '';
  for (const chars of PURPOSE_CHARS) {
    section = toolSection(options, listNames(options, chars));
    if (estimateTokens(section) <= options.toolTokens) break;
  }
  return section;
}

function listNames({ protocol, tools, lang, wording }: SectionOptions, chars: number): string {
  const texts = pagingTextsFor(lang);
  const methods = sortTools(tools).flatMap((tool) => tool.methods);
  const names = methods.map(({ name, description }) => [oneLine(name), shorten(oneLine(description), chars)].filter(Boolean).join(': '));
  const definition = protocol.generateToolDefinitions([describeTool(methods, lang)], { lang, wording });
  return `${definition}\n\n${texts.paged(DESCRIBE_TOOL)}\n${names.join(chars > 0 ? '\n' : ', ')}`;
}

/** Shortens a text at the last word that fits. A text without blanks is cut anywhere, but never within a character. */
function shorten(text: string, chars: number): string {
  const characters = [...text];
  if (characters.length <= chars) return text;
  const start = characters.slice(0, chars).join('');
  const blank = characters[chars] === ' ' ? -1 : start.lastIndexOf(' ');
  return (blank > 0 ? start.slice(0, blank) : start).replace(/[\s.,;:，。；：、]+$/, '');
}

/** Describes `describe_tool` for the prompt. Its example uses names of existing tools. */
function describeTool(methods: readonly MethodMetadata[], lang: string): ToolDescription {
  const texts = pagingTextsFor(lang);
  const example = {
    names: methods
      .slice(0, 2)
      .map(({ name }) => name)
      .join(', '),
  };
  const method = { name: DESCRIBE_TOOL, description: texts.describe, parameters: parametersIn(lang), example, risk: 'query' as const };
  return { toolId: DESCRIBE_TOOL, toolName: DESCRIBE_TOOL, methods: [method] };
}

/** The value is a text in every protocol, but no type is declared, so that a list of names is accepted, too. */
function parametersIn(lang: string) {
  return { type: 'object', properties: { names: { description: pagingTextsFor(lang).names } }, required: ['names'] };
}

/**
 * Returns `describe_tool` for the given tools, as a `ToolDefinition`. It returns data without examples, because protocol marks in a result
 * are neutralized before the model sees it.
 */
export function describeToolFor(tools: readonly ToolDescription[], lang: string) {
  const methods = sortTools(tools).flatMap((tool) => tool.methods);
  const texts = pagingTextsFor(lang);
  return {
    name: DESCRIBE_TOOL,
    description: texts.describe,
    parameters: parametersIn(lang),
    risk: 'query' as const,
    execute({ names }: Record<string, unknown>): object[] {
      return readNames(names).map((name) => {
        const method = methods.find((each) => each.name === name);
        if (!method) return { name, error: texts.unknown(name) };
        const { description, parameters } = method;
        return { name, description, ...(parameters && { parameters }) };
      });
    },
  };
}

/** Reads a list, a JSON list, or names separated by commas or blanks. */
function readNames(given: unknown): string[] {
  const texts: unknown[] = Array.isArray(given) ? given : [given];
  const names = texts.flatMap((text) => (typeof text === 'string' ? text.split(/[\s,，、;；"'[\]]+/) : []));
  return [...new Set(names.filter(Boolean))];
}

/** Texts for the model about a tool list that only has names, in the prompt's language. */
const zh = {
  paged: (tool: string) => `以下工具只列出名称和简介。首次使用某个工具前，先调用 ${tool} 查看它的参数（可以一次查看多个）：`,
  describe: '返回工具的完整定义',
  names: '工具名称，用逗号分隔',
  unknown: (name: string) => `没有名为“${name}”的工具`,
};

const en: typeof zh = {
  paged: (tool) =>
    `Of the tools below only names and purposes are listed. Before you first use one, call ${tool} for its parameters (of several at once if you like):`,
  describe: 'Returns the full definitions of tools',
  names: 'names of tools, separated by commas',
  unknown: (name) => `There is no tool named “${name}”`,
};

export function pagingTextsFor(lang: string): typeof zh {
  return inLanguage(lang, zh, en);
}
