import { expect } from 'chai';
import * as fc from 'fast-check';
import { ToolError } from '../../src/base/errors.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { normalizeError } from '../../src/tools/normalize-error.js';
import { normalizeResult, outcomes, publish, RESULT_CHARS, resultText } from '../../src/tools/result.js';
import { hostile } from './hostile.js';
import givenBack from '../fixtures/tools/given-back.json' with { type: 'json' };

const give = (value: unknown) => normalizeResult(value, en);
const fail = (thrown: unknown, body?: string) => normalizeError(thrown, en, body);
const ids = { requestId: 'call-1', toolName: 'echo', texts: en };

const failed = { success: false, status: 'error', code: 'EXECUTION_FAILED' };
const done = { success: true, status: 'success' };

describe('what a tool gives back', () => {
  it('is understood as a ToolResult, and in the shapes of the seeds 002 and 004', () => {
    // What a service means by a code of its own is not known: the same call again asks.
    for (const [value, result] of givenBack) expect(give(value), JSON.stringify(value)).to.deep.equal(result);
    expect(give({ code: 429, message: 'slow', data: null })).to.include({ success: false, code: 'API_ERROR', errorType: 'rate_limit' });
  });

  it('says in a field of its own that a list was cut, and how long it was, with rows that are whole', () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, name: 'x' }));
    const { data } = give(rows) as { data: { items: { id: number }[]; truncated: boolean; total: number } };
    expect(data).to.include({ truncated: true, total: 30_000 });
    expect(data.items).to.deep.equal(rows.slice(0, data.items.length));
    expect(data.items.length).to.be.within(5_000, 20_000);
    const nested = give({ success: true, message: 'Found', data: { rows } }) as { data: { rows: object[]; truncated: true } };
    expect(nested.data.truncated).to.equal(true);
    expect(nested.data.rows).to.deep.equal(rows.slice(0, nested.data.rows.length));
  });

  it('is plain data otherwise', () => {
    expect(give(undefined)).to.deep.equal({ ...done, message: 'Tool finished' });
    expect(give('done')).to.deep.equal({ ...done, message: 'done' });
    expect(give('two\nlines')).to.include({ message: 'Tool finished', data: 'two\nlines' });
    // People read what is done; the model what it always does.
    const labeled = { message: '“Delete task” is done', modelMessage: 'Tool finished' };
    for (const label of ['delete_task', 'deleteTask', 'Delete task']) expect(normalizeResult(undefined, en, label)).to.include(labeled);
    expect(normalizeResult(undefined, en, 'API v2')).to.include({ message: '“API v2” is done' });
    expect(normalizeResult('Gone', en, 'delete_task')).to.deep.equal({ ...done, message: 'Gone' });
    expect(give({ status: 'open', title: 'T' })).to.deep.include({ success: true, data: { status: 'open', title: 'T' } });
    expect(give(Object.create({ success: false, message: 'inherited' }))).to.include({ success: true });
  });

  it('is a success without results where it is an empty list (S4-19)', () => {
    expect(give([])).to.deep.equal({ ...done, message: 'No results', data: [], errorType: 'empty_result' });
    const own = { success: true, message: '找到 0 个任务', data: [] };
    expect(give(own)).to.deep.include({ ...own, errorType: 'empty_result' });
    expect(resultText(give([]), en)).to.equal('No results');
    expect(resultText(normalizeResult([], zhCN), zhCN)).to.equal('结果为空');
  });

  for (const [name, make] of Object.entries(hostile)) {
    it(`ends in a bounded, frozen result for ${name}, given back or thrown`, () => {
      const data = make();
      for (const outcome of [give(data), give({ success: true, message: 'm', data }), fail(data), fail(new ToolError('t', { data }))]) {
        const result = publish(outcome, ids);
        expect(result.result).to.be.a('string').with.length.within(1, RESULT_CHARS);
        expect(JSON.stringify(result).length).to.be.below(2_000_000);
        expect(Object.isFrozen(result)).to.equal(true);
        expect(result.message).to.be.a('string').with.length.above(0);
      }
    });
  }

  it('C52 never throws, whatever it is', () => {
    const more = { withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true };
    fc.assert(
      fc.property(fc.anything(more), (value) => {
        for (const outcome of [give(value), fail(value)]) {
          const result = publish(outcome, ids);
          expect(result.result.length).to.be.at.most(RESULT_CHARS);
          expect(result.success).to.equal(result.status === 'success');
          expect(result.code === undefined).to.equal(result.success);
        }
      }),
    );
  });
});

