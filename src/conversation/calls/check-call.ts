/** Checks a call, judges it by the policy, and collects exactly what the user is shown and what may run. */
import { load } from '../../base/load.js';
import type { ErrorCode } from '../../base/errors.js';
import type { Log } from '../../base/logging.js';
import type { Texts } from '../../i18n/en.js';
import type { Call, PublishedResult } from '../../model/calls.js';
import { isTaughtExample } from '../../prompts/examples.js';
import {
  decideApproval,
  isHistoryReason,
  reasonText,
  type ApprovalFacts,
  type ReasonCode,
  type Verdict,
} from '../../tools/approval-policy.js';
import type { Coercion } from '../../tools/coerce.js';
import { describeTools } from '../../tools/describe-tools.js';
import { canonicalJson } from '../../tools/digest.js';
import { fingerprintOf } from '../../tools/fingerprint.js';
import { prepareCall, type CheckedCall, type PrepareDeps } from '../../tools/prepare.js';
import type { ToolRegistry } from '../../tools/registry.js';
import { parametersOf } from '../../tools/schema.js';
import { publicArguments } from '../../tools/sensitive.js';
import { suggestGrants } from '../../tools/suggest-grants.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Checked } from '../chart/call-context.js';
import { endedWithoutResult } from '../chart/call-records.js';
import type { ParsedCall, Edited, Proof, Recovered, Turn } from '../chart/chart-context.js';
import { CHAIN_FLAG, confirmWords, isMild, leftUnconfirmed, loadQuestions } from '../chart/keyword-confirmation.js';
import { planSteps } from '../chart/lazy-plan-steps.js';
import { PRIVATE_FLAG } from '../chart/private-values.js';
import { sendEvent, type Chart, type ConversationServices } from '../chart/services.js';
import { permissionsOf } from '../options/read-settings.js';
import type { Settings } from '../options/settings.js';
import type { AuthorizedCall } from './authorized-call.js';
import { resourcesOf, type CallServices } from './call-services.js';
import { awaitChosenTool } from './chosen-tool.js';
import type { DryRun } from './dry-run.js';
import { findDuplicateCall, findPastCall } from './find-duplicate-call.js';
import { canRerun } from './strategies.js';

type Check = (request: ParsedCall, proof: Proof, stop: AbortSignal, edited?: Edited, recovered?: Recovered) => Promise<Checked>;

