/** A page with events, log entries and decisions as they happen, newest first, with a filter. */
import { html, nothing, type PropertyDeclarations, css } from 'lit';
import { shared } from '../elements/shared.styles.js';
import { InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';
import { filterRows, type RowKind, type TraceRow } from './trace-rows.js';

const traceStyles = css`
  .kind {
    min-height: 28px;
    padding: 0 10px;
    border-radius: 99px;
    color: var(--_muted);
  }

  .kind[aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_text);
  }

  .rows {
    flex: 1;
    min-height: 10em;
    overflow: auto;
  }

  .rows > li {
    display: grid;
    grid-template-columns: auto minmax(7em, 15em) minmax(0, 1fr);
    gap: 2px 10px;
    padding: 3px 10px;
    font-size: var(--_tiny);
  }

  .rows time {
    color: var(--_muted);
    font-family: var(--_mono);
    font-variant-numeric: tabular-nums;
  }

  .rows .name {
    overflow-wrap: anywhere;
  }

  .rows [data-kind='decision'] .name {
    color: var(--_accent);
  }

  .rows .text {
    max-height: 4.6em;
    overflow: hidden;
    overflow-wrap: anywhere;
  }

  @media (max-width: 480px) {
    .rows > li {
      grid-template-columns: auto minmax(0, 1fr);
    }

    .rows .text {
      grid-column: 1 / -1;
    }
  }
`;

/** Maximum number of rows rendered. */
const MAX_RENDERED = 300;

const KINDS: readonly RowKind[] = ['event', 'log', 'decision'];

/** Requests clearing of the trace. */
export class TraceClearEvent extends Event {
  static readonly type = 'tool-chat-inspector-clear';

  constructor() {
    super(TraceClearEvent.type);
  }
}

/**
 * @summary Lists the events, log entries and decisions of a chat.
 * @tagname tool-chat-inspector-trace
 */
export class ToolChatInspectorTrace extends InspectorPart {
  static override styles = [shared, inspectorShared, traceStyles];
  static override properties: PropertyDeclarations = { rows: { attribute: false }, query: { state: true }, kinds: { state: true } };

  declare rows: readonly TraceRow[];
  declare protected query: string;
  declare protected kinds: ReadonlySet<RowKind>;

  constructor() {
    super();
    this.rows = [];
    this.query = '';
    this.kinds = new Set(KINDS);
  }

  override render() {
    const { strings } = this;
    const found = filterRows(this.rows, this.kinds, this.query);
    return html`<div class="bar">
        <input
          class="grow"
          type="search"
          aria-label=${strings.filter}
          placeholder=${strings.filter}
          .value=${this.query}
          @input=${(event: Event) => (this.query = (event.target as HTMLInputElement).value)}
        />
        <button type="button" class="quiet" @click=${() => this.dispatchEvent(new TraceClearEvent())}>${strings.clear}</button>
      </div>
      <div class="bar" role="group" aria-label=${strings.kinds}>
        ${KINDS.map(
          (kind) =>
            html`<button
              type="button"
              class="kind"
              data-kind=${kind}
              aria-pressed=${String(this.kinds.has(kind))}
              @click=${() => this.#toggle(kind)}
            >
              ${strings.kindNames[kind]}
            </button>`,
        )}
        <span class="muted">${strings.rowCount(found.length)}</span>
      </div>
      ${
        found.length === 0
          ? html`<p class="none">${strings.nothingYet}</p>`
          : html`<ol class="list rows" tabindex="0" aria-label=${strings.trace}>
              ${found
                .slice(-MAX_RENDERED)
                .toReversed()
                .map(
                  ({ at, kind, name, text }) =>
                    html`<li data-kind=${kind}>
                      <time>${clock(at)}</time
                      ><code class="name">${name}</code>${text ? html`<span class="text" dir="auto">${text}</span>` : nothing}
                    </li>`,
                )}
            </ol>`
      }`;
  }

  #toggle(kind: RowKind) {
    const kinds = new Set(this.kinds);
    if (!kinds.delete(kind)) kinds.add(kind);
    this.kinds = kinds;
  }
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-trace': ToolChatInspectorTrace;
  }
}
