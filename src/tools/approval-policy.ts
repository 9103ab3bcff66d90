/**
 * Decides whether a call may run. This is the only place that decides, and it uses plain facts alone. If two rules apply, the stricter one
 * wins, and no fact against a call (a flag, untrusted content, an unproved end) can make the answer milder.
 */
import type { Call, TaintSource } from '../model/calls.js';
import type { Texts } from '../i18n/en.js';
import { LOST_CALL_FLAG } from './lost-call-flag.js';

export type Approval = 'auto' | 'by-risk' | 'always' | 'user-run';
export type Verdict = 'allow' | 'ask' | 'deny';

export type ReasonCode =
  | 'policy'
  | 'danger'
  | 'undeclared'
  | 'always'
  | 'user-run'
  | 'suspicious'
  | 'quoted'
  | 'foreign'
  | 'lost'
  | 'denied-before'
  | 'changed-before'
  | 'undone-before'
  | 'unsure'
  | 'unsure-tool'
  | 'done-before'
  | 'chain'
  | 'unproved'
  | 'tainted'
  | 'private'
  | 'recited'
  | 'rehearsed'
  | 'grant'
  | 'restored'
  | 'host-allow'
  | 'host-ask'
  | 'host-deny';

/**
 * Earlier events that require approval: the user denied, changed or undid the same call, its outcome or that of another call of its tool is
 * unknown, or nearly the same was just done.
 */
const HISTORY_REASONS = ['denied-before', 'changed-before', 'undone-before', 'unsure', 'unsure-tool', 'done-before'] as const;
export type HistoryReason = (typeof HISTORY_REASONS)[number];

export const isHistoryReason = (reason: ReasonCode): boolean => (HISTORY_REASONS as readonly ReasonCode[]).includes(reason);

export interface ApprovalFacts {
  call: {
    toolName: string;
    risk: Call['risk'];
    /** Flags of the parser and the wire. An unknown flag counts as suspicious. */
    flags?: readonly string[];
    /** `proved` if the wire proved that the reply had ended. */
    proof: 'proved' | 'unproved';
  };
  policy: { approval: Approval };
  /** Grants that cover this call. The caller finds them. */
  grants?: readonly { toolName: string }[];
  /** The untrusted content that came before its reply. */
  taintedBy?: { toolName: string } | undefined;
  /**
   * True if its arguments contain a private value that the model knows only by its token, and its tool or the content before it is
   * untrusted.
   */
  exposes?: boolean;
  /** True if it is an exact copy of the example in the prompt. */
  recited?: boolean;
  /** True if it is a step of a dry run: no step runs before the user has seen all of them. */
  rehearsed?: boolean;
  /** True if it is not the first call of a turn in which each further call needs confirmation. */
  chained?: boolean;
  /**
   * The last outcome of the same call, unless it succeeded; or that of another call of its tool, if unknown; or that nearly the same was
   * done.
   */
  past?: HistoryReason | undefined;
  /** True if it was pending on an earlier page: an approval there does not count here. */
  restored?: boolean;
  /** The verdict of the host's `decide`. */
  host?: Verdict | undefined;
}

export interface ApprovalDecision {
  verdict: Verdict;
  reason: ReasonCode;
  /** Absent while the user has to decide. */
  decidedBy?: 'policy' | 'grant' | 'host';
}

