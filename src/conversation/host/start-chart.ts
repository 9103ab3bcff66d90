/** The chart with its real actors: what they hear is said to the chart, what they find is told to the host and the screen. */
import { createActor, type Actor } from 'xstate';
import type { ToolUse } from '../../model/calls.js';
import { publicArguments } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Clock } from '../chart/clock.js';
import { createCallActors } from '../calls/call-actors.js';
import { isOpen, isSettled, roundOf } from '../chart/call-changes.js';
import type { CallDependencies } from '../calls/tool-execution.js';
import { leftUnconfirmed } from '../chart/keyword-confirmation.js';
import { conversationMachine } from '../chart/conversation-machine.js';
import { doneBefore } from '../calls/done-before.js';
import { createId } from '../../base/ids.js';
import { inTheWay } from '../chart/plan-changes.js';
import { createReplyReader } from '../reply/reply-actor.js';
import { type ReplyDependencies } from '../reply/reading.js';
import type { CallRecord, ConversationEvent } from '../chart/chart-context.js';

/** How far a tool says it has come, by request id. */
export type ProgressById = Map<string, { fraction?: number; message?: string }>;

/** What the actors cannot ask the chart for. */
export interface ChartHost
  extends
    Omit<ReplyDependencies, 'whenSettled' | 'createId' | 'onText' | 'onCall'>,
    Omit<
      CallDependencies,
      'turn' | 'doneBefore' | 'following' | 'inTheWay' | 'isWaiting' | 'granted' | 'chosenTool' | 'unconfirmed' | 'onProgress'
    > {
  clock: Clock;
  /** Kept up to date for the screen. */
  progress: ProgressById;
  toolNamed(name: string): ToolDefinition | undefined;
  say(event: ConversationEvent): void;
  /** The view is another one. */
  changed(): void;
}

/** Not started yet. */
export function createChart(host: ChartHost): Actor<typeof conversationMachine> {
  const { clock, progress, toolNamed, say, tell, changed } = host;
  const settling = new Map<string, () => void>();
  const context = () => chart.getSnapshot().context;

  const chart: Actor<typeof conversationMachine> = createActor(
    conversationMachine.provide({
      actors: {
        readReply: createReplyReader({
          ...host,
          whenSettled: (requestId) =>
            isOpen(context(), requestId) ? new Promise((resolve) => settling.set(requestId, resolve)) : Promise.resolve(),
          createId: () => createId('call'),
          onText: (text) => void tell({ type: 'stream-chunk', text }),
          onCall({ requestId, name, params, partial }) {
            const tool: ToolUse = { type: 'tool_use', name, params: publicArguments(params, toolNamed(name)?.sensitive), partial };
            tell({ type: 'tool-detected', tool, requestId });
          },
        }),
        toolCall: createCallActors({
          ...host,
          turn: () => context().turn,
          doneBefore: (call, told) => doneBefore(context(), call, told),
          following(requestId) {
            const record = context().calls.find((call) => call.requestId === requestId);
            if (!record?.released) throw new Error('A call that was not released');
            return record.taintedBy;
          },
          inTheWay: (requestId) => inTheWay(context(), requestId),
          isWaiting: (requestId) => context().calls.some((call) => call.requestId === requestId && call.status === 'awaiting_approval'),
          granted(call) {
            say({ type: 'call.granted', call });
          },
          async chosenTool(requestId, toolName, stop) {
            const chosen = () => context().turn?.lock?.tool;
            const isAhead = (call: CallRecord) => !isSettled(call) && toolNamed(call.toolName)?.name === chosen();
            const round = roundOf(context());
            const place = round.findIndex((one) => one.requestId === requestId);
            for (const call of round.slice(0, Math.max(0, place)))
              if (chosen() !== toolName && isAhead(call)) await settled(call.requestId, stop);
            return chosen() === toolName ? undefined : chosen();
          },
          unconfirmed: (call) => leftUnconfirmed(context(), call),
          onProgress(requestId, said) {
            if (!isOpen(context(), requestId)) return;
            progress.set(requestId, said);
            tell({ type: 'tool-progress', requestId, progress: said });
            changed();
          },
        }),
      },
    }),
    { clock },
  );

  /** Or there is nothing to wait for any more. */
  function settled(requestId: string, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!stop.aborted && isOpen(context(), requestId)) return;
        subscription.unsubscribe();
        stop.removeEventListener('abort', look);
        resolve();
      };
      const subscription = chart.subscribe(look);
      stop.addEventListener('abort', look);
      look();
    });
  }

  chart.on('call.settled', ({ requestId }) => {
    progress.delete(requestId);
    settling.get(requestId)?.();
    settling.delete(requestId);
  });
  return chart;
}
