import { expect } from 'chai';
import * as fc from 'fast-check';
import { cutText } from '../src/base/cut-text.js';
import { messageOf, toPlain } from '../src/base/plain.js';
import { hostile } from './tools/hostile.js';

describe('plain data', () => {
  for (const [name, make] of Object.entries(hostile)) {
    it(`is made of ${name}, bounded`, () => {
      expect(JSON.stringify(toPlain(make()))?.length ?? 0).to.be.below(2_000_000);
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    });
  }

  it('tells what it can', () => {
    const values = [new Date(0), new Map([['a', 1]]), new Set([1]), 5n, -0, NaN, new RangeError('far'), new URL('https://a.b/')];
    expect(toPlain(values)).to.deep.equal([
      ...['1970-01-01T00:00:00.000Z', [['a', 1]], [1], '5', 0, 'NaN'],
      ...[{ name: 'RangeError', message: 'far' }, 'https://a.b/'],
    ]);
    expect(toPlain({ a: undefined, b: new Response() })).to.deep.equal({ b: '[Response]' });
  });

  it('keeps JSON data as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.stringify(toPlain(value))).to.equal(JSON.stringify(value));
      }),
    );
  });

  it('keeps within its limits and marks what is left out', () => {
    expect(toPlain({ a: { b: { c: 1 } } }, { depth: 2 })).to.deep.equal({ a: { b: '[too deep]' } });
    expect(toPlain([1, 2, 3, 4], { nodes: 3 })).to.deep.equal([1, 2, '… (+2)']);
    expect(toPlain(['abcd', 'ef'], { chars: 3 })).to.deep.equal(['abc… (+1)', '… (+2)']);
  });

  it('cuts no character in two', () => {
    expect(cutText('a😀b', 2)).to.equal('a');
    expect(cutText('a😀b', 3)).to.equal('a😀');
    expect(cutText('ab', 3)).to.equal('ab');
  });

  it('finds words for whatever was thrown', () => {
    const thrown = [new Error('disk full'), 'text', 5, undefined, null, { message: 'm' }, { a: 1 }, hostile['a hostile proxy']!()];
    expect(thrown.map(messageOf)).to.deep.equal(['disk full', 'text', '5', '', '', 'm', '{"a":1}', '']);
  });
});
