import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { decideApproval, reasonText, type Approval, type ApprovalFacts, type Verdict } from '../../src/tools/approval-policy.js';
import judged from '../fixtures/tools/gate.json' with { type: 'json' };

const RISKS = ['query', 'write', 'danger', 'undeclared'] as const;
const APPROVALS: Approval[] = ['auto', 'by-risk', 'always', 'user-run'];
const FLAGS = ['repaired', 'duplicate_key', 'suspicious', 'quoted', 'unproved', 'service', 'of tomorrow'];
const PROOFS = ['proved', 'unproved'] as const;
const HOSTS: (Verdict | undefined)[] = [undefined, 'allow', 'ask', 'deny'];
const SEVERITY: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };
const taintedBy = { toolName: 'read_mail' };
const grants = [{ toolName: 'pay' }];

function input(more: Partial<ApprovalFacts['call']> & Omit<Partial<ApprovalFacts>, 'call'> & { approval?: Approval } = {}): ApprovalFacts {
  const { approval = 'by-risk', risk = 'query', flags = [], proof = 'proved', ...rest } = more;
  return { grants: [], ...rest, call: { toolName: 'pay', risk, flags, proof }, policy: { approval } };
}

/** Every combination of one value of each list. */
function product(lists: Record<string, readonly unknown[]>): object[] {
  return Object.entries(lists).reduce<object[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}
const everything = product({
  ...{ approval: APPROVALS, risk: RISKS, flags: [[], ...FLAGS.map((flag) => [flag])], proof: PROOFS },
  ...{ taintedBy: [undefined, taintedBy], grants: [[], grants], chained: [false, true], host: HOSTS },
}).map(input);

describe('the gate', () => {
  // The verdicts for query, write, danger and undeclared.
  const cases: [what: string, more: Parameters<typeof input>[0], verdicts: string, reason?: string][] = judged as never;
  for (const [what, more, verdicts, reason] of cases)
    it(`judges ${what}: ${verdicts}`, () => {
      expect(RISKS.map((risk) => decideApproval(input({ ...more, risk })).verdict).join(' ')).to.equal(verdicts);
      if (reason) expect(decideApproval(input({ ...more, risk: 'undeclared' })).reason).to.equal(reason);
    });

  it('denies whatever the host denies, in spite of grants', () => {
    for (const each of everything.filter(({ host }) => host === 'deny'))
      expect(decideApproval(each)).to.deep.equal({ verdict: 'deny', reason: 'host-deny', decidedBy: 'host' });
  });

  it('lets a grant change no answer but the policy’s question', () => {
    let changed = 0;
    for (const each of everything.filter((one) => one.grants?.length)) {
      const [without, granted] = [decideApproval({ ...each, grants: [] }), decideApproval(each)];
      if (granted.verdict === without.verdict && granted.reason === without.reason) continue;
      changed += 1;
      expect(granted).to.deep.equal({ verdict: 'allow', reason: 'grant', decidedBy: 'grant' });
      expect(without.reason).to.be.oneOf(['danger', 'undeclared', 'always']);
      expect([each.host, each.chained]).to.deep.equal([undefined, false]);
      // A query may run in a tainted or unproved reply: it changes nothing.
      const { flags = [], risk, proof } = each.call;
      expect(flags).not.to.include.oneOf(['suspicious', 'quoted', 'service', 'of tomorrow']);
      if (each.taintedBy || proof === 'unproved' || flags.length > 0) expect(risk).to.equal('query');
    }
    expect(changed).to.be.above(5);
  });

  it('never becomes milder by taint, a mark, a lacking proof, a stricter policy, a higher risk or a stricter host', () => {
    const next = <T>(list: readonly T[], value: T) => list[list.indexOf(value) + 1] ?? value;
    for (const each of everything) {
      const { call, policy, host } = each;
      const stricter: ApprovalFacts[] = [
        { ...each, taintedBy },
        { ...each, past: 'unsure' },
        { ...each, call: { ...call, proof: 'unproved' } },
        ...FLAGS.map((flag) => ({ ...each, call: { ...call, flags: [...(call.flags ?? []), flag] } })),
        { ...each, policy: { approval: next(APPROVALS, policy.approval) } },
        { ...each, call: { ...call, risk: next(RISKS, call.risk) } },
        { ...each, grants: [] },
        { ...each, host: host ? next(HOSTS, host) : 'ask' },
      ];
      const verdict = SEVERITY[decideApproval(each).verdict];
      for (const other of stricter) if (SEVERITY[decideApproval(other).verdict] < verdict) expect.fail(JSON.stringify([each, other]));
    }
  });

  it('gives each answer a sentence, and says who decided only when it is decided', () => {
    for (const each of everything) {
      const answer = decideApproval(each);
      expect(reasonText(answer.reason, en, taintedBy)).to.have.length.above(5);
      expect(answer.decidedBy === undefined).to.equal(answer.verdict === 'ask');
    }
    expect(reasonText('tainted', en, taintedBy)).to.contain('read_mail');
    const fromService = reasonText('tainted', en, { toolName: 'search', from: 'service' });
    expect(fromService).to.contain('service').and.contain('search');
    expect(reasonText('tainted', en, { toolName: '', from: 'import' })).to.contain('imported conversation');
  });
});
