/** The user's choice of a tool takes precedence over the model's: another tool waits until the calls to the chosen one are over. */
import { isOpen, isSettled, roundOf } from '../chart/call-records.js';
import type { CallRecord } from '../chart/chart-context.js';
import { toolNamed, type Chart, type ConversationServices } from '../chart/services.js';

/** Returns the tool that the user has chosen instead of this one, if any. Waits until the calls to it that precede this one are over. */
export async function awaitChosenTool(
  chart: Chart,
  services: ConversationServices,
  { requestId, toolName }: { requestId: string; toolName: string },
  stop: AbortSignal,
): Promise<string | undefined> {
  const context = () => chart.getSnapshot().context;
  const chosen = () => context().turn?.lock?.tool;
  const isAhead = (call: CallRecord) => !isSettled(call) && toolNamed(chart, services, call.toolName)?.name === chosen();
  const round = roundOf(context());
  const place = round.findIndex((one) => one.requestId === requestId);
  for (const call of round.slice(0, Math.max(0, place)))
    if (chosen() !== toolName && isAhead(call)) await whenSettled(chart, call.requestId, stop);
  return chosen() === toolName ? undefined : chosen();
}

/** Resolves when the call has its final status, or when `stop` is aborted. */
export function whenSettled(chart: Chart, requestId: string, stop?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!stop?.aborted && isOpen(chart.getSnapshot().context, requestId)) return;
      subscription.unsubscribe();
      stop?.removeEventListener('abort', look);
      resolve();
    };
    const subscription = chart.subscribe(look);
    stop?.addEventListener('abort', look);
    look();
  });
}
