import { expect } from 'chai';
import fc from 'fast-check';
import { parseTolerant } from '../../src/protocols/json/tolerant.js';
import { rounds } from '../helpers/effort.js';
import given from '../fixtures/protocols/tolerant-json.json' with { type: 'json' };

/** The value as ordinary objects, since ours inherit nothing; `undefined` if it could not be read. */
function read(text: string): unknown {
  const { value } = parseTolerant(text);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

const errorOf = (text: string) => (parseTolerant(text) as { error?: string }).error;
const isLenient = (text: string) => (parseTolerant(text) as { notes?: { lenient: boolean } }).notes?.lenient;

const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

/** `JSON.parse` knows three keys more than we take. */
function reachesForPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => FORBIDDEN.includes(key) || reachesForPrototype(inner));
}

describe('tolerant JSON', () => {
  it('reads whatever is valid as JSON.parse does, and notes nothing', () => {
    const json = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => typeof value === 'object' && value !== null && !reachesForPrototype(value));
    fc.assert(
      fc.property(json, fc.constantFrom('', '  ', '\n\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(read(text)).to.deep.equal(JSON.parse(text));
        expect(isLenient(text)).to.equal(false);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('takes nothing that JSON.parse refuses without noting it', () => {
    const token = fc.constantFrom(
      ...[...'{}[]:,"\'\\/ \n', '1', '-0', '01', '1.', '.5', '1e9', '+1', 'true', 'None', 'a', '"a"', '\\u00', '//', '/*', '*/'],
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = `[${tokens.join('')}]`;
        if (isLenient(text) !== false) return;
        taken += 1;
        expect(() => JSON.parse(text), text).not.to.throw();
      }),
      { numRuns: rounds(5000) },
    );
    expect(taken).to.be.above(0);
  });

  it('understands what models write beside JSON', () => {
    for (const [text, value] of given.read as [string, unknown][]) expect(read(text)).to.deep.equal(value);
    for (const text of given.lenient) expect(isLenient(text), text).to.equal(true);
  });

  it('closes nothing, guesses no quotes and knows no expressions', () => {
    for (const text of given.refused) expect(errorOf(text), text).to.equal('bad_json');
  });

  it('leaves out keys that reach for a prototype, however they are spelt, and notes them', () => {
    for (const key of FORBIDDEN)
      for (const spelt of [`"${key}"`, `'${key}'`, key, `"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}"`]) {
        const parsed = parseTolerant(`{"a": [{${spelt}: {"polluted": 1}, "b": 2}]}`);
        expect(parsed, spelt).to.have.nested.property('notes.forbidden', true);
        expect(read(`{"a": [{${spelt}: {"polluted": 1}, "b": 2}]}`)).to.deep.equal({ a: [{ b: 2 }] });
      }
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('gives objects that inherit nothing, and lets the last of equal keys win, noted', () => {
    const value = parseTolerant('{"toString": {"hasOwnProperty": 1}}').value as Record<string, object>;
    for (const one of [value, value['toString']]) expect(Object.getPrototypeOf(one)).to.equal(null);
    expect(read('{"a": 1, "b": 2, "a": 3}')).to.deep.equal({ a: 3, b: 2 });
    expect(parseTolerant('{"a": 1, "a": 1}')).to.have.nested.property('notes.duplicate', true);
    expect(parseTolerant('{"a": {"b": 1}, "c": {"b": 1}}')).to.have.nested.property('notes.duplicate', false);
  });

  it('refuses what is nested too deep, and never overflows', () => {
    expect(read(`${'['.repeat(64)}${']'.repeat(64)}`)).to.be.an('array');
    expect(errorOf(`${'['.repeat(65)}${']'.repeat(65)}`)).to.equal('bad_shape');
    expect(errorOf('['.repeat(1_000_000))).to.equal('bad_shape');
    expect(errorOf('{"a":'.repeat(200_000))).to.equal('bad_shape');
  });
});