export function createCallCheck(chart: Chart, services: ConversationServices, shared: CallServices): Check {
  const { registry, log, decide, hasUser: hasPerson, emit } = services;
  const { context, waiting, dryRunOf, entries, grants, onProgress, recordOf, labelOf, isDisabled, lasting } = shared;

  async function check(request: ParsedCall, proof: Proof, stop: AbortSignal, edited?: Edited, recovered?: Recovered): Promise<Checked> {
    const { turn } = context();
    if (!turn || stop.aborted) throw new Error('A call outside of a turn');
    if (request.approval) return (await load(() => import('./service-approval.js'))).askForService(request, turn, hasPerson(), recovered);
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
    const isNew = !byPerson && !recovered && !turn.manual;
    const refused = await refusalOf(request, first, turn, { isNew, dryRun, stop });
    if (refused) return refused;
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
    const { decideNow, isAllowed } = createDecision(factsNow, prepared.call, fingerprint, byPerson);
    const answer = decideNow();
    // Arguments that the user wrote are shown before they run, whatever the policy says about such a call.
    const verdict = byPerson && answer.verdict === 'allow' ? 'ask' : answer.verdict;
    const reason = reasonOf(answer.reason, verdict !== answer.verdict, verdict, prepared.call, said?.reason, texts);
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
    const offers = asks ? suggestGrants(call, prepared.tool, texts, { lasting }) : [];
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

  /** Decides by the facts and by the user's grants, now and whenever either may have changed. */
  function createDecision(factsNow: () => Omit<ApprovalFacts, 'grants'>, call: Call, fingerprint: string, byPerson: boolean) {
    /** The id of the grant that allowed the call. */
    let used: string | undefined;
    return {
      decideNow() {
        const facts = factsNow();
        const matching = (!byPerson && grants.now()?.matching(call, fingerprint)) || [];
        const answer = decideApproval({ ...facts, grants: matching });
        if (answer.decidedBy !== 'grant') return answer;
        // Count the use in the same step, so that two simultaneous calls cannot both be the last one that the grant allows.
        const id = matching[0]?.id ?? '';
        if (!grants.now()?.use(id)) return decideApproval(facts);
        used = id;
        return answer;
      },
      isAllowed: () =>
        decideApproval({ ...factsNow(), grants: used !== undefined && grants.now()?.holds(used) ? [call] : [] }).verdict === 'allow',
    };
  }

  /** Returns the reason for a verdict, for the card. */
  function reasonOf(
    code: ReasonCode,
    isEdited: boolean,
    verdict: Verdict,
    { risk, taintedBy }: Call,
    hostReason: string | undefined,
    texts: Texts,
  ): string {
    const source = taintedBy?.from === 'description' ? taintedBy : taintedBy && { ...taintedBy, toolName: labelOf(taintedBy.toolName) };
    const own = reasonText(code, texts, source);
    const rule = hostReason === undefined ? own : isHistoryReason(code) ? `${own} · ${hostReason}` : hostReason;
    const why = isEdited ? texts.reasonEdited : rule;
    // Whatever else is the reason to ask, the user has to know whose content may be behind the call.
    const behind = verdict === 'ask' && risk !== 'query' && source ? reasonText('tainted', texts, source) : why;
    return why === behind ? why : `${why} · ${behind}`;
  }

  /** Returns the reason why a valid call does not run, whatever the policy says about it. */
  async function refusalOf(
    { requestId }: ParsedCall,
    first: CheckedCall,
    turn: Turn,
    { isNew, dryRun, stop }: { isNew: boolean; dryRun: DryRun | undefined; stop: AbortSignal },
  ): Promise<Checked | undefined> {
    const { texts } = turn.settings;
    const { call } = first;
    const end = (...how: [status: 'denied' | 'cancelled' | 'error', code: ErrorCode, message: string, told?: string]) =>
      endedWithoutResult(requestId, call.toolName, ...how);
    const { name } = first.tool;
    if (isDisabled(name))
      return {
        type: 'refused',
        result: endedWithoutResult(requestId, name, 'error', 'EXECUTION_FAILED', texts.toolAway, texts.toolDisabled(name)),
      };
    // The user's choice of a tool takes precedence over the model's.
    if (turn.lock && turn.lock.tool !== call.toolName) dryRun?.leave(requestId);
    const chosen = await awaitChosenTool(chart, services, { requestId, toolName: call.toolName }, stop);
    if (stop.aborted) throw new Error('A call outside of a turn');
    if (chosen !== undefined)
      return { type: 'refused', result: end('denied', 'DENIED', texts.reasonLocked(labelOf(chosen)), texts.reasonLocked(chosen)), call };
    // A call is not repeated because the model did not notice that it had succeeded. The user and the page may ask for it.
    const done = isNew ? findDuplicateCall(context(), call, true) : undefined;
    if (done) return { type: 'refused', result: alreadyDone(call, done, texts), call };
    const before = planSteps()?.blockingSteps(context(), requestId) ?? [];
    if (before.length === 0) return undefined;
    const lost = before.filter(({ failed }) => failed);
    const titles = (lost.length > 0 ? lost : before).map(({ title }) => title).join(' · ');
    const message = lost.length > 0 ? texts.planStepLost(titles) : texts.planStepTooEarly(titles);
    return { type: 'refused', result: end('cancelled', 'CANCELLED', message), call };
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

  return check;
}

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
function isCopiedFromPrompt(
  { args }: Pick<Call, 'args'>,
  tool: ToolDefinition,
  protocolId: string,
  { promptOptions, lang }: Settings,
): boolean {
  const method = describeTools([tool], protocolId)[0]?.methods[0];
  return method !== undefined && isTaughtExample(method, args, promptOptions.lang ?? lang);
}

/** Returns the dependencies of preparing a call, as the settings define them. */
export function prepareDepsOf(
  { protocol }: Pick<ParsedCall, 'protocol'>,
  settings: Settings,
  registry: ToolRegistry,
  log: Log,
): PrepareDeps & { protocolId: string } {
  const { coercion, texts, sessionId, context, toolToggles, defaultToolEnabled } = settings;
  const protocolId = protocol || settings.protocol;
  return {
    ...{ registry, log, texts, sessionId, toolToggles, defaultToolEnabled, protocolId },
    // If a protocol has only text values, the schema is the only source of other types. `none` then only turns off guessing.
    coercion: coercion === 'none' && TEXT_ONLY.includes(protocolId) ? 'declared' : coercion,
    user: context['user'],
    permissions: permissionsOf(context),
  };
}

/** Built-in protocols in which every value is a text. */
const TEXT_ONLY: readonly string[] = ['xml-invoke', 'vcp'];

/**
 * Returns the coercion of edited arguments. A form tells numbers from texts. Without a schema, a text that looks like a number must not
 * change what the user wrote.
 */
export const coercionOfEdits = (tool: ToolDefinition | undefined): Coercion => (tool?.parameters === undefined ? 'none' : 'schema');

/** Returns the note that precedes the result, for the model: the call ran with other arguments than it asked for. '' if it did not. */
function noteOfEdit(
  { args }: Call,
  { repeats }: ParsedCall,
  edited: Edited | undefined,
  { sensitive }: ToolDefinition,
  texts: Settings['texts'],
): string {
  if (repeats === undefined && edited && canonicalJson(edited.original) === canonicalJson(args)) return '';
  const json = JSON.stringify(publicArguments(args, sensitive));
  return repeats === undefined ? texts.argumentsEdited(json) : texts.argumentsRunAgain(json);
}
