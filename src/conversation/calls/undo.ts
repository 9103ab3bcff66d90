/** Undoes what a tool did, once, with the tool's own `undo`. The model is told with the next request. */
import { addCallTexts } from '../../i18n/en-calls.js';
import { ToolError } from '../../base/errors.js';
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import { readThrown } from '../../tools/result.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { permissionsOf } from '../options/read-settings.js';
import { canRerun } from './strategies.js';
import type { CallRecord } from '../chart/chart-context.js';
import { sendEvent, type Chart, type FeaturePart, type BusEvents, type ConversationServices } from '../chart/services.js';
import { createEndedCalls } from './ended-call-machine.js';

addCallTexts();

/** The state of a call's undo. `retry`: an earlier undo may have succeeded. */
export type UndoState = 'offered' | 'running' | 'failed' | 'retry';

export interface UndoController {
  state(record: CallRecord): UndoState | undefined;
  /** Undoes a call. Rejects with a sentence for the user if there is nothing to undo, or if it failed. */
  undo(requestId: string): Promise<void>;
  /** Undoes this call; with `back` also all calls after it, the newest first, up to the first failure. The card shows the outcome. */
  undoByPerson(requestId: string, back: boolean): void;
}

/**
 * @param earlier what tools did before this was loaded
 * @param written resolves when what the chart says is stored; `false` if it could not be
 */
