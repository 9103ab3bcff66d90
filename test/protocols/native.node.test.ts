import { expect } from 'chai';
import * as fc from 'fast-check';
import { createNativeCalls, nativeTools, type NativePiece } from '../../src/protocols/native.js';
import type { EndReason, JsonSchema, ParserOptions, Segment, ToolDescription } from '../../src/protocols/protocol.js';
import { rounds } from '../helpers/effort.js';
import givenDeviations from '../fixtures/protocols/native-deviations.json' with { type: 'json' };
import declared from '../fixtures/protocols/declared-tools.json' with { type: 'json' };

function read(pieces: NativePiece[], reason: EndReason = 'stop', options: ParserOptions = {}) {
  const segments: Segment[] = [];
  const native = createNativeCalls((segment) => segments.push(segment), options);
  const ids = pieces.map((piece) => native.take(piece));
  native.end(reason);
  return { segments, ids };
}

/** What came of the calls: `name {"args"}` or the code of the error. */
function outcome(pieces: NativePiece[], reason?: EndReason, options?: ParserOptions): string[] {
  return read(pieces, reason, options).segments.flatMap((segment) => {
    if (segment.type === 'call') return [`${segment.name} ${JSON.stringify(segment.arguments)}`];
    return segment.type === 'call-error' ? [segment.code] : [];
  });
}

const ECHO = 'echo {"a":1}';

