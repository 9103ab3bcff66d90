import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Call } from '../../src/model/calls.js';
import type { Grant, GrantSuggestion } from '../../src/model/grants.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { canonicalJson } from '../../src/tools/digest.js';
import { fingerprintOf } from '../../src/tools/fingerprint.js';
import { covers } from '../../src/tools/grant-rules.js';
import { grantSentence, MAX_USES, mayBeRemembered, OTHERS, suggestGrants, type SuggestOptions } from '../../src/tools/suggest-grants.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { tool } from './helpers.js';

const NOON = new Date(2024, 4, 1, 12, 0).getTime();
const MIDNIGHT = new Date(2024, 4, 2).getTime();
const LETTER = `Dear all,\n${'we meet at noon. '.repeat(10)}`;

function call(args: Record<string, unknown>, more: Partial<Call> = {}): Call {
  return { requestId: 'c1', toolName: 'buy', label: 'Buy', digest: 'd', status: 'pending', reason: '', risk: 'write', args, ...more };
}

/** A schema that says of every number among these that it is a quantity. */
function quantities(args: Record<string, unknown>) {
  const fields = Object.entries(args).map(([name, value]) => [name, typeof value === 'number' ? { type: 'number', maximum: 1e12 } : {}]);
  return { type: 'object', properties: Object.fromEntries(fields) as object };
}

function suggest(args: Record<string, unknown>, more: Partial<Call> = {}, of: Partial<ToolDefinition> = {}, options: SuggestOptions = {}) {
  return suggestGrants(call(args, more), tool({ name: 'buy', parameters: quantities(args), ...of }), en, { now: NOON, ...options });
}

const sentences = (offers: readonly GrantSuggestion[]) => offers.map(({ sentence }) => sentence);
const none = { oneOf: [] };

