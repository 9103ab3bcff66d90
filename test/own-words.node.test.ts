import { expect } from 'chai';
import { citesOutside } from '../.config/own-words.mjs';

describe('comments in the source', () => {
  it('may not cite pages outside of the repository', () => {
    for (const comment of [
      'Ended by `[DONE]` (contract §7 A).',
      'The starting values of glossary §2.',
      'What a click needs: faults 103, 115.',
      'Bounded (fault 143).',
      'No open proxy (threat row 22).',
      'A door for any script (threat model, row 19).',
      'Sent once (faults.md B43).',
      'All shapes a call may have (protocols.md, chapter 5).',
      'Pings between them (wire-formats, 1).',
    ])
      expect(citesOutside(comment), comment).to.be.a('string');
  });

  it('may speak of faults, contracts, requirements and pages that are here', () => {
    for (const comment of [
      '@throws RelayFault 409 for a request that breaks a rule',
      'Every fault the product can name. Floor 0.',
      'Milliseconds for one question. Default 10,000 (S0-117).',
      'The contract of a wire: how a turn becomes a request.',
      'Each notation is shown in docs/protocols.md.',
      'A description is a threat, too.',
    ])
      expect(citesOutside(comment), comment).to.equal(undefined);
  });
});
