/**
 * The steps of a tool call: it is checked and judged, authorized with the journal, executed, recorded. The chart decides when each of the
 * four happens, and nothing else may start a tool.
 */
import { load } from '../../base/load.js';
import type { Call, PublishedResult } from '../../model/calls.js';
import type { ErrorCode } from '../../base/errors.js';
import { addCallTexts } from '../../i18n/en-calls.js';
import type { Texts } from '../../i18n/en.js';
import { executeTool } from '../../tools/execute.js';
import { type CheckedCall } from '../../tools/prepare.js';
import { outcomes, publish } from '../../tools/result.js';
import { publicArguments } from '../../tools/sensitive.js';
import type { Authorization } from '../chart/call-context.js';
import { endedWithoutResult } from '../chart/call-records.js';
import type { Conclusion, Turn } from '../chart/chart-context.js';
import { watchPhase } from '../chart/phase.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import { permissionsOf } from '../options/read-settings.js';
import type { AuthorizedCall } from './authorized-call.js';
import { createCallServices, resourcesOf, type CallRecords } from './call-services.js';
import { alreadyDone, createCallCheck } from './check-call.js';
import { findDuplicateCall } from './find-duplicate-call.js';
import type { Rank, ResourceLocks, LockRequest } from './resource-locks.js';

addCallTexts();

// `undo` runs the tool's own function in the same way.
export { withDeadline } from '../../tools/with-deadline.js';
export { toolContext } from '../../tools/prepare.js';
// Drafts are read in the same way as the call.
export { coerceArguments } from '../../tools/coerce.js';
export { parametersOf } from '../../tools/schema.js';
// Arguments with which the user runs a call again are checked before there is a new call.
export { prepareCall } from '../../tools/prepare.js';
export { coercionOfEdits, prepareDepsOf } from './check-call.js';

