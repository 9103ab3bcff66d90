/** No test waits for the clock without saying why: what has an event or a condition is waited for by that. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Milliseconds; less lets others have a turn, and waits for nothing. */
const WAIT = 10;

/** A promise that a timer resolves; not `setTimeout` with work of its own. */
const pattern = /setTimeout\((?:\w+|undefined), ?([\d_]+)\)|\b(?:sleep|aTimeout)\(([\d_]+)\)/;

/** Lines that wait for a fixed time, outside of a loop that looks for a condition, and give no reason on the line or above it. */
function unexplained(text: string): number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const found = pattern.exec(line);
    if (!found || Number((found[1] ?? found[2] ?? '').replaceAll('_', '')) < WAIT) return [];
    const before = lines[at - 1] ?? '';
    const isPolling = /\b(?:while|for) \(/.test(line) || /\b(?:while|for) \([^]*\)\s*\{?$/.test(before);
    const hasReason = /\/\/|\/\*/.test(line) || /^\s*(?:\/\/|\*\/|\*|\/\*\*)/.test(before);
    return isPolling || hasReason ? [] : [at + 1];
  });
}

describe('tests that wait', () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file !== 'docs/waits.node.test.ts' && /\.(?:node|browser)\.test\.ts$|\.e2e\.ts$/.test(file) && !file.includes('node_modules'),
  );

  it('say why, where the clock is all there is to wait for', () => {
    expect(files.length).to.be.above(50);
    expect(files.flatMap((file) => unexplained(readFileSync(`test/${file}`, 'utf8')).map((line) => `test/${file}:${line}`))).to.deep.equal(
      [],
    );
  });

  it('would be found not to (the check can fail)', () => {
    expect(unexplained('await new Promise((resolve) => setTimeout(resolve, 600));')).to.deep.equal([1]);
    expect(unexplained('// nothing tells of it\nawait sleep(50);\nwhile (!done) await sleep(50);\nawait sleep(1);')).to.deep.equal([]);
  });
});
