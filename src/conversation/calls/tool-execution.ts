/**
 * The steps of a tool call: it is checked and judged, authorized with the journal, executed, recorded. The chart decides when each of the
 * four happens, and nothing else may start a tool.
 */
import { load } from '../../base/load.js';
import type { Call, PublishedResult } from '../../model/calls.js';
import type { ErrorCode } from '../../base/errors.js';
import { addCallTexts } from '../../i18n/en-calls.js';
import type { Texts } from '../../i18n/en.js';
import type { Journal } from '../../storage/journal.js';
import { executeTool } from '../../tools/execute.js';
import { fingerprintOf } from '../../tools/fingerprint.js';
import { decideApproval, isHistoryReason, reasonText } from '../../tools/approval-policy.js';
import { prepareCall, type CheckedCall, type PrepareDeps } from '../../tools/prepare.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { outcomes, publish } from '../../tools/result.js';
import { suggestGrants } from '../../tools/suggest-grants.js';
import { parametersOf } from '../../tools/schema.js';
import { publicArguments } from '../../tools/sensitive.js';
import { watchPhase } from '../chart/phase.js';
import { type Conclusion } from '../chart/chart-context.js';
import { callOf, endedWithoutResult } from '../chart/call-records.js';
import { PRIVATE_FLAG } from '../chart/private-values.js';
import { CHAIN_FLAG, confirmWords, isMild, leftUnconfirmed, loadQuestions } from '../chart/keyword-confirmation.js';
import { planSteps } from '../chart/lazy-plan-steps.js';
import { sendEvent, type Chart, type BusEvents, type ConversationServices } from '../chart/services.js';
import { awaitChosenTool } from './chosen-tool.js';
import { findDuplicateCall, findPastCall } from './find-duplicate-call.js';
import { createPermissions } from './permissions.js';
import { journalEntries } from './journal-entries.js';
import { coercionOfEdits, noteOfEdit, prepareDepsOf } from './check-options.js';
import { alreadyDone, isCopiedFromPrompt } from './implausible-calls.js';
import type { DryRun } from './dry-run.js';
import { createLazyDryRun } from './lazy-dry-run.js';
import type { Rank, ResourceLocks, LockRequest } from './resource-locks.js';
import { permissionsOf } from '../options/read-settings.js';
import { canRerun } from './strategies.js';
import type { Checked, Authorization } from '../chart/call-context.js';
import type { ParsedCall, Edited, Proof, Recovered, Turn } from '../chart/chart-context.js';
import type { AuthorizedCall } from './authorized-call.js';

addCallTexts();

// `undo` runs the tool's own function in the same way.
export { withDeadline } from '../../tools/with-deadline.js';
export { toolContext } from '../../tools/prepare.js';
// Drafts are read in the same way as the call.
export { coerceArguments } from '../../tools/coerce.js';
export { parametersOf } from '../../tools/schema.js';
// Arguments with which the user runs a call again are checked before there is a new call.
export { prepareCall } from '../../tools/prepare.js';
export { coercionOfEdits, prepareDepsOf } from './check-options.js';

/** The journal that records calls. */
export interface CallRecords {
  readonly journal: Journal;
  /** True if permissions can outlive the page. */
  readonly lasting: boolean;
}

