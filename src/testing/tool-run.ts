/** One run of a tool of a page, and all that could be seen of it. */
import type { ToolContext, ToolDefinition } from '../tools/tool.js';

export interface Run {
  how: 'done' | 'failed' | 'endless';
  value?: unknown;
  error?: unknown;
  ms: number;
  /** Parameters that it looked at. */
  read: ReadonlySet<string>;
  /** Names that it looked for and that its schema does not know. */
  lookedFor: ReadonlySet<string>;
  /** The id that the tool was given. */
  requestId: string;
  progress: readonly unknown[];
  /** It said how far it is when it was over. */
  saidLate: boolean;
  /** After its signal it went on for longer than `grace`. */
  ignoredSignal: boolean;
  /** The return value of `onAborted`. */
  atAbort?: unknown;
}

export interface RunOptions {
  /** Milliseconds; longer is endless. */
  limit: number;
  /** Milliseconds after which its signal is aborted; default: at the limit. */
  abortAfter?: number;
  /** Milliseconds in which it has to heed the signal. */
  grace: number;
  context: Pick<ToolContext, 'user' | 'permissions'>;
  known: readonly string[];
  onAborted?: () => unknown;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let runs = 0;

export function contextFor(
  { user, permissions }: RunOptions['context'],
  signal: AbortSignal,
  progress: ToolContext['progress'],
): ToolContext {
  return Object.freeze({
    ...{ requestId: `check-${String((runs += 1))}`, sessionId: 'check', signal, progress, logger: silent },
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
  const given = watched(args, known, read, lookedFor);
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

/** Own values that note being read; behind them, in place of a prototype, what notes names that are not there. */
function watched(
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

/** Looked for by languages and their consoles, not by tools. */
const ASKED_BY_OTHERS: ReadonlySet<string> = new Set(['then', 'toJSON', 'inspect', 'nodeType', 'asymmetricMatch', '$$typeof']);
