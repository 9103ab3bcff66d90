/** Converts the chart's events to host events: state changes, calls and their progress, rounds, ends of turns. Sensitive values stay hidden. */
import type { Journal } from '../../storage/journal.js';
import { HIDDEN, publicArguments } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { toolNamed, type Chart, type ConversationServices, type BusEvents } from '../chart/services.js';
import type { ToolCallCycleResult } from '../chart/hooks.js';
import { watchPhase } from '../chart/phase.js';
import type { Phase } from '../../model/snapshot.js';
import type { CallRecord } from '../chart/chart-context.js';
import type { CurrentReply } from '../reply/current-reply.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { TurnQueue } from './turn-queue.js';
import { isOpen } from '../chart/call-records.js';

const reasons: Readonly<Record<Phase, string>> = {
  idle: 'turn over',
  plan: 'a message was sent',
  tool_call: 'the reply made calls',
  tool_result: 'every call is settled',
  decide: 'results are in',
  respond: 'the assistant answers',
};

export function reportToHost(chart: Chart, services: ConversationServices, journal: Journal): void {
  const { log, notifyHost: tell } = services;
  const sensitive = (toolName: string) => toolNamed(chart, services, toolName)?.sensitive;
  const calls = () => chart.getSnapshot().context.calls;

  watchPhase(chart, ({ state, previous }) => {
    const reason = state === 'tool_call' && chart.getSnapshot().hasTag('streaming') ? 'a call was read' : reasons[state];
    log.debug('state', `State: ${previous} → ${state}`, { state, previous, reason });
    tell({ type: 'state-change', state, previous, reason });
  });
  chart.on('call.waiting', ({ requestId }) => {
    const waits = calls().find((one) => one.requestId === requestId);
    if (!waits?.call) return;
    const args = publicArguments(waits.call.args, sensitive(waits.toolName));
    // Page elements that a preview points at cannot be copied.
    const preview = waits.call.preview?.map(({ target: _, ...change }) => change);
    tell({ type: 'approval-request', calls: [{ ...waits.call, args, ...(preview && { preview }) }] });
  });
  chart.on('call.settled', ({ requestId, result }) => {
    // The end of a cancelled call is recorded here, because its actor is gone.
    if (result.status === 'cancelled')
      journal.settle(requestId, result).catch((error: unknown) => {
        log.error('journal.failed', 'The end of a call could not be recorded', { requestId }, { error });
      });
    tell({ type: 'tool-complete', requestId, result });
  });
  chart.on('round.settled', ({ requestIds }) => {
    const cycle = cycleOf(
      calls()
        .slice(-requestIds.length)
        .filter((call) => requestIds.includes(call.requestId)),
      sensitive,
    );
    tell({ type: 'cycle', cycle });
  });
}

function cycleOf(calls: readonly CallRecord[], sensitiveIn: (toolName: string) => ToolDefinition['sensitive']): ToolCallCycleResult {
  return {
    parsedRequests: calls.map(({ requestId, toolName, raw, params }) => {
      const sensitive = sensitiveIn(toolName);
      return { requestId, toolName, rawBlock: sensitive ? HIDDEN : raw, args: publicArguments(params, sensitive) };
    }),
    executionResults: calls.flatMap((call) => (call.result ? [call.result] : [])),
    hasToolRequests: calls.length > 0,
  };
}

/** Reports the end of a turn: first its error, then the end. Then the queue continues. */
export function watchTurnEnds(
  chart: Chart,
  { log, notifyHost: tell, texts, emit }: ConversationServices,
  queue: TurnQueue,
  arriving: CurrentReply,
): void {
  chart.on('turn.ended', ({ turnId, outcome: { failure, ...rest } }) => {
    arriving.end();
    const error = failure && chatErrorOf(failure, failureLines(failure, texts()));
    if (error) {
      const { code, status, errorType, layer, message } = error;
      // The relay's own message, which docs/relay.md explains. The user reads a less exact one.
      const { said, gate } = failure;
      const context = { code, status, ...(said !== undefined && { said }), ...(gate !== undefined && { gate }) };
      log.error('turn.failed', message, context, { layer, errorType: errorType ?? code });
      tell({ type: 'error', error });
    }
    log.info('turn.ended', 'Conversation turn ended', { reason: rest.reason });
    log.debug('stream.end', 'Written', { turnId }, { stage: 'WB' });
    // Wait until the chart has settled, but run before the next turn can begin: `stream-end` is the last event of a turn.
    queueMicrotask(() => {
      tell({ type: 'stream-end', success: rest.success, reason: rest.reason });
      queue.finish({ ...rest, ...(error && { error }) });
      emit('over');
    });
  });
}

/** @returns what was said last, by request id */
export function followProgress(
  chart: Chart,
  { on, notifyHost: tell, changed }: ConversationServices,
): ReadonlyMap<string, BusEvents['progress']['said']> {
  const progress = new Map<string, BusEvents['progress']['said']>();
  on('progress', ({ requestId, said }) => {
    if (!isOpen(chart.getSnapshot().context, requestId)) return;
    progress.set(requestId, said);
    tell({ type: 'tool-progress', requestId, progress: said });
    changed();
  });
  chart.on('call.settled', ({ requestId }) => void progress.delete(requestId));
  return progress;
}

/** Offers to stop a turn that asks the user again and again, because a tired user allows anything. */
const NOTICE = 'many-asks';

/** Shows a notice after every `limits.asksPerTurn` approvals of a turn, with a button that stops it; 0 = never. */
export function watchApprovalFatigue(chart: Chart, { notices }: ConversationServices, stop: () => void): void {
  let asked = 0;
  chart.on('call.waiting', () => {
    const every = chart.getSnapshot().context.turn?.settings.limits.asksPerTurn ?? 0;
    asked += 1;
    if (!(every > 0) || asked % every !== 0) return;
    const times = asked;
    notices.add({
      id: NOTICE,
      text: ({ askedOften }) => askedOften(times),
      action: { label: ({ stopAsking }) => stopAsking, run: stop },
    });
  });
  chart.on('turn.ended', () => {
    asked = 0;
    notices.remove(NOTICE);
  });
}
