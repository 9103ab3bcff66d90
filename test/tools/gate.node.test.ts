import { expect } from 'chai';
import * as fc from 'fast-check';
import { en } from '../../src/i18n/en.js';
import { gate, reasonText, type Approval, type GateInput, type Verdict } from '../../src/tools/gate.js';

const RISKS = ['query', 'write', 'danger', 'undeclared'] as const;
const APPROVALS: Approval[] = ['auto', 'by-risk', 'always', 'user-run'];
const FLAGS = ['repaired', 'duplicate_key', 'suspicious', 'quoted', 'unproved', 'of tomorrow'];
const PROOFS = ['proved', 'unproved'] as const;
const HOSTS: (Verdict | undefined)[] = [undefined, 'allow', 'ask', 'deny'];
const SEVERITY: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

function input(more: Partial<GateInput['call']> & Omit<Partial<GateInput>, 'call'> & { approval?: Approval } = {}): GateInput {
  const { approval = 'by-risk', risk = 'query', flags = [], proof = 'proved', grants = [], taintedBy, host } = more;
  return { call: { toolName: 'pay', risk, flags, proof }, policy: { approval }, grants, taintedBy, host };
}

const everything = APPROVALS.flatMap((approval) =>
  RISKS.flatMap((risk) =>
    [[], ...FLAGS.map((flag) => [flag])].flatMap((flags) =>
      PROOFS.flatMap((proof) =>
        [undefined, { toolName: 'read_mail' }].flatMap((taintedBy) =>
          [[], [{ toolName: 'pay' }]].flatMap((grants) =>
            HOSTS.map((host) => input({ approval, risk, flags, proof, taintedBy, grants, host })),
          ),
        ),
      ),
    ),
  ),
);

