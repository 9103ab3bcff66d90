import { expect } from 'chai';
import fc from 'fast-check';
import { createJsonReader } from '../../src/protocols/json/json-reader.js';
import { parseTolerant } from '../../src/protocols/json/tolerant.js';
import { rounds } from '../helpers/effort.js';

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

  it('reads the same in any pieces', () => {
    const text = `// so\n{'a': "x\\u00e9\\n\\$", b: [True, None, -1.5e3,], /* c */ "d": {"e": "two\nlines"},}`;
    for (let size = 1; size < text.length; size += 1) {
      let last: unknown;
      const reader = createJsonReader({ value: (value) => void (last = value) });
      reader.begin('', 0);
      for (let at = 0; at < text.length;) {
        const end = Math.min(text.length, at + size);
        // Outside of values it stops for whoever decides what may stand there.
        let index = reader.read(text, at, end, false);
        while (index < end) index = reader.read(text, index, end, true);
        at = end;
      }
      expect(reader.complete, `in pieces of ${size}`).to.equal(true);
      expect(last, `in pieces of ${size}`).to.deep.equal(parseTolerant(text).value);
    }
  });

  it('understands what models write beside JSON', () => {
    const cases: [text: string, value: unknown][] = [
      ['{"a": 1, // one\n"b": 2 /* two */}', { a: 1, b: 2 }],
      ['{"a": [1, 2,], }', { a: [1, 2] }],
      [`{'it\\'s': 'say "hi"'}`, { "it's": 'say "hi"' }],
      ['{a: 1, $b_2: 2, c-d: 3}', { a: 1, $b_2: 2, 'c-d': 3 }],
      ['[True, False, None]', [true, false, null]],
      ['["a\n\tb\r\nc"]', ['a\n\tb\r\nc']],
      ['["\\$5", "\\d", "a\\\nb"]', ['$5', 'd', 'a\nb']],
    ];
    for (const [text, value] of cases) expect(read(text)).to.deep.equal(value);
    for (const text of ['[1,]', "['a']", '{a: 1}', '[None]', '["a\nb"]', '["\\$"]', '[1] // one', '/**/[]'])
      expect(isLenient(text), text).to.equal(true);
  });

  it('closes nothing, guesses no quotes and knows no expressions', () => {
    const texts = [
      ...['{"a": 1', '{"a": "b}', '[1, 2', '{"a": "say "hi" now"}', '{"a": }', '{"a" 1}', '[1 2]', '[,]', '[1,,2]', '{,}', '["a" + "b"]'],
      ...['[NaN]', '[undefined]', '[01]', '[.5]', '[1.]', '[+1]', '[1}', '{"a": 1]', '["\\u12g4"]', '[1] 2', '[1][2]', '[1] /', '/* [1]'],
      ...['[/1]', '{"a"}', '{"a":1,:2}', 'true', '"a"', '1', ''],
    ];
    for (const text of texts) expect(errorOf(text), text).to.equal('bad_json');
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
