/**
 * What a tool call really does: is checked and judged, cleared by the journal, executed, recorded. These are the real actors of
 * `toolCallMachine`; the chart decides when each runs, and nothing else may start a tool.
 */
import { fromPromise } from 'xstate';
import type { Call, PublishedResult } from '../calls.js';
import type { Log } from '../logging.js';
import type { Journal } from '../storage/journal.js';
import { decideByHost, type Decide } from '../tools/decide.js';
import { executeTool } from '../tools/execute.js';
import { gate, reasonText } from '../tools/gate.js';
import { prepareCall, type CheckedCall, type PrepareDeps } from '../tools/prepare.js';
import type { ToolRegistry } from '../tools/registry.js';
import { outcomes, publish } from '../tools/result.js';
import { publicArguments } from '../tools/sensitive.js';
import type { TellHost } from './hooks.js';
import { permissionsOf } from './reply-actor.js';
import { toolCallMachine, type Checked, type Clearance } from './tool-call-machine.js';
import type { CallRequest, Proof, Turn } from './turn.js';

export interface CallDependencies {
  registry: ToolRegistry;
  journal: Journal;
  log: Log;
  decide(): Decide | undefined;
  /** Whether there is somebody to ask. */
  hasPerson(): boolean;
  turn(): Turn | null;
  tell: TellHost;
  onProgress(requestId: string, progress: { fraction?: number; message?: string }): void;
}

/** What a check hands to the later steps: exactly what was shown, under the settings it was shown with. */
interface Ticket {
  prepared: CheckedCall;
  turn: Turn;
}

export function createCallActors({ registry, journal, log, decide, hasPerson, turn: currentTurn, tell, onProgress }: CallDependencies) {
  async function check(request: CallRequest, proof: Proof, stop: AbortSignal): Promise<Checked> {
    const turn = currentTurn();
    if (!turn) throw new Error('A call outside of a turn');
    const { settings } = turn;
    const { texts } = settings;
    const dependencies: PrepareDeps = {
      registry,
      protocolId: settings.protocol,
      coercion: settings.coercion,
      texts,
      log,
      sessionId: settings.sessionId,
      user: settings.context['user'],
      permissions: permissionsOf(settings.context),
      taintedBy: turn.taintedBy,
      stop,
    };
    const { requestId, toolName, flags } = request;
    const first = await prepareCall({ requestId, toolName, args: request.arguments, flags }, dependencies);
    if (first.type === 'refused') return { type: 'refused', result: first.result };
    const ask = decide();
    const said = ask && (await decideByHost(first, ask, dependencies));
    const prepared = said?.prepared ?? first;
    const { risk } = prepared.call;
    const answer = gate({
      call: { toolName: prepared.call.toolName, risk, flags, proof },
      policy: { approval: settings.approval },
      taintedBy: turn.taintedBy,
      host: said?.verdict,
    });
    const reason = said?.reason ?? reasonText(answer.reason, texts, turn.taintedBy?.toolName);
    const call: Call = Object.freeze({ ...prepared.call, reason, ...(answer.decidedBy && { decidedBy: answer.decidedBy }) });
    log.debug('gate', `${answer.verdict}: ${reason}`, { requestId, toolName: call.toolName, verdict: answer.verdict, reason: answer.reason });
    const refuse = (message: string): Checked => ({ type: 'refused', result: denied(requestId, call.toolName, message), call });
    if (answer.verdict === 'deny') return refuse(reason);
    if (answer.verdict === 'ask' && !hasPerson()) return refuse(texts.reasonNobody);
    return { type: 'checked', call, verdict: answer.verdict, ticket: { prepared: { ...prepared, call }, turn } satisfies Ticket };
  }

  /** The last questions before an effect: does the host object, is the tool still the one that was shown, has it run already? */
  async function clear(call: Call, { prepared, turn }: Ticket): Promise<Clearance> {
    const { requestId, toolName, digest } = call;
    const { texts } = turn.settings;
    const refused = (result: PublishedResult): Clearance => ({ type: 'refused', result });
    if (!prepared.isCurrent()) return refused(publish(outcomes.gone(texts, toolName), { requestId, toolName, texts }));
    const params = publicArguments(call.args, prepared.tool.sensitive);
    if (!tell({ type: 'tool-execute', tool: { type: 'tool_use', name: toolName, params, partial: false }, requestId }))
      return refused(denied(requestId, toolName, texts.reasonVeto));
    const answer = await journal.intent({ requestId, toolName, digest, args: call.args });
    if (answer === 'start') return { type: 'start' };
    return refused({
      requestId,
      toolName,
      success: false,
      status: 'interrupted',
      code: 'INTERRUPTED',
      message: texts.interrupted,
      result: texts.interrupted,
      durationMs: 0,
    });
  }

  function execute({ prepared, turn }: Ticket, stop: AbortSignal): Promise<PublishedResult> {
    const { settings } = turn;
    return executeTool({
      prepared,
      sessionId: settings.sessionId,
      user: settings.context['user'],
      permissions: permissionsOf(settings.context),
      timeout: settings.toolTimeout,
      stop,
      texts: settings.texts,
      log,
      onProgress: (progress) => {
        onProgress(prepared.call.requestId, progress);
      },
      resultChars: settings.limits.resultChars,
    });
  }

  return toolCallMachine.provide({
    actors: {
      check: fromPromise(({ input, signal }) => check(input.request, input.proof, signal)),
      clear: fromPromise(({ input }) => clear(input.call, input.ticket as Ticket)),
      execute: fromPromise(({ input, signal }) => execute(input.ticket as Ticket, signal)),
      record: fromPromise(({ input }) => journal.settle(input.call.requestId, input.result)),
    },
  });
}

export function denied(requestId: string, toolName: string, message: string): PublishedResult {
  return { requestId, toolName, success: false, status: 'denied', code: 'DENIED', message, result: message, durationMs: 0 };
}
