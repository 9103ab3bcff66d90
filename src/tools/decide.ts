/**
 * Runs the host's own approval logic before the card is shown. It may change the arguments; they are checked again before the user sees
 * them.
 */
import type { Call } from '../model/calls.js';
import { fullEnglish } from '../i18n/en.js';
import type { Verdict } from './approval-policy.js';
import { prepareCall, type CheckedCall, type PrepareDeps } from './prepare.js';

fullEnglish();

export interface HostDecision {
  verdict: Verdict;
  /** Replace the model's arguments. They are validated again and reported to the model. */
  args?: Record<string, unknown>;
  remember?: boolean;
  reason?: string;
}

export type Decide = (call: Call) => Verdict | HostDecision | Promise<Verdict | HostDecision>;

export interface Decided {
  verdict: Verdict;
  /** The same call, or the one with the host's arguments, which has a new digest and description. */
  prepared: CheckedCall;
  remember: boolean;
  reason?: string;
}

/**
 * Never rejects, and allows a call only if the host says so: if `decide` throws or returns something else, the user is asked, and if
 * changed arguments are invalid, the call is denied.
 */
export async function decideByHost(prepared: CheckedCall, decide: Decide, deps: PrepareDeps): Promise<Decided> {
  const { call } = prepared;
  let answer: HostDecision;
  try {
    answer = read(await decide(call));
  } catch (error) {
    deps.log.error('decide.failed', '`decide` failed; the call asks', { toolName: call.toolName, requestId: call.requestId }, { error });
    return { verdict: 'ask', prepared, remember: false };
  }
  const { verdict, args, remember = false, reason } = answer;
  const decided = { verdict, prepared, remember, ...(reason !== undefined && { reason }) };
  if (args === undefined || verdict === 'deny') return decided;

  const { requestId, toolName, flags = [] } = call;
  const again = await prepareCall({ requestId, toolName, args, flags }, { ...deps, coercion: 'none' });
  if (again.type === 'refused') {
    const context = { toolName, requestId, problem: again.result.message };
    deps.log.error('decide.arguments', 'The arguments `decide` gave do not pass; the call is denied', context);
    return { ...decided, verdict: 'deny', reason: again.result.message };
  }
  if (again.tool !== prepared.tool) return { ...decided, prepared: { ...again, isCurrent: () => false } };
  if (again.call.digest === call.digest) return decided;
  return { ...decided, prepared: { ...again, note: deps.texts.argumentsChanged(JSON.stringify(again.call.args)) } };
}

const VERDICTS: readonly unknown[] = ['allow', 'ask', 'deny'] satisfies Verdict[];

function read(answer: unknown): HostDecision {
  const decision = (typeof answer === 'string' ? { verdict: answer } : answer) as Partial<HostDecision> | null | undefined;
  const { verdict, args, remember, reason } = decision ?? {};
  if (!VERDICTS.includes(verdict))
    throw new TypeError("`decide` answers 'allow', 'ask', 'deny' or { verdict, args?, remember?, reason? }.");
  return {
    verdict: verdict as Verdict,
    ...(args !== undefined && { args }),
    ...(remember === true && { remember }),
    ...(typeof reason === 'string' && { reason }),
  };
}
