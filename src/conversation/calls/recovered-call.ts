/**
 * Looks at a call that another page began: is its tool here, is it still the same, and may the call have happened? Stored data says what to
 * ask, and the tool of now answers. What runs afterwards goes the way of every call: checks, rules, a person, the journal.
 *
 * | `storage/recover.ts` asks | what becomes of the call here                                                                        |
 * | ------------------------- | ---------------------------------------------------------------------------------------------------- |
 * | `ask`                     | waits for a person, whatever the rules say                                                             |
 * | `again`, never started    | like a new call, if the tool still says that running it again does no harm; else as `ask`              |
 * | `again`, started          | the same, under its old record; if the tool no longer says so, as `verify`                             |
 * | `verify`                  | the tool's `verify()` says: done = success, not done = cancelled, anything else = interrupted          |
 *
 * A tool that is gone, or was changed, ends the call with `TOOL_NOT_FOUND` (one that may have happened: `interrupted`).
 */
import { wholeEnglish } from '../../i18n/en.js';
import type { PublishedResult } from '../../model/calls.js';
import { fingerprintOf } from '../../tools/fingerprint.js';
import { runLimited } from '../../tools/limited.js';
import { prepareCall, toolContext, type PrepareDeps } from '../../tools/prepare.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { endedWithoutResult } from '../chart/call-records.js';
import { canRerun } from './strategies.js';
import type { Settings } from '../options/settings.js';
import type { Fate, ParsedCall, Recovered } from '../chart/chart-context.js';

wholeEnglish();

/** How long a page may take to register a tool after a stored conversation came back, in milliseconds. */
export const TOOL_WAIT = 5000;

export interface RecoveredDependencies {
  prepare: PrepareDeps;
  settings: Settings;
  /** Tells the journal how a call ended that had begun elsewhere. */
  settle(result: PublishedResult): Promise<void>;
  /** What is going on, on the card. */
  say(message: string): void;
}

/** `result`: it is over. `ask`: a person has to say so again. `again`: its intent carries this attempt. */
export interface RecoveredCall {
  result?: PublishedResult;
  fate?: Fate;
  ask?: true;
  again?: number;
}

export async function look(
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
  // Without a tool the usual check says so, and which there are.
  if (!tool)
    return started
      ? end(endedWithoutResult(requestId, toolName, 'error', 'TOOL_NOT_FOUND', texts.toolMissing, texts.toolGone(toolName)))
      : {};
  prepare.log.warn('tool.changed', 'A tool has changed since it was called', { toolName, requestId });
  return end(endedWithoutResult(requestId, toolName, 'error', 'TOOL_NOT_FOUND', texts.toolMissing, texts.toolChanged(tool.name)));
}

/** The page may still be registering. */
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

/** Stored arguments are checked like any others before the tool sees them. */
async function verify(
  tool: ToolDefinition,
  args: Readonly<Record<string, unknown>>,
  { requestId }: ParsedCall,
  { prepare, settings, say }: RecoveredDependencies,
): Promise<Answer> {
  if (!tool.verify) return 'unknown';
  say(settings.texts.verifying);
  // As the tool got them: coercing what is coerced already could change it.
  const prepared = await prepareCall({ requestId, toolName: tool.name, args }, { ...prepare, coercion: 'schema' });
  if (prepared.type === 'refused' || prepared.tool !== tool) return 'unknown';
  const { log, sessionId, user, permissions, stop } = prepare;
  const ending = await runLimited(
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
