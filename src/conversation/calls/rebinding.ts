/**
 * Binds calls that ended on an earlier page to the tools of this one: failed calls can run again, and successful ones can be undone, as
 * long as the tool of that name is still the one that was called. Tools may be registered long after the calls.
 */
import { load } from '../../base/load.js';
import type { CallRecord } from '../chart/chart-context.js';
import type { Chart, FeaturePart, BusEvents, ConversationServices } from '../chart/services.js';

/** @param earlier what was restored before this was loaded */
export function createRebinding(
  _chart: Chart,
  { registry, log, on, emit }: ConversationServices,
  earlier: readonly BusEvents['restored'][],
): FeaturePart {
  let waiting: readonly CallRecord[] = [];

  async function bind(): Promise<void> {
    const here = waiting.flatMap((call) => {
      const tool = registry.get(call.call?.toolName ?? call.toolName);
      return tool ? [{ call, tool }] : [];
    });
    if (here.length === 0) return;
    const { fingerprintOf } = await load(() => import('../../tools/fingerprint.js'));
    for (const { call, tool } of here) {
      if ((await fingerprintOf(tool)) !== call.fingerprint || !waiting.includes(call)) continue;
      waiting = waiting.filter((one) => one !== call);
      emit('bound', { requestId: call.requestId, tool });
      if (call.status === 'success' && !call.keepsEffect) emit('ran', { requestId: call.requestId, tool });
      emit('cards');
    }
  }

  function look(): void {
    if (waiting.length === 0) return;
    bind().catch((error: unknown) => {
      log.warn('tool.rebind', 'Whether the tools of earlier calls are still the same could not be found out', {}, { error });
    });
  }

  function restored(calls: BusEvents['restored']): void {
    waiting = calls.filter(({ status, fingerprint }) => fingerprint !== undefined && (status === 'success' || status === 'error'));
    look();
  }

  return {
    name: 'tool-chat:rebinding',
    setup() {
      const last = earlier.at(-1);
      if (last) restored(last);
      const offs = [on('restored', restored), on('tools', look)];
      return () => {
        waiting = [];
        for (const off of offs) off();
      };
    },
  };
}
