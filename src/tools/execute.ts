/** Runs one checked call and returns exactly one result: it never throws, and a later result is ignored. */
import type { PublishedResult } from '../model/calls.js';
import type { ErrorLayer } from '../base/errors.js';
import type { Texts } from '../i18n/en.js';
import type { Log } from '../base/logging.js';
import { readField } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { withDeadline, type Ending } from './with-deadline.js';
import { toolContext, typeOfError, type CheckedCall } from './prepare.js';
import { LONGEST_WORK, withRemoteWork } from './remote-work.js';
import { normalizeResult, outcomes, publish, readThrown, type Outcome } from './result.js';
import { publicArguments } from './sensitive.js';

/** Default of `tool-timeout`: milliseconds from the start of a tool. */
export const TOOL_TIMEOUT = 30_000;

/** Maximum characters of a service's error body that a result holds, and maximum milliseconds to wait for it. */
const BODY_CHARS = 4000;
const BODY_TIME = 2000;

/** Milliseconds from which a tool counts as slow and is logged. */
const SLOW = 10_000;

export interface ExecuteOptions {
  prepared: CheckedCall;
  sessionId: string;
  user?: unknown;
  permissions?: readonly string[] | undefined;
  /** Time limit in milliseconds; the tool's own `timeout` wins. Default 30,000. */
  timeout?: number;
  stop?: AbortSignal | undefined;
  texts: Texts;
  log: Log;
  onProgress?: (progress: Progress) => void;
  /** Called when the tool has started. The promise settles when it returns, however its call has ended. */
  onRun?: (run: Promise<unknown>) => void;
  /** Called with the error that the tool threw. */
  onThrown?: (error: unknown) => void;
  /** Called if the call has ended, but its work on another machine may still run. */
  onAtWork?: () => void;
  /** Called if the call failed and may still have had an effect. */
  onUnsure?: () => void;
  /** Maximum UTF-16 units of the text for the model. Default 32,768. */
  resultChars?: number;
}

export async function executeTool(options: ExecuteOptions): Promise<PublishedResult> {
  const { prepared, texts, log, stop, timeout = TOOL_TIMEOUT, onProgress, resultChars } = options;
  const { call, tool, note } = prepared;
  const { requestId, toolName } = call;
  const params = publicArguments(call.args, tool.sensitive);
  let startedAt = Infinity; // not yet

  function finish(outcome: Outcome, thrown?: unknown): PublishedResult {
    const durationMs = Math.max(0, Math.round(performance.now() - startedAt));
    const result = publish(outcome, { requestId, toolName, texts, durationMs, note, ...(resultChars !== undefined && { resultChars }) });
    const shown = tool.sensitive === true ? { status: result.status, durationMs } : result;
    if (result.success) log.info('tool.succeeded', 'Tool succeeded', { toolName, requestId, result: shown }, { stage: 'WB' });
    else {
      const error = thrown ?? outcome.message;
      log.error(
        'tool.failed',
        'Tool failed',
        { toolName, requestId, params, result: shown },
        { stage: 'WB', error, ...typeOfError(outcome), layer: layerOf(outcome, thrown) },
      );
    }
    if (durationMs > SLOW) log.warn('tool.slow', `${toolName} took ${String(durationMs)} ms`, { toolName, requestId, durationMs });
    return result;
  }

  if (stop?.aborted) return finish(outcomes.notExecuted(texts));
  if (!prepared.isCurrent()) return finish(outcomes.gone(texts, toolName));

  // Logged twice: at info level without the arguments, at debug level with them.
  log.info('tool.started', `Tool started: ${toolName}`, { toolName, requestId }, { stage: 'EX' });
  log.debug('tool.start', `Tool: ${toolName}`, { toolName, requestId, params }, { stage: 'EX' });
  const ms = tool.timeout !== undefined && tool.timeout > 0 ? tool.timeout : timeout;
  const progress = createProgress(onProgress);
  startedAt = performance.now();
  let isAtWork = false;
  const ending = await withDeadline(
    (signal, clock) => {
      const context = withRemoteWork(toolContext({ ...options, requestId, toolName, signal, progress: progress.report }), {
        begin: () => (isAtWork = true),
        end: () => (isAtWork = false),
        ...clock,
      });
      const run = (async () => tool.execute(prepared.argsForTool() as Record<string, unknown>, context))();
      options.onRun?.(run);
      return run;
    },
    { ms, most: Math.max(ms, LONGEST_WORK), stop },
  );
  progress.end();
  if (isAtWork) options.onAtWork?.();
  const isThrown = ending.how === 'failed';
  if (isThrown) options.onThrown?.(ending.error);
  const outcome = isThrown
    ? await readThrown(ending.error, texts, await bodyOf(ending.error, stop))
    : outcomeOf(ending, ms, texts, prepared.call.label);
  if (outcome.unsure) options.onUnsure?.();
  return finish(outcome, isThrown ? ending.error : undefined);
}

/**
 * Classifies an error for the log: a refusal with a reason belongs to the business layer, and any other thrown error to the execution
 * layer.
 */
function layerOf({ errorType }: Outcome, thrown: unknown): ErrorLayer {
  if (errorType === 'network' || errorType === 'timeout') return 'network';
  const status = readField(thrown, 'status');
  return thrown === undefined || (typeof status === 'number' && status < 500) ? 'business' : 'execution';
}

function outcomeOf(ending: Exclude<Ending<unknown>, { how: 'failed' }>, ms: number, texts: Texts, label: string): Outcome {
  if (ending.how === 'done') return normalizeResult(ending.value, texts, label);
  return ending.how === 'timeout' ? outcomes.timeout(texts, ms) : outcomes.cancelled(texts);
}

/** Reads the body of a thrown `Response`, so that the model learns the service's reason. */
async function bodyOf(thrown: unknown, stop: AbortSignal | undefined): Promise<string> {
  const text = readField(thrown, 'text');
  if (typeof text !== 'function' || typeof readField(thrown, 'status') !== 'number') return '';
  const ending = await withDeadline<unknown>(() => text.call(thrown) as unknown, { ms: BODY_TIME, stop });
  return ending.how === 'done' && typeof ending.value === 'string' ? cutText(ending.value, BODY_CHARS) : '';
}

/** Validates and throttles the progress reports of a running tool: at most ten per second, and always the last one. */
interface Progress {
  /** A number from 0 to 1. */
  fraction?: number;
  message?: string;
}

const INTERVAL = 100;
const MESSAGE_CHARS = 200;

/** Creates the reporter of a tool. Reports after `end` are ignored. */
function createProgress(tell: ((progress: Progress) => void) | undefined): { report(progress: Progress): void; end(): void } {
  let ended = tell === undefined;
  let latest: Progress | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush() {
    timer = undefined;
    if (ended || !latest) return;
    const said = latest;
    latest = undefined;
    timer = setTimeout(flush, INTERVAL);
    tell?.(said);
  }

  return {
    report(progress) {
      if (ended) return;
      const { fraction, message } = (progress as Progress | null | undefined) ?? {};
      latest = Object.freeze({
        ...(typeof fraction === 'number' && !Number.isNaN(fraction) && { fraction: Math.min(1, Math.max(0, fraction)) }),
        ...(typeof message === 'string' && { message: cutText(message, MESSAGE_CHARS) }),
      });
      if (timer === undefined) flush();
    },
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
