/** Records one line for each finished call, and the summaries of a session. */
import type { ChatSummary, ToolCallLog } from '../../model/session.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { ConversationContext } from '../chart/chart-context.js';

/** The maximum length of the log; the oldest lines are dropped. */
const LOG_MAX = 10_000;
/** The number of lines dropped at a time; see `trace.ts`. */
const PORTION = 100;

export interface SessionRecords {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** In the order in which the calls ended. */
  readonly toolLog: readonly ToolCallLog[];
  readonly summaries: readonly ChatSummary[];
  /** Called by `memory="layered"`. */
  addSummary(summary: string): void;
  /** Deletes all summaries at the user's request. */
  dropSummaries(): void;
  /** Rewrites all summaries, to remove a forgotten item. Returns a function that undoes it. */
  rewordSummaries(reword: (summary: string) => string): () => void;
  /** Replaces the current records. Calls of the chart that are not in this log are added to it. */
  load(kept: Pick<SessionRecords, 'createdAt' | 'toolLog' | 'summaries'>): void;
}

export function keepRecords(chart: Chart, { settings }: ConversationServices): SessionRecords {
  let createdAt = Date.now();
  let toolLog: ToolCallLog[] = [];
  let summaries: ChatSummary[] = [];
  let seen = 0;

  const look = ({ context: { toolHistory } }: { context: Pick<ConversationContext, 'toolHistory'> }) => {
    // Each call is added to the history exactly once, when it ends.
    for (const { toolName, status, errorType } of toolHistory.slice(seen))
      toolLog.push(
        Object.freeze({ chatId: settings().sessionId, toolName, status, ...(errorType && { errorType }), createdAt: Date.now() }),
      );
    if (toolHistory.length === 0 && seen > 0) [toolLog, summaries] = [[], []];
    while (toolLog.length > LOG_MAX) toolLog = toolLog.slice(PORTION);
    seen = toolHistory.length;
  };
  chart.subscribe(look);

  return {
    get createdAt() {
      return createdAt;
    },
    get toolLog() {
      return toolLog;
    },
    get summaries() {
      return summaries;
    },
    dropSummaries() {
      summaries = [];
    },
    rewordSummaries(reword) {
      const before = summaries;
      const after = before.map((one) => Object.freeze({ ...one, summary: reword(one.summary) }));
      summaries = after;
      return () => {
        if (summaries === after) summaries = before;
      };
    },
    addSummary(summary) {
      summaries = [...summaries, Object.freeze({ chatId: settings().sessionId, summary, createdAt: Date.now() })];
    },
    load(kept) {
      ({ createdAt } = kept);
      [toolLog, summaries] = [[...kept.toolLog], [...kept.summaries]];
      seen = toolLog.length;
      if (chart.getSnapshot().context.toolHistory.length > 0) look(chart.getSnapshot());
    },
  };
}
