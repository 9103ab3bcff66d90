/** Converts the chart's events to host events: state changes, waiting and ended calls, rounds. Sensitive values stay hidden. */
import type { Journal } from '../../storage/journal.js';
import { HIDDEN, publicArguments } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { toolNamed, type Chart, type ConversationServices } from '../chart/services.js';
import type { ToolCallCycleResult } from '../chart/hooks.js';
import { watchPhase } from '../chart/phase.js';
import type { Phase } from '../../model/snapshot.js';
import type { CallRecord } from '../chart/chart-context.js';

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
