/**
 * The corpus and the samples of `test/fixtures/protocols` against the built-in protocols: each is read in pieces by its own protocol and holds no
 * call for the others. The whole published suite, with every cut of the long samples, runs under TEST_EFFORT=full.
 */
import { expect } from 'chai';
import { protocols } from '../../src/protocols/index.js';
import type { ParserOptions, Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import { checkArguments, checkCards, checkConservation } from '../../src/testing/check-text.js';
import {
  asStated,
  assertSame,
  createRandom,
  cutAtRandom,
  joinTexts,
  parseChunks,
  validCalls,
  runnableCalls,
} from '../../src/testing/chunks.js';
import { corpus, type CorpusSample, type ProtocolCorpus } from '../../src/testing/corpus/index.js';
import { protocolChecks } from '../../src/testing/protocol-conformance.js';
import more from '../fixtures/protocols/samples.json' with { type: 'json' };
import { isFullEffort } from '../helpers/effort.js';
import { failing } from './reading.js';

const own = Object.fromEntries(
  (more as unknown as ProtocolCorpus[]).map(({ protocol, markup, ...rest }) => [protocol, { ...rest, markup: new RegExp(markup, 'y') }]),
);
/** Rows of docs/requirements.md, and the samples that test them. */
const rows: Record<string, Record<string, string[]>> = {
  'xml-invoke': {
    'S0-22': ['the example of the prompt (S0-22)'],
    'S0-24': ['a call without parameters (S0-24)'],
    'S0-29': ['code as a value', 'markers of all notations in a value'],
    'S0-35': ['two equal calls: both count', 'three calls with prose between them'],
    'S0-42': ['plain prose', 'every beginning of the opener'],
  },
  'json-action': {
    'S1-04': ['values of every type'],
    'S1-05': ['comments of both kinds', 'trailing commas'],
    'S1-06': ['an object without an action', 'an object with another action'],
    'S1-10': ['a call between prose'],
    'S1-15': ['fences and end tags in a string'],
  },
  vcp: {
    'S2-32': ['the example of the family', 'two blocks without anything between'],
    'S2-33': ['fields on one line, with and without commas', 'remarks between fields, which are ignored'],
    'S2-35': ['a block without its end'],
    'S2-36': ['a block without a name'],
    'S2-37': ['a field that is given twice: the later wins'],
    'S2-38': ['an empty value, and one of blanks'],
  },
  'json-tool-calls': {
    'S3-06': ['the example of seed 003', 'a function with arguments as an object', 'several entries, in both shapes'],
    'S3-07': ['a call between prose', 'the object in a fence', 'the words in a sentence'],
  },
  'tool-code': {
    'S3-09': ['the example of seed 003', 'a call in the middle of a sentence'],
    'S3-10': ['a call in reasoning, which is not run', 'reasoning and then a call'],
    'S3-11': ['code that only JSON escaping can carry'],
  },
};
/** Up to this length a text is cut at every place. */
const SHORT = 40;
const TIMED = 2;
const seed = Date.now() % 1_000_000;

/** A sample whole, in single characters, in random pieces and in two; and a few beginnings of it, as replies that were cut. */
function read(protocol: ToolProtocol, { text, segments, end, options }: CorpusSample, markup: RegExp) {
  const random = createRandom(seed);
  const place = () => Math.ceil(random() * text.length);
  const parse = (chunks: readonly string[]) => parseChunks(protocol, chunks, end, options);
  const where = () => `for ${JSON.stringify(text)} (seed ${String(seed)})`;
  const whole = parse([text]);
  assertSame(asStated(whole, segments), segments, where);
  checkCards(whole);
  checkArguments(whole);
  checkConservation(text, whole, markup);
  const expected = JSON.stringify(joinTexts(whole));
  const cuts = text.length <= SHORT ? Array.from(text, (_, at) => at) : Array.from({ length: 4 }, place);
  for (const chunks of [text.split(''), cutAtRandom(text, random), ...cuts.map((at) => [text.slice(0, at), text.slice(at)])])
    if (JSON.stringify(joinTexts(parse(chunks))) !== expected) assertSame(joinTexts(parse(chunks)), joinTexts(whole), where);
  for (const beginning of [1, 2].map(() => text.slice(0, place()))) {
    const cut = parseChunks(protocol, [beginning], 'abort', options);
    checkCards(cut);
    checkConservation(beginning, cut);
    const early = joinTexts(runnableCalls(cut));
    assertSame(early, joinTexts(runnableCalls(whole)).slice(0, early.length), where);
  }
  if (options || (end ?? 'stop') !== 'stop') return;
  const requests = protocol.parseToolRequests(text).map(({ toolName, args }) => [toolName, args]);
  assertSame(
    requests,
    validCalls(whole).map((call) => [call.name, call.arguments]),
    where,
  );
}

for (const { protocol: id, markup, fragments, samples } of corpus)
  describe(`${id} (seed ${String(seed)})`, () => {
    const protocol = protocols[id]!;
    const sets = [{ samples, markup: new RegExp(markup, 'y'), fragments }, own[id]!];
    const titles = new Set<string>();
    for (const set of sets) {
      const checks = protocolChecks(protocol, set.samples, { ...set, seed, write: protocol.writeCall! });
      for (const [at, { title, run }] of checks.entries()) {
        const sample = set.samples[at];
        if (titles.has(title) && !sample) continue;
        titles.add(title);
        if (sample && !isFullEffort) it(title, () => read(protocol, sample, set.markup));
        else if (isFullEffort) it(title, run).timeout(60_000);
      }
    }

    if (!isFullEffort)
      it('keeps the promises of the suite that need no sample, at a few of the fragments', () => {
        const timed = Array.from({ length: TIMED }, (_, at) => fragments[(seed + at) % fragments.length]!);
        const checks = protocolChecks(protocol, [], { fragments: timed, seed, write: protocol.writeCall! });
        const usual = protocolChecks(protocol, [], { seed, write: protocol.writeCall! }).map(({ title }) => title);
        const isDear = (title: string) => title.startsWith('keeps its promises') || (/as many "/.test(title) && usual.includes(title));
        for (const { title, run } of checks) if (!isDear(title)) run();
      });
  });

describe('the corpus', () => {
  it('tests the rows that are said to be tested by it', () => {
    for (const [id, named] of Object.entries(rows)) {
      const names = [...corpus.find(({ protocol }) => protocol === id)!.samples, ...own[id]!.samples].map(({ name }) => name);
      for (const [row, samples] of Object.entries(named)) expect(names, `${id} ${row}`).to.include.members(samples);
    }
  });

  for (const id of Object.keys(protocols))
    it(`holds no call of ${id} in what is written in the others`, () => {
      for (const { protocol, samples } of corpus)
        for (const { name, text, end, options, foreign } of samples) {
          if (protocol === id || foreign?.includes(id)) continue;
          const calls = parseChunks(protocols[id]!, [text], end, options).filter(({ type }) => type === 'call');
          expect(calls, `${protocol}: ${name}`).to.deep.equal([]);
        }
    });
});

type CreateParser = NonNullable<ToolProtocol['createParser']>;
type Change = (create: CreateParser) => CreateParser;

const telling =
  (change: (segment: Segment) => Segment[]): Change =>
  (create) =>
  (emit, options) =>
    create((segment) => change(segment).forEach(emit), options);

const runsWhatIsBroken = telling((segment) =>
  segment.type === 'call-error' && segment.id
    ? [{ type: 'call', id: segment.id, name: segment.name ?? '', arguments: {}, raw: segment.raw }]
    : [segment],
);

const faults: [fault: string, id: string, change: Change, notices: string][] = [
  ['runs a call that was cut', 'xml-invoke', runsWhatIsBroken, 'an end behind a parameter'],
  ['loses text', 'xml-invoke', telling((segment) => (segment.type === 'call-error' ? [] : [segment])), 'words in a call'],
  [
    'forgets what it held at the seam of two chunks',
    'xml-invoke',
    (create) => (emit, options) => ({ ...create(emit, options), push: (chunk) => create(emit, options).push(chunk) }),
    'a call behind closed inline code',
  ],
];

describe('the suite of protocols', () => {
  for (const [fault, id, change, notices] of faults)
    it(`fails a parser of ${id} that ${fault}`, () => {
      const protocol = protocols[id]!;
      const samples = own[id]!.samples.filter(({ name }) => name === notices);
      const check = (createParser: CreateParser) =>
        failing(protocolChecks({ ...protocol, createParser }, samples, { ...own[id]!, seed: 7 }).slice(0, samples.length));
      expect(check(change(protocol.createParser!))).to.deep.equal([`reads ${notices}`]);
      expect(check(protocol.createParser!)).to.deep.equal([]);
    });

  it('fails a parser that writes into prototypes or keeps what is too large', () => {
    const { 'xml-invoke': real } = protocols;
    const careless: CreateParser = (emit, options?: ParserOptions) =>
      runsWhatIsBroken(real!.createParser!)(emit, { ...options, maxAccumulator: 2_000_000 });
    const checks = protocolChecks({ ...real!, createParser: careless }, [], { write: real!.writeCall! });
    const hostile = checks.filter(({ title }) => /prototype|too large and/.test(title));
    expect(hostile).to.have.length(2);
    expect(failing(hostile)).to.deep.equal(hostile.map(({ title }) => title));
  });
});
