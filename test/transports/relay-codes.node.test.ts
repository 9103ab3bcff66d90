/** Each code of our relay has words of the page's own, in its reader's language (Y-19); in English, and what is asked again: `flows/relay-errors`. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { failureLines } from '../../src/conversation/view/failure-text.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { failureOfCode } from '../../src/transports/relay-codes.js';

const table = readFileSync(new URL('../../docs/relay.md', import.meta.url), 'utf8');
const codes = [...table.slice(table.indexOf('| again?')).matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, code = '']) => code);

describe('a code of the relay', () => {
  it('is put into Chinese without a word of the relay’s English, and never blames the visitor’s network for what is behind the relay (Y-19)', () => {
    expect(codes).to.include.members(['upstream_auth', 'upstream_stalled', 'closing', 'internal']);
    for (const code of codes) {
      const { error } = failureOfCode(code) ?? {};
      if (!error) continue;
      for (const line of failureLines(error, zhCN)) expect(line, code).to.match(/^[^A-Za-z]+$/);
      if (error.kind !== 'timeout') expect(failureLines(error, en), code).to.not.include(en.checkNetwork);
    }
  });

  it('of another service is not read', () => {
    expect(failureOfCode('constructor')).to.equal(undefined);
    expect(failureOfCode('invalid_api_key')).to.equal(undefined);
  });
});
