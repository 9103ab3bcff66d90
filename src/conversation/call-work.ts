/**
 * What a tool call really does: is checked and judged, cleared by the journal, executed, recorded. The chart decides when each of
 * the four happens, and nothing else may start a tool.
 */
import type { Call, PublishedResult } from '../calls.js';
import type { ErrorCode } from '../errors.js';
import type { GrantSuggestion } from '../grants.js';
import type { Texts } from '../i18n/en.js';
import type { Log } from '../logging.js';
import type { Journal } from '../storage/journal.js';
import { decideByHost, type Decide } from '../tools/decide.js';
import { digestCall } from '../tools/digest.js';
import { executeTool } from '../tools/execute.js';
import { fingerprintOf } from '../tools/fingerprint.js';
import { gate, reasonText } from '../tools/gate.js';
import { createGrants, type Grants } from '../tools/grants.js';
import { prepareCall, type CheckedCall, type PrepareDeps } from '../tools/prepare.js';
import type { ToolRegistry } from '../tools/registry.js';
import { outcomes, publish } from '../tools/result.js';
import { grantSentence, suggestGrants } from '../tools/suggest-grants.js';
import { publicArguments } from '../tools/sensitive.js';
import { unsuccessful } from './call-changes.js';
import type { TellHost } from './hooks.js';
import { permissionsOf } from './settings.js';
import type { Checked, Clearance } from './tool-call-machine.js';
import type { CallRequest, Proof, Turn } from './turn.js';

// Taking a call back runs the tool's own function in the same way.
export { runLimited } from '../tools/limited.js';
export { toolContext } from '../tools/prepare.js';

export interface CallDependencies {
  registry: ToolRegistry;
  journal: Journal;
  log: Log;
  decide(): Decide | undefined;
  /** Whether there is somebody to ask. */
  hasPerson(): boolean;
  turn(): Turn | null;
  tell: TellHost;
  /** A tool has done its work: what exactly was run. */
  onDone(requestId: string, prepared: CheckedCall): void;
  texts(): Texts;
  /** What a person grants beyond one call; there is none before the first call. */
  haveGrants(grants: Grants): void;
  isWaiting(requestId: string): boolean;
  /** A call that waits for a person is allowed by a grant that was given meanwhile. */
  granted(call: Call): void;
  onProgress(requestId: string, progress: { fraction?: number; message?: string }): void;
}

/** What a check hands to the later steps: exactly what was shown, under the settings it was shown with. */
export interface Ticket {
  /** Absent where a service only waits for a word. */
  prepared?: CheckedCall;
  turn: Turn;
  /** What a person can allow beyond this one call; chosen by its place. */
  offers?: readonly GrantSuggestion[];
  /** Of the tool: a grant holds for exactly this one. */
  fingerprint?: string;
}

