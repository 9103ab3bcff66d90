/** Calls that nobody can have meant: what was done a moment ago, and what stands in the prompt as an example. */
import type { Call, PublishedResult } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import { isTaughtExample } from '../../prompts/examples.js';
import { describeTools } from '../../tools/describe-tools.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Settings } from '../options/settings.js';

/** It was not run again: the model hears that, and what came of it the first time. */
export function alreadyDone(
  { requestId, toolName }: Pick<Call, 'requestId' | 'toolName'>,
  first: PublishedResult,
  texts: Texts,
): PublishedResult {
  const result = `${texts.alreadyDoneSays}\n${first.result}`;
  return Object.freeze({ ...first, requestId, toolName, message: texts.alreadyDone, result, durationMs: 0 });
}

/** What the prompt shows as an example of the tool; see `isTaughtExample`. */
export function isRecited(
  { args }: Pick<Call, 'args'>,
  tool: ToolDefinition,
  protocolId: string,
  { promptOptions, lang }: Settings,
): boolean {
  const method = describeTools([tool], protocolId)[0]?.methods[0];
  return method !== undefined && isTaughtExample(method, args, promptOptions.lang ?? lang);
}
