/** The public types of a tool call, and the checks of their stored form. */
import {
  data,
  boolean,
  json,
  list,
  number,
  oneOf,
  optional,
  object,
  text,
  count,
  literalTrue,
  type Check,
  type ValuesOf,
} from '../base/checks.js';
import type { ErrorCode, ErrorType } from '../base/errors.js';
import type { JsonSchema } from './json-schema.js';

/** The effect that a tool can have. A tool without a `risk` is `undeclared` and needs approval. */
export type Risk = 'query' | 'write' | 'danger';

/** The one terminal status a call ends in. */
export type CallStatus = 'success' | 'error' | 'denied' | 'cancelled' | 'interrupted';

/** Every status a card can carry in `data-status`. */
export type CardStatus = 'pending' | 'queued' | 'awaiting_approval' | 'executing' | CallStatus | 'undone';

/** A call in the shape that the `xml-invoke` notation gives: the values are as the model wrote them. */
export interface ToolUse {
  type: 'tool_use';
  name: string;
  params: Record<string, unknown>;
  /** True while its arguments are still arriving. */
  partial: boolean;
}

/** The result that an `execute` function returns. */
export interface ToolResult {
  success: boolean;
  /** One sentence for the user. */
  message: string;
  data?: unknown;
  code?: ErrorCode;
  errorType?: ErrorType;
}

/** The state of editing the arguments of a call that waits for approval, or of a failed one that is to run again. */
export interface CardEdit {
  /** JSON Schema of the arguments, frozen; absent where the tool declares none. */
  schema?: JsonSchema;
  /** Arguments whose values are hidden while the user types them: all (`true`), or those named. */
  sensitive: boolean | readonly string[];
  /** Number of edits answered so far, accepted or refused. The sender of an edit waits for the next number. */
  answered: number;
  /** True while an edit is being checked. */
  checking?: true;
  /** The reason why the last edit was refused, and the parameter concerned, if known. */
  problem?: { message: string; parameter?: string };
}

/** The published result of a finished call. */
export interface PublishedResult extends ToolResult {
  requestId: string;
  toolName: string;
  status: CallStatus;
  /** The text that goes back to the model, before it is wrapped for a protocol. At most `limits.resultChars` UTF-16 units. */
  result: string;
  /** From the start of the tool to its end; 0 when it never started. */
  durationMs: number;
  undone?: boolean;
}

/** The labels of the buttons that allow or deny a call. */
export interface CallVerbs {
  allow: string;
  deny: string;
}

/** One line of "before → after" on a card. Without `before` the value is new, without `after` it is removed. */
export interface Change {
  label: string;
  path?: string;
  before?: unknown;
  after?: unknown;
  target?: Element;
}

/** The preview of a step of a dry run (`rehearse="on"`), before anything runs. */
export interface Rehearsed {
  /** SHA-256 (hex) of all steps that are approved together, with their expected effects. Absent while `decide` runs. */
  digest?: string;
  /** Position of the step, from 1, and the number of steps. Absent while `decide` runs. */
  step?: number;
  of?: number;
  /** The function of the tool that produced the call's `preview`. Absent if no preview is available. */
  by?: 'simulate' | 'preview';
  /** The expected result, if the tool gives one and is not `sensitive`. */
  result?: unknown;
}

/**
 * The origin of untrusted content: a call of an `untrusted` tool, or of a tool that the provider ran (`service`). With `import`, it is a
 * message of an imported conversation, and `requestId` is its id. With `description`, it is the tool descriptions of a service that the
 * page does not vouch for: `toolName` is its host, and `requestId` the message that answers the request.
 */
export interface TaintSource {
  requestId: string;
  toolName: string;
  from?: 'import' | 'service' | 'description';
  /** With `description`: the hosts of all such services. */
  hosts?: readonly string[];
}

// ——— Runtime checks for data from storage, a file or another tab.

export const id = text(1000);
export const name = text(1000);

export const callStatus = ['success', 'error', 'denied', 'cancelled', 'interrupted'] as const;
export const cardStatus: Check<CardStatus> = oneOf('pending', 'queued', 'awaiting_approval', 'executing', 'undone', ...callStatus);
const errorCode: Check<ErrorCode> = oneOf(
  ...(['TOOL_NOT_FOUND', 'MISSING_PARAMETER', 'INVALID_PARAMETER', 'EXECUTION_FAILED', 'API_ERROR', 'TIMEOUT', 'DENIED'] as const),
  ...(['CANCELLED', 'INTERRUPTED', 'MALFORMED_CALL'] as const),
);
const errorType: Check<ErrorType> = oneOf('rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format');

export const publishedResult: Check<PublishedResult> = object<PublishedResult>({
  requestId: id,
  toolName: name,
  status: oneOf(...callStatus),
  success: boolean,
  message: text(),
  data: optional(json),
  code: optional(errorCode),
  errorType: optional(errorType),
  result: text(),
  durationMs: number,
  undone: optional(boolean),
});

export const source = object<TaintSource>({
  requestId: id,
  toolName: name,
  from: optional(oneOf('import', 'service', 'description')),
  hosts: optional(list(name, 100)),
});

