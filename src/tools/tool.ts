/** The types of a tool that a host registers. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { Call, CallVerbs, Change, PublishedResult, Risk } from '../model/calls.js';
import type { Logger } from '../base/log.js';
import type { JsonSchema } from '../model/json-schema.js';

/** A schema of zod, valibot, arktype or another library: it validates and, if supported, describes itself as JSON Schema. */
export type StandardSchema<Args = unknown> = StandardSchemaV1<unknown, Args> | StandardJSONSchemaV1<unknown, Args>;

export interface ToolContext {
  /** The call's id. A call that is repeated after a crash keeps it, so it serves as an idempotency key. */
  requestId: string;
  sessionId: string;
  /** Aborted by stop, by a time-out and when the element is removed from the page. */
  signal: AbortSignal;
  user?: unknown;
  permissions?: string[];
  progress(progress: { fraction?: number; message?: string }): void;
  logger: Logger;
}

/** An earlier step of the same dry run, which has not run either. */
export interface PreviewedStep {
  toolName: string;
  /** The arguments without the values that its tool marks as `sensitive`. */
  args: Readonly<Record<string, unknown>>;
  changes?: readonly Change[];
  result?: unknown;
}

export interface SimulateContext extends ToolContext {
  /** The steps before this one, in order, with their effects. Simulate as if they had run. */
  earlier: readonly PreviewedStep[];
}

/** The effects of a call. */
export interface Simulated {
  /** Changes for the card, instead of `preview`. */
  changes?: readonly Change[];
  /** The result that `execute` would return. */
  result?: unknown;
}

/** The object and method of a tool that `discoverTools` found. */
export interface ToolOrigin {
  /** The id of the object. */
  id: string;
  name: string;
  /** The method's bare name, which also calls the tool as long as no other tool has the same. */
  method: string;
}

/** A natural sentence of the user and the call that answers it: `{ say: 'Plan a-9 for {today+2}', args: { … } }`. */
export interface SaidExample<Args = Record<string, unknown>> {
  say: string;
  args: Args;
}

// With `unknown` instead of `any`, the definition of a tool whose `Args` is an interface would fit into no list of definitions.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface ToolDefinition<Args = Record<string, any>, Data = unknown> {
  /** The tool's name: `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`. */
  name: string;
  /** The description for the model. */
  description: string;
  parameters?: StandardSchema<Args> | JsonSchema;
  /** Omit it to ask for approval before every call. */
  risk?: Risk;
  label?: string;
  icon?: string;
  /** Calls that share a resource never overlap. */
  resource?: string | string[];
  /** Permissions that the page must have set in `context.permissions`. Without them the tool is neither described to the model nor run. */
  requires?: string | string[];
  /** True if a call may be repeated safely. Default: true for `query`, else false. */
  idempotent?: boolean;
  /** Time limit in milliseconds from its start. Default: `tool-timeout`. */
  timeout?: number;
  fallback?: string;
  payload?: 'code';
  /**
   * Arguments of worked examples for the model; the first appears in the tool list. With `say`, a user's sentence that leads to the call,
   * the first two of each tool are also sent as turns before the conversation (`promptOptions.exampleTurns`). `{today}` and `{today+2}` are
   * filled in.
   */
  examples?: (Args | SaidExample<Args>)[];
  /** Keeps values out of events, logs and exports: all, or those of these parameters. */
  sensitive?: boolean | string[];
  /** True if its results contain untrusted content, which affects the approvals in the rest of the turn. */
  untrusted?: boolean;
  /** The tool's names by protocol id. */
  aliases?: Record<string, string>;
  /** The object that the tool comes from. Its methods are described to the model together. */
  origin?: ToolOrigin;
  /** The texts of its approval buttons: 'Delete task' / 'Keep it'. Default: its label, and "Don't". */
  verbs?: CallVerbs;
  describeCall?(args: Args, context: ToolContext): string | Promise<string>;
  preview?(args: Args, context: ToolContext): Change[] | Promise<Change[]>;
  /**
   * Returns the effects of a call without running it, for `rehearse="on"`. Called before anything runs, and again right before the call
   * starts. If the second answer differs, nothing starts and the user is asked again.
   */
  simulate?(args: Args, context: SimulateContext): Simulated | Promise<Simulated>;
  /**
   * Shows arguments in the page while they are written and await approval; returns a function that removes them. `context.progress({
   * fraction: 1, message })` reports that the user has done the action in the page meanwhile: a pending call then ends with that sentence,
   * and does not run.
   */
  onArguments?(partialArgs: Partial<Args>, context: ToolContext): void | (() => void);
  verify?(args: Args, context: ToolContext): Promise<'done' | 'not-done' | 'unknown'>;
  undo?(result: PublishedResult & { data?: Data }, context: ToolContext): void | Promise<void>;
  render?(call: Call): Node;
  execute(args: Args, context: ToolContext): unknown;
}

/** A schema that the compiler can read: an object with its properties. */
export interface LiteralSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * Maps a schema to a type: `{ type: 'object', properties: …, required: ['title'] }` gives `{ title: string; tags?: string[] }`. Anything
 * undeclared is `unknown`.
 */
type DescribedBy<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
      ? DescribedBy<One>
      : Schema extends { readonly type: infer Type }
        ? OfType<Type extends readonly (infer One)[] ? One : Type, Schema>
        : unknown;

type OfType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Item }
            ? DescribedBy<Item>[]
            : unknown[]
          : Type extends 'object'
            ? Schema extends { readonly properties: infer Properties }
              ? Flat<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
              : Record<string, unknown>
            : unknown;

type Members<Properties, Required> = { -readonly [Name in keyof Properties as Name & Required]: DescribedBy<Properties[Name]> } & {
  -readonly [Name in Exclude<keyof Properties, Required>]?: DescribedBy<Properties[Name]>;
};
/** Flattens the intersection into one object type, which editors show better. */
type Flat<Properties, Required, All = Members<Properties, Required>> = { [Name in keyof All]: All[Name] };

/** A tool whose functions get their argument type from its schema. */
export type DescribedTool<Schema extends LiteralSchema> = Omit<ToolDefinition<DescribedBy<Schema>>, 'parameters'> & {
  readonly parameters: Schema;
};
