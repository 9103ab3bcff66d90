/**
 * Records the decisions of a conversation in words. It listens to the events and log entries that exist anyway, so the code for tokens,
 * calls and clicks does not depend on it.
 *
 * | `what`              | decision                                                                      |
 * | ------------------- | ----------------------------------------------------------------------------- |
 * | `begin`             | a turn begins, with its protocol                                              |
 * | `wire`, `protocol`  | the API format and the protocol, if they were detected                        |
 * | `retry`             | a request is sent again                                                       |
 * | `allow`, `ask`      | the approval of a call: policy, grant, host, chain, untrusted content …       |
 * | `queue`, `run`      | the call waits for its turn; it is started                                    |
 * | `end`               | the call has ended, with the class of an error                                |
 * | `taint`, `lock`     | untrusted content has arrived; the chosen tool is requested once more         |
 * | `go-on`, `sum-up`   | results go to the model; it has to answer now                                 |
 * | `ask`, `stop`       | the user decides whether to continue after a limit; the turn has ended        |
 * | `strategy`          | the reaction to a class of errors                                             |
 * | `rehearsal`         | a dry run of the steps, before any of them ran                                |
 * | `cache`, `import`   | an answer without a request; another session was opened                       |
 */
import type { Texts } from '../../i18n/en.js';
import type { LogLevel } from '../../base/log.js';
import type { Log, LogContext } from '../../base/logging.js';
import { cutText } from '../../base/cut-text.js';
import { own } from '../../base/objects.js';
import type { TraceEntry } from '../../model/session.js';
import { roundOf } from '../chart/call-records.js';
import { watchPhase } from '../chart/phase.js';
import type { Chart } from '../chart/services.js';
import { failureLines } from '../view/failure-text.js';
import type { CallRecord, ConversationContext, Turn } from '../chart/chart-context.js';

/** Maximum number of entries. The oldest are dropped first. */
const TRACE_MAX = 1000;
/** Number of entries that are dropped at a time. The trace is stored in pieces, so the pieces that stay are not written again. */
const PORTION = 100;
const REASON_CHARS = 500;

export interface Trace {
  /** The entries, oldest first. */
  readonly entries: readonly TraceEntry[];
  /** The entries and up to 99 older ones, for the storage in pieces. */
  readonly kept: readonly TraceEntry[];
  note(what: string, reason: string, requestId?: string): void;
  /** Returns the same log, and records its decisions here. */
  listen(log: Log): Log;
  watch(chart: Chart): void;
  /** Listeners for every log entry, at every level and unredacted. The inspector uses them. */
  readonly taps: Set<(level: LogLevel, ...what: Parameters<Log['debug']>) => void>;
  /** Replaces the entries. */
  load(entries: readonly TraceEntry[]): void;
}

const field = (context: LogContext, name: string): string => String(own(context, name) ?? '');

/** Decisions that only the log reports, with the function that describes them. */
const heard: Readonly<Record<string, { what: string; say(texts: Texts, context: LogContext): string | undefined }>> = {
  'wire.chosen': { what: 'wire', say: (texts, context) => texts.traceWire(field(context, 'wire')) },
  'wire.detected': { what: 'wire', say: (texts, context) => texts.traceReadAs(field(context, 'wire')) },
  'protocol.refused': { what: 'protocol', say: (texts, context) => texts.traceRefused(field(context, 'protocol')) },
  'protocol.learnt': { what: 'protocol', say: (texts, context) => texts.traceLearnt(field(context, 'id')) },
  'tool.retry': {
    what: 'retry',
    say: (texts, context) =>
      texts.traceCall(field(context, 'toolName'), texts.toolRetrying(Number(field(context, 'attempt')), Number(field(context, 'of')))),
  },
  rehearsal: { what: 'rehearsal', say: (_, context) => field(context, 'said') },
  'answer.cached': { what: 'cache', say: (texts) => texts.answerCached },
};

