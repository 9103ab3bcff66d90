/**
 * Checks a call that another page began: whether its tool is registered and unchanged, and whether the call may have run. The stored data
 * says what to ask, and the current tool answers. A call that then runs passes all the usual steps: checks, policy, approval, journal.
 *
 * | `storage/recover.ts` asks | result for the call                                                                                    |
 * | ------------------------- | ------------------------------------------------------------------------------------------------------ |
 * | `ask`                     | waits for the user, whatever the policy says                                                           |
 * | `again`, never started    | like a new call, if the tool still declares that running it again does no harm; else as `ask`          |
 * | `again`, started          | the same, under its old record; if the tool no longer declares that, as `verify`                       |
 * | `verify`                  | by the tool's `verify()`: done = success, not done = cancelled, anything else = interrupted            |
 *
 * If the tool is gone or has changed, the call ends with `TOOL_NOT_FOUND`, or as `interrupted` if it may have run.
 */
import { fullEnglish } from '../../i18n/en.js';
import type { PublishedResult } from '../../model/calls.js';
import { fingerprintOf } from '../../tools/fingerprint.js';
import { withDeadline } from '../../tools/with-deadline.js';
import { prepareCall, toolContext, type PrepareDeps } from '../../tools/prepare.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { endedWithoutResult } from '../chart/call-records.js';
import { canRerun } from './strategies.js';
import type { Settings } from '../options/settings.js';
import type { Fate, ParsedCall, Recovered } from '../chart/chart-context.js';

fullEnglish();

/** Time that a page may take to register a tool after a stored conversation was restored, in milliseconds. */
export const TOOL_WAIT = 5000;

export interface RecoveredDependencies {
  prepare: PrepareDeps;
  settings: Settings;
  /** Records in the journal the end of a call that had begun on another page. */
  settle(result: PublishedResult): Promise<void>;
  /** Shows on the card what is going on. */
  say(message: string): void;
}

/** `result`: the call is over. `ask`: the user has to approve it again. `again`: the number of this attempt, for the journal. */
export interface RecoveredCall {
  result?: PublishedResult;
  fate?: Fate;
  ask?: true;
  again?: number;
}

export async function checkRecoveredCall(
  request: ParsedCall,
  { question, started, fingerprint }: Recovered,
  dependencies: RecoveredDependencies,
): Promise<RecoveredCall> {
  const { prepare, settings, settle, say } = dependencies;
  const { texts } = settings;
  const { requestId, toolName } = request;
  const end = async (result: PublishedResult): Promise<RecoveredCall> => {
    if (started) await settle(result);
    return { result };
  };

  const tool = await toolFor(toolName, dependencies);
  const isSame = tool !== undefined && (fingerprint === undefined || fingerprint === (await fingerprintOf(tool)));
  if (tool && isSame && question.type !== 'verify') {
    if (question.type === 'ask') return { ask: true };
    if (canRerun(tool)) return question.attempt > 0 ? { again: question.attempt } : {};
    if (!started) return { ask: true };
  }
  if (started && (isSame || question.type === 'verify')) {
    const args = question.type === 'verify' ? question.args : request.arguments;
    const answer = tool && isSame && args ? await verify(tool, args, request, dependencies) : 'unknown';
    say('');
    return { ...(await end(outcome(request, answer, settings))), ...(answer === 'not-done' && { fate: answer }) };
  }
  // Without a tool, the usual check reports that, and names the tools that exist.
  if (!tool)
    return started
      ? end(endedWithoutResult(requestId, toolName, 'error', 'TOOL_NOT_FOUND', texts.toolMissing, texts.toolGone(toolName)))
      : {};
  prepare.log.warn('tool.changed', 'A tool has changed since it was called', { toolName, requestId });
  return end(endedWithoutResult(requestId, toolName, 'error', 'TOOL_NOT_FOUND', texts.toolMissing, texts.toolChanged(tool.name)));
}

/** Returns the tool. Waits for it up to `TOOL_WAIT`, because the page may still be registering tools. */
async function toolFor(name: string, { prepare, settings, say }: RecoveredDependencies): Promise<ToolDefinition | undefined> {
  const { registry, protocolId, stop } = prepare;
  const until = performance.now() + TOOL_WAIT;
  let said = false;
  for (;;) {
    const tool = registry.get(name, protocolId);
    if (tool || stop?.aborted || performance.now() > until) {
      if (said) say('');
      return tool;
    }
    if (!said) say(settings.texts.waitingForTool);
    said = true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

type Answer = 'done' | 'not-done' | 'unknown';

/** Asks the tool whether a call has run. Stored arguments are validated like any others before the tool gets them. */
async function verify(
  tool: ToolDefinition,
  args: Readonly<Record<string, unknown>>,
  { requestId }: ParsedCall,
  { prepare, settings, say }: RecoveredDependencies,
): Promise<Answer> {
  if (!tool.verify) return 'unknown';
  say(settings.texts.verifying);
  // Use the arguments as the tool got them: coercing them a second time could change them.
  const prepared = await prepareCall({ requestId, toolName: tool.name, args }, { ...prepare, coercion: 'schema' });
  if (prepared.type === 'refused' || prepared.tool !== tool) return 'unknown';
  const { log, sessionId, user, permissions, stop } = prepare;
  const ending = await withDeadline(
    (signal) =>
      tool.verify?.(
        prepared.argsForTool() as Record<string, unknown>,
        toolContext({ ...{ requestId, toolName: tool.name, sessionId, user, permissions, log }, signal }),
      ),
    { ms: tool.timeout ?? settings.toolTimeout, stop },
  );
  if (ending.how === 'failed')
    log.warn('tool.verify-failed', 'A tool could not say whether it had run', { requestId }, { error: ending.error });
  return ending.how === 'done' && (ending.value === 'done' || ending.value === 'not-done') ? ending.value : 'unknown';
}

function outcome({ requestId, toolName }: ParsedCall, answer: Answer, { texts }: Settings): PublishedResult {
  if (answer === 'not-done') return endedWithoutResult(requestId, toolName, 'cancelled', 'CANCELLED', texts.verifiedNotDone);
  if (answer === 'unknown') return endedWithoutResult(requestId, toolName, 'interrupted', 'INTERRUPTED', texts.interrupted);
  const message = texts.verifiedDone;
  return Object.freeze({ requestId, toolName, success: true, status: 'success', message, result: message, durationMs: 0 });
}
