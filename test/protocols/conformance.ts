/** The conformance suite over a protocol's own samples, without what `corpus.node.test.ts` tries for it anyway. */
import { corpus } from '../../src/testing/corpus/index.js';
import { protocolChecks } from '../../src/testing/protocol-conformance.js';
import type { ConformanceOptions, ProtocolSample } from '../../src/testing/protocol-sample.js';
import type { ToolProtocol } from '../../src/protocols/protocol.js';

export function conformsToOwn(protocol: ToolProtocol, samples: readonly ProtocolSample[], options: ConformanceOptions): void {
  const known = corpus.find((one) => one.protocol === protocol.id)!;
  const seed = Date.now() % 1_000_000;
  const inCorpus = new Set(protocolChecks(protocol, [], { ...options, fragments: known.fragments, seed }).map(({ title }) => title));
  describe(`protocol ${protocol.id}, its own samples (seed ${String(seed)})`, () => {
    for (const { title, run } of protocolChecks(protocol, samples, { ...options, seed })) if (!inCorpus.has(title)) it(title, run);
  });
}
