import { expect } from 'chai';
import { readRetryHeaders } from '../../src/transports/retry-headers.js';
import { nextRetry, type RetryHint, type RetryTable, retryTables } from '../../src/transports/retry.js';
import retries from '../fixtures/turns/retries.json' with { type: 'json' };

const { balanced, 'cutie-xml': seed } = retryTables;

/** All waits until no more are made, with the random source held in the middle. */
function waits(table: RetryTable, failure: RetryHint, random = () => 0.5, made = { network: 0, server: 0 }): number[] {
  const all: number[] = [];
  for (let next = nextRetry(table, made, failure, random); next; next = nextRetry(table, made, failure, random)) {
    made[next.class] += 1;
    all.push(next.delayMs);
  }
  return all;
}

describe('retry table (Y-27)', () => {
  for (const [title, hint, expected, made] of retries as [string, RetryHint, number[], { network: number; server: number }?][])
    it(title, () => {
      expect(waits(balanced, hint, () => 0.5, made && { ...made })).to.deep.equal(expected);
      // The seed's table differs only for a server that is busy.
      expect(waits(seed, hint, () => 0.5, made && { ...made })).to.deep.equal(hint.retry === 'busy' ? [] : expected);
    });

  it('stays within a fifth of each wait, and spreads over it', () => {
    expect(waits(balanced, { retry: 'network' }, () => 0)).to.deep.equal([800, 1600, 3200]);
    expect(waits(balanced, { retry: 'network' }, () => 0.9999999)).to.deep.equal([1200, 2400, 4800]);
    expect(new Set(Array.from({ length: 20 }, () => waits(balanced, { retry: 'network' }, Math.random)[0])).size).to.be.above(1);
  });
});

describe('retry headers', () => {
  const now = Date.UTC(2026, 0, 1, 12);
  const of = (headers: Record<string, string>) => readRetryHeaders(new Headers(headers), now);

  it('are read as seconds, as a date and as milliseconds', () => {
    expect(of({ 'retry-after': '2' })).to.deep.equal({ retryAfterMs: 2000 });
    expect(of({ 'retry-after': '0.5' })).to.deep.equal({ retryAfterMs: 500 });
    expect(of({ 'retry-after': 'Thu, 01 Jan 2026 12:00:03 GMT' })).to.deep.equal({ retryAfterMs: 3000 });
    expect(of({ 'retry-after': '9', 'retry-after-ms': '250' })).to.deep.equal({ retryAfterMs: 250 });
    expect(of({ 'retry-after': '3', 'retry-after-ms': 'soon' })).to.deep.equal({ retryAfterMs: 3000 });
  });

  it('are left out when they are over or make no sense', () => {
    const past = 'Thu, 01 Jan 2026 11:59:00 GMT';
    for (const value of [past, '-1', '0', 'soon', '', '1e9', 'Infinity', '9'.repeat(40), 'Thu, 99 Foo 2026 12:00:03 GMT'])
      expect(of({ 'retry-after': value })).to.deep.equal({});
  });

  it('say whether to ask again', () => {
    expect(of({ 'x-should-retry': 'false' })).to.deep.equal({ shouldRetry: false });
    expect(of({ 'x-should-retry': 'true' })).to.deep.equal({});
  });
});
