/** Follows the progress that running tools report, for the screen and the host, until the call is over. */
import { isOpen } from '../chart/call-records.js';
import type { Chart, BusEvents, ConversationServices } from '../chart/services.js';

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
