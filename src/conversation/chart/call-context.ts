/** What the chart of one call keeps, hears and is answered. */
import type { Call, PublishedResult } from '../../model/calls.js';
import type { CallFacts } from '../../storage/stored-call.js';
import type { ParsedCall, Conclusion, EditState, Fate, Proof, RecallReason, Recovered } from './chart-context.js';

/** What a check says. `ticket` is what the checker needs to run exactly what was shown. */
export type Checked =
  | { type: 'refused'; result: PublishedResult; call?: Call; parameter?: string; fate?: Fate }
  | {
      type: 'checked';
      call: Call;
      verdict: 'allow' | 'ask';
      ticket: object;
      resources?: readonly string[];
      offers?: readonly string[];
      /** Kept with the call. */
      facts?: CallFacts;
    };

/**
 * The journal's answer: only `start` starts an effect. `differs`: it would do something else than was shown. `anew`: what let it run does not hold
 * any more, so it is checked once more.
 */
export type Clearance = { type: 'start' } | { type: 'check-again' } | { type: 'differs' } | { type: 'refused'; result: PublishedResult };

/** What another look at a step of a rehearsal says; nothing where the question is the same. */
export type LookedAgain = { call: Call; ticket: object } | undefined;

export interface ToolCallInput {
  request: ParsedCall;
  manual: boolean;
  /** One sentence for people, should a check, the journal or a tool fail in a way that has no result of its own. */
  failed: string;
  /** Another page began it. */
  recovered?: Recovered;
}

export interface ToolCallContext extends ToolCallInput {
  proof: Proof;
  call?: Call;
  ticket?: object;
  result?: PublishedResult;
  /** What is to be done about the result. */
  conclusion?: Omit<Conclusion, 'type' | 'result'>;
  decidedBy: 'policy' | 'person';
  resources: readonly string[];
  /** What a person can allow beyond this one call, in words. */
  offers: readonly string[];
  /** Which of them was chosen. */
  remember?: number;
  facts?: CallFacts;
  /** The confirmation word that was written, if one decided. */
  word?: string;
  /** Why it is looked at again. */
  recalled: RecallReason;
  /** The tool was started. */
  started: boolean;
  fate?: Fate;
  /** Arguments that a person wants instead, while they are being checked. */
  wanted: Arguments;
  /** Absent until a person edits the arguments. */
  edit?: EditState;
  /** The arguments before that. */
  original?: Arguments;
}

export type Arguments = Readonly<Record<string, unknown>>;

export type ToolCallEvent =
  /** The reply has ended: the call may be looked at. */
  | { type: 'release'; proof: Proof }
  | { type: 'allow'; digest: string; remember?: number; word?: string }
  | { type: 'deny'; digest: string; result: PublishedResult }
  /** What a person allowed for another call covers this one, too. */
  | { type: 'granted'; call: Call }
  /** What was shown may not hold any more. */
  | { type: 'recall'; why: RecallReason }
  /** Instead of what was shown, which can no longer be allowed once this has passed the checks. */
  | { type: 'edit'; digest: string; args: Arguments }
  /** It is this call's turn. */
  | { type: 'start' };
