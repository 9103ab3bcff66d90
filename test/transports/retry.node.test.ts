import { expect } from 'chai';
import { readRetryHeaders } from '../../src/transports/retry-headers.js';
import { nextRetry, retryTables } from '../../src/transports/retry.js';
import type { RetryHint, RetryTable } from '../../src/transports/retry.js';

/** All waits until no more are made, with the random source held in the middle. */
function waits(table: RetryTable, failure: RetryHint, random = () => 0.5): number[] {
  const made = { network: 0, server: 0 };
  const all: number[] = [];
  for (let next = nextRetry(table, made, failure, random); next; next = nextRetry(table, made, failure, random)) {
    made[next.class] += 1;
    all.push(next.delayMs);
  }
  return all;
}

describe('retry table', () => {
  it('asks three times again after a network failure, in every preset', () => {
    expect(waits(retryTables.balanced, { retry: 'network' })).to.deep.equal([1000, 2000, 4000]);
    expect(waits(retryTables['cutie-xml'], { retry: 'network' })).to.deep.equal([1000, 2000, 4000]);
  });

  it('asks a server that failed twice again, in every preset (Y-27)', () => {
    expect(waits(retryTables.balanced, { retry: 'server' })).to.deep.equal([1000, 2000]);
    expect(waits(retryTables['cutie-xml'], { retry: 'server' })).to.deep.equal([1000, 2000]);
  });

  it('asks a busy server twice again, under cutie-xml never', () => {
    expect(waits(retryTables.balanced, { retry: 'busy' })).to.deep.equal([1000, 2000]);
    expect(waits(retryTables['cutie-xml'], { retry: 'busy' })).to.deep.equal([]);
  });

  it('counts a busy server as one that failed', () => {
    expect(nextRetry(retryTables.balanced, { network: 0, server: 2 }, { retry: 'busy' })).to.equal(null);
    expect(nextRetry(retryTables.balanced, { network: 0, server: 1 }, { retry: 'busy' }, () => 0.5)).to.deep.equal({
      delayMs: 2000,
      class: 'server',
    });
  });

  it('never asks again for the rest', () => {
    expect(waits(retryTables.balanced, { retry: 'none' })).to.deep.equal([]);
  });

  it('counts the classes apart', () => {
    expect(nextRetry(retryTables.balanced, { network: 3, server: 0 }, { retry: 'server' }, () => 0.5)?.delayMs).to.equal(1000);
    expect(nextRetry(retryTables.balanced, { network: 3, server: 0 }, { retry: 'network' }, () => 0.5)).to.equal(null);
  });

  it('stays within a fifth of each wait, and spreads over it', () => {
    expect(waits(retryTables.balanced, { retry: 'network' }, () => 0)).to.deep.equal([800, 1600, 3200]);
    expect(waits(retryTables.balanced, { retry: 'network' }, () => 0.9999999)).to.deep.equal([1200, 2400, 4800]);
    const seen = new Set(
      Array.from({ length: 20 }, () => nextRetry(retryTables.balanced, { network: 0, server: 0 }, { retry: 'network' })?.delayMs),
    );
    expect(seen.size).to.be.above(1);
  });

  it('waits as long as the server says, up to a minute', () => {
    expect(waits(retryTables.balanced, { retry: 'server', retryAfterMs: 60_000 })).to.deep.equal([60_000, 60_000]);
    expect(waits(retryTables.balanced, { retry: 'server', retryAfterMs: 60_001 })).to.deep.equal([]);
  });

  it('believes a server that says not to', () => {
    expect(waits(retryTables.balanced, { retry: 'server', shouldRetry: false })).to.deep.equal([]);
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
  });

  it('are left out when they are over or make no sense', () => {
    for (const value of [
      'Thu, 01 Jan 2026 11:59:00 GMT',
      '-1',
      '0',
      'soon',
      '',
      '1e9',
      'Infinity',
      '9'.repeat(40),
      'Thu, 99 Foo 2026 12:00:03 GMT',
    ]) {
      expect(of({ 'retry-after': value })).to.deep.equal({});
    }
    expect(of({ 'retry-after': '3', 'retry-after-ms': 'soon' })).to.deep.equal({ retryAfterMs: 3000 });
  });

  it('say whether to ask again', () => {
    expect(of({ 'x-should-retry': 'false' })).to.deep.equal({ shouldRetry: false });
    expect(of({ 'x-should-retry': 'true' })).to.deep.equal({});
  });
});