export function createCallWork({
  registry,
  journal,
  log,
  decide,
  hasPerson,
  turn: currentTurn,
  tell,
  onDone,
  onProgress,
  texts: textsNow,
  haveGrants,
  isWaiting,
  granted: tellGranted,
}: CallDependencies) {
  /** By request id: looks once more at a call that waits. */
  const waiting = new Map<string, () => void>();
  const grants = createGrants({
    log,
    // Its own words, in the language of now: stored ones can lie, and what is left of a count changes.
    say: (grant) => grantSentence(grant, registry.get(grant.toolName)?.label ?? grant.toolName, textsNow()),
  });
  haveGrants(grants);

  async function check(request: CallRequest, proof: Proof, stop: AbortSignal): Promise<Checked> {
    const turn = currentTurn();
    if (!turn || stop.aborted) throw new Error('A call outside of a turn');
    const { settings } = turn;
    const { texts } = settings;
    const dependencies: PrepareDeps = {
      registry,
      protocolId: request.protocol || settings.protocol,
      coercion: settings.coercion,
      texts,
      log,
      sessionId: settings.sessionId,
      user: settings.context['user'],
      permissions: permissionsOf(settings.context),
      toolToggles: settings.toolToggles,
      defaultToolEnabled: settings.defaultToolEnabled,
      taintedBy: turn.taintedBy,
      stop,
    };
    const { requestId, toolName } = request;
    if (request.approval) return askForService(request, turn);
    const flags = proof === 'unproved' ? [...request.flags, 'unproved'] : request.flags;
    const first = await prepareCall({ requestId, toolName, args: request.arguments, flags }, dependencies);
    if (first.type === 'refused') return { type: 'refused', result: first.result };
    // A person's choice goes before the model's (S4-47).
    const chosen = turn.lock?.tool;
    if (chosen !== undefined && first.call.toolName !== chosen)
      return {
        type: 'refused',
        result: unsuccessful(requestId, first.call.toolName, 'denied', 'DENIED', texts.reasonLocked(chosen)),
        call: first.call,
      };
    const ask = decide();
    const said = ask && (await decideByHost(first, ask, dependencies));
    const prepared = said?.prepared ?? first;
    const { risk } = prepared.call;
    const fingerprint = await fingerprintOf(prepared.tool);
    const judge = () => {
      const matching = grants.matching(prepared.call, fingerprint);
      const facts = {
        call: { toolName: prepared.call.toolName, risk, flags, proof },
        policy: { approval: settings.approval },
        taintedBy: (currentTurn() ?? turn).taintedBy,
        host: said?.verdict,
        // One call a turn runs by policy; each further one is a link of a chain that a person confirms (S4-04).
        chained: settings.callsPerTurn === 'confirm-chain' && (turn.iterations > 0 || turn.round.indexOf(requestId) > 0),
      };
      const answer = gate({ ...facts, grants: matching });
      // Counted in the same step, so that two calls at once cannot both be the last that it allows.
      return answer.decidedBy === 'grant' && !grants.use(matching[0]?.id ?? '') ? gate(facts) : answer;
    };
    const answer = judge();
    const reason = said?.reason ?? reasonText(answer.reason, texts, turn.taintedBy?.toolName);
    const call: Call = Object.freeze({ ...prepared.call, reason, ...(answer.decidedBy && { decidedBy: answer.decidedBy }) });
    log.debug('gate', `${answer.verdict}: ${reason}`, {
      requestId,
      toolName: call.toolName,
      verdict: answer.verdict,
      reason: answer.reason,
    });
    const refuse = (message: string): Checked => ({
      type: 'refused',
      result: unsuccessful(requestId, call.toolName, 'denied', 'DENIED', message),
      call,
    });
    if (answer.verdict === 'deny') return refuse(reason);
    if (answer.verdict === 'ask' && !hasPerson()) return refuse(texts.reasonNobody);
    const asks = answer.verdict === 'ask' && settings.approval !== 'user-run';
    const offers = asks ? suggestGrants(call, prepared.tool, texts) : [];
    const ticket: Ticket = { prepared: { ...prepared, call }, turn, offers, fingerprint };
    if (asks)
      waiting.set(requestId, () => {
        if (!prepared.isCurrent() || judge().decidedBy !== 'grant') return;
        tellGranted(Object.freeze({ ...call, decidedBy: 'grant', reason: texts.reasonGrant }));
      });
    return {
      type: 'checked',
      call,
      verdict: answer.verdict,
      ticket,
      untrusted: prepared.tool.untrusted === true,
      resources: [prepared.tool.resource ?? []].flat(),
      offers: offers.map(({ sentence }) => sentence),
    };
  }

  /** No tool of ours: what the card shows is what the service said it will do, and all that happens here is that it is told. */
  async function askForService({ requestId, toolName, arguments: args, approval }: CallRequest, turn: Turn): Promise<Checked> {
    const { texts } = turn.settings;
    if (!hasPerson()) return { type: 'refused', result: unsuccessful(requestId, toolName, 'denied', 'DENIED', texts.reasonNobody) };
    const call: Call = Object.freeze({
      ...({ requestId, toolName, label: toolName, risk: 'undeclared', args, status: 'pending', flags: ['service'] } as const),
      digest: await digestCall(toolName, args),
      reason: approval?.reason || texts.reasonService,
    });
    const ticket: Ticket = { turn };
    return { type: 'checked', call, verdict: 'ask', ticket };
  }

  /** The last questions before an effect: is the tool still the one that was shown, does the host object, has it run already? */
  async function clear(
    call: Call,
    { prepared, turn, offers, fingerprint = '' }: Ticket,
    remember: number | undefined,
    stop: AbortSignal,
  ): Promise<Clearance> {
    const granted = remember === undefined ? undefined : offers?.[remember];
    waiting.delete(call.requestId);
    if (granted) {
      grants.add({ ...granted, toolName: call.toolName, fingerprint });
      for (const [id, look] of waiting) {
        if (isWaiting(id)) look();
        else waiting.delete(id);
      }
    }
    const { requestId, toolName, digest } = call;
    const { texts, repeatLimit } = turn.settings;
    const refuse = (...how: [status: 'denied' | 'cancelled' | 'interrupted' | 'error', code: ErrorCode, message: string]): Clearance => ({
      type: 'refused',
      result: unsuccessful(requestId, toolName, ...how),
    });
    if (!prepared) return { type: 'start' };
    if (!prepared.isCurrent()) return { type: 'refused', result: publish(outcomes.gone(texts, toolName), { requestId, toolName, texts }) };
    // This very file may still have been loading when the turn was stopped.
    if (stop.aborted) return refuse('cancelled', 'CANCELLED', texts.notExecuted);
    // One reply can ask for the same thing often enough by itself.
    if ((currentTurn()?.executed[digest] ?? 0) >= repeatLimit) return refuse('cancelled', 'CANCELLED', texts.notExecuted);
    const params = publicArguments(call.args, prepared.tool.sensitive);
    if (!tell({ type: 'tool-execute', tool: { type: 'tool_use', name: toolName, params, partial: false }, requestId }))
      return refuse('denied', 'DENIED', texts.reasonVeto);
    let answer: 'start' | 'known';
    try {
      answer = await journal.intent({ requestId, toolName, digest, args: call.args });
    } catch (error) {
      log.error('journal.failed', 'A call could not be recorded and was not executed', { toolName, requestId }, { error });
      return refuse('error', 'EXECUTION_FAILED', texts.notExecuted);
    }
    if (answer !== 'start') return refuse('interrupted', 'INTERRUPTED', texts.interrupted);
    // Stopped meanwhile: nothing will start, and the record says so.
    if (stop.aborted) await record(call, unsuccessful(requestId, toolName, 'cancelled', 'CANCELLED', texts.notExecuted));
    return { type: 'start' };
  }

  async function execute(call: Call, { prepared, turn }: Ticket, stop: AbortSignal): Promise<PublishedResult> {
    const { settings } = turn;
    if (!prepared) return serviceAllowed(call, settings.texts);
    const { requestId, toolName } = prepared.call;
    // A listener that hears of the start may stop the turn before the tool is called.
    if (currentTurn()?.id !== turn.id) return unsuccessful(requestId, toolName, 'cancelled', 'CANCELLED', settings.texts.notExecuted);
    const result = await executeTool({
      prepared,
      sessionId: settings.sessionId,
      user: settings.context['user'],
      permissions: permissionsOf(settings.context),
      timeout: settings.toolTimeout,
      stop,
      texts: settings.texts,
      log,
      onProgress: (progress) => {
        onProgress(requestId, progress);
      },
      resultChars: settings.limits.resultChars,
    });
    if (result.success) onDone(requestId, prepared);
    return result;
  }

  function serviceAllowed({ requestId, toolName }: Call, { serviceAllowed: message }: Turn['settings']['texts']): PublishedResult {
    return Object.freeze({ requestId, toolName, success: true, status: 'success', message, result: message, durationMs: 0 });
  }

  async function record(call: Call, result: PublishedResult): Promise<void> {
    try {
      await journal.settle(call.requestId, result);
    } catch (error) {
      log.error(
        'journal.failed',
        'The end of a call could not be recorded',
        { toolName: call.toolName, requestId: call.requestId },
        { error },
      );
    }
  }

  return { check, clear, execute, record };
}
