/** Runs a page's tool once and records everything that can be observed. */
import type { ToolContext, ToolDefinition } from '../tools/tool.js';

export interface Run {
  how: 'done' | 'failed' | 'endless';
  value?: unknown;
  error?: unknown;
  ms: number;
  /** The parameters that the tool has read. */
  read: ReadonlySet<string>;
  /** Names that the tool has read although its schema does not declare them. */
  lookedFor: ReadonlySet<string>;
  /** The id that was passed to the tool. */
  requestId: string;
  progress: readonly unknown[];
  /** True if it reported progress after it had ended. */
  saidLate: boolean;
  /** True if it continued for longer than `grace` after its signal was aborted. */
  ignoredSignal: boolean;
  /** The return value of `onAborted`. */
  atAbort?: unknown;
}

export interface RunOptions {
  /** Milliseconds after which a run counts as endless. */
  limit: number;
  /** Milliseconds after which its signal is aborted. Default: at the limit. */
  abortAfter?: number;
  /** Milliseconds in which it has to react to the signal. */
  grace: number;
  context: Pick<ToolContext, 'user' | 'permissions'>;
  known: readonly string[];
  onAborted?: () => unknown;
}

const silentLogger = { debug() {}, info() {}, warn() {}, error() {} };
let runs = 0;

export function contextFor(
  { user, permissions }: RunOptions['context'],
  signal: AbortSignal,
  progress: ToolContext['progress'],
): ToolContext {
  return Object.freeze({
    ...{ requestId: `check-${String((runs += 1))}`, sessionId: 'check', signal, progress, logger: silentLogger },
    ...(user !== undefined && { user }),
    ...(permissions && { permissions: [...permissions] }),
  });
}

const wait = (ms: number) => new Promise<'waited'>((resolve) => setTimeout(() => resolve('waited'), ms));

export async function runTool(tool: ToolDefinition, args: Record<string, unknown>, options: RunOptions): Promise<Run> {
  const { limit, abortAfter = limit, grace, context, known, onAborted } = options;
  const [read, lookedFor, progress] = [new Set<string>(), new Set<string>(), [] as unknown[]];
  const stopping = new AbortController();
  let over = false;
  let saidLate = false;
  const given = watchArguments(args, known, read, lookedFor);
  const startedAt = performance.now();
  const said = contextFor(context, stopping.signal, (how) => {
    progress.push(how);
    saidLate ||= over;
  });
  const running = (async () => tool.execute(given, said))().then(
    (value: unknown) => ({ how: 'done' as const, value }),
    (error: unknown) => ({ how: 'failed' as const, error }),
  );
  const first = await Promise.race([running, wait(Math.min(limit, abortAfter))]);
  const seen = { read, lookedFor, progress, requestId: said.requestId };
  if (first !== 'waited') {
    over = true;
    const ms = performance.now() - startedAt;
    await wait(0);
    return { ...first, ms, ...seen, saidLate, ignoredSignal: false };
  }
  stopping.abort(new DOMException('Stopped by the check.', 'AbortError'));
  const atAbort = await onAborted?.();
  const second = await Promise.race([running, wait(grace)]);
  const ignoredSignal = second === 'waited';
  const end = ignoredSignal && abortAfter < limit ? await Promise.race([running, wait(limit)]) : second;
  const ms = performance.now() - startedAt;
  const how = end === 'waited' || abortAfter >= limit ? { how: 'endless' as const } : end;
  return { ...how, ms, ...seen, saidLate, ignoredSignal, atAbort };
}

/** Returns arguments whose own properties record reads; their prototype records reads of missing names. */
function watchArguments(
  args: Record<string, unknown>,
  known: readonly string[],
  read: Set<string>,
  lookedFor: Set<string>,
): Record<string, unknown> {
  const note = (key: string | symbol) => {
    if (typeof key === 'string' && !known.includes(key) && !(key in Object.prototype) && !ASKED_BY_OTHERS.has(key)) lookedFor.add(key);
    else if (typeof key === 'string') read.add(key);
  };
  const behind = new Proxy(Object.prototype, {
    get(target, key, receiver) {
      note(key);
      return Reflect.get(target, key, receiver) as unknown;
    },
    has(target, key) {
      note(key);
      return Reflect.has(target, key);
    },
  });
  const copy = Object.create(behind) as Record<string, unknown>;
  for (const [key, value] of Object.entries(structuredClone(args))) {
    let now = value;
    Object.defineProperty(copy, key, {
      ...{ enumerable: true, configurable: true },
      get() {
        read.add(key);
        return now;
      },
      set(fresh) {
        now = fresh;
      },
    });
  }
  return copy;
}

/** Names that the language and consoles read, not tools. */
const ASKED_BY_OTHERS: ReadonlySet<string> = new Set(['then', 'toJSON', 'inspect', 'nodeType', 'asymmetricMatch', '$$typeof']);
