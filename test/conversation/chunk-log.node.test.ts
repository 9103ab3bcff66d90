/** What has arrived, in the log: nothing of a secret, however it was cut into pieces (S0-145, S0-147). */
import { expect } from 'chai';
import fc from 'fast-check';
import { createChunkLog } from '../../src/conversation/reply/chunk-log.js';
import { createLog, loadLog } from '../../src/base/logging.js';
import { rounds } from '../helpers/effort.js';

const secrets = ['hunter2-geheim', 'ada@example.org', '+49 151 23456789', 'sk-abcdefgh12345678'];
const text =
  `Your account: password: ${secrets[0]}\nWrite to ${secrets[1]} or call ${secrets[2]}.\n` +
  `The key is ${secrets[3]} and "password":\n "${secrets[0]}"\n${'word '.repeat(600)}${secrets[1]} end`;

function logged(pieces: readonly string[], level: 'debug' | 'info' = 'debug', isHidden = (_at: number) => false): string[] {
  const lines: string[] = [];
  const keep = (_message: string, data?: unknown) => void lines.push(String((data as { text?: string } | undefined)?.text));
  const chunks = createChunkLog(createLog({ level, logger: { debug: keep, info: keep, warn: keep, error: keep } }));
  for (const [at, piece] of pieces.entries()) chunks.add(piece, isHidden(at));
  chunks.end();
  return lines;
}

/** The text, cut at these places. */
function cut(places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % text.length).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, nth) => text.slice(at[nth], end));
}

describe('the log of what arrives', () => {
  before(() => loadLog());

  it('holds no secret, wherever the pieces are cut', () => {
    for (const pieces of [[...text], [text]]) for (const secret of secrets) expect(logged(pieces).join('')).to.not.contain(secret);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (places) => {
        const all = logged(cut(places)).join('');
        for (const secret of secrets) expect(all).to.not.contain(secret);
        expect(all).to.not.contain('hunter2');
        expect(all).to.contain('Your account').and.to.contain('end');
      }),
      { numRuns: rounds(100) },
    );
  });

  it('holds none of a line that is too long to wait for, and shows the rest of it', () => {
    const filler = 'word '.repeat(277);
    for (const secret of ['password: hunter2-geheim', '+49 151 23456789', 'bearer hunter2-geheim', 'token =  hunter2-geheim'])
      for (let shift = 0; shift < 60; shift += 7) {
        const all = logged(`${filler}${'x'.repeat(shift)} ${secret} ${filler}${filler}${filler}`.match(/.{1,5}/g)!).join('');
        expect(all, secret).to.not.match(/hunter2|23456789/);
        expect(all.match(/\bword /g), secret).to.have.length(4 * 277);
      }
  });

  it('holds none of a line without an end: what can be cut nowhere is not shown', () => {
    const all = logged([...'password: '.repeat(4_000)]).join('');
    expect(all).to.contain('[hidden]');
    expect(all.length).to.be.below(40_000);
    expect(logged([...`${'password: '.repeat(1_601)}hunter2\nplain`]).join('')).to.not.contain('hunter2');
  });

  it('says nothing of values that are hidden', () => {
    expect(logged(['the sec', 'ret\nplain\n'], 'debug', (at) => at === 0).join('')).to.not.contain('sec');
  });

  it('reaches a host’s logger only at its level', () => {
    expect(logged([text], 'info')).to.deep.equal([]);
    expect(logged([text])).to.not.deep.equal([]);
  });
});
