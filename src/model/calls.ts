/** What a tool call is to everyone who looks at one. */
import { data, flag, json, list, number, oneOf, optional, shape, text, whole, yes, type Check, type ValuesOf } from '../base/checks.js';
import type { ErrorCode, ErrorType } from '../base/errors.js';
import type { JsonSchema } from './json-schema.js';

/** What a tool can do to the world. A tool that does not say is `undeclared`, and asks. */
export type Risk = 'query' | 'write' | 'danger';

/** The one terminal status a call ends in. */
export type CallStatus = 'success' | 'error' | 'denied' | 'cancelled' | 'interrupted';

/** Every status a card can carry in `data-status`. */
export type CardStatus = 'pending' | 'queued' | 'awaiting_approval' | 'executing' | CallStatus | 'undone';

/** A call as seed 000 names it: values as the notation gives them. */
export interface ToolUse {
  type: 'tool_use';
  name: string;
  params: Record<string, unknown>;
  /** True while its arguments are still arriving. */
  partial: boolean;
}

/** What seed 000's tools return. */
export interface ToolResult {
  success: boolean;
  /** One sentence for people. */
  message: string;
  data?: unknown;
  code?: ErrorCode;
  errorType?: ErrorType;
}

/** How a person can change the arguments of a call that waits, or of one that failed and is to run again. */
export interface CardEdit {
  /** JSON Schema of the arguments, frozen; absent where the tool declares none. */
  schema?: JsonSchema;
  /** Whose values are not shown while they are written: all, or these. */
  sensitive: boolean | readonly string[];
  /** Edits that were answered so far, taken or refused: whoever sent one waits for the next number. */
  answered: number;
  /** One is being checked. */
  checking?: true;
  /** Why the last one was refused, and for which parameter where that is known. */
  problem?: { message: string; parameter?: string };
}

/** What is published about a finished call; one superset of the three seed shapes. */
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

/** What a person presses to let a call run, or not to. */
export interface CallVerbs {
  allow: string;
  deny: string;
}

/** One line of "before → after" on a card. No `before` = new, no `after` = gone. */
export interface Change {
  label: string;
  path?: string;
  before?: unknown;
  after?: unknown;
  target?: Element;
}

/** What is known of a step before anything runs (`rehearse="on"`). */
export interface Rehearsed {
  /** SHA-256 (hex) of all steps that are asked about together, with what each would do: what a person allows. Absent while `decide` looks. */
  digest?: string;
  /** Its place among them, from 1, and how many there are; absent while `decide` looks. */
  step?: number;
  of?: number;
  /** Who said what it would do, which is the call's `preview`; absent = there is no preview. */
  by?: 'simulate' | 'preview';
  /** What it would give back, where its tool says so and is not `sensitive`. */
  result?: unknown;
}

/**
 * Where outside content came from: the call of an `untrusted` tool, or of a service's own (`service`). `import`: a message of an imported
 * conversation, whose id `requestId` then is. `description`: what a service that the page does not vouch for says of its tools; `toolName`
 * is then its host, and `requestId` the message that answers the request.
 */
export interface TaintSource {
  requestId: string;
  toolName: string;
  from?: 'import' | 'service' | 'description';
  /** Of descriptions: all such services, by host. */
  hosts?: readonly string[];
}

// ——— As data: each check is for what was stored, came out of a file or from another tab.

export const id = text(1000);
export const name = text(1000);

export const callStatus = ['success', 'error', 'denied', 'cancelled', 'interrupted'] as const;
export const cardStatus: Check<CardStatus> = oneOf('pending', 'queued', 'awaiting_approval', 'executing', 'undone', ...callStatus);
const errorCode: Check<ErrorCode> = oneOf(
  ...(['TOOL_NOT_FOUND', 'MISSING_PARAMETER', 'INVALID_PARAMETER', 'EXECUTION_FAILED', 'API_ERROR', 'TIMEOUT', 'DENIED'] as const),
  ...(['CANCELLED', 'INTERRUPTED', 'MALFORMED_CALL'] as const),
);
const errorType: Check<ErrorType> = oneOf('rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format');

export const publishedResult: Check<PublishedResult> = shape<PublishedResult>({
  requestId: id,
  toolName: name,
  status: oneOf(...callStatus),
  success: flag,
  message: text(),
  data: optional(json),
  code: optional(errorCode),
  errorType: optional(errorType),
  result: text(),
  durationMs: number,
  undone: optional(flag),
});

export const source = shape<TaintSource>({
  requestId: id,
  toolName: name,
  from: optional(oneOf('import', 'service', 'description')),
  hosts: optional(list(name, 100)),
});

/** Changes lose their `target`: the element was another page's. */
const changes = list(
  shape<Omit<Change, 'target'>>({ label: text(), path: optional(text()), before: optional(json), after: optional(json) }),
  1000,
) as Check<readonly Change[]>;

