/** Context, events and actor results of the statechart of one call. */
import type { Call, PublishedResult } from '../../model/calls.js';
import type { CallFacts } from '../../storage/stored-call.js';
import type { ParsedCall, Conclusion, EditState, Fate, Proof, RecallReason, Recovered } from './chart-context.js';

/** The result of a check. The checker needs `ticket` to run exactly what was shown. */
export type Checked =
  | { type: 'refused'; result: PublishedResult; call?: Call; parameter?: string; fate?: Fate }
  | {
      type: 'checked';
      call: Call;
      verdict: 'allow' | 'ask';
      ticket: object;
      resources?: readonly string[];
      offers?: readonly string[];
      /** Facts that are saved with the call. */
      facts?: CallFacts;
    };

/**
 * The decision right before a call starts; only `start` starts it. `differs`: the call would now do something else than was shown.
 * `check-again`: what allowed the call no longer does, so it is checked once more.
 */
export type Authorization =
  { type: 'start' } | { type: 'check-again' } | { type: 'differs' } | { type: 'refused'; result: PublishedResult };

/** The result of repeating the dry run of a step; undefined if the question is the same. */
export type PreviewedAgain = { call: Call; ticket: object } | undefined;

export interface ToolCallInput {
  request: ParsedCall;
  manual: boolean;
  /** The error message for the user if a check, the journal or a tool fails without a result of its own. */
  failed: string;
  /** Set if another page began the call. */
  recovered?: Recovered;
}

export interface ToolCallContext extends ToolCallInput {
  proof: Proof;
  call?: Call;
  ticket?: object;
  result?: PublishedResult;
  /** The consequences of the result. */
  conclusion?: Omit<Conclusion, 'type' | 'result'>;
  decidedBy: 'policy' | 'person';
  resources: readonly string[];
  /** The broader permissions that the user can give with this call, as sentences. */
  offers: readonly string[];
  /** The index of the chosen offer. */
  remember?: number;
  facts?: CallFacts;
  /** The confirmation word that the user wrote, if it allowed the call. */
  word?: string;
  /** The reason for repeating the dry run. */
  recalled: RecallReason;
  /** True if the tool was started. */
  started: boolean;
  fate?: Fate;
  /** The user's new arguments while they are being checked. */
  wanted: Arguments;
  /** Absent until the user edits the arguments. */
  edit?: EditState;
  /** The arguments before the first edit. */
  original?: Arguments;
}

export type Arguments = Readonly<Record<string, unknown>>;

export type ToolCallEvent =
  /** Releases the call for its checks: the reply has ended or, under `on-block`, the call has. */
  | { type: 'release'; proof: Proof }
  | { type: 'allow'; digest: string; remember?: number; word?: string }
  | { type: 'deny'; digest: string; result: PublishedResult }
  /** A permission that the user gave with another call covers this one, too. */
  | { type: 'granted'; call: Call }
  /** The shown effects may be out of date. */
  | { type: 'recall'; why: RecallReason }
  /** New arguments from the user. Once they have passed the checks, the earlier question can no longer be allowed. */
  | { type: 'edit'; digest: string; args: Arguments }
  /** Starts the call: its turn has come. */
  | { type: 'start' };