export function decideApproval(facts: ApprovalFacts): ApprovalDecision {
  const { call, policy, grants = [], taintedBy, exposes, recited, rehearsed, chained, past, restored, host } = facts;
  const { risk, flags = [] } = call;
  const harmless = risk === 'query';
  const unproved = call.proof === 'unproved' || flags.includes('unproved');
  const ask = (reason: ReasonCode): ApprovalDecision => ({ verdict: 'ask', reason });

  if (host === 'deny') return { verdict: 'deny', reason: 'host-deny', decidedBy: 'host' };

  // Only the user can override these.
  if (flags.includes('quoted')) return ask('quoted');
  if (flags.includes(LOST_CALL_FLAG)) return ask('lost');
  if (flags.some((flag) => !MILD_FLAGS.includes(flag))) return ask('suspicious');
  if (past) return ask(past);
  if (taintedBy && (risk === 'danger' || risk === 'undeclared')) return ask('tainted');
  if (host === 'ask') return ask('host-ask');
  // A restored call of a chain stays one: its confirmation word is valid for nothing else.
  if (restored) return ask(decideApproval({ ...facts, restored: false }).reason === 'chain' ? 'chain' : 'restored');

  if (host === 'allow') return { verdict: 'allow', reason: 'host-allow', decidedBy: 'host' };

  // The host can override these, a grant cannot.
  if (exposes) return ask('private');
  if (taintedBy && !harmless) return ask('tainted');
  if (unproved && !harmless) return ask('unproved');
  if (flags.length > 0 && !harmless) return ask(flags.every((flag) => flag === 'foreign') ? 'foreign' : 'suspicious');

  const asks = asksByPolicy(policy.approval, risk);
  if (chained && asks !== 'user-run') return ask('chain');
  const byRule = asks ?? (recited && !harmless ? 'recited' : rehearsed ? 'rehearsed' : undefined);
  if (!byRule) return { verdict: 'allow', reason: 'policy', decidedBy: 'policy' };
  if (byRule !== 'user-run' && !rehearsed && grants.some(({ toolName }) => toolName === call.toolName))
    return { verdict: 'allow', reason: 'grant', decidedBy: 'grant' };
  return ask(byRule);
}

const MILD_FLAGS = ['repaired', 'duplicate_key', 'unproved', 'foreign'];

/** Returns the reason why the policy requires approval, or `undefined`. An unknown value requires it. */
export function asksByPolicy(approval: Approval, risk: Call['risk']): ReasonCode | undefined {
  if (approval === 'auto') return undefined;
  if (approval !== 'by-risk') return approval === 'always' ? 'always' : 'user-run';
  if (risk === 'query' || risk === 'write') return undefined;
  return risk === 'danger' ? 'danger' : 'undeclared';
}

const SENTENCES = {
  policy: 'reasonPolicy',
  danger: 'reasonDanger',
  undeclared: 'reasonUndeclared',
  always: 'reasonAlways',
  'user-run': 'reasonUserRun',
  suspicious: 'reasonSuspicious',
  quoted: 'reasonQuoted',
  foreign: 'reasonForeign',
  lost: 'reasonLost',
  'denied-before': 'reasonDeniedBefore',
  'changed-before': 'reasonChangedBefore',
  'undone-before': 'reasonUndoneBefore',
  unsure: 'reasonUnsure',
  'unsure-tool': 'reasonUnsureTool',
  'done-before': 'reasonDoneBefore',
  chain: 'reasonChain',
  restored: 'reasonRestored',
  unproved: 'reasonUnproved',
  private: 'reasonPrivate',
  recited: 'reasonRecited',
  rehearsed: 'reasonRehearsed',
  grant: 'reasonGrant',
  'host-allow': 'reasonHostAllow',
  'host-ask': 'reasonHostAsk',
  'host-deny': 'reasonHostDeny',
} as const satisfies Record<Exclude<ReasonCode, 'tainted'>, keyof Texts>;

/** Returns the reason as one sentence for the user; `source` is the origin of the untrusted content. */
export function reasonText(reason: ReasonCode, texts: Texts, source: Pick<TaintSource, 'toolName' | 'from'> = { toolName: '' }): string {
  if (reason !== 'tainted') return texts[SENTENCES[reason]];
  if (source.from === 'import') return texts.reasonImported;
  if (source.from === 'description') return texts.reasonDescribed(source.toolName);
  return (source.from === 'service' ? texts.reasonServed : texts.reasonTainted)(source.toolName);
}
