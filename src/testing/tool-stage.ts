/** What a check of tools is asked for, and what the tries of one tool share. */
import type { PublishedResult } from '../model/calls.js';
import type { ToolContext, ToolDefinition } from '../tools/tool.js';
import type { Run, RunOptions } from './tool-run.js';

export interface ToolCheckOptions {
  /** Which tools are run. `all` runs what changes something, too: on data for tests. Default `queries`: only tools of `risk: 'query'`. */
  run?: 'all' | 'queries' | 'none';
  /** What the tools work on, as plain data: without it nothing can be said of undo, previews and of what a second call does. */
  state?: () => unknown;
  /** Puts that data back; called before each try. */
  reset?: () => unknown;
  /** By tool name: arguments that work, tried first. Default: the tool's `examples`. */
  args?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  /** What tools are told of who calls. */
  context?: Pick<ToolContext, 'user' | 'permissions'>;
  /** Milliseconds after which a tool counts as endless. Default 5000, or the tool's own `timeout` where that is less. */
  timeout?: number;
  /** Odd arguments for each tool. Default 20. */
  tries?: number;
  /** For the same odd arguments once more; the report names it. */
  seed?: number;
}

export type ReportFault = (fault: string, message: string, args?: Readonly<Record<string, unknown>>) => void;

export type Args = Record<string, unknown>;

/** What the tries of one tool share. */
export interface Stage {
  tool: ToolDefinition;
  found: ReportFault;
  context: RunOptions['context'];
  /** Milliseconds that a hook gets. */
  patience: number;
  /** Of what it works on; the same text, the same state. Undefined where nobody says. */
  state(): Promise<string | undefined>;
  reset(): Promise<void>;
  run(args: Args, how?: Partial<RunOptions>): Promise<Run>;
  /** As everybody gets it. */
  publish(run: Run): PublishedResult;
  /** What `execute` gets: what the schema makes of them. Undefined where they do not fit. */
  fitted(args: Args): Promise<Args | undefined>;
}