export function createCallWork(chart: Chart, services: ConversationServices, records: CallRecords) {
  const { registry, log, hasUser: hasPerson, notifyHost: tell, setTimer, on, emit, notices } = services;
  const shared = createCallServices(chart, services, records);
  const { context, waiting, dryRunOf, entries, grants, onProgress, recordOf, labelOf, usable, isDisabled } = shared;
  /** Loaded when first needed, because few tools share a resource. */
  let locks: ResourceLocks | undefined;
  const loadLocks = async () => {
    const { locksOf } = await load(() => import('./resource-locks.js'));
    return (locks = locksOf(services));
  };
  on('asksAlone', (requestId) => void waiting.delete(requestId));
  // A new turn has its tools back, so the notice no longer applies.
  watchPhase(chart, ({ state }) => {
    if (state === 'plan') notices.remove('no-tools');
  });

  /**
   * Makes the last checks before an effect: whether the tool is still the one that was shown, the host objects, or the call has already
   * run.
   */
  async function authorize(call: Call, ticket: AuthorizedCall, remember: number | undefined, stop: AbortSignal): Promise<Authorization> {
    let authorization: Authorization | undefined;
    try {
      authorization = await authorizeCall(call, ticket, remember, stop);
    } finally {
      if (authorization?.type !== 'start' || stop.aborted) locks?.letGo(call.requestId);
    }
    return authorization;
  }

  async function authorizeCall(
    call: Call,
    { prepared, turn, offers, fingerprint = '', again, isAllowed }: AuthorizedCall,
    remember: number | undefined,
    stop: AbortSignal,
  ): Promise<Authorization> {
    const granted = remember === undefined ? undefined : offers?.[remember];
    waiting.delete(call.requestId);
    if (granted) {
      await grants.add({ ...granted, toolName: call.toolName, ...(call.toolHost && { toolHost: call.toolHost }), fingerprint });
      for (const [id, checkNow] of waiting) {
        if (recordOf(id)?.status === 'awaiting_approval') checkNow();
        else waiting.delete(id);
      }
    }
    const { requestId, toolName, digest } = call;
    const { texts, repeatLimit } = turn.settings;
    const refuse = (
      ...how: [status: 'denied' | 'cancelled' | 'interrupted' | 'error', code: ErrorCode, message: string]
    ): Authorization => ({
      type: 'refused',
      result: endedWithoutResult(requestId, toolName, ...how),
    });
    if (!prepared) return { type: 'start' };
    // Lock before recording: a call that waits has not begun.
    if (prepared.tool.resource) await (await loadLocks()).keep(wantedBy(prepared, rankOf(call, turn), texts, stop));
    if (!prepared.isCurrent()) return { type: 'refused', result: publish(outcomes.gone(texts, toolName), { requestId, toolName, texts }) };
    // The turn may have been stopped while this module was loading.
    if (stop.aborted) return refuse('cancelled', 'CANCELLED', texts.notExecuted);
    const done = call.decidedBy && !again && !turn.manual ? findDuplicateCall(context(), call, false) : undefined;
    if (done) return { type: 'refused', result: alreadyDone(call, done, texts) };
    // A single reply can ask for the same thing too often.
    if ((context().turn?.executed[digest] ?? 0) >= repeatLimit) return refuse('cancelled', 'CANCELLED', texts.notExecuted);
    // It was judged before the calls ahead of it had ended, or before the user undid one of them or revoked the grant.
    if (call.decidedBy && isAllowed?.() === false) return { type: 'check-again' };
    const drift = call.rehearsed && (await (await dryRunOf(turn))?.drift(prepared, call, hasPerson(), stop));
    if (drift) return drift;
    const params = publicArguments(call.args, prepared.tool.sensitive);
    if (!tell({ type: 'tool-execute', tool: { type: 'tool_use', name: toolName, params, partial: false }, requestId }))
      return refuse('denied', 'DENIED', texts.reasonVeto);
    const answer = await entries.begin(call, prepared.tool, again);
    if (answer === 'unrecorded') return refuse('error', 'EXECUTION_FAILED', texts.notRecorded);
    if (answer !== 'start') return refuse('interrupted', 'INTERRUPTED', texts.interrupted);
    // The turn was stopped meanwhile: nothing will start, and the record says so.
    if (stop.aborted) await entries.end(call, endedWithoutResult(requestId, toolName, 'cancelled', 'CANCELLED', texts.notExecuted));
    return { type: 'start' };
  }

  async function execute(
    call: Call,
    { prepared, turn, isFallback }: AuthorizedCall,
    stop: AbortSignal,
  ): Promise<PublishedResult | Conclusion> {
    const { settings } = turn;
    if (!prepared) return (await load(() => import('./service-approval.js'))).serviceAllowed(call, settings.texts);
    const { requestId, toolName } = prepared.call;
    // A listener that is told of the start may stop the turn before the tool is called.
    if (context().turn?.id !== turn.id) {
      locks?.letGo(requestId);
      return endedWithoutResult(requestId, toolName, 'cancelled', 'CANCELLED', settings.texts.notExecuted);
    }
    let rank = rankOf(call, turn);
    const wanted = wantedBy(prepared, rank, settings.texts, stop);
    const attempt = async () => {
      if (!prepared.tool.resource) return attemptOnce();
      const begun = (locks ?? (await loadLocks())).holding({ ...wanted, rank }, attemptOnce);
      rank = 'retry';
      return begun;
    };
    let mayStillRun = false;
    let unsure = false;
    const attemptOnce = async (onRun?: (run: Promise<unknown>) => void) => {
      // The tool may have been removed while the call waited for the user or for the next attempt.
      if (!prepared.isCurrent())
        return { result: publish(outcomes.gone(settings.texts, toolName), { requestId, toolName, texts: settings.texts }) };
      let thrown: unknown;
      mayStillRun = false;
      const result = await executeTool({
        prepared,
        sessionId: settings.sessionId,
        user: settings.context['user'],
        permissions: permissionsOf(settings.context),
        timeout: settings.toolTimeout,
        ...{ stop, texts: settings.texts, log, ...(onRun && { onRun }) },
        onProgress: (progress) => {
          onProgress(requestId, progress);
        },
        onThrown: (error) => {
          thrown = error;
        },
        onAtWork: () => {
          mayStillRun = true;
        },
        onUnsure: () => {
          unsure = true;
        },
        resultChars: settings.limits.resultChars,
      });
      return { result, thrown, mayStillRun };
    };
    const first = await attempt();
    const succeeded = first.result.success && !first.result.errorType;
    const strategies =
      !succeeded &&
      !stop.aborted &&
      (await load(() => import('./attempts.js')).catch((error: unknown) => {
        log.warn('tool.strategy', 'What is done about the error of a tool could not be loaded', { toolName, requestId }, { error });
      }));
    const conclusion: Conclusion = !strategies
      ? { type: 'concluded', result: first.result }
      : await strategies.runAttempts({
          ...{ tool: prepared.tool, first, attempt, overrides: settings.errorStrategies, texts: settings.texts, stop, setTimer },
          hasPerson: hasPerson(),
          labelOf,
          canRunAsFallback: (name) => !isFallback && !turn.manual && canRunAsFallback(name, toolName),
          onProgress: (progress) => {
            onProgress(requestId, progress);
          },
          onRetry: (attempt, of) =>
            log.info('tool.retry', `${toolName}: attempt ${attempt} of ${of}`, { toolName, requestId, attempt, of }),
        });
    if ((mayStillRun || unsure) && !conclusion.result.success) conclusion.fate = 'at-work';
    if (conclusion.result.success) emit('ran', { requestId, tool: prepared.tool });
    if (conclusion.result.code === 'TIMEOUT' && locks) {
      // A tool that respects its signal has returned by then.
      await new Promise((resolve) => setTimeout(resolve));
      const advice = locks.isHolding(requestId) && settings.texts.adviceStillAtWork(locks.heldAfterEnd / 1000);
      if (advice) conclusion.advice = [conclusion.advice, advice].filter(Boolean).join(' ');
    }
    if (conclusion.disable && usable().every(({ name }) => name === toolName || isDisabled(name)))
      notices.add({ id: 'no-tools', text: ({ noticeNoTools }) => noticeNoTools });
    return conclusion;
  }

  /** Returns the resources that a call needs. Its card shows which call it waits for. */
  const wantedBy = ({ tool, call: { requestId, label } }: CheckedCall, rank: Rank, texts: Texts, stop: AbortSignal): LockRequest => ({
    ...{ requestId, label, rank, stop, resources: resourcesOf(tool) },
    onWait(what) {
      const message = what && (what.label === undefined ? texts.waitsForOthers(what.resource) : texts.waitsForTool(what.label));
      onProgress(requestId, message === undefined ? {} : { message });
    },
  });

  /** Checks only that a fallback tool exists and is usable. Its risk, permissions and arguments are checked like those of any call. */
  function canRunAsFallback(name: string, failed: string): boolean {
    const tool = registry.get(name);
    return tool !== undefined && tool.name !== failed && !isDisabled(tool.name) && usable().includes(tool);
  }

  return { check: createCallCheck(chart, services, shared), dryRunOf, authorize, execute, record: entries.end, openGrants: grants.open };
}

const rankOf = ({ decidedBy }: Call, { manual }: Turn): Rank => (manual || decidedBy === 'person' ? 'person' : 'plan');
