/** What goes back to the model after a reply: results of its calls, and what was wrong with those that could not be read. */
import type { PublishedResult } from '../model/calls.js';
import type { ErrorCode } from '../base/errors.js';
import type { Texts } from '../i18n/en.js';
import { exampleArguments } from '../protocols/example.js';
import type { RulesOptions, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { formatExample } from './tool-section.js';
import { promptTextsFor } from './prompt-texts.js';

/** What the model can put right by itself. */
const MISTAKES: readonly ErrorCode[] = ['INVALID_PARAMETER', 'MISSING_PARAMETER', 'TOOL_NOT_FOUND'];

export interface TeachingOptions {
  /** The tools of this turn, for an example of the one that was meant. */
  tools: readonly ToolDescription[];
  texts: Texts;
  lang: string;
  callsPerTurn: RulesOptions['callsPerTurn'];
}

/**
 * One text for any number of results, in their order, wrapped and neutralised by the protocol, and a sentence about what to do with
 * them: models that are left alone with an envelope write one like it. Where a call could not be read, or was written in another
 * notation, an example of how to write it follows. It stands beside the results, not in one of them: there the protocol would make it
 * harmless, and nobody could follow it.
 *
 * @param teaching given where a call may be written anew
 */
export function formatResults(
  protocol: ToolProtocol,
  results: readonly PublishedResult[],
  lang: string,
  teaching?: Omit<TeachingOptions, 'lang'>,
): string {
  const told = protocol.formatToolResults(
    results.map(({ requestId, toolName, status, result }) => ({ requestId, toolName, status, result })),
  );
  const malformed = results.filter(({ code }) => code === 'MALFORMED_CALL').map(({ toolName }) => toolName);
  const example = teaching && malformed.length > 0 ? writeExamples(protocol, malformed, { ...teaching, lang }) : undefined;
  // To tell the user of it comes after trying again.
  const { afterResults, afterMistake } = promptTextsFor(lang);
  const isMistaken = teaching && results.some(({ code }) => code !== undefined && MISTAKES.includes(code));
  const next = teaching && example ? teaching.texts.writeCallsLikeThis(example) : isMistaken ? afterMistake : afterResults;
  return told ? `${told}\n\n${next}` : told;
}

/** The tools that were meant, if there are such, else the bare format. Nothing of the model's own text. */
function writeExamples(
  protocol: ToolProtocol,
  names: readonly string[],
  { tools, lang, callsPerTurn }: TeachingOptions,
): string | undefined {
  const meant = tools.filter((tool) => tool.methods.some(({ name }) => names.includes(name)));
  if (meant.length === 0) {
    const example = formatExample(tools, { lang });
    return protocol.rules?.({ lang, callsPerTurn, ...(example && { example }) }).format;
  }
  const { writeCall } = protocol;
  if (!writeCall) return protocol.generateToolDefinitions(meant, { lang });
  return meant
    .flatMap(({ methods }) => methods.filter(({ name }) => names.includes(name)))
    .map((method) => writeCall(method.name, exampleArguments(method, { lang })))
    .join('\n\n');
}
