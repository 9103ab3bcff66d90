/** Taking back what a tool did (S0-180): by the tool's own `undo`, once, and the model is told with the next request. */
import { englishOfCalls } from '../../i18n/en-calls.js';
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { permissionsOf } from '../options/read-settings.js';
import type { CallRecord } from '../chart/chart-context.js';
import { say, type Chart, type FeaturePart, type Happening, type Services } from '../chart/services.js';
import { createEndedCalls } from './ended-call-machine.js';

englishOfCalls();

/** How far the taking back of a call has come; absent while nobody has asked for it. */
export type UndoState = 'offered' | 'running' | 'failed';

export interface Undoing {
  state(record: CallRecord): UndoState | undefined;
  /** Rejects with a sentence when there is nothing to take back, or when it failed. */
  undo(requestId: string): Promise<void>;
  /** This call; with `back` also all after it, the newest first, up to the first that fails. How it went, the card says. */
  undoByPerson(requestId: string, back: boolean): void;
}

/** @param earlier what tools did before this was loaded */
export function createUndoing(chart: Chart, { when, settings, log, changed }: Services, earlier: readonly Happening['ran'][]) {
  /** Exactly what ran is what can be taken back. */
  const done = new Map<string, ToolDefinition>();
  const { open, find } = createEndedCalls(changed);
  const calls = () => chart.getSnapshot().context.calls;

  const canUndo = ({ requestId, status }: CallRecord) => status === 'success' && done.get(requestId)?.undo !== undefined;
  async function undo(requestId: string): Promise<void> {
    const record = calls().find((call) => call.requestId === requestId);
    const tool = done.get(requestId);
    const { texts, context, sessionId, toolTimeout } = settings();
    if (!record || !tool || !canUndo(record) || find(requestId)?.state === 'undoing') throw new Error(texts.cannotUndo);
    const call = open(requestId);
    call.send({ type: 'undo' });
    // No other page is to ask it once more.
    say(chart, { type: 'call.undoing', requestId });
    log.info('tool.undo', `Undo: ${tool.name}`, { toolName: tool.name, requestId });
    const { runLimited, toolContext } = await load(() => import('./tool-execution.js')); // it ran the call
    const ending = await runLimited(
      (signal) => {
        const surroundings = { requestId, toolName: tool.name, sessionId, signal, log, permissions: permissionsOf(context) };
        return tool.undo?.(record.result as PublishedResult, toolContext({ ...surroundings, user: context['user'] }));
      },
      { ms: tool.timeout ?? toolTimeout },
    );
    if (ending.how === 'done') {
      done.delete(requestId);
      call.send({ type: 'undo.done' });
      say(chart, { type: 'call.undone', requestId });
      return;
    }
    call.send({ type: 'undo.failed' });
    log.error(
      'tool.undo-failed',
      'A call could not be taken back',
      { toolName: tool.name, requestId },
      ending.how === 'failed' ? { error: ending.error } : {},
    );
    throw new Error(texts.undoFailed);
  }

  async function undoBackTo(requestId: string): Promise<void> {
    const list = calls();
    const from = list.findIndex((call) => call.requestId === requestId);
    if (from < 0) throw new Error(settings().texts.cannotUndo);
    for (const call of list.slice(from).filter(canUndo).reverse()) await undo(call.requestId);
  }

  const ran = ({ requestId, tool }: Happening['ran']) => {
    if (tool.undo) done.set(requestId, tool);
  };

  const undoing: Undoing & FeaturePart = {
    name: 'tool-chat:undo',
    setup() {
      for (const one of earlier) ran(one);
      const off = when('ran', ran);
      changed();
      return () => {
        off();
        done.clear();
        changed();
      };
    },
    state(record) {
      const state = find(record.requestId)?.state;
      if (state === 'undoing') return 'running';
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