export function createCallWork(chart: Chart, services: ConversationServices, records: CallRecords) {
  const { registry, log, decide, hasUser: hasPerson, notifyHost: tell, setTimer, on, emit, notices } = services;
  const context = () => chart.getSnapshot().context;
  const currentTurn = () => context().turn;
  const onProgress = (requestId: string, said: BusEvents['progress']['said']) => emit('progress', { requestId, said });
  /** Functions that look again at a waiting call, by request id. */
  const waiting = new Map<string, () => void>();
  /** Loaded when first needed, because few tools share a resource. */
  let locks: ResourceLocks | undefined;
  const loadLocks = async () => {
    const { locksOf } = await load(() => import('./resource-locks.js'));
    return (locks = locksOf(services));
  };
  const dryRunOf = createLazyDryRun(chart, log);
  const loadService = () => load(() => import('./service-approval.js'));
  const entries = journalEntries(records.journal, log);
  const grants = createPermissions(services);
  on('asksAlone', (requestId) => void waiting.delete(requestId));
  // A new turn has its tools back, so the notice no longer applies.
  watchPhase(chart, ({ state }) => {
    if (state === 'plan') notices.remove('no-tools');
  });

  async function check(request: ParsedCall, proof: Proof, stop: AbortSignal, edited?: Edited, recovered?: Recovered): Promise<Checked> {
    const turn = currentTurn();
    if (!turn || stop.aborted) throw new Error('A call outside of a turn');
    if (request.approval) return (await loadService()).askForService(request, turn, hasPerson(), recovered);
    const look = (rehearsal?: DryRun) => checkCall(request, proof, turn, rehearsal, stop, edited, recovered);
    const rehearsal = await dryRunOf(turn);
    return rehearsal ? rehearsal.during(request.requestId, look) : look();
  }

  async function checkCall(
    request: ParsedCall,
    proof: Proof,
    turn: Turn,
    dryRun: DryRun | undefined,
    stop: AbortSignal,
    edited?: Edited,
    recovered?: Recovered,
  ): Promise<Checked> {
    const { settings } = turn;
    const { texts } = settings;
    const { requestId, toolName } = request;
    const dependencies = { ...prepareDepsOf(request, settings, registry, log), taintedBy: recordOf(requestId)?.taintedBy, stop };
    const found = recovered && (await lookAgain(request, recovered, dependencies, turn));
    if (found?.result) return { type: 'refused', result: found.result, ...(found.fate && { fate: found.fate }) };
    const tool = registry.get(toolName, dependencies.protocolId);
    if (tool) emit('bound', { requestId, tool });
    const byPerson = edited !== undefined || request.repeats !== undefined;
    if (byPerson) dependencies.coercion = coercionOfEdits(tool);
    waiting.delete(requestId);
    // A private value is nothing unusual in a call, so its flag does not change the card.
    const written = request.flags.filter((flag) => flag !== PRIVATE_FLAG);
    const holdsPrivate = written.length < request.flags.length;
    const flags = proof === 'unproved' ? [...written, 'unproved'] : written;
    const first = await prepareCall({ requestId, toolName, args: edited?.args ?? request.arguments, flags }, dependencies);
    if (first.type === 'refused')
      return { type: 'refused', result: first.result, ...(first.parameter !== undefined && { parameter: first.parameter }) };
    if (isDisabled(first.tool.name))
      return {
        type: 'refused',
        result: endedWithoutResult(
          requestId,
          first.tool.name,
          'error',
          'EXECUTION_FAILED',
          texts.toolAway,
          texts.toolDisabled(first.tool.name),
        ),
      };
    // The user's choice of a tool takes precedence over the model's.
    if (turn.lock && turn.lock.tool !== first.call.toolName) dryRun?.leave(requestId);
    const chosen = await awaitChosenTool(chart, services, { requestId, toolName: first.call.toolName }, stop);
    if (stop.aborted) throw new Error('A call outside of a turn');
    if (chosen !== undefined) {
      const [said, told] = [labelOf(chosen), chosen].map((name) => texts.reasonLocked(name)) as [string, string];
      return {
        type: 'refused',
        result: endedWithoutResult(requestId, first.call.toolName, 'denied', 'DENIED', said, told),
        call: first.call,
      };
    }
    // A call is not repeated because the model did not notice that it had succeeded. The user and the page may ask for it.
    const done = byPerson || recovered || turn.manual ? undefined : findDuplicateCall(context(), first.call, true);
    if (done) return { type: 'refused', result: alreadyDone(first.call, done, texts), call: first.call };
    const before = planSteps()?.blockingSteps(context(), requestId) ?? [];
    if (before.length > 0) {
      const lost = before.filter(({ failed }) => failed);
      const titles = (lost.length > 0 ? lost : before).map(({ title }) => title).join(' · ');
      const message = lost.length > 0 ? texts.planStepLost(titles) : texts.planStepTooEarly(titles);
      return {
        type: 'refused',
        result: endedWithoutResult(requestId, first.call.toolName, 'cancelled', 'CANCELLED', message),
        call: first.call,
      };
    }
    const step = first.call.risk === 'query' ? undefined : dryRun;
    const previewed = (await step?.previewStep(first, stop)) ?? first;
    const ask = decide();
    // If the code that asks the host's policy cannot be loaded, the call fails: the policy is never skipped.
    const said = ask && (await (await load(() => import('../../tools/decide.js'))).decideByHost(previewed, ask, dependencies));
    const decidedOn = said?.prepared ?? previewed;
    const prepared = (await step?.previewStep(decidedOn, stop)) ?? decidedOn;
    const { risk, taintedBy } = prepared.call;
    const fingerprint = await fingerprintOf(prepared.tool);
    if (settings.callsPerTurn === 'confirm-chain' && settings.confirmVia !== 'buttons') await loadQuestions();
    const furtherStep = settings.callsPerTurn === 'confirm-chain' && (turn.iterations > 0 || turn.round.indexOf(requestId) > 0);
    const left = settings.callsPerTurn === 'confirm-chain' ? leftUnconfirmed(context(), prepared.call) : undefined;
    /** The id of the grant that allowed the call. */
    let used: string | undefined;
    const factsNow = () => ({
      call: { toolName: prepared.call.toolName, risk, flags, proof },
      policy: { approval: settings.approval },
      taintedBy,
      exposes: holdsPrivate && (taintedBy !== undefined || prepared.tool.untrusted === true),
      host: said?.verdict,
      // One call per turn runs by policy. Each further one is part of a chain that the user confirms.
      recited: !byPerson && isCopiedFromPrompt(prepared.call, prepared.tool, dependencies.protocolId, settings),
      rehearsed: step !== undefined,
      chained: furtherStep || left !== undefined,
      past: findPastCall(context(), prepared.call, canRerun(prepared.tool), parametersOf(prepared.tool)),
      restored: found?.ask === true,
    });
    const decideNow = () => {
      const facts = factsNow();
      const matching = (!byPerson && grants.now()?.matching(prepared.call, fingerprint)) || [];
      const answer = decideApproval({ ...facts, grants: matching });
      if (answer.decidedBy !== 'grant') return answer;
      // Count the use in the same step, so that two simultaneous calls cannot both be the last one that the grant allows.
      const id = matching[0]?.id ?? '';
      if (!grants.now()?.use(id)) return decideApproval(facts);
      used = id;
      return answer;
    };
    const isAllowed = () => {
      const held = used !== undefined && grants.now()?.holds(used) ? [prepared.call] : [];
      return decideApproval({ ...factsNow(), grants: held }).verdict === 'allow';
    };
    const answer = decideNow();
    // Arguments that the user wrote are shown before they run, whatever the policy says about such a call.
    const verdict = byPerson && answer.verdict === 'allow' ? 'ask' : answer.verdict;
    const source = taintedBy?.from === 'description' ? taintedBy : taintedBy && { ...taintedBy, toolName: labelOf(taintedBy.toolName) };
    const own = reasonText(answer.reason, texts, source);
    const rule = said?.reason === undefined ? own : isHistoryReason(answer.reason) ? `${own} · ${said.reason}` : said.reason;
    const why = verdict !== answer.verdict ? texts.reasonEdited : rule;
    // Whatever else is the reason to ask, the user has to know whose content may be behind the call.
    const behind = verdict === 'ask' && risk !== 'query' && source ? reasonText('tainted', texts, source) : why;
    const reason = why === behind ? why : `${why} · ${behind}`;
    const decided = verdict === answer.verdict && answer.decidedBy ? { decidedBy: answer.decidedBy } : {};
    const link = answer.reason === 'chain' && !byPerson;
    const flagged = link ? { flags: [...(prepared.call.flags ?? []), CHAIN_FLAG] } : {};
    const call: Call = Object.freeze({ ...prepared.call, reason, ...decided, ...flagged });
    log.debug('gate', `${verdict}: ${reason}`, {
      requestId,
      toolName: call.toolName,
      verdict,
      reason: answer.reason,
    });
    const refuse = (message: string, about = call): Checked => ({
      type: 'refused',
      result: endedWithoutResult(requestId, call.toolName, 'denied', 'DENIED', message),
      call: about,
    });
    if (verdict === 'deny') return refuse(reason);
    // This is no further step, but the same call that the user has not confirmed. It gets no chain flag, because the user was not asked.
    if (link && !furtherStep && left === 'same' && settings.confirmVia !== 'buttons' && isMild(risk))
      return refuse(texts.reasonUnconfirmed(confirmWords(settings).join(' / ')), prepared.call);
    if (verdict === 'ask' && !hasPerson()) return refuse(texts.reasonNobody);
    const asks = answer.verdict === 'ask' && settings.approval !== 'user-run' && !step;
    const offers = asks ? suggestGrants(call, prepared.tool, texts, { lasting: records.lasting }) : [];
    const note = [byPerson && noteOfEdit(call, request, edited, prepared.tool, texts), prepared.note].filter(Boolean).join('\n');
    const asked = verdict === 'ask' ? await withStated({ ...prepared, call }, dependencies) : call;
    const shown = (await step?.whole(asked, stop)) ?? asked;
    const ticket: AuthorizedCall = {
      ...{ prepared: { ...prepared, call: shown, ...(note && { note }) }, turn, offers, fingerprint, isAllowed },
      ...(found?.again !== undefined && { again: found.again }),
      ...(request.standsInFor !== undefined && { isFallback: true as const }),
    };
    if (asks && !byPerson)
      waiting.set(requestId, () => {
        if (!prepared.isCurrent() || decideNow().decidedBy !== 'grant') return;
        sendEvent(chart, { type: 'call.granted', call: Object.freeze({ ...call, decidedBy: 'grant', reason: texts.reasonGrant }) });
      });
    return {
      type: 'checked',
      call: shown,
      verdict,
      ticket,
      resources: resourcesOf(prepared.tool),
      offers: offers.map(({ sentence }) => sentence),
      facts: {
        fingerprint,
        rerun: canRerun(prepared.tool),
        ...(prepared.tool.sensitive && { withheld: true }),
        ...(prepared.tool.untrusted && { tainted: true }),
      },
    };
  }

  /**
   * Adds the arguments that the sentence states, so that the card folds them. If the code for that cannot be loaded, the card shows all.
   */
  async function withStated(prepared: CheckedCall, dependencies: PrepareDeps): Promise<Call> {
    const loaded = prepared.call.sentence && (await load(() => import('../../tools/stated-arguments.js')).catch(() => undefined));
    const stated = loaded && (await loaded.findStated(prepared, dependencies));
    return stated ? Object.freeze({ ...prepared.call, stated }) : prepared.call;
  }

  /** Checks a call that another page began, now that tools are registered. If its end is found out, it is recorded in the journal. */
  async function lookAgain(request: ParsedCall, recovered: Recovered, dependencies: PrepareDeps, turn: Turn) {
    const { checkRecoveredCall: checkNow } = await load(() => import('./recovered-call.js'));
    return checkNow(request, recovered, {
      ...{ prepare: dependencies, settings: turn.settings, settle: (result: PublishedResult) => entries.end(result, result) },
      say: (message: string) => {
        onProgress(request.requestId, { message });
      },
    });
  }

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
    if ((currentTurn()?.executed[digest] ?? 0) >= repeatLimit) return refuse('cancelled', 'CANCELLED', texts.notExecuted);
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
    if (!prepared) return (await loadService()).serviceAllowed(call, settings.texts);
    const { requestId, toolName } = prepared.call;
    // A listener that is told of the start may stop the turn before the tool is called.
    if (currentTurn()?.id !== turn.id) {
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

  const recordOf = (requestId: string) => callOf(context(), requestId);
  const labelOf = (name: string) => {
    const tool = registry.get(name);
    return tool ? registry.labelOf(tool) : name;
  };
  const usable = () => {
    const { context = {}, toolToggles, defaultToolEnabled } = currentTurn()?.settings ?? {};
    return registry.list({ permissions: permissionsOf(context), toolToggles, defaultToolEnabled });
  };
  const isDisabled = (name: string) => currentTurn()?.disabled?.includes(name) === true;

  /** Checks only that a fallback tool exists and is usable. Its risk, permissions and arguments are checked like those of any call. */
  function canRunAsFallback(name: string, failed: string): boolean {
    const tool = registry.get(name);
    return tool !== undefined && tool.name !== failed && !isDisabled(tool.name) && usable().includes(tool);
  }

  return { check, dryRunOf, authorize, execute, record: entries.end, openGrants: grants.open };
}

const rankOf = ({ decidedBy }: Call, { manual }: Turn): Rank => (manual || decidedBy === 'person' ? 'person' : 'plan');

const resourcesOf = ({ resource = [] }: ToolDefinition): readonly string[] => [resource].flat();
