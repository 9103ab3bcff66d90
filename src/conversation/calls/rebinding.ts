/**
 * Binds calls that ended on a page that is gone to the tools of this page: what failed can be run again, what was done can be taken back,
 * as long as the tool of that name is still the one that was called. Tools may come long after the calls.
 */
import type { Log } from '../../base/logging.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { CallRecord } from '../chart/chart-context.js';

export interface RebindingDependencies {
  registry: ToolRegistry;
  log: Log;
  /** `editing.bound` */
  bound(requestId: string, tool: ToolDefinition): void;
  /** `undoing.ran` */
  ran(requestId: string, how: { tool: ToolDefinition }): void;
  changed(): void;
}

export interface Rebinding {
  /** In place of those before. */
  restored(calls: readonly CallRecord[]): void;
  /** There may be other tools. */
  look(): void;
}

export function createRebinding({ registry, log, bound, ran, changed }: RebindingDependencies): Rebinding {
  let waiting: readonly CallRecord[] = [];

  async function bind(): Promise<void> {
    const here = waiting.flatMap((call) => {
      const tool = registry.get(call.call?.toolName ?? call.toolName);
      return tool ? [{ call, tool }] : [];
    });
    if (here.length === 0) return;
    const { fingerprintOf } = await import('../../tools/fingerprint.js');
    for (const { call, tool } of here) {
      if ((await fingerprintOf(tool)) !== call.fingerprint || !waiting.includes(call)) continue;
      waiting = waiting.filter((one) => one !== call);
      bound(call.requestId, tool);
      if (call.status === 'success' && !call.keepsEffect) ran(call.requestId, { tool });
      changed();
    }
  }

  function look(): void {
    if (waiting.length === 0) return;
    bind().catch((error: unknown) => {
      log.warn('tool.rebind', 'Whether the tools of earlier calls are still the same could not be found out', {}, { error });
    });
  }

  return {
    restored(calls) {
      waiting = calls.filter(({ status, fingerprint }) => fingerprint !== undefined && (status === 'success' || status === 'error'));
      look();
    },
    look,
  };
}