describe('what a tool throws', () => {
  it('is an execution failure with the concrete error (S0-59)', () => {
    expect(fail(new Error('disk full'))).to.deep.equal({ ...failed, message: 'disk full', unsure: true });
    expect(fail('plain words')).to.include({ message: 'plain words' });
    for (const nothing of [undefined, null, {}, '']) expect(fail(nothing)).to.include({ message: 'Tool failed', code: 'EXECUTION_FAILED' });
    expect(fail(Object.defineProperty(new Error(), 'message', { get: () => hostile['a hostile proxy']!() }))).to.include({
      code: 'EXECUTION_FAILED',
    });
  });

  it('is an API error with its status and what the service said (S0-60)', () => {
    const conflict = { message: 'The service answered: conflict', modelMessage: 'The service answered 409: conflict' };
    expect(fail(Object.assign(new Error('conflict'), { status: 409 }))).to.deep.equal({ ...failed, ...conflict, code: 'API_ERROR' });
    const busy = { code: 'API_ERROR', errorType: 'network', modelMessage: 'The service answered 503: {"error":"busy"}' };
    expect(fail(new Response(null, { status: 503 }), '{"error":"busy"}')).to.include(busy);
    const shown = (body: string) => fail({ status: 500 }, body).message;
    for (const body of ['<!doctype html><p>Sorry', ' <html>', '{"code":7}', '{"error":', '[]'])
      expect(shown(body), body).to.equal('The service could not do this');
    for (const body of ['{"error":"conflict"}', '{"error":{"message":"conflict"}}', '{"detail":"conflict"}', 'conflict'])
      expect(shown(body), body).to.equal('The service answered: conflict');
    expect(fail({ status: 404 })).to.include({ message: 'The service could not do this', modelMessage: 'The service answered 404' });
  });

  it('has its class by the status', () => {
    const types = [401, 403, 408, 504, 429, 400, 422, 500, 502, 404].map((status) => fail({ status }).errorType);
    const classes = 'auth auth timeout timeout rate_limit invalid_format invalid_format network network';
    expect(types).to.deep.equal([...classes.split(' '), undefined]);
  });

  it('is a lost connection in each engine’s words', () => {
    const before = ['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed', 'fetch failed'];
    for (const words of [...before, 'network error', 'terminated'])
      expect(fail(new TypeError(words))).to.include({ code: 'EXECUTION_FAILED', errorType: 'network' });
    for (const code of ['ECONNRESET', 'ERR_NETWORK'])
      expect(fail(new Error('x', { cause: { code } }))).to.include({ errorType: 'network', unsure: true });
    expect(fail(new TypeError('x is not a function'))).not.to.have.property('errorType');
  });

  it('is what a ToolError or an AbortError says', () => {
    const told = { code: 'API_ERROR', errorType: 'empty_result', data: { left: 0 } } as const;
    expect(fail(new ToolError('Sold out', told))).to.deep.equal({ ...failed, message: 'Sold out', ...told });
    expect(fail(new ToolError('no', { code: 'DENIED' }))).to.include({ status: 'denied' });
    expect(fail(new DOMException('gone', 'AbortError'))).to.include({ status: 'cancelled', code: 'CANCELLED' });
    expect(fail(Object.assign(new Error('x'), { code: 'DENIED' }))).to.include({ status: 'error', code: 'EXECUTION_FAILED' });
  });
});

describe('the text for the model', () => {
  it('says code, sentence and data', () => {
    expect(resultText(give({ success: true, message: 'Found 1', data: [{ id: 1 }] }), en)).to.equal('Found 1\n[{"id":1}]');
    expect(resultText(fail(new Error('disk full')), en)).to.equal('EXECUTION_FAILED: disk full');
    expect(resultText(give('two\nlines'), en)).to.equal('Tool finished\ntwo\nlines');
    expect(resultText(outcomes.denied(zhCN), zhCN)).to.equal('DENIED: 用户拒绝了该操作');
  });

  it('marks a cut and keeps to the limit, whatever the limit is', () => {
    const text = resultText(give({ success: true, message: 'm', data: '😀'.repeat(1000) }), en, 100);
    expect(text).to.match(/… \(\d+ more characters\)$/);
    expect(text).to.have.length.within(90, 100);
    expect(text).not.to.match(/[\ud800-\udbff](?![\udc00-\udfff])/);
    const isWithin = (cap: number, message: string) => resultText(give({ success: true, message }), en, cap).length <= cap;
    fc.assert(fc.property(fc.nat(200), fc.string({ maxLength: 400 }), isWithin));
  });
});
