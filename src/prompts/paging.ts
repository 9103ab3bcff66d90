/**
 * Many tools in a small context: the prompt holds their names and a line each, and the model asks for the rest by a tool of ours. The prompt
 * does not change when it has asked, so what a server has cached of it stays valid: definitions travel as results.
 */
import type { MethodMetadata, ToolDescription } from '../protocols/protocol.js';
import { oneLine, sortTools } from '../protocols/describe-parameters.js';
import { pagingTextsFor } from './paging-texts.js';
import { toolSection, type SectionOptions } from './tool-section.js';
import { estimateTokens } from './tokens.js';

/** The name of the tool that tells about tools. No other tool may have it. */
export const DESCRIBE_TOOL = 'describe_tool';

/** Characters of a tool's purpose, tried in this order until the list fits. */
const PURPOSE_CHARS = [160, 80, 60, 40, 30, 20, 15, 10, 0];

/** The section about the tools, within `toolTokens` where that can be done: purposes are shortened first, and go last. */
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

/** Up to the end of the last word that fits; a text without blanks is cut anywhere, but not within a character. */
function shorten(text: string, chars: number): string {
  const characters = [...text];
  if (characters.length <= chars) return text;
  const start = characters.slice(0, chars).join('');
  const blank = characters[chars] === ' ' ? -1 : start.lastIndexOf(' ');
  return (blank > 0 ? start.slice(0, blank) : start).replace(/[\s.,;:，。；：、]+$/, '');
}

/** `describe_tool` as the prompt tells it; its example names tools there are. */
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

/** A text in every notation, and no type, so that a list of names is not refused either. */
function parametersIn(lang: string) {
  return { type: 'object', properties: { names: { description: pagingTextsFor(lang).names } }, required: ['names'] };
}

/**
 * The tool that tells about the given tools, as data: what a result holds of a notation's marks is made harmless before the model sees
 * it, so it is no place for examples. Fits `ToolDefinition`.
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

/** A list, a list as JSON, or names with commas or blanks between them. */
function readNames(given: unknown): string[] {
  const texts: unknown[] = Array.isArray(given) ? given : [given];
  const names = texts.flatMap((text) => (typeof text === 'string' ? text.split(/[\s,，、;；"'[\]]+/) : []));
  return [...new Set(names.filter(Boolean))];
}
