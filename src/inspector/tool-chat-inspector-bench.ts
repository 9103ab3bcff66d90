/** A page that shows how the parser of the chat reads a pasted reply, piece by piece. */
import { html, nothing, type PropertyDeclarations, type PropertyValues } from 'lit';
import { shared } from '../elements/shared.styles.js';
import type { ProtocolReader, Segment } from '../protocols/protocol.js';
import { differingSizes, PROTOCOLS, loadProtocol, benchReply, SIZES } from './bench.js';
import { toolsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';

/** The last position of the slider, which means the whole reply. */
const WHOLE = 65;

/** Maximum number of output lines rendered. */
const LINES = 300;

/**
 * @summary Reads a pasted reply in pieces of any size, with the parser of the chat, and shows calls, text and warnings as they are found.
 * @tagname tool-chat-inspector-bench
 */
export class ToolChatInspectorBench extends InspectorPart {
  static override styles = [shared, inspectorShared];
  static override properties: PropertyDeclarations = {
    reply: {},
    protocolId: { state: true },
    size: { state: true },
    reader: { state: true },
  };

  /** The reply to parse. */
  declare reply: string;
  declare protected protocolId: string;
  /** Size of the pieces; 0 means the whole reply. */
  declare protected size: number;
  declare protected reader: ProtocolReader | undefined;

  #readerOf = '';

  constructor() {
    super();
    this.reply = this.protocolId = '';
    this.size = 7;
  }

  protected override willUpdate(changed: PropertyValues) {
    super.willUpdate(changed);
    const { accept, parseMode, protocol } = this.chat ?? {};
    this.protocolId ||= PROTOCOLS.find((id) => id === protocol) ?? 'xml-invoke';
    const of = JSON.stringify([this.protocolId, accept, parseMode]);
    if (of === this.#readerOf) return;
    this.#readerOf = of;
    void loadProtocol(this.protocolId, { accept: accept ?? 'active', parseMode: parseMode ?? 'stream' }).then((reader) => {
      if (of === this.#readerOf) this.reader = reader;
    });
  }

  override render() {
    const { strings } = this;
    return html`<div class="bar">
        <label
          >${strings.notation}<select @change=${(event: Event) => (this.protocolId = (event.target as HTMLSelectElement).value)}>
            ${PROTOCOLS.map((id) => html`<option value=${id} ?selected=${id === this.protocolId}>${id}</option>`)}
          </select></label
        >
        <label class="grow"
          ><span>${strings.pieceSize}: <output>${this.size === 0 ? strings.whole : this.size}</output></span
          ><input
            type="range"
            min="1"
            max=${WHOLE}
            .value=${String(this.size || WHOLE)}
            aria-valuetext=${this.size === 0 ? strings.whole : String(this.size)}
            @input=${(event: Event) => this.#resize(Number((event.target as HTMLInputElement).value))}
        /></label>
      </div>
      <label
        >${strings.reply}<textarea
          rows="8"
          dir="auto"
          spellcheck="false"
          placeholder=${strings.replyHint}
          .value=${this.reply}
          @input=${(event: Event) => (this.reply = (event.target as HTMLTextAreaElement).value)}
        ></textarea>
      </label>
      ${this.reader && this.reply ? this.#reading(this.reader) : nothing}`;
  }

  #reading(reader: ProtocolReader) {
    const { strings, reply, size, chat } = this;
    const toolNames = new Set(toolsOf(chat).map(({ name }) => name));
    const options = {
      ...(chat?.maxAccumulator && { maxAccumulator: chat.maxAccumulator }),
      mayMend: (name: string) => toolNames.has(name),
    };
    const { requests, text, warnings, emitted, pieces } = benchReply(reader, reply, size, 'stop', options);
    const differing = differingSizes(reader, reply, options);
    const named = (one: number) => (one === 0 ? strings.whole : String(one));
    return html`<p class="bar" role="status">
        <span class="badge" data-tone=${requests.length > 0 ? 'accent' : ''}>${strings.calls}: ${requests.length}</span>
        <span class="badge">${strings.pieces}: ${pieces}</span>
        ${
          differing.length === 0
            ? html`<span class="badge" data-tone="ok">${strings.sameAt(SIZES.map(named).join(' · '))}</span>`
            : html`<span class="badge" data-tone="bad">${strings.differsAt(differing.map(named).join(' · '))}</span>`
        }
      </p>
      <h3>${strings.calls}</h3>
      <pre class="requests source" tabindex="0" aria-label=${strings.calls}>${JSON.stringify(requests, null, 2)}</pre>
      <h3>${strings.shownText}</h3>
      <pre class="shown" tabindex="0" dir="auto" aria-label=${strings.shownText}>${text}</pre>
      ${
        warnings.length > 0
          ? html`<h3>${strings.warnings}</h3>
              <ul class="list warnings">
                ${warnings.map(
                  ({ code, name, raw }) =>
                    html`<li class="inside">
                      <span class="bar"><span class="badge" data-tone="warn">${code}</span><code>${name ?? ''}</code></span>
                      <code class="muted">${raw.slice(0, 300)}</code>
                    </li>`,
                )}
              </ul>`
          : nothing
      }
      <details>
        <summary><h3>${strings.asRead} (${emitted.length})</h3></summary>
        <table>
          <thead>
            <tr>
              <th scope="col">${strings.piece}</th>
              <th scope="col">${strings.event}</th>
              <th scope="col">${strings.content}</th>
            </tr>
          </thead>
          <tbody>
            ${emitted.slice(0, LINES).map(
              ({ piece, segment }) =>
                html`<tr>
                  <td>${piece > pieces ? strings.end : piece}</td>
                  <td><code>${segment.type}</code></td>
                  <td><code>${contentOf(segment)}</code></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`;
  }

  #resize(place: number) {
    this.size = place >= WHOLE ? 0 : place;
  }
}

function contentOf(segment: Segment): string {
  switch (segment.type) {
    case 'text':
    case 'reasoning':
      return JSON.stringify(segment.text);
    case 'was-reasoning':
      return '';
    case 'call-start':
      return segment.name;
    case 'arguments':
      return `${segment.key ?? ''} ${JSON.stringify(segment.text)}`;
    case 'call':
      return `${segment.name} ${JSON.stringify(segment.arguments)}`;
    case 'call-error':
      return `${segment.code} ${segment.name ?? ''}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-bench': ToolChatInspectorBench;
  }
}