describe('native calls', () => {
  it('become the segments of a notation', () => {
    const { segments, ids } = read([
      { index: 0, id: 'call_abc', name: 'echo', arguments: '' },
      { index: 0, arguments: '{"a"' },
      { index: 0, arguments: ':1}' },
    ]);
    expect(segments).to.deep.equal([
      { type: 'call-start', id: 'call-1', name: 'echo' },
      { type: 'arguments', id: 'call-1', text: '{"a"' },
      { type: 'arguments', id: 'call-1', text: ':1}' },
      { type: 'call', id: 'call-1', name: 'echo', arguments: { a: 1 }, raw: '{"a":1}', providerId: 'call_abc' },
    ]);
    expect(ids).to.deep.equal(['call-1', 'call-1', 'call-1']);
  });

  /** Pieces as `index id name arguments`, `-` for what a piece lacks and `""` for what is empty in it. */
  const deviations: [what: string, pieces: string[], wanted: string[]][] = givenDeviations as never;
  const piece = (written: string): NativePiece => {
    const [, index, id, name, args] = /^(\S*) ?(\S*) ?(\S*) ?([^]*)$/.exec(written)!;
    const given = { index: index && index !== '-' ? Number(index) : undefined, id, name, arguments: args };
    const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== '' && value !== '-');
    return Object.fromEntries(entries.map(([key, value]) => [key, value === '""' ? '' : value]));
  };
  for (const [what, pieces, wanted] of deviations)
    it(`are told apart in spite of ${what}`, () => expect(outcome(pieces.map(piece))).to.deep.equal(wanted));

  it('are complete at the end alone, and have ids of ours, minted as the host wants', () => {
    const segments: Segment[] = [];
    const native = createNativeCalls((segment) => segments.push(segment), { createId: () => 'mine' });
    native.take({ index: 0, name: 'echo', arguments: '{"a":1}' });
    expect(segments.map(({ type }) => type)).to.deep.equal(['call-start', 'arguments']);
    native.end();
    native.end();
    expect(native.take({ index: 0, arguments: '{}' })).to.equal('');
    expect(segments.map((segment) => 'id' in segment && segment.id)).to.deep.equal(['mine', 'mine', 'mine']);
  });

  const echo = (text: string): NativePiece[] => [{ index: 0, id: 'A', name: 'echo', arguments: text }];

  for (const [code, ...texts] of [
    ['bad_json', '{"a":1', '{"a":1}{"a":2}', "{'a':1}", '{"a":1,}', 'a=1'],
    ['bad_shape', '[1]', '"{}"', '5', '{"__proto__":{"admin":true}}', '{"a":[{"constructor":1}]}', '{"\\u005f_proto__":1}'],
  ] as const)
    it(`are refused as ${code} where the arguments are no JSON object`, () => {
      for (const text of texts)
        expect(read(echo(text)).segments.at(-1)).to.deep.equal({ type: 'call-error', id: 'call-1', name: 'echo', code, raw: text });
      expect({}).not.to.have.property('admin');
      expect(outcome(echo('{"a":"__proto__ and \\u0063onstructor"}'))).to.deep.equal(['echo {"a":"__proto__ and constructor"}']);
    });

  for (const [isTwice, text] of [
    [true, '{"a":2,"a" :1}'],
    [true, '{"a":2,"\\u0061":1}'],
    [true, '{"a":[{"b":1,"b":2}]}'],
    [false, '{"a":"\\":\"","b":{"a":["c:",":",{}]}}'],
    [false, '{"2" : 1, "1":{"a":9007199254740993}}'],
  ] as const)
    it(`${isTwice ? 'say' : 'do not say'} that a key is given twice: ${text}`, () => {
      const { flags = [] } = read(echo(text)).segments.at(-1) as { flags?: string[] };
      expect(flags).to.deep.equal(isTwice ? ['duplicate_key'] : []);
    });

  it('have the digits of a whole number that a number cannot hold', () => {
    const raw = '{"id":9007199254740993,"more":[-9007199254740993,{"9007199254740993":1}],"f":1e20,"n":9007199254740991}';
    const exact =
      '{"id":"9007199254740993","more":["-9007199254740993",{"9007199254740993":1}],"f":100000000000000000000,"n":9007199254740991}';
    expect(outcome(echo(raw))).to.deep.equal([`echo ${exact}`]);
  });

  it('do not run after a reply that was cut off, and after one that grew too long only where they close themselves', () => {
    expect(outcome(echo('{"a":1}'), 'abort')).to.deep.equal(['unclosed']);
    expect(outcome([{ index: 0, arguments: '{' }], 'abort')).to.deep.equal(['unclosed']);
    expect(outcome(echo('{"a":1}'), 'length')).to.deep.equal([ECHO]);
    for (const text of ['{"a":1', '', ' ']) expect(outcome(echo(text), 'length')).to.deep.equal(['unclosed']);
    expect(outcome(echo('[1]'), 'length')).to.deep.equal(['bad_shape']);
  });

  it('are reported once when they are too large, and then forgotten', () => {
    const big = { index: 0, arguments: 'x'.repeat(600) };
    const known = read([...echo(''), big, big, big], 'stop', { maxAccumulator: 1000 });
    const kinds = known.segments.map((segment) => ('code' in segment ? segment.code : segment.type));
    expect(kinds).to.deep.equal(['call-start', 'arguments', 'too_large']);
    expect(known.segments.at(-1)).to.have.property('raw').with.length(200);
    const { segments } = read([{ index: 0, name: 'a', arguments: 'x'.repeat(5000) }], 'stop', { maxAccumulator: 1000 });
    expect(JSON.stringify(segments)).to.have.length.below(400);
    const nameless = (...pieces: NativePiece[]) => outcome([big, big, ...pieces], 'stop', { maxAccumulator: 1000 });
    expect(nameless(big)).to.deep.equal(['too_large']);
    expect(nameless({ index: 0, name: 'a' }, big)).to.deep.equal(['too_large']);
    expect(nameless({ ...echo('{"a":1}')[0], index: 1 })).to.deep.equal(['too_large', ECHO]);
  });

  it('come out the same however they are cut into pieces', () => {
    // Names that reach a prototype are refused, at any depth; that has tests of its own.
    const args = fc.dictionary(fc.string(), fc.jsonValue()).filter((each) => !/proto|constructor/.test(JSON.stringify(each)));
    fc.assert(
      fc.property(fc.array(args, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(6)), fc.boolean(), (calls, cuts, withIds) => {
        const queues = calls.map((each, index) => {
          const text = JSON.stringify(each);
          const head = { index, ...(withIds && { id: `id${index}` }) };
          const pieces: NativePiece[] = [{ ...head, name: 'echo' }];
          for (let at = 0; at < text.length;) pieces.push({ ...head, arguments: text.slice(at, (at += 1 + cuts.next().value!)) });
          return pieces;
        });
        // With ids, the pieces of all calls come in turns.
        const most = Math.max(...queues.map(({ length }) => length));
        const turns = Array.from({ length: most }, (_, at) => queues.flatMap((queue) => queue[at] ?? []));
        const pieces = withIds ? turns.flat() : queues.flat();
        const { segments } = read(pieces);
        const found = segments.flatMap((segment) => (segment.type === 'call' ? [segment.arguments] : []));
        expect(JSON.stringify(found)).to.equal(JSON.stringify(calls));
        const shown = segments.flatMap((segment) => (segment.type === 'arguments' ? [segment.text] : []));
        expect(shown.join('').length).to.equal(calls.map((each) => JSON.stringify(each)).join('').length);
      }),
    );
  });

  it('never throw, and give each call one end', () => {
    const piece = fc.record(
      {
        index: fc.constantFrom(0, 1, 2, -1, NaN),
        id: fc.constantFrom('', 'A', 'B', '__proto__'),
        name: fc.constantFrom('', 'a', 'b'),
        arguments: fc.oneof(fc.constantFrom('', '{}', '{"a":', '1}', 'null', '"'), fc.string()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom<EndReason>('stop', 'length', 'abort'), (pieces, reason) => {
        const { segments } = read(pieces, reason, { maxAccumulator: 20 });
        const ids = (...types: Segment['type'][]) =>
          segments.flatMap((one) => (types.includes(one.type) && 'id' in one && one.id ? [one.id] : [])).sort();
        expect(ids('call', 'call-error')).to.deep.equal(ids('call-start'));
        if (reason === 'abort') expect(segments.map(({ type }) => type)).not.to.include('call');
      }),
      { numRuns: rounds(500) },
    );
  });
});

describe('tools as services declare them', () => {
  const portable = (parameters: JsonSchema): JsonSchema => {
    const tools: ToolDescription[] = [{ toolId: 'a', toolName: 'A', methods: [{ name: 'a', description: 'Does.', parameters }] }];
    return nativeTools(tools)[0]!['parameters'] as JsonSchema;
  };
  const property = (schema: JsonSchema, defs: JsonSchema = {}) =>
    (portable({ type: 'object', properties: { x: schema }, ...defs })['properties'] as Record<string, JsonSchema>)['x'];

  const cases: [string, JsonSchema, JsonSchema][] = declared as never;
  const defs = {
    $defs: {
      n: { type: 'integer' },
      list: { type: 'array', items: { $ref: '#/$defs/n' } },
      tree: { type: 'object', properties: { name: { type: 'string' }, child: { $ref: '#/$defs/tree' } } },
    },
  };
  for (const [title, schema, wanted] of cases) it(title, () => expect(property(schema, defs)).to.deep.equal(wanted));
});
