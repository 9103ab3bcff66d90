/** The options of a tool check, and the context that all tries of one tool share. */
import type { PublishedResult } from '../model/calls.js';
import type { ToolContext, ToolDefinition } from '../tools/tool.js';
import type { Run, RunOptions } from './tool-run.js';

export interface ToolCheckOptions {
  /** The tools to run. `all` also runs tools that change data, so use test data. Default `queries`: only tools of `risk: 'query'`. */
  run?: 'all' | 'queries' | 'none';
  /** Returns the data that the tools work on, as plain data. Without it, undo, previews and repeated calls cannot be checked. */
  state?: () => unknown;
  /** Restores that data; called before each try. */
  reset?: () => unknown;
  /** Valid arguments by tool name, which are tried first. Default: the tool's `examples`. */
  args?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  /** The caller's data that tools receive. */
  context?: Pick<ToolContext, 'user' | 'permissions'>;
  /** Milliseconds after which a tool counts as endless. Default 5000, or the tool's own `timeout` where that is less. */
  timeout?: number;
  /** Number of unusual arguments for each tool. Default 20. */
  tries?: number;
  /** The seed, to repeat the same unusual arguments. The report names it. */
  seed?: number;
}

export type ReportFinding = (fault: string, message: string, args?: Readonly<Record<string, unknown>>) => void;

export type Args = Record<string, unknown>;

/** The context that all tries of one tool share. */
export interface TestContext {
  tool: ToolDefinition;
  report: ReportFinding;
  context: RunOptions['context'];
  /** Maximum milliseconds for a hook. */
  hookTimeout: number;
  /** Resolves with the tool's data as text: equal texts mean equal states. Undefined if the page does not provide it. */
  state(): Promise<string | undefined>;
  reset(): Promise<void>;
  run(args: Args, how?: Partial<RunOptions>): Promise<Run>;
  /** Returns the published form of a run. */
  publish(run: Run): PublishedResult;
  /** Resolves with the arguments that `execute` would get, as the schema converts them. Undefined if they do not fit. */
  fitted(args: Args): Promise<Args | undefined>;
}

/** Returns the part of a value that JSON cannot represent; undefined if it is plain data. */
export function findNonJson(value: unknown, above: readonly unknown[] = []): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null || above.length > 60) return undefined;
  if (above.includes(value)) return 'a cycle';
  if (value instanceof Date || typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (!Array.isArray(value)) {
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (tag !== 'Object' && tag !== 'Error') return `a ${tag}`;
  }
  for (const one of Object.values(value)) {
    const what = findNonJson(one, [...above, value]);
    if (what) return what;
  }
  return undefined;
}
