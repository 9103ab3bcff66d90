import { expect } from 'chai';
import { differingSizes, loadProtocol, benchReply, SIZES } from '../../src/inspector/bench.js';
import { runMatrix } from '../../src/inspector/tool-chat-inspector-matrix.js';
import { protocols } from '../../src/protocols/index.js';
import { corpus } from '../../src/testing/corpus/index.js';

describe('the bench of the inspector', () => {
  it('reads with the settings of the chat: calls of any notation, and only at the end', async () => {
    const vcp = '<<<[TOOL_REQUEST]>>>\ntool_name:「始」other「末」\nx:「始」1「末」\n<<<[END_TOOL_REQUEST]>>>';
    const names = async (accept: 'active' | 'any') =>
      benchReply(await loadProtocol('xml-invoke', { accept, parseMode: 'complete' }), vcp, 5).requests.map(({ name }) => name);
    expect(await names('active')).to.deep.equal([]);
    expect(await names('any')).to.deep.equal(['other']);
  });

  it('finds nothing that depends on the pieces, and says so where a parser does (S2-91)', () => {
    for (const { protocol, samples } of corpus)
      for (const { text } of samples.filter((sample) => sample.text.length <= 500))
        expect(differingSizes(protocols[protocol]!, text), text).to.deep.equal([]);
    const careless = {
      id: 'careless',
      createParser: (emit: (segment: { type: 'text'; text: string }) => void) => ({
        push: (text: string) => emit({ type: 'text', text: text.replaceAll('ab', '') }),
        end: () => undefined,
      }),
    };
    expect(differingSizes(careless, 'abab')).to.deep.equal([1]);
  });
});

describe('the matrix of the inspector', () => {
  it('is green for every notation and every case of the corpus (S2-97)', () => {
    const cells = [...runMatrix(protocols, corpus)];
    expect(SIZES).to.have.length(5);
    expect(cells.filter(({ failure }) => failure)).to.deep.equal([]);
    expect(cells.length).to.equal(corpus.reduce((sum, { samples }) => sum + samples.length, 0));
    expect(new Set(cells.map(({ protocol }) => protocol))).to.deep.equal(new Set(Object.keys(protocols)));
  });

  it('is red where a notation is read by the parser of another', () => {
    const [first] = corpus;
    const cells = [...runMatrix({ 'xml-invoke': protocols['vcp']! }, [{ ...first!, samples: first!.samples.slice(0, 10) }])];
    expect(cells.some(({ failure }) => failure !== undefined)).to.equal(true);
  });
});