export const names: Check<readonly string[]> = list(name, 100);
export const values: Check<Readonly<Record<string, unknown>>> = data;

/** What is shown of a call, a row for each field: its type, what is stored of it and the check of that, events and cards follow from these. */
const shownFields = {
  requestId: id,
  toolName: name,
  label: text(),
  /** Host and port of the service that the tool comes from, as the page connected it. Absent for the page's own tools. */
  toolHost: optional(text(1000)),
  icon: optional(text()),
  risk: oneOf<Risk | 'undeclared'>('query', 'write', 'danger', 'undeclared'),
  /** Coerced and validated. Frozen through and through; the tool gets a copy of its own. */
  args: values,
  /** SHA-256 (hex) of the canonical JSON of tool name and args: what is shown is what runs. */
  digest: id,
  status: cardStatus,
  /** What people call its arguments, where the schema says so: `x-label`, else `title`. */
  labels: optional(data as Check<Readonly<Record<string, string>>>),
  /** From the tool's `describeCall`. */
  sentence: optional(text()),
  /** From the tool: what the buttons say. */
  verbs: optional<Readonly<CallVerbs>>(shape<CallVerbs>({ allow: text(), deny: text() })),
  /** The tool can take it back. */
  undoable: optional(yes),
  preview: optional(changes),
  /** So many changes more than `preview` has: the card says so. */
  moreChanges: optional(whole),
  /** What would change could not be found out, or the sentence could not be made: the card says so. */
  describeFailed: optional(yes),
  /** From the parser: `repaired`, `suspicious`, `duplicate_key`, `quoted`; from the wire: `unproved`. */
  flags: optional(names),
  /** It follows outside content: of this. */
  taintedBy: optional(source),
  decidedBy: optional(oneOf('policy', 'grant', 'host', 'person')),
  /** Why it runs, waits or was refused, in one sentence for people. */
  reason: text(),
  result: optional(publishedResult),
};

/** A call that was checked: what the card shows, what `decide` gets, and exactly what runs. Frozen. */
export interface Call extends ValuesOf<typeof shownFields> {
  /** It is a step of a rehearsal, which is over with its page. */
  rehearsed?: Readonly<Rehearsed>;
  /** The card may fold these. They are not stored: they follow from the tool as it is now. */
  stated?: Stated;
}

/** The arguments (by name) and the new changes (by place in `preview`) that the sentence provably states. */
export interface Stated {
  readonly args: readonly string[];
  readonly changes: readonly number[];
}

export const shownCall = shape(shownFields) as Check<Call>;

/**
 * One card on screen, from the first sign of a call to its end. Plain data, copied.
 * Before the call is checked, `params` holds what has arrived (strings under `xml-invoke`) and `call` is absent.
 */
export interface CardView {
  requestId: string;
  toolName: string;
  status: CardStatus;
  /** Arguments as they arrive; the last of them may still grow. */
  params: Readonly<Record<string, unknown>>;
  /** Label and icon for people; the tool's name where it has no label. */
  label: string;
  icon?: string;
  call?: Call;
  /** Place in the queue, from 1, while `status` is `queued`. */
  queuePosition?: number;
  /** What the tool last said by `context.progress()`. `fraction` is 0 … 1. */
  progress?: { fraction?: number; message?: string };
  /** Of the service's own doing: nothing of ours ran. */
  service?: true;
  /**
   * A link of a chain that waits: a confirmation word settles it like its button (`both`) or instead of it (`keyword`); `button`: a word is
   * not enough for what it could do. Absent: words have nothing to do with it.
   */
  confirm?: 'keyword' | 'both' | 'button';
  /** While it waits: what a person can allow beyond it, in words. */
  offers?: readonly string[];
  /** It can be undone, is being undone, or could not be. `unsure`: it may have been undone; `retry`: the same, and undoing it again is safe. */
  undo?: 'offered' | 'running' | 'failed' | 'unsure' | 'retry';
  /** Later calls can be taken back, too. */
  undoBack?: true;
  /** It may have had its effect, or still have it: the outcome is unknown. */
  unsure?: true;
  /** Its arguments can be changed: before it runs, or for another run after it failed. */
  edit?: CardEdit;
  /** What a person changed about it, one line for each argument. */
  edited?: readonly Change[];
  /** The failed call that a person runs again by this one, and the call that does it for this one. */
  repeats?: string;
  repeatedBy?: string;
  /** That call has started; until then a person is asked about it. */
  repeated?: true;
  /** What a person can do about how it came out. */
  advice?: string;
  /** It has run and failed, and waits for a person's word to run once more: how it failed. */
  again?: string;
  /** Label of the tool that could not be reached, which this call stands in for. */
  standsInFor?: string;
  /** When its result came, in milliseconds since the epoch. */
  endedAt?: number;
  /** A call that could not be read: its source, shown folded. */
  raw?: string;
  result?: PublishedResult;
}
