/** What goes back to the model after a reply: results of its calls, and what was wrong with those that could not be read. */
import type { PublishedResult } from '../calls.js';
import type { Texts } from '../i18n/en.js';
import type { CallErrorCode, RulesOptions, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { outcomes, publish } from '../tools/result.js';

export interface TeachingOptions {
  /** The tools of this turn, for an example of the one that was meant. */
  tools: ToolDescription[];
  texts: Texts;
  lang: string;
  callsPerTurn: RulesOptions['callsPerTurn'];
}

/**
 * One text for any number of results, in their order, wrapped and neutralised by the protocol. Where a call could not be
 * read, an example of how to write it follows. It stands beside the results, not in one of them: there the protocol would make it
 * harmless, and nobody could follow it.
 */
export function formatResults(protocol: ToolProtocol, results: readonly PublishedResult[], teaching?: TeachingOptions): string {
  const told = protocol.formatToolResults(
    results.map(({ requestId, toolName, status, result }) => ({ requestId, toolName, status, result })),
  );
  const malformed = results.filter(({ code }) => code === 'MALFORMED_CALL').map(({ toolName }) => toolName);
  if (!teaching || malformed.length === 0) return told;
  const feedback = malformedCallFeedback(malformed, protocol, teaching);
  return feedback ? `${told}\n\n${feedback}` : told;
}

/** How a call is written: shown with the tools that were meant, if there are such, else in the bare format. Nothing of the model's own text. */
export function malformedCallFeedback(
  names: readonly string[],
  protocol: ToolProtocol,
  { tools, texts, lang, callsPerTurn }: TeachingOptions,
): string {
  const meant = tools.filter((tool) => tool.methods.some(({ name }) => names.includes(name)));
  const example = meant.length > 0 ? protocol.generateToolDefinitions(meant, { lang }) : protocol.rules?.({ lang, callsPerTurn }).format;
  return example ? texts.writeCallsLikeThis(example) : '';
}

/**
 * The end of a call that could not be read: an error like any other, and never executed.
 * @param call `name` as far as the parser got it
 */
export function malformedCallResult(
  call: { requestId: string; code: CallErrorCode; name?: string | undefined },
  texts: Texts,
): PublishedResult {
  const { requestId, code, name = '' } = call;
  const outcome = outcomes.refused('MALFORMED_CALL', texts.malformedCall(problemOf(code, texts)));
  return publish(outcome, { requestId, toolName: name, texts });
}

function problemOf(code: CallErrorCode, texts: Texts): string {
  const problems: Record<CallErrorCode, string> = {
    unclosed: texts.problemUnclosed,
    missing_name: texts.problemMissingName,
    bad_json: texts.problemBadJson,
    bad_shape: texts.problemBadShape,
    malformed: texts.problemMalformed,
    too_large: texts.problemTooLarge,
  };
  return problems[code];
}