describe('the gate', () => {
  const policies: Record<Approval, Verdict[]> = {
    auto: ['allow', 'allow', 'allow', 'allow'],
    'by-risk': ['allow', 'allow', 'ask', 'ask'],
    always: ['ask', 'ask', 'ask', 'ask'],
    'user-run': ['ask', 'ask', 'ask', 'ask'],
  };
  for (const approval of APPROVALS) {
    it(`judges by policy ${approval}`, () => {
      expect(RISKS.map((risk) => gate(input({ approval, risk })).verdict)).to.deep.equal(policies[approval]);
    });
  }

  it('asks for a suspicious, a quoted and an unknown mark, whatever the host or a grant says', () => {
    for (const flag of ['suspicious', 'quoted', 'of tomorrow']) {
      for (const risk of RISKS) {
        expect(gate(input({ approval: 'auto', risk, flags: [flag], host: 'allow', grants: [{ toolName: 'pay' }] }))).to.deep.equal({
          verdict: 'ask',
          reason: flag === 'quoted' ? 'quoted' : 'suspicious',
        });
      }
    }
  });

  it('asks for a repaired call unless it only reads', () => {
    expect(RISKS.map((risk) => gate(input({ approval: 'auto', risk, flags: ['repaired'] })).verdict)).to.deep.equal([
      'allow',
      'ask',
      'ask',
      'ask',
    ]);
  });

  it('runs only queries when the end of the reply is not proved', () => {
    for (const unproved of [{ proof: 'unproved' as const }, { flags: ['unproved'] }]) {
      expect(RISKS.map((risk) => gate(input({ approval: 'auto', risk, ...unproved })).verdict)).to.deep.equal([
        'allow',
        'ask',
        'ask',
        'ask',
      ]);
      expect(gate(input({ risk: 'write', ...unproved })).reason).to.equal('unproved');
    }
  });

  it('G108 asks for all but queries in a tainted turn, in spite of grants', () => {
    const taintedBy = { toolName: 'read_mail' };
    const grants = [{ toolName: 'pay' }];
    expect(RISKS.map((risk) => gate(input({ approval: 'auto', risk, taintedBy, grants })).verdict)).to.deep.equal([
      'allow',
      'ask',
      'ask',
      'ask',
    ]);
    expect(gate(input({ risk: 'danger', taintedBy })).reason).to.equal('tainted');
  });

  it('does not let the host’s allow cover danger in a tainted turn', () => {
    const taintedBy = { toolName: 'read_mail' };
    expect(RISKS.map((risk) => gate(input({ risk, taintedBy, host: 'allow' })).verdict)).to.deep.equal(['allow', 'allow', 'ask', 'ask']);
  });

  it('lets the host allow, ask and deny', () => {
    for (const risk of RISKS) {
      expect(gate(input({ risk, approval: 'always', host: 'allow' }))).to.deep.equal({
        verdict: 'allow',
        reason: 'host-allow',
        decidedBy: 'host',
      });
      expect(gate(input({ risk, approval: 'auto', host: 'ask' }))).to.deep.equal({ verdict: 'ask', reason: 'host-ask' });
    }
  });

  it('denies whatever the host denies', () => {
    for (const each of everything.filter(({ host }) => host === 'deny')) {
      expect(gate(each)).to.deep.equal({ verdict: 'deny', reason: 'host-deny', decidedBy: 'host' });
    }
  });

  it('lets a grant answer for the policy, but not another tool’s grant and not where every call is the user’s to run', () => {
    expect(gate(input({ risk: 'danger', grants: [{ toolName: 'pay' }] })).verdict).to.equal('allow');
    expect(gate(input({ risk: 'danger', grants: [{ toolName: 'play' }] })).verdict).to.equal('ask');
    expect(gate(input({ approval: 'user-run', grants: [{ toolName: 'pay' }] })).verdict).to.equal('ask');
  });

  it('never becomes milder by taint, a mark, a lacking proof, a stricter policy, a higher risk or a stricter host', () => {
    const verdictOf = (each: GateInput) => SEVERITY[gate(each).verdict];
    const next = <T>(list: readonly T[], value: T) => list[list.indexOf(value) + 1];
    for (const each of everything) {
      const { call, policy, host, taintedBy } = each;
      const stricter: GateInput[] = [
        { ...each, taintedBy: taintedBy ?? { toolName: 'read_mail' } },
        { ...each, call: { ...call, proof: 'unproved' } },
        ...FLAGS.map((flag) => ({ ...each, call: { ...call, flags: [...(call.flags ?? []), flag] } })),
        { ...each, policy: { approval: next(APPROVALS, policy.approval) ?? policy.approval } },
        { ...each, call: { ...call, risk: next(RISKS, call.risk) ?? call.risk } },
        { ...each, grants: [] },
        ...(host ? [{ ...each, host: next(HOSTS, host) ?? host }] : [{ ...each, host: 'ask' as const }]),
      ];
      for (const other of stricter) expect(verdictOf(other), JSON.stringify([each, other])).to.be.at.least(verdictOf(each));
    }
  });

  it('allows no call with any fact against it that a random mix can find', () => {
    fc.assert(
      fc.property(fc.constantFrom(...everything), fc.subarray(FLAGS), (each, flags) => {
        const { verdict } = gate({ ...each, call: { ...each.call, flags } });
        const strange = flags.some((flag) => ['suspicious', 'quoted', 'of tomorrow'].includes(flag));
        if (strange || each.host === 'ask') expect(verdict).not.to.equal('allow');
      }),
    );
  });

  it('gives each answer a sentence, and says who decided only when it is decided', () => {
    for (const each of everything) {
      const answer = gate(each);
      expect(reasonText(answer.reason, en, { toolName: 'read_mail' })).to.have.length.above(5);
      expect(answer.decidedBy === undefined).to.equal(answer.verdict === 'ask');
    }
    expect(reasonText('tainted', en, { toolName: 'read_mail' })).to.contain('read_mail');
    expect(reasonText('tainted', en, { toolName: 'search', from: 'service' }))
      .to.contain('service')
      .and.contain('search');
    expect(reasonText('tainted', en, { toolName: '', from: 'import' })).to.contain('imported conversation');
  });
});