export function createUndoController(
  chart: Chart,
  services: ConversationServices,
  earlier: readonly BusEvents['ran'][],
  written: () => Promise<boolean>,
) {
  const { on, emit, settings, log } = services;
  const changed = () => emit('cards');
  /** The tools whose effect can be undone, by request id. They are exactly the ones that ran. */
  const done = new Map<string, ToolDefinition>();
  const { open, find } = createEndedCalls(changed);
  /** Calls whose undo was started and has not returned, even if its timeout is over. */
  const stillRunning = new Set<string>();
  let leaving = new AbortController();
  const calls = () => chart.getSnapshot().context.calls;

  const recordOf = (requestId: string) => calls().find((call) => call.requestId === requestId);

  /**
   * Checks whether undo is offered. If the call may already be undone, a second undo has to be harmless, or the tool has to be able to
   * tell.
   */
  function canUndo({ requestId, status, fate }: CallRecord): boolean {
    const tool = done.get(requestId);
    if (status !== 'success' || !tool?.undo) return false;
    return fate !== 'maybe-undone' || canRerun(tool) || tool.verify !== undefined;
  }

  async function undo(requestId: string): Promise<void> {
    const record = recordOf(requestId);
    const tool = done.get(requestId);
    const { texts, context, sessionId, toolTimeout } = settings();
    if (!record || !tool || !canUndo(record) || find(requestId)?.state === 'undoing')
      throw new Error(record?.fate === 'maybe-undone' ? texts.undoUnsure : texts.cannotUndo);
    const wasUnsure = record.fate === 'maybe-undone';
    const call = open(requestId);
    call.send({ type: 'undo' });
    log.info('tool.undo', `Undo: ${tool.name}`, { toolName: tool.name, requestId });
    const { withDeadline, toolContext } = await load(() => import('./tool-execution.js')); // already loaded: it ran the call
    const ms = tool.timeout ?? toolTimeout;
    const contextFor = (signal: AbortSignal) =>
      toolContext({
        ...{ requestId, toolName: tool.name, sessionId, signal, log, permissions: permissionsOf(context), user: context['user'] },
      });
    const isUndone = () => {
      if (!done.delete(requestId)) return;
      call.send({ type: 'undo.done' });
      sendEvent(chart, { type: 'call.undone', requestId });
    };
    const stop = leaving.signal;

    async function work(onRun: (run: Promise<unknown>) => void) {
      // The call may have been undone or erased while it waited for a resource.
      if (stop.aborted || !done.has(requestId) || recordOf(requestId)?.status !== 'success') return { how: 'aborted' as const };
      if (wasUnsure && !canRerun(tool as ToolDefinition)) {
        const args = structuredClone(record?.call?.args ?? {});
        const said = await withDeadline((signal) => tool?.verify?.(args, contextFor(signal)), { ms, stop });
        const answer = said.how === 'done' ? said.value : undefined;
        if (answer === 'not-done') return { how: 'done' as const };
        // An undo never starts while an earlier one is running.
        if (answer !== 'done' || stillRunning.has(requestId)) return { how: 'timeout' as const };
      }
      // From here on the call may have been undone. Other pages have to know that too.
      sendEvent(chart, { type: 'call.undoing', requestId });
      // Without this record, the next page would offer the undo again.
      if (!(await written())) return { how: 'failed' as const, error: new ToolError(texts.notRecorded) };
      let run: Promise<unknown> | undefined;
      const ending = await withDeadline(
        (signal) => {
          run = (async () => tool?.undo?.(record?.result as PublishedResult, contextFor(signal)))();
          stillRunning.add(requestId);
          const over = () => void stillRunning.delete(requestId);
          void run.then(over, over);
          onRun(run);
          return run;
        },
        { ms },
      );
      if (ending.how === 'timeout') void run?.then(isUndone, ignore);
      return ending;
    }

    const resources = [tool.resource ?? []].flat();
    const label = record.call?.label ?? tool.name;
    const wanted = { requestId, label, resources, rank: 'person' as const, stop, onWait: ignore };
    const ending =
      resources.length > 0
        ? await (await load(() => import('./resource-locks.js'))).locksOf(services).holding(wanted, work)
        : await work(ignore);
    if (ending.how === 'done') return isUndone();
    // An earlier undo has ended meanwhile.
    if (!done.has(requestId)) return;
    // An error may come after the effect, and a broken connection tells no more than a timeout.
    const thrown = ending.how === 'failed' ? await readThrown(ending.error, texts) : undefined;
    const mayHaveHappened =
      thrown && (thrown.unsure || thrown.status === 'cancelled' || thrown.errorType === 'network' || thrown.errorType === 'timeout');
    const isUnsure = ending.how === 'timeout' || mayHaveHappened === true || (wasUnsure && canRerun(tool));
    call.send({ type: isUnsure ? 'undo.unsure' : 'undo.failed' });
    if (ending.how === 'aborted') throw new Error(texts.cannotUndo);
    if (!isUnsure) sendEvent(chart, { type: 'call.not-undone', requestId });
    const message = isUnsure ? 'A call may have been undone' : 'A call could not be undone';
    const error = ending.how === 'failed' ? { error: ending.error } : {};
    log.error('tool.undo-failed', message, { toolName: tool.name, requestId }, error);
    throw new Error(isUnsure ? texts.undoUnsure : texts.undoFailed);
  }

  async function undoBackTo(requestId: string): Promise<void> {
    const list = calls();
    const from = list.findIndex((call) => call.requestId === requestId);
    if (from < 0) throw new Error(settings().texts.cannotUndo);
    for (const call of list.slice(from).filter(canUndo).reverse()) await undo(call.requestId);
  }

  const ran = ({ requestId, tool }: BusEvents['ran']) => {
    if (!tool.undo) return;
    done.set(requestId, tool);
    changed();
  };

  const undoing: UndoController & FeaturePart = {
    name: 'tool-chat:undo',
    setup() {
      leaving = new AbortController();
      for (const one of earlier) ran(one);
      const off = on('ran', ran);
      changed();
      return () => {
        off();
        leaving.abort();
        done.clear();
        changed();
      };
    },
    state(record) {
      const state = find(record.requestId)?.state;
      if (state === 'undoing') return 'running';
      if (record.fate === 'maybe-undone') return canUndo(record) ? 'retry' : undefined;
      return state === 'notUndone' ? 'failed' : canUndo(record) ? 'offered' : undefined;
    },
    undo,
    undoByPerson(requestId, back) {
      (back ? undoBackTo(requestId) : undo(requestId)).catch(ignore);
    },
  };
  return undoing;
}

function ignore() {}
