import { Validator, type Schema } from '@cfworker/json-schema';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { schemaCheck } from '../../src/tools/check-schema.js';
import { openSchema } from '../../src/tools/open-schema.js';
import * as library from '../../src/tools/schema-library.js';
import { isFormat } from '../../src/tools/formats.js';
import { fastValidate, validateArguments } from '../../src/tools/validate.js';
import { patternLimit } from '../../src/base/pattern-tests.js';
import { tool } from './helpers.js';
import { isLinear } from '../helpers/cost.js';
import { rounds } from '../helpers/effort.js';

const names = ['a', 'b', 'list'];
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 0.3, 1e21, '', 'a', 'ab', '😀', '2024-02-30', '2024-02-29', 'x@y.z'),
  fc.integer({ min: -3, max: 9 }),
);
const data = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 3, noNullPrototype: true }),
})).any;

const optional = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const one = tie('schema');
  const some = fc.array(one, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(fc.constantFrom(...names), one, { maxKeys: 2, noNullPrototype: true });
  const count = fc.integer({ min: 0, max: 3 });
  const type = fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null');
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.boolean(),
      fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
      optional({
        ...{ minimum: count, maximum: count, exclusiveMinimum: count, minLength: count, maxLength: count },
        multipleOf: fc.constantFrom(0.1, 2, 3),
      }),
      fc.record({ const: data }),
      fc.record({ enum: fc.array(data, { minLength: 1, maxLength: 3 }) }),
      fc.record({ pattern: fc.constantFrom('a', '^a+$', 'b$', '(a|b)+') }),
      fc.record({ format: fc.constantFrom('date', 'email', 'unknown') }),
      fc.record({ $ref: fc.constantFrom('#/$defs/one', '#two') }),
      fc.record({ not: one }),
      fc.record({ anyOf: some }),
      fc.record({ allOf: some, unevaluatedProperties: fc.constant(false) }, { requiredKeys: ['allOf'] }),
      fc.record({ oneOf: some }),
      fc.record({ if: one, then: one, else: one }, { requiredKeys: ['if'] }),
      optional({
        ...{ properties: byName, patternProperties: fc.constant({ '^l': { type: 'array' } }), additionalProperties: one },
        ...{ required: fc.uniqueArray(fc.constantFrom(...names)), minProperties: count, maxProperties: count },
        ...{ propertyNames: fc.constant({ maxLength: 1 }), dependentRequired: fc.constant({ a: ['b'] }), dependentSchemas: byName },
      }),
      fc.record({ properties: byName, unevaluatedProperties: one }, { requiredKeys: ['unevaluatedProperties'] }),
      optional({ prefixItems: some, items: one, contains: one, minContains: count, maxContains: count, minItems: count, maxItems: count }),
      fc.record({ uniqueItems: fc.boolean(), items: one }, { requiredKeys: ['uniqueItems'] }),
    ),
  };
});

/** Where `contains` has bounds of its own, the two differ where the standard is with us. */
const withoutBounds = (text: string) => !/"(?:min|max)Contains"/.test(text);

