/** Writes the results of calls for the model, with advice about calls that could not be parsed. */
import type { PublishedResult } from '../model/calls.js';
import type { ErrorCode } from '../base/errors.js';
import type { Texts } from '../i18n/en.js';
import { exampleArguments } from '../protocols/example.js';
import type { RulesOptions, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { formatExample } from './tool-section.js';
import { promptTextsFor } from './prompt-texts.js';

/** Errors that the model can correct by itself. */
const MISTAKES: readonly ErrorCode[] = ['INVALID_PARAMETER', 'MISSING_PARAMETER', 'TOOL_NOT_FOUND'];

export interface ResultOptions {
  /** The tools of this turn, to write an example of the intended one. */
  tools: readonly ToolDescription[];
  texts: Texts;
  lang: string;
  callsPerTurn: RulesOptions['callsPerTurn'];
}

/**
 * Returns one text for all results in their order, wrapped and neutralized by the protocol, and a sentence that says what to do next:
 * without it, models copy the envelope. If a call could not be parsed, or was written in another protocol, an example of a correct call
 * follows. It is not inside a result, where the protocol would neutralize it.
 *
 * @param teaching given if the model may write the call again
 */
export function formatResults(
  protocol: ToolProtocol,
  results: readonly PublishedResult[],
  lang: string,
  teaching?: Omit<ResultOptions, 'lang'>,
): string {
  const told = protocol.formatToolResults(
    results.map(({ requestId, toolName, status, result }) => ({ requestId, toolName, status, result })),
  );
  const malformed = results.filter(({ code }) => code === 'MALFORMED_CALL').map(({ toolName }) => toolName);
  const example = teaching && malformed.length > 0 ? writeExamples(protocol, malformed, { ...teaching, lang }) : undefined;
  // The model should retry before it reports the problem to the user.
  const { afterResults, afterMistake } = promptTextsFor(lang);
  const isMistaken = teaching && results.some(({ code }) => code !== undefined && MISTAKES.includes(code));
  const next = teaching && example ? teaching.texts.writeCallsLikeThis(example) : isMistaken ? afterMistake : afterResults;
  return told ? `${told}\n\n${next}` : told;
}

/** Writes calls of the intended tools if they exist, else the general format. Uses nothing from the model's own text. */
function writeExamples(protocol: ToolProtocol, names: readonly string[], { tools, lang, callsPerTurn }: ResultOptions): string | undefined {
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
