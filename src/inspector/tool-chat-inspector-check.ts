/** A page that tests the selected tools of the page with calls as models make them, and explains what is wrong. */
import { html, nothing, type PropertyDeclarations } from 'lit';
import { shared } from '../elements/shared.styles.js';
import { checkTools, type ToolReport } from '../testing/tool-check.js';
import { toolsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';

/**
 * @summary Tests the selected tools and reports the result. Each selected tool really runs, many times.
 * @tagname tool-chat-inspector-check
 */
export class ToolChatInspectorCheck extends InspectorPart {
  static override styles = [shared, inspectorShared];
  static override properties: PropertyDeclarations = { report: { state: true }, isRunning: { state: true } };

  declare protected report: ToolReport | undefined;
  declare protected isRunning: boolean;

  /** Selection by tool name. Read-only tools are selected initially. */
  readonly #selection = new Map<string, boolean>();

  constructor() {
    super();
    this.isRunning = false;
  }

  override render() {
    const { strings, report } = this;
    const tools = toolsOf(this.chat);
    if (tools.length === 0) return nothing;
    return html`<h3>${strings.check}</h3>
      <p class="muted">${strings.checkSays}</p>
      <fieldset ?disabled=${this.isRunning}>
        <legend class="visually-hidden">${strings.tools}</legend>
        ${tools.map(
          ({ name, risk }) =>
            html`<label class="bar"
              ><input
                type="checkbox"
                name=${name}
                .checked=${this.#isSelected(name, risk)}
                @change=${(event: Event) => this.#selection.set(name, (event.target as HTMLInputElement).checked)}
              /><code>${name}</code>${risk === 'query' ? nothing : html`<span class="badge">${risk ?? '?'}</span>`}</label
            >`,
        )}
      </fieldset>
      <div class="bar">
        <button type="button" class="primary check" ?disabled=${this.isRunning} @click=${() => void this.#check()}>
          ${this.isRunning ? strings.running : strings.checkTools}
        </button>
        <span class="grow" role="status">${report ? strings.checked(report.tries, report.findings.length) : ''}</span>
      </div>
      ${report ? html`<pre class="report source" tabindex="0" aria-label=${strings.check}>${report.text}</pre>` : nothing}`;
  }

  #isSelected(name: string, risk: string | undefined): boolean {
    return this.#selection.get(name) ?? risk === 'query';
  }

  async #check() {
    this.isRunning = true;
    this.report = undefined;
    try {
      const chosen = toolsOf(this.chat).filter(({ name, risk }) => this.#isSelected(name, risk));
      this.report = await checkTools(chosen as unknown as Parameters<typeof checkTools>[0], { run: 'all' });
    } finally {
      this.isRunning = false;
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-check': ToolChatInspectorCheck;
  }
}
