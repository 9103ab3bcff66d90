/** A page that runs every case of a conformance corpus with the parsers of this page, whole and in pieces. */
import { html, nothing, type PropertyDeclarations } from 'lit';
import { shared } from '../elements/shared.styles.js';
import type { ProtocolReader } from '../protocols/protocol.js';
import { PROTOCOLS, loadProtocol, SIZES } from './bench.js';
import { InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';
import { asStated, assertSame, cutEvery, parseChunks } from '../testing/chunks.js';
import type { ProtocolCorpus } from '../testing/corpus/sample.js';

/** Milliseconds of work per frame. */
const SLICE = 24;

/**
 * @summary Shows which cases of a corpus each protocol parses correctly.
 * @tagname tool-chat-inspector-matrix
 */
export class ToolChatInspectorMatrix extends InspectorPart {
  static override styles = [shared, inspectorShared];
  static override properties: PropertyDeclarations = {
    corpus: {},
    cells: { state: true },
    isRunning: { state: true },
    problem: { state: true },
  };

  /** Address of a corpus: `protocol-corpus.json` of the package. */
  declare corpus: string;
  declare protected cells: readonly MatrixCell[];
  declare protected isRunning: boolean;
  declare protected problem: string;

  constructor() {
    super();
    this.corpus = this.problem = '';
    this.cells = [];
    this.isRunning = false;
  }

  override render() {
    const { strings, cells } = this;
    return html`<div class="bar">
        <h3 class="grow">${strings.matrix}</h3>
        <button type="button" class="run-matrix" ?disabled=${this.isRunning} @click=${() => void this.#run()}>
          ${this.isRunning ? strings.running : strings.runMatrix}
        </button>
      </div>
      ${this.problem ? html`<p role="alert">${this.problem}</p>` : nothing}
      ${
        cells.length === 0
          ? nothing
          : html`<table>
                <tbody>
                  ${PROTOCOLS.map((id) => this.#row(id))}
                </tbody>
              </table>
              <ul>
                ${cells
                  .filter(({ failure }) => failure)
                  .map(
                    ({ protocol, name, failure }) =>
                      html`<li>
                        <pre>
${protocol}: ${name}
${failure}</pre>
                      </li>`,
                  )}
              </ul>`
      }`;
  }

  #row(id: string) {
    const cells = this.cells.filter(({ protocol }) => protocol === id);
    const passed = cells.filter(({ failure }) => !failure).length;
    return html`<tr data-protocol=${id}>
      <th scope="row"><code>${id}</code></th>
      <td><span class="badge" data-tone=${passed === cells.length ? 'ok' : 'bad'}>${this.strings.passed(passed, cells.length)}</span></td>
    </tr>`;
  }

  async #run() {
    this.isRunning = true;
    this.problem = '';
    this.cells = [];
    try {
      const cases = (await (await fetch(this.corpus)).json()) as Parameters<typeof runMatrix>[1];
      const entries = await Promise.all(
        PROTOCOLS.map(async (id) => [id, await loadProtocol(id, { accept: 'active', parseMode: 'stream' })] as const),
      );
      const readers: Record<string, ProtocolReader> = Object.fromEntries(entries);
      const found: MatrixCell[] = [];
      let nextFrame = performance.now() + SLICE;
      for (const cell of runMatrix(readers, cases)) {
        found.push(cell);
        if (performance.now() < nextFrame) continue;
        this.cells = [...found];
        await new Promise((resolve) => setTimeout(resolve));
        nextFrame = performance.now() + SLICE;
      }
      this.cells = found;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isRunning = false;
    }
  }
}

/** The result of one case with the parser of one protocol, whole and in pieces. */
interface MatrixCell {
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

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-matrix': ToolChatInspectorMatrix;
  }
}