export function createTrace(texts: () => Texts, now: () => number = Date.now): Trace {
  let entries: TraceEntry[] = [];
  let turnId = '';

  function note(what: string, reason: string, requestId?: string): void {
    entries.push(Object.freeze({ at: now(), turnId, what, ...(requestId && { requestId }), reason: cutText(reason, REASON_CHARS) }));
    if (entries.length >= TRACE_MAX + PORTION) entries = entries.slice(PORTION);
  }

  const taps: Trace['taps'] = new Set();

  function listen(log: Log): Log {
    const hear = (level: Exclude<LogLevel, 'off'>): Log['debug'] => {
      const write = log[level];
      return (code, message, context, extra) => {
        const decision = own(heard, code) as (typeof heard)[string] | undefined;
        const reason = decision?.say(texts(), context ?? {});
        if (decision && reason) note(decision.what, reason, field(context ?? {}, 'requestId') || undefined);
        for (const tap of taps) tap(level, code, message, context, extra);
        write(code, message, context, extra);
      };
    };
    const all = { debug: hear('debug'), info: hear('info'), warn: hear('warn'), error: hear('error') };
    return { ...log, ...all, hears: (level) => taps.size > 0 || log.hears(level) };
  }

  function watch(chart: Chart): void {
    const named = (name: string, why: string, requestId: string, what: string) => note(what, texts().traceCall(name, why), requestId);
    let before: Pick<ConversationContext, 'calls' | 'retry' | 'turn'> = chart.getSnapshot().context;

    let goesOn = false;

    watchPhase(chart, ({ state, previous }) => {
      goesOn = previous === 'decide' && state === 'respond';
    });
    chart.on('call.settled', ({ requestId, result }) => {
      const { toolName, status, message, errorType } = result;
      const why = status === 'success' ? texts().toolFinished : message;
      named(toolName, errorType ? texts().traceClass(errorType, why) : why, requestId, 'end');
      const call = chart.getSnapshot().context.calls.findLast((one) => one.requestId === requestId);
      if (call?.tainted && call.started) note('taint', texts().traceTainted(toolName), requestId);
      if (call && errorType) noteStrategy(call);
    });
    chart.on('turn.ended', ({ outcome: { reason, failure } }) => {
      const said = texts().traceEnded(reason);
      if (reason === 'limit') note('ask', texts().traceAsksPerson);
      note('stop', failure ? texts().traceCall(said, failureLines(failure, texts())[0] ?? '') : said);
      turnId = '';
    });
    chart.subscribe(({ context }) => {
      const then = before;
      before = context;
      if (goesOn) {
        goesOn = false;
        if (context.turn?.closing) note('sum-up', texts().traceSumUp);
        else note('go-on', texts().traceGoOn);
      }
      if (context.turn) noteTurn(context.turn, then.turn);
      if (context.retry && context.retry !== then.retry) {
        const { attempt, of, delayMs } = context.retry;
        note('retry', texts().retryingIn(Math.round(delayMs / 100) / 10, attempt, of));
      }
      if (context.calls === then.calls) return;
      const known = new Map(then.calls.slice(-2 * roundOf(context).length).map((call) => [call.requestId, call]));
      for (const call of roundOf(context)) noteCall(call, known.get(call.requestId));
    });

    /** Records the reaction to an error: the advice that the user reads, or that the model is told. */
    function noteStrategy({ requestId, toolName, advice }: CallRecord): void {
      const { disabled } = chart.getSnapshot().context.turn ?? {};
      named(toolName, disabled?.includes(toolName) ? texts().toolDisabled(toolName) : (advice ?? texts().traceTold), requestId, 'strategy');
    }

    function noteTurn(turn: Turn, then: Turn | null): void {
      if (turn.id !== turnId) {
        turnId = turn.id;
        note('begin', turn.settings.tools === 'on' ? texts().traceBegan(turn.settings.protocol) : texts().traceBeganPlain);
      }
      if (turn.lock?.asked && !then?.lock?.asked) note('lock', texts().traceLock(turn.lock.tool));
    }

    function noteCall(call: CallRecord, then: CallRecord | undefined): void {
      const { requestId, toolName, status } = call;
      if (status === then?.status) return;
      const why = call.call?.reason ?? '';
      if (call.failed && !then?.failed) noteStrategy(call);
      if (status === 'awaiting_approval') named(toolName, why, requestId, 'ask');
      else if (status === 'queued') {
        named(toolName, call.byPerson ? texts().reasonPerson : why, requestId, 'allow');
        if (!call.starting) named(toolName, texts().queued, requestId, 'queue');
      } else if (status === 'executing') named(toolName, texts().traceRuns, requestId, 'run');
    }
  }

  return {
    get entries() {
      return entries.length > TRACE_MAX ? entries.slice(-TRACE_MAX) : entries;
    },
    get kept() {
      return entries;
    },
    note,
    listen,
    watch,
    taps,
    load(kept) {
      entries = kept.slice(-TRACE_MAX);
    },
  };
}
