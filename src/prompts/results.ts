/** What goes back to the model after a reply: results of its calls, and what was wrong with those that could not be read. */
import type { PublishedResult } from '../calls.js';
import type { Texts } from '../i18n/en.js';
import type { CallErrorCode, RulesOptions, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { outcomes, publish } from '../tools/result.js';

/** One text for any number of results, in their order, wrapped and neutralised by the protocol. */
export function formatResults(protocol: ToolProtocol, results: readonly PublishedResult[]): string {
  return protocol.formatToolResults(results.map(({ requestId, toolName, status, result }) => ({ requestId, toolName, status, result })));
}

export interface MalformedCall {
  requestId: string;
  code: CallErrorCode;
  /** Where the parser got as far as the name. */
  name?: string | undefined;
}

export interface FeedbackOptions {
  protocol: ToolProtocol;
  /** The tools of this turn, for an example of the one that was meant. */
  tools: ToolDescription[];
  texts: Texts;
  lang: string;
  callsPerTurn: RulesOptions['callsPerTurn'];
}

/**
 * Says what was wrong and shows how it is written: with the tool that was meant, if there is one, else with the bare format.
 * Stands beside the results, not in one of them: there the protocol would make the example harmless, and nobody could follow it.
 */
export function malformedCallFeedback({ code, name }: Pick<MalformedCall, 'code' | 'name'>, options: FeedbackOptions): string {
  const { protocol, tools, texts, lang, callsPerTurn } = options;
  const meant = tools.filter((tool) => tool.methods.some((method) => method.name === name));
  const example =
    meant.length > 0 ? protocol.generateToolDefinitions(meant, { lang }) : (protocol.rules?.({ lang, callsPerTurn }).format ?? '');
  return texts.malformedCall(problemOf(code, texts), example).trimEnd();
}

/** The end of a call that could not be read: an error like any other, and never executed. */
export function malformedCallResult({ requestId, code, name = '' }: MalformedCall, texts: Texts): PublishedResult {
  const outcome = outcomes.refused('MALFORMED_CALL', `${texts.couldNotRead}: ${problemOf(code, texts)}`);
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
