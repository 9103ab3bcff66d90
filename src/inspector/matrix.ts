/** Runs the conformance corpus with the parsers of all protocols and reports which cases are parsed correctly, whole and in pieces. */
import type { ProtocolReader } from '../protocols/protocol.js';
import { asStated, assertSame, cutEvery, parseChunks } from '../testing/chunks.js';
import type { ProtocolCorpus } from '../testing/corpus/sample.js';
import { SIZES } from './bench.js';

export interface MatrixCell {
  protocol: string;
  /** Name of the case. */
  name: string;
  text: string;
  /** The reason of a failure. */
  failure?: string;
}

/**
 * Runs the cases one by one, so that the caller can render between two of them. Skips parts of the corpus whose protocol is not given.
 *
 * @param sizes of the pieces; 0 = whole
 */
export function* runMatrix(
  readers: Readonly<Record<string, ProtocolReader>>,
  corpus: readonly Pick<ProtocolCorpus, 'protocol' | 'samples'>[],
  sizes = SIZES,
): Generator<MatrixCell, void, undefined> {
  for (const { protocol: id, samples } of corpus) {
    const reader = Object.hasOwn(readers, id) ? readers[id] : undefined;
    if (!reader) continue;
    for (const { name, text, segments, end, options } of samples) {
      const failure = failureOf(() => {
        for (const size of sizes) {
          const found = parseChunks(reader, cutEvery(text, size || Math.max(1, text.length)), end, options);
          assertSame(asStated(found, segments), segments, () => `in pieces of ${size || text.length}`);
        }
      });
      yield { protocol: id, name, text, ...failure };
    }
  }
}

function failureOf(run: () => void): { failure?: string } {
  try {
    run();
    return {};
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
