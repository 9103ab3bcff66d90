/** The corpus against every built-in protocol: its own samples exactly, and under each of the others no call at all. */
import { expect } from 'chai';
import { protocols, type Segment } from '../../src/protocols/index.js';
import { runnableCalls, joinTexts, parseChunks } from '../../src/testing/chunks.js';
import { corpus } from '../../src/testing/corpus/index.js';
import { protocolChecks, runProtocolConformance } from '../../src/testing/protocol-conformance.js';

for (const { protocol: id, markup, fragments, samples } of corpus) {
  const protocol = protocols[id]!;
  runProtocolConformance(protocol, samples, {
    markup: new RegExp(markup, 'y'),
    fragments,
    ...(protocol.writeCall && { write: protocol.writeCall }),
  });
}

describe('the corpus', () => {
  it('has samples of every protocol, named once each', () => {
    expect(corpus.map(({ protocol }) => protocol)).to.have.members(Object.keys(protocols));
    for (const { protocol, samples } of corpus) {
      expect(samples.length, protocol).to.be.at.least(90);
      expect(new Set(samples.map(({ name }) => name)).size, protocol).to.equal(samples.length);
    }
  });

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(corpus))).to.deep.equal(corpus);
  });

  it('has calls, and every way in which a call is refused, in each protocol', () => {
    for (const { protocol, samples } of corpus) {
      const codes = new Set(
        samples.flatMap(({ segments }) => segments.map((segment) => ('code' in segment ? segment.code : segment.type))),
      );
      const specific = { 'xml-invoke': 'malformed', vcp: 'malformed' }[protocol] ?? 'bad_json';
      expect([...codes], protocol).to.include.members([
        'call',
        'text',
        'reasoning',
        'unclosed',
        'missing_name',
        'bad_shape',
        'too_large',
        specific,
      ]);
    }
  });

  for (const { protocol: id, samples } of corpus)
    for (const other of corpus)
      if (other.protocol !== id)
        it(`holds no call of ${id} in what is written in ${other.protocol}`, () => {
          for (const sample of other.samples) {
            if (sample.foreign?.includes(id)) continue;
            const segments = parseChunks(protocols[id]!, [sample.text], sample.end, sample.options);
            expect(
              segments.filter((segment) => segment.type === 'call'),
              sample.name,
            ).to.deep.equal([]);
          }
          expect(samples.length).to.be.above(0);
        });

  it('holds nothing that makes JSON overflow the stack: a hundred thousand lists in each other are refused', () => {
    for (const id of ['json-action', 'json-tool-calls', 'tool-code']) {
      const call = protocols[id]!.writeCall!('save', { content: 'deep' });
      const hostile = call.replace('"deep"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
      const codes = parseChunks(protocols[id]!, [hostile]).map((segment) => ('code' in segment ? segment.code : segment.type));
      expect(
        codes.filter((code) => code !== 'arguments' && code !== 'call-start' && code !== 'text'),
        id,
      ).to.deep.equal(['bad_shape']);
    }
  });

  it('fails a protocol that reads another notation than its own', () => {
    const [first, second] = corpus;
    const withCalls = first!.samples.filter(({ segments }) => segments.some(({ type }) => type === 'call')).slice(0, 12);
    const failed = protocolChecks(protocols[second!.protocol]!, withCalls, { seed: 1 })
      .filter(({ title }) => title.startsWith('reads'))
      .filter((check) => {
        try {
          check.run();
          return false;
        } catch {
          return true;
        }
      });
    expect(failed).to.have.length(withCalls.length);
  });
});

describe('reading in another notation', () => {
  const visible = (segments: readonly Segment[]) => joinTexts(segments).map((segment) => ('text' in segment ? segment.text : ''));

  it('finds the calls of a reply that mixes all notations in one of them only', () => {
    const calls = corpus.map(({ samples }) => samples.find(({ name }) => name === 'a call and nothing else')!.text);
    const mixed = calls.join('\n\n');
    for (const [index, { protocol }] of corpus.entries()) {
      const segments = parseChunks(protocols[protocol]!, [mixed]);
      expect(
        runnableCalls(segments).map(({ name }) => name),
        protocol,
      ).to.deep.equal(['list']);
      const others = calls.filter((_, at) => at !== index);
      for (const other of others) expect(visible(segments).join('|'), protocol).to.include(other);
    }
  });
});
