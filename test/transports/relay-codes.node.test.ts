/** Each code of our relay has words of the page's own, in its reader's language, and one action that can help (Y-19). */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { failureLines } from '../../src/conversation/view/failure-text.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { failureOfCode } from '../../src/transports/relay-codes.js';
import { readComplaint } from '../../src/transports/refusal.js';

const table = readFileSync(new URL('../../docs/relay.md', import.meta.url), 'utf8');
const codes = [...table.slice(table.indexOf('| again?')).matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, code = '']) => code);

/** Told by their HTTP status, or read elsewhere: a request of the page's own that was wrong. */
const byStatus = ['bad_request', 'forbidden', 'not_found', 'too_large', 'out_of_order', 'context_too_long'];

describe('a code of the relay', () => {
  it('is known, each one that its page lists', () => {
    expect(codes).to.include.members(['upstream_auth', 'upstream_stalled', 'closing', 'internal']);
    expect(codes.filter((code) => !byStatus.includes(code) && !failureOfCode(code))).to.deep.equal([]);
  });

  it('is put into Chinese without a word of the relay’s English', () => {
    for (const code of codes) {
      const known = failureOfCode(code);
      if (!known) continue;
      for (const line of failureLines(known.error, zhCN)) expect(line, code).to.match(/^[^A-Za-z]+$/);
    }
  });

  it('never blames the visitor’s network for what is behind the relay', () => {
    for (const code of codes) {
      const known = failureOfCode(code);
      if (known && known.error.kind !== 'timeout') expect(failureLines(known.error, en), code).to.not.include(en.checkNetwork);
    }
  });

  it('is no reason to ask again where only its owner can help', () => {
    const { error, retry } = readComplaint({ type: 'error', message: 'HTTP 401', code: 'upstream_auth', retryable: true }, false);
    expect(error).to.include({ kind: 'setup', retryable: false, said: 'upstream_auth' });
    expect(retry).to.equal('none');
    expect(failureLines(error, en)[0]).to.equal('The assistant is not set up yet');
  });

  it('of a connection that is lost in mid-answer leaves a cut answer that can go on', () => {
    expect(readComplaint({ type: 'error', message: 'x', code: 'closing', retryable: true }, true)).to.deep.include({ cut: true });
  });

  it('of another service is not read', () => {
    expect(failureOfCode('constructor')).to.equal(undefined);
    expect(failureOfCode('invalid_api_key')).to.equal(undefined);
  });
});
