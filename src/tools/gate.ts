/**
 * May this call run? The one place that answers, from plain facts alone. Where two rules speak, the stricter wins, and no fact
 * against a call (a flag, taint, an unproved end) can make the answer milder.
 */
import type { Call, TaintSource } from '../model/calls.js';
import type { Texts } from '../i18n/en.js';
import { LOST_FLAG } from './lost-flag.js';

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

/** The user denied, changed or undid the same call, its outcome or that of another call of its tool is unknown, or nearly the same was just done. */
const PASTS = ['denied-before', 'changed-before', 'undone-before', 'unsure', 'unsure-tool', 'done-before'] as const;
export type Past = (typeof PASTS)[number];

export const isPast = (reason: ReasonCode): boolean => (PASTS as readonly ReasonCode[]).includes(reason);

export interface GateInput {
  call: {
    toolName: string;
    risk: Call['risk'];
    /** From parser and wire; a flag nobody knows counts as suspicious. */
    flags?: readonly string[];
    /** Whether the wire proved that the reply had ended. */
    proof: 'proved' | 'unproved';
  };
  policy: { approval: Approval };
  /** Grants whose tool and conditions this very call meets; finding them is the caller's part. */
  grants?: readonly { toolName: string }[];
  /** The outside content that its reply follows. */
  taintedBy?: { toolName: string } | undefined;
  /** Its arguments hold a private value that the model knows only by its token, and its tool or what it follows is untrusted. */
  exposes?: boolean;
  /** It is the example that the prompt gives, word for word. */
  recited?: boolean;
  /** It is a step of a rehearsal: nothing runs before a person has seen all of it. */
  rehearsed?: boolean;
  /** Not the first call of a turn that wants each further one confirmed. */
  chained?: boolean;
  /** The last outcome of the same call, unless it succeeded; that of another call of its tool, if it is unknown; or nearly the same was done. */
  past?: Past | undefined;
  /** It waited on a page that is gone; whoever allowed it there did not allow it here. */
  restored?: boolean;
  /** What the host's `decide` said. */
  host?: Verdict | undefined;
}

export interface GateAnswer {
  verdict: Verdict;
  reason: ReasonCode;
  /** Absent while the answer is still a person's to give. */
  decidedBy?: 'policy' | 'grant' | 'host';
}

export function gate(facts: GateInput): GateAnswer {
  const { call, policy, grants = [], taintedBy, exposes, recited, rehearsed, chained, past, restored, host } = facts;
  const { risk, flags = [] } = call;
  const harmless = risk === 'query';
  const unproved = call.proof === 'unproved' || flags.includes('unproved');
  const ask = (reason: ReasonCode): GateAnswer => ({ verdict: 'ask', reason });

  if (host === 'deny') return { verdict: 'deny', reason: 'host-deny', decidedBy: 'host' };

  // Nothing but a person overrides these.
  if (flags.includes('quoted')) return ask('quoted');
  if (flags.includes(LOST_FLAG)) return ask('lost');
  if (flags.some((flag) => !MILD_FLAGS.includes(flag))) return ask('suspicious');
  if (past) return ask(past);
  if (taintedBy && (risk === 'danger' || risk === 'undeclared')) return ask('tainted');
  if (host === 'ask') return ask('host-ask');
  // A link that waited as one waits as one again: the word that was named for it is good for nothing else.
  if (restored) return ask(gate({ ...facts, restored: false }).reason === 'chain' ? 'chain' : 'restored');

  if (host === 'allow') return { verdict: 'allow', reason: 'host-allow', decidedBy: 'host' };

  // The host overrides these, a grant does not.
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

/** Whatever is not known to be milder asks. */
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

/** The reason as one sentence for people; `source` is where outside content came from. */
export function reasonText(reason: ReasonCode, texts: Texts, source: Pick<TaintSource, 'toolName' | 'from'> = { toolName: '' }): string {
  if (reason !== 'tainted') return texts[SENTENCES[reason]];
  if (source.from === 'import') return texts.reasonImported;
  if (source.from === 'description') return texts.reasonDescribed(source.toolName);
  return (source.from === 'service' ? texts.reasonServed : texts.reasonTainted)(source.toolName);
}
