/** What a host registers. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { Call, CallVerbs, Change, PublishedResult, Risk } from '../model/calls.js';
import type { Logger } from '../base/log.js';
import type { JsonSchema } from '../model/json-schema.js';

/** zod, valibot, arktype …: validates, and where it can, also describes itself as JSON Schema. */
export type StandardSchema<Args = unknown> = StandardSchemaV1<unknown, Args> | StandardJSONSchemaV1<unknown, Args>;

export interface ToolContext {
  /** The call's id; the same again when a call is repeated after a crash, so it serves as an idempotency key. */
  requestId: string;
  sessionId: string;
  /** Aborted by stop, by time-out and when the element leaves the page. */
  signal: AbortSignal;
  user?: unknown;
  permissions?: string[];
  progress(progress: { fraction?: number; message?: string }): void;
  logger: Logger;
}

/** A step of the same rehearsal that has not run either. */
export interface RehearsedStep {
  toolName: string;
  /** Without values that its tool calls `sensitive`. */
  args: Readonly<Record<string, unknown>>;
  changes?: readonly Change[];
  result?: unknown;
}

export interface SimulateContext extends ToolContext {
  /** The steps before this one, first to last, with what they would do: the page is to be thought of as if they had run. */
  earlier: readonly RehearsedStep[];
}

/** What a call would do. */
export interface Simulated {
  /** For the card, instead of `preview`. */
  changes?: readonly Change[];
  /** What `execute` would give back. */
  result?: unknown;
}

/** Where a tool comes from that `discoverTools` found. */
export interface ToolOrigin {
  /** Of the object. */
  id: string;
  name: string;
  /** The method's bare name: calls it too, as long as no other tool has the same. */
  method: string;
}

/** What a person says, in a natural sentence, and the call that answers it: `{ say: 'Plan a-9 for {today+2}', args: { … } }`. */
export interface SaidExample<Args = Record<string, unknown>> {
  say: string;
  args: Args;
}

// With `unknown` instead of `any`, the definition of a tool whose `Args` is an interface would fit into no list of definitions.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface ToolDefinition<Args = Record<string, any>, Data = unknown> {
  /** `^[A-Za-z_][A-Za-z0-9_-]{0,63}$` */
  name: string;
  /** For the model. */
  description: string;
  parameters?: StandardSchema<Args> | JsonSchema;
  /** Missing = ask. */
  risk?: Risk;
  label?: string;
  icon?: string;
  /** Calls that share one never overlap. */
  resource?: string | string[];
  /** Permissions the page must have set in `context.permissions`; without them the tool is neither taught nor run. */
  requires?: string | string[];
  /** Default: true for `query`, else false. */
  idempotent?: boolean;
  /** Milliseconds from its start. Default: `tool-timeout`. */
  timeout?: number;
  fallback?: string;
  payload?: 'code';
  /**
   * Arguments of worked examples for the model; the first stands in the tool list. With `say`, what a person says to get that call, the first
   * two of each tool are also sent as turns before the conversation (`promptOptions.exampleTurns`). `{today}` and `{today+2}` are filled in.
   */
  examples?: (Args | SaidExample<Args>)[];
  /** Values kept out of events, logs and exports: all, or these parameters. */
  sensitive?: boolean | string[];
  /** Its results carry outside content: from then on the turn is tainted. */
  untrusted?: boolean;
  /** The name under a protocol. */
  aliases?: Record<string, string>;
  /** Methods of one object are taught together. */
  origin?: ToolOrigin;
  /** What the buttons of its question say: 'Delete task' / 'Keep it'. Default: its label, and "Don't". */
  verbs?: CallVerbs;
  describeCall?(args: Args, context: ToolContext): string | Promise<string>;
  preview?(args: Args, context: ToolContext): Change[] | Promise<Change[]>;
  /**
   * Under `rehearse="on"`: what the call would do, without doing it. Asked before anything runs, and again right before the call starts; when the
   * second answer is another one, nothing starts and the person is asked again.
   */
  simulate?(args: Args, context: SimulateContext): Simulated | Promise<Simulated>;
  /**
   * Shows arguments in the page while they are written and asked about; gives back what takes that away. `context.progress({ fraction: 1, message })`
   * says that the person has meanwhile done it in the page: a call that waits then ends with that sentence, and does not run.
   */
  onArguments?(partialArgs: Partial<Args>, context: ToolContext): void | (() => void);
  verify?(args: Args, context: ToolContext): Promise<'done' | 'not-done' | 'unknown'>;
  undo?(result: PublishedResult & { data?: Data }, context: ToolContext): Promise<void>;
  render?(call: Call): Node;
  execute(args: Args, context: ToolContext): unknown;
}