describe('grants a card offers', () => {
  it('are this call, calls like it and the tool, each in words', () => {
    const [exactly, alike, all, ...more] = suggest({ item: 'A1', price: 40 });
    const item = { equals: 'A1' };
    expect(exactly).to.deep.include({ scope: 'session', where: { item, price: { equals: 40 }, [OTHERS]: none } });
    expect(exactly?.sentence).to.equal('Buy with exactly `item` = "A1", `price` = 40: in this session');
    expect(alike).to.deep.include({ scope: 'session', where: { item, price: { min: 0, max: 50 }, [OTHERS]: none } });
    expect(alike).to.include({ left: MAX_USES, expiresAt: MIDNIGHT });
    const limits = '`price` up to 50 (not below 0) and nothing else: 5 more times, today, in this session';
    expect(alike?.sentence).to.equal(`Buy with \`item\` = "A1", ${limits}`);
    expect(all).to.deep.equal({ scope: 'session', where: {}, sentence: 'Every call of Buy: in this session' });
    expect(more).to.deep.equal([]);
  });

  it('outlive the session only where storage does, and bind every argument where the tool may do harm or does not say', () => {
    const bound = { item: { equals: 'A1' }, price: { equals: 40 }, [OTHERS]: none };
    for (const risk of ['query', 'write', 'danger', 'undeclared'] as const) {
      const offers = (lasting: boolean) => suggest({ item: 'A1', price: 40 }, { risk }, {}, { lasting });
      const harmless = risk === 'query' || risk === 'write';
      const scopes = (lasting: boolean) => offers(lasting).map(({ scope }) => scope);
      expect(scopes(false), risk).to.not.include('always');
      expect(scopes(true), risk)
        .to.include('always')
        .and.have.length(harmless ? 3 : 2);
      if (harmless) continue;
      expect(offers(true).map(({ where }) => where)).to.deep.equal([bound, bound]);
      const start = JSON.stringify(LETTER.slice(0, 80));
      for (const [text, shown] of [
        [LETTER, `${start}… (180 characters)`],
        [LETTER.slice(0, 79), JSON.stringify(LETTER.slice(0, 79))],
      ])
        expect(sentences(suggest({ text, to: 'bob' }, { risk }))).to.deep.equal([
          `Buy with exactly \`text\` = ${shown!}, \`to\` = "bob": in this session`,
        ]);
    }
  });

  it('leave free text free, and say so', () => {
    const [, limited] = suggest({ to: 'bob', text: LETTER });
    expect(limited?.where).to.deep.equal({ to: { equals: 'bob' }, text: {}, [OTHERS]: none });
    expect(limited?.sentence).to.equal('Buy with `to` = "bob", any `text` and nothing else: 5 more times, today, in this session');
  });

  it('are of no use twice: calls like this one are offered only if they are more than this one', () => {
    const all = 'Every call of Buy: in this session';
    const exactly = 'Buy with exactly `item` = "A1", `gift` = true, `tags` = ["a","b"]: in this session';
    expect(sentences(suggest({ item: 'A1', gift: true, tags: ['a', 'b'] }))).to.deep.equal([exactly, all]);
    expect(sentences(suggest({}))).to.deep.equal(['Buy without parameters: in this session', all]);
    expect(sentences(suggest({ text: LETTER }))).to.have.length(2);
  });

  it('set a limit that people would set', () => {
    const values = [1, 3, 7, 12, 50, 50.01, 999, 1000, 0.3, 0.07, 3e-7, 1e9];
    const limits = [1, 5, 10, 20, 50, 100, 1000, 1000, 0.5, 0.1, 5e-7, 1e9];
    const rangeOf = (price: number) => suggest({ price, note: LETTER })[1]?.where['price'];
    expect(values.map(rangeOf)).to.deep.equal(limits.map((max) => ({ min: 0, max })));
    expect(rangeOf(-12)).to.deep.equal({ min: -20, max: 0 });
    for (const value of [0, 1_714_557_600_000]) expect(rangeOf(value), String(value)).to.deep.equal({ equals: value });
  });

  it('never allow a range of what names one thing', () => {
    const named = 'id task_id taskId user-id orderNumber year page zip_code lat startTime 订单号 API_KEY'.split(' ');
    for (const name of named) expect(suggest({ [name]: 7, price: 7 })[1]?.where[name], name).to.deep.equal({ equals: 7 });
    for (const name of ['price', 'amount', 'count', 'width', 'validity', 'keyboards', '金额'])
      expect(suggest({ [name]: 7 })[1]?.where[name], name).to.deep.equal({ min: 0, max: 10 });
  });

  it('allow a range only of what the schema says is a quantity', () => {
    const ranges = (schema: object, value = 7) =>
      suggest({ n: value, note: LETTER }, {}, { parameters: { type: 'object', properties: { n: schema } } })[1]?.where['n'];
    const says = [{ minimum: 0 }, { maximum: 99 }, { exclusiveMinimum: 0 }, { multipleOf: 0.01 }, { format: 'currency' }];
    for (const more of says) expect(ranges({ type: 'number', ...more }), JSON.stringify(more)).to.deep.equal({ min: 0, max: 10 });
    const silent = [{}, { format: 'int64' }, { multipleOf: 1 }, { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }];
    for (const more of silent) expect(ranges({ type: 'integer', ...more }), JSON.stringify(more)).to.deep.equal({ equals: 7 });
    expect(suggest({ user: 5 }, {}, { parameters: { type: 'object', properties: { user: { type: 'integer' } } } })).to.have.length(2);
    expect(suggest({ user: 5 })[1]?.where).to.deep.equal({});
  });

  it('never leave a path, an address or a listed value free', () => {
    const long = 'segment/'.repeat(20);
    const properties = { choice: { enum: [`a ${long}`] }, when: { type: 'string', format: 'date' }, size: { enum: [5, 7] } };
    const paths = { file_path: `my documents/${long}`, link: `https://example.com/${long}`, anything: long };
    const args = { ...paths, choice: `a ${long}`, when: `a ${long}`, size: 7 };
    const [, limited] = suggest({ ...args, text: LETTER }, {}, { parameters: { type: 'object', properties } });
    for (const [name, value] of Object.entries(args)) expect(limited?.where[name], name).to.deep.equal({ equals: value });
    expect(limited?.where['text']).to.deep.equal({});
  });

  it('do not keep arguments of any size', () => {
    const code = 'x'.repeat(5000);
    expect(sentences(suggest({ code }))).to.deep.equal(['Every call of Buy: in this session']);
    expect(suggest({ code }, { risk: 'danger' })).to.deep.equal([]);
  });

  it('neither keep nor say what is sensitive', () => {
    const args = { to: 'bob', password: 'hunter2' };
    const offers = suggest(args, {}, { sensitive: ['password'] }, { lasting: true });
    expect(sentences(offers)).to.deep.equal([
      'Buy with `to` = "bob", any `password` and nothing else: 5 more times, today, in this session',
      'Every call of Buy: in this session',
      'Every call of Buy: always, also after this session',
    ]);
    expect(suggest(args, { risk: 'danger' }, { sensitive: ['password'] }, { lasting: true })).to.deep.equal([]);
    const hidden = suggest(args, {}, { sensitive: true });
    expect(sentences(hidden)).to.deep.equal(['Every call of Buy: in this session']);
    expect(JSON.stringify([offers, hidden])).not.to.contain('hunter2');
  });

  it('are none for a call whose answer must not be remembered', () => {
    const taintedBy = { requestId: 'c0', toolName: 'read_mail' };
    for (const flag of ['suspicious', 'quoted', 'unproved', 'service', 'of tomorrow'])
      expect(suggest({ price: 40 }, { flags: ['repaired', flag] }, {}, { lasting: true }), flag).to.deep.equal([]);
    for (const risk of ['danger', 'undeclared'] as const) {
      expect(suggest({ price: 40 }, { risk, taintedBy }, {}, { lasting: true })).to.deep.equal([]);
      expect(mayBeRemembered({ risk, taintedBy })).to.equal(false);
    }
    expect(suggest({ price: 40 }, { flags: ['repaired', 'duplicate_key'] })).to.have.length(3);
    // After untrusted content, never the tool as a whole.
    for (const { where } of suggest({ price: 40 }, { taintedBy }, {}, { lasting: true }))
      expect(where).to.deep.equal({ price: { equals: 40 }, [OTHERS]: none });
  });

  it('cannot be forged by what stands in a value or a name', () => {
    const forged = suggest({ item: 'A1", any `item' })[0]?.sentence;
    expect(forged).to.equal('Buy with exactly `item` = "A1\\", any `item": in this session');
    const named = suggest({ 'a` = 1, any `b': 1, c: 2 })[0]?.sentence;
    expect(named).to.equal('Buy with exactly "a` = 1, any `b" = 1, `c` = 2: in this session');
    expect(suggest({ [OTHERS]: 1 }).map(({ where }) => where)).to.deep.equal([{}]);
  });

  it('cover the call they were made from and, bound, no call with an argument changed, gone or added', () => {
    const text = fc.oneof(fc.string({ maxLength: 20 }), fc.constant(LETTER));
    const value = fc.oneof(fc.integer({ min: 1, max: 1000 }), text, fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
    const argumentsOf = fc.dictionary(fc.constantFrom('price', 'task_id', 'text', 'b', 'c'), value, { maxKeys: 4, noNullPrototype: true });
    const riskOf = fc.constantFrom<Call['risk']>('query', 'write', 'danger', 'undeclared');
    fc.assert(
      fc.property(argumentsOf, riskOf, value, (args, risk, other) => {
        const harmless = risk === 'query' || risk === 'write';
        for (const { where, sentence } of suggest(args, { risk }, {}, { lasting: true })) {
          expect(covers(where, args), sentence).to.equal(true);
          if (Object.keys(where).length === 0) {
            expect(harmless).to.equal(true);
            continue;
          }
          expect(covers(where, { ...args, force: true })).to.equal(false);
          for (const name of Object.keys(args)) {
            const { [name]: _, ...without } = args;
            expect(covers(where, without)).to.equal(false);
            const { equals, min = Infinity, max = -Infinity } = where[name] ?? {};
            const free = Object.keys(where[name] ?? {}).length === 0;
            const inside = typeof other === 'number' && other >= min && other <= max;
            const same = equals !== undefined && canonicalJson(equals) === canonicalJson(other);
            expect(covers(where, { ...args, [name]: other }), sentence).to.equal(free || inside || same);
            expect(sentence).to.contain(`${free ? 'any ' : ''}\`${name}\``);
            if (free) expect(harmless).to.equal(true);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the sentence of a grant', () => {
  const say = (terms: Partial<Grant>) => grantSentence({ scope: 'session', where: {}, ...terms }, 'Buy', en, NOON);

  it('says every condition, how often, how long and that all else is open', () => {
    const where = { a: { min: 1 }, b: { max: 2 }, c: { oneOf: ['x', 3] }, d: { equals: null, max: 5 }, e: {} };
    expect(say({ where, left: 1, expiresAt: NOON + 3_600_000 })).to.equal(
      'Buy with `a` not below 1, `b` up to 2, `c` one of "x" / 3, `d` = null and `d` up to 5, any `e`, any other parameters: once more, until 2024-05-01 13:00, in this session',
    );
    expect(say({ scope: 'always', expiresAt: MIDNIGHT })).to.equal('Every call of Buy: today, always, also after this session');
  });

  it('differs where what is granted differs', () => {
    const bits = [1, '1', true, 'true', null, 'null', [1], ['1'], {}, '', 0];
    const limits = [{ min: 0 }, { min: 1 }, { max: 1 }, { min: 0, max: 1 }, { equals: 1, max: 1 }, {}];
    const lists = [[], [1], ['1'], [1, 0], [0, 1], ['1", "0'], [[1]], [[1, 0]]].map((oneOf) => ({ oneOf }));
    const conditions = [...bits.map((equals) => ({ equals })), ...lists, ...limits];
    const wheres: Grant['where'][] = [{}, ...conditions.flatMap((each) => [{ a: each }, { b: each }, { a: each, b: {} }])];
    const closed = wheres.flatMap((where) => [where, { ...where, [OTHERS]: none }]);
    const times = [{}, { left: 1 }, { left: 5 }, { expiresAt: MIDNIGHT }, { expiresAt: NOON + 60_000 }];
    const scopes: Partial<Grant>[] = [{}, { scope: 'always' }];
    const terms = closed.flatMap((where) => times.flatMap((time) => scopes.map((scope) => ({ where, ...time, ...scope }))));
    for (const texts of [en, zhCN]) {
      const said = new Map<string, object>();
      for (const each of terms) {
        const sentence = grantSentence({ scope: 'session', ...each }, 'Buy', texts, NOON);
        if (said.has(sentence)) expect.fail(`${sentence}: ${JSON.stringify([said.get(sentence), each])}`);
        said.set(sentence, each);
      }
    }
  });
});

describe('the fingerprint of a tool', () => {
  const parameters = { type: 'object', properties: { price: { type: 'number' }, item: { type: 'string' } } };
  const base = tool({ parameters });

  it('is the same for the same tool, whoever registered it and whatever it runs', async () => {
    const reordered = { properties: { item: { type: 'string' }, price: { type: 'number' } }, type: 'object' };
    expect(await fingerprintOf(base)).to.match(/^[0-9a-f]{64}$/);
    expect(await fingerprintOf(tool({ parameters: reordered, label: 'Echo', execute: () => 1 }))).to.equal(await fingerprintOf(base));
  });

  it('changes with the name, the description, the schema and the risk', async () => {
    const { risk: _, ...undeclared } = base;
    const changes = [
      { name: 'echo2' },
      { description: 'Gives back what it gets!' },
      { risk: 'danger' as const },
      { parameters: { ...parameters, properties: { ...parameters.properties, price: { type: 'number', maximum: 9 } } } },
      { parameters: { ...parameters, additionalProperties: true } },
    ];
    const tools = [base, tool(), undeclared, ...changes.map((change) => tool({ parameters, ...change }))];
    expect(new Set(await Promise.all(tools.map(fingerprintOf))).size).to.equal(tools.length);
  });
});
