/** Records a line for each call that has ended, and the summaries of a session. */
import type { ChatSummary, ToolCallLog } from '../../model/session.js';
import type { Chart, Services } from '../chart/services.js';
import type { ConversationContext } from '../chart/chart-context.js';

/** The newest are kept. */
const LOG_MAX = 10_000;
/** So many are dropped at a time; see `trace.ts`. */
const PORTION = 100;

export interface SessionRecords {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** In the order in which the calls ended. */
  readonly toolLog: readonly ToolCallLog[];
  readonly summaries: readonly ChatSummary[];
  /** For whoever sums up: `memory="layered"`. */
  addSummary(summary: string): void;
  /** A person wants them forgotten. */
  dropSummaries(): void;
  /** Or something that stands in them. Returns what puts it back. */
  rewordSummaries(reword: (summary: string) => string): () => void;
  /** In place of what there is. Calls of the chart beyond those of this log are added to it. */
  load(kept: Pick<SessionRecords, 'createdAt' | 'toolLog' | 'summaries'>): void;
}

export function keepRecords(chart: Chart, { settings }: Services): SessionRecords {
  let createdAt = Date.now();
  let toolLog: ToolCallLog[] = [];
  let summaries: ChatSummary[] = [];
  let seen = 0;

  const look = ({ context: { toolHistory } }: { context: Pick<ConversationContext, 'toolHistory'> }) => {
    // Each call ends in the history once, whoever made it and however it went.
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