/** Changes are stored without their `target`: the element belongs to a page that is gone. */
const changes = list(
  object<Omit<Change, 'target'>>({ label: text(), path: optional(text()), before: optional(json), after: optional(json) }),
  1000,
) as Check<readonly Change[]>;

export const names: Check<readonly string[]> = list(name, 100);
export const values: Check<Readonly<Record<string, unknown>>> = data;

/** The stored fields of a call, each with its check. The type, storage, events and cards derive from them. */
const shownFields = {
  requestId: id,
  toolName: name,
  label: text(),
  /** Host and port of the service that the tool comes from, as the page connected it. Absent for the page's own tools. */
  toolHost: optional(text(1000)),
  icon: optional(text()),
  risk: oneOf<Risk | 'undeclared'>('query', 'write', 'danger', 'undeclared'),
  /** The coerced and validated arguments, deeply frozen. The tool gets its own copy. */
  args: values,
  /** SHA-256 (hex) of the canonical JSON of tool name and args: what is shown is what runs. */
  digest: id,
  status: cardStatus,
  /** Labels of the arguments from the schema: `x-label`, or else `title`. */
  labels: optional(data as Check<Readonly<Record<string, string>>>),
  /** The sentence from the tool's `describeCall`. */
  sentence: optional(text()),
  /** The tool's own labels for the buttons. */
  verbs: optional<Readonly<CallVerbs>>(object<CallVerbs>({ allow: text(), deny: text() })),
  /** True if the tool can undo the call. */
  undoable: optional(literalTrue),
  preview: optional(changes),
  /** Number of changes left out of `preview`. The card shows it. */
  moreChanges: optional(count),
  /** True if the preview or the sentence could not be made. The card says so. */
  describeFailed: optional(literalTrue),
  /** Flags: from the parser `repaired`, `suspicious`, `duplicate_key`, `quoted`; from the wire `unproved`. */
  flags: optional(names),
  /** The untrusted content that the call follows. */
  taintedBy: optional(source),
  decidedBy: optional(oneOf('policy', 'grant', 'host', 'person')),
  /** One sentence for the user that says why the call runs, waits or was refused. */
  reason: text(),
  result: optional(publishedResult),
};

/** A checked call: the card shows it, `decide` gets it, and exactly this runs. Frozen. */
export interface Call extends ValuesOf<typeof shownFields> {
  /** Set if the call is a step of a dry run. Not stored: a dry run ends with its page. */
  rehearsed?: Readonly<Rehearsed>;
  /** The parts that the card may fold. Not stored: they follow from the current tool. */
  stated?: Stated;
}

/** The arguments (by name) and the new changes (by index in `preview`) that the sentence provably contains. */
export interface Stated {
  readonly args: readonly string[];
  readonly changes: readonly number[];
}

export const shownCall = object(shownFields) as Check<Call>;

/**
 * One card on screen, from the first sign of a call to its end. It is a plain data copy. Before the call is checked, `params` holds the
 * arguments received so far (strings under `xml-invoke`) and `call` is absent.
 */
export interface CardView {
  requestId: string;
  toolName: string;
  status: CardStatus;
  /** The arguments received so far. The last one may still grow. */
  params: Readonly<Record<string, unknown>>;
  /** Label and icon for the user. The label defaults to the tool's name. */
  label: string;
  icon?: string;
  call?: Call;
  /** Place in the queue, from 1, while `status` is `queued`. */
  queuePosition?: number;
  /** The last `context.progress()` of the tool. `fraction` is 0 … 1. */
  progress?: { fraction?: number; message?: string };
  /** True if the provider ran the tool itself: the page ran nothing. */
  service?: true;
  /**
   * Set for a waiting call of a chain that the user can confirm by a word: `both` accepts the word or the button, `keyword` only the word,
   * and `button` only the button, since a word is not enough for its risk. Absent if words do not apply.
   */
  confirm?: 'keyword' | 'both' | 'button';
  /** While the call waits: the permissions beyond it that the user can give, as labels. */
  offers?: readonly string[];
  /** State of undoing. `unsure`: it may have been undone. `retry`: the same, and undoing again is safe. */
  undo?: 'offered' | 'running' | 'failed' | 'unsure' | 'retry';
  /** True if later calls can be undone, too. */
  undoBack?: true;
  /** True if the outcome is unknown: the call may have had its effect, or may still have it. */
  unsure?: true;
  /** Set if the arguments can be edited, before the call runs or for another run after it failed. */
  edit?: CardEdit;
  /** The user's edits of the arguments, one line for each argument. */
  edited?: readonly Change[];
  /** Request ids of a manual rerun: the failed call that this one repeats, and the call that repeats this one. */
  repeats?: string;
  repeatedBy?: string;
  /** True when that call has started. Until then it waits for approval. */
  repeated?: true;
  /** A hint on what the user can do about the outcome. */
  advice?: string;
  /** The error of the failed run. Set while the call waits for approval to run once more. */
  again?: string;
  /** Label of the unreachable tool that this call is a fallback for. */
  standsInFor?: string;
  /** Time of the result, in milliseconds since the epoch. */
  endedAt?: number;
  /** The source of a call that could not be parsed. The card shows it folded. */
  raw?: string;
  result?: PublishedResult;
}
