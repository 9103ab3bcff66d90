/** Detects calls that cannot be intended: those that were made just now, and those that repeat an example of the prompt. */
import type { Call, PublishedResult } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import { isTaughtExample } from '../../prompts/examples.js';
import { describeTools } from '../../tools/describe-tools.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Settings } from '../options/settings.js';

/** Returns the result of a call that was not run again. It tells the model so, and includes the result of the first call. */
export function alreadyDone(
  { requestId, toolName }: Pick<Call, 'requestId' | 'toolName'>,
  first: PublishedResult,
  texts: Texts,
): PublishedResult {
  const result = `${texts.alreadyDoneSays}\n${first.result}`;
  return Object.freeze({ ...first, requestId, toolName, message: texts.alreadyDone, result, durationMs: 0 });
}

/** Checks whether a call repeats the prompt's example for its tool; see `isTaughtExample`. */
export function isCopiedFromPrompt(
  { args }: Pick<Call, 'args'>,
  tool: ToolDefinition,
  protocolId: string,
  { promptOptions, lang }: Settings,
): boolean {
  const method = describeTools([tool], protocolId)[0]?.methods[0];
  return method !== undefined && isTaughtExample(method, args, promptOptions.lang ?? lang);
}