const TASK = {
  ...{ type: 'object', additionalProperties: false, required: ['title'] },
  properties: {
    title: { type: 'string', description: 'What to buy' },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
};
const fields = (properties: Record<string, object>) => ({ type: 'object', properties });
const validated = (parameters: JsonSchema, args: Record<string, unknown>, texts = en) =>
  validateArguments(tool({ parameters }), args, texts);

describe('the check of data against a schema', () => {
  it('says without the library, where a schema needs none, what it says with it', async () => {
    let small = 0;
    await fc.assert(
      fc.asyncProperty(schema, fc.boolean(), data, async (root, plain, given) => {
        if (typeof root !== 'object' || root === null) return;
        // Half of them have no references and no formats.
        const bare = (text: string) => text.replace(/"(\$\w*[rR]ef|format)":/g, '"title":');
        const written = plain ? bare(JSON.stringify(root)) : JSON.stringify(root);
        if (bare(written) === written) small += 1;
        const whole = { ...(JSON.parse(written) as object), $defs: { one: {}, two: { $anchor: 'two' } } };
        fc.pre(!isEndless(whole));
        const opened = (await openSchema(structuredClone(whole)))(given);
        expect(opened, written).to.deep.equal(schemaCheck(structuredClone(whole), library)(given));
      }),
      { numRuns: rounds(1000) },
    );
    expect(small).to.be.greaterThan(rounds(1000) / 4);
  });

  it('is not needed for plain data that fits a plain schema: what passes without it passes it, too', () => {
    let passed = 0;
    fc.assert(
      fc.property(schema, data, (asked, given) => {
        if (typeof asked !== 'object' || asked === null || !fastValidate(given, asked)) return;
        passed += 1;
        expect(schemaCheck(structuredClone(asked as JsonSchema), library)(given)).to.equal(undefined);
      }),
      { numRuns: rounds(3000) },
    );
    expect(passed).to.be.above(0);
    expect(fastValidate({ title: 'Milk', count: 2, tags: ['a'] }, TASK)).to.equal(true);
    const more = [{ title: 1 }, { count: 0.5 }, { count: 10 }, { tags: ['c'] }, { more: 1 }].map((one) => ({ title: 'Milk', ...one }));
    for (const wrong of [...more, {}, null, []]) expect(fastValidate(wrong, TASK), JSON.stringify(wrong)).to.equal(false);
    // Too much to check without a pause.
    expect(fastValidate(new Array(100_000).fill(1), { items: { type: 'integer' } })).to.equal(false);
  });

  it('says what another implementation of JSON Schema says', () => {
    fc.assert(
      fc.property(schema, schema, schema, data, (root, one, two, given) => {
        if (typeof root === 'boolean') return;
        const whole = { ...(root as object), $defs: { one: asObject(one), two: { $anchor: 'two', ...asObject(two) } } };
        const written = JSON.stringify(whole);
        fc.pre(withoutBounds(written) && !isEndless(whole));
        const theirs = new Validator(JSON.parse(written) as Schema, '2020-12', false).validate(given).valid;
        expect(schemaCheck(JSON.parse(written) as JsonSchema, library)(given) === undefined, written).to.equal(theirs);
      }),
      { numRuns: rounds(3000) },
    );
  });

  it('follows a dynamic reference, and throws where it is not clear where it leads', async () => {
    const tree = { $dynamicAnchor: 'node', type: 'object', properties: { n: { type: 'integer' }, child: { $dynamicRef: '#node' } } };
    const check = await openSchema(structuredClone(tree));
    expect(check({ n: 1, child: { n: 2, child: {} } })).to.equal(undefined);
    expect(check({ n: 1, child: { n: 'x' } })).to.deep.include({ path: ['child', 'n'] });
    for (const $dynamicRef of ['#nowhere', '#/$defs/nowhere']) {
      const lost = await openSchema({ properties: { a: { $dynamicRef } } });
      expect(() => lost({ a: 1 })).to.throw(/has no/);
    }
    const twice = await openSchema({
      $ref: '#node',
      $defs: { a: { $id: 'http://x/a', $dynamicAnchor: 'node' }, b: { $dynamicAnchor: 'node' } },
    });
    expect(() => twice({})).to.throw(/has no/);
  });

  it('names the deepest fault', () => {
    const check = schemaCheck({ properties: { a: { items: { type: 'string' } }, b: { type: 'string' } }, required: ['c'] });
    expect(check({ a: ['x', 1], b: 1 })).to.deep.include({ path: ['a', '1'], keyword: 'type' });
    expect(check({})).to.deep.equal({ path: [], keyword: 'required', lacks: 'c' });
  });

  it('counts what contains has to match', () => {
    const check = schemaCheck({ contains: { type: 'string' }, minContains: 0, maxContains: 1 });
    const keywords = [[], [1], ['a', 1], ['a', 'b']].map((list) => check(list)?.keyword);
    expect(keywords).to.deep.equal([undefined, undefined, undefined, 'maxContains']);
  });

  it('does not take a text for the object it is the JSON of', () => {
    const check = schemaCheck({ uniqueItems: true });
    expect(check(['{"a":1}', { a: 1 }, 1, '1', [1]])).to.equal(undefined);
    expect(check([{ a: 1, b: 2 }, 1, { b: 2, a: 1 }])?.keyword).to.equal('uniqueItems');
  });
});

/** Any start will do, and each goes on for long. */
const CODE = 'x[a-z]+\\d';

describe('what a model writes to be checked', () => {
  const alike = (length: number) => Array.from({ length }, (_, i) => ({ text: 'a'.repeat(100), i }));
  const cases: Record<string, (n: number) => [JsonSchema, unknown]> = {
    'a list of numbers that must be unique': (n) => [{ uniqueItems: true }, Array.from({ length: n * 2 }, (_, i) => i)],
    'a list of like objects that must be unique': (n) => [{ uniqueItems: true }, alike(n / 50)],
    'an address that is none': (n) => [{ format: 'url' }, `http://${'a'.repeat(n * 4)} `],
    'an address of labels that is none': (n) => [{ format: 'url' }, `http://${'a-'.repeat(n * 2)}"`],
    'blanks before no end': (n) => [{ pattern: '\\s+$' }, `${' '.repeat(n * 4)}x`],
    'many texts against one pattern': (n) => [{ items: { pattern: 'ba+b' } }, new Array(n / 400).fill('a'.repeat(1000))],
  };
  for (const [what, make] of Object.entries(cases))
    it(`takes time in proportion at most: ${what}`, async () => {
      const prepare = (size: number) => {
        const [schema, value] = make(size);
        return () => schemaCheck(schema, library)(value);
      };
      expect(await isLinear(prepare, 10_000)).to.equal(true);
    });

  it('reads an address that a pattern would go back over for ever', () => {
    expect(isFormat('url', `http://${'a'.repeat(60)}!`)).to.equal(false);
    const good = ['https://example.com', 'http://例子.测试/路?a=b#c', 'ftp://a.example/x', 'https://8.8.8.8:80/'];
    expect(good.filter((text) => !isFormat('url', text))).to.deep.equal([]);
    const bad = [
      'example.com',
      'mailto:a@b.example',
      ...['localhost', '10.0.0.1', 'a b.com', '/a.com', 'a.1'].map((host) => `http://${host}`),
    ];
    expect(bad.filter((text) => isFormat('url', text))).to.deep.equal([]);
  });

  it('is refused, with the limit, where a text is too long for the pattern', async () => {
    const parameters = fields({ code: { type: 'string', pattern: CODE } });
    const limit = patternLimit(CODE) ?? 0;
    expect(limit).to.be.within(1000, 10_000);
    expect((await validated(parameters, { code: `x${'a'.repeat(limit - 2)}1` })).ok).to.equal(true);
    const long = { code: `x${'a'.repeat(limit)}1` };
    const refused = await validated(parameters, long);
    expect(refused).to.include({ ok: false, code: 'INVALID_PARAMETER', parameter: 'code' });
    expect(refused).to.have.property('message').that.includes(`${limit} characters`);
    expect(await validated(parameters, long, zhCN))
      .to.have.property('message')
      .that.includes(`${limit} 个字符`);
  });

  it('is not tried against a pattern that takes too long on its beginning, and may be long where it is read once', async () => {
    for (const pattern of ['^(a+)+$', '(a|aa)+$', '^(\\w+\\s?)*$', '^a*a*a*a*a*b']) {
      const result = await validated(fields({ code: { type: 'string', pattern } }), { code: `${'a'.repeat(600)}!` });
      expect(result.ok, pattern).to.equal(false);
      const limit = Number(/more than (\d+) characters/.exec(result.ok ? '' : result.message)?.[1]);
      expect(limit, pattern).to.be.within(11, 1000);
    }
    for (const pattern of ['\\S+', '^[\\s\\S]*$', '^\\p{L}+$', '^a'])
      expect((await validated(fields({ text: { pattern } }), { text: 'a'.repeat(100_000) })).ok, pattern).to.equal(true);
  });

  it('is refused where it is more than can be checked', async () => {
    const parameters = fields({ texts: { type: 'array', items: { type: 'string', pattern: 'ba+b' } } });
    const result = await validated(parameters, { texts: Array.from({ length: 500 }, (_, i) => `${'ba'.repeat(450)}b${i}`) });
    expect(result).to.deep.include({ ok: false, code: 'INVALID_PARAMETER', parameter: 'texts' });
    expect(result).to.have.property('message').that.includes('in several calls');
  });
});

function asObject(schema: unknown): object {
  return typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : (schema as object);
}

/** A reference that leads back to its own place without a step into the data never ends. */
function isEndless(root: { $defs: { one: object; two: object } }): boolean {
  return /"\$ref"/.test(JSON.stringify(root.$defs));
}
