/** A page that calls a tool by hand in the same way as a model's call: validated, approved, recorded in the journal, shown in the chat. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { shared } from '../elements/shared.styles.js';
import { formArguments, fieldsOf, fieldText, type EditField } from '../elements/tool-chat-edit/form-fields.js';
import type { PublishedResult } from '../model/calls.js';
import { parametersOf } from '../tools/schema.js';
import type { ToolDefinition } from '../tools/tool.js';
import { cardsOf, toolsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';

/**
 * @summary A form for a tool's arguments. A call from it needs approval like any other call.
 * @tagname tool-chat-inspector-run
 */
export class ToolChatInspectorRun extends InspectorPart {
  static override styles = [shared, inspectorShared];
  static override properties: PropertyDeclarations = {
    name: { state: true },
    result: { state: true },
    isRunning: { state: true },
    problem: { state: true },
  };

  declare protected name: string;
  declare protected result: PublishedResult | undefined;
  declare protected isRunning: boolean;
  declare protected problem: string;

  readonly #texts = new Map<string, string>();

  constructor() {
    super();
    this.name = this.problem = '';
    this.isRunning = false;
  }

  override render() {
    const { strings } = this;
    const tools = toolsOf(this.chat);
    const tool = tools.find(({ name }) => name === this.name) ?? tools[0];
    if (!tool) return html`<p class="none">${strings.noTools}</p>`;
    const fields = this.#fieldsOf(tool);
    const isWaiting = this.isRunning && cardsOf(this.chat).some(({ status }) => status === 'awaiting_approval');
    return html`<label
        >${strings.tool}<select class="tool" @change=${(event: Event) => this.#choose((event.target as HTMLSelectElement).value)}>
          ${tools.map(({ name, label }) => html`<option value=${name} ?selected=${name === tool.name}>${label ? `${name} (${label})` : name}</option>`)}
        </select></label
      >
      <p class="muted" dir="auto">${tool.description}</p>
      <form @submit=${(event: Event) => this.#submit(event, tool, fields)}>
        ${fields.length === 0 ? html`<p class="muted">${strings.noParameters}</p>` : fields.map((field) => this.#field(field))}
        <div class="bar">
          <button class="primary run" ?disabled=${this.isRunning}>${this.isRunning ? strings.running : strings.runTool}</button>
          <span class="muted grow" role="status">${isWaiting ? strings.waitsForYou : ''}</span>
        </div>
      </form>
      ${this.problem ? html`<p class="badge" data-tone="bad" role="alert">${this.problem}</p>` : nothing}
      ${this.result ? this.#result(this.result) : nothing}`;
  }

  #result({ status, durationMs, message, ...rest }: PublishedResult) {
    const { strings } = this;
    return html`<div class="bar" role="status">
        <span class="badge" data-tone=${status === 'success' ? 'ok' : 'bad'}>${status}</span>
        <span class="took">${strings.ms(String(Math.round(durationMs)))}</span>
        <span class="grow" dir="auto">${message}</span>
      </div>
      <pre class="result source" tabindex="0" aria-label=${strings.result}>${JSON.stringify(rest, null, 2)}</pre>`;
  }

  #fieldsOf(tool: ToolDefinition): readonly EditField[] {
    return fieldsOf({ schema: parametersOf(tool), sensitive: tool.sensitive ?? false, args: {} });
  }

  #field(field: EditField): TemplateResult {
    const { strings } = this;
    const { name, label, description, required, kind, options, optionNames, picker, secret } = field;
    const written = this.#texts.get(name) ?? fieldText(field);
    const note = (event: Event) => {
      const control = event.target as HTMLInputElement;
      this.#texts.set(name, control.type === 'checkbox' ? String(control.checked) : control.value);
    };
    const about = description ? html`<span class="muted" dir="auto">${description}</span>` : nothing;
    const title = html`<span
      ><span dir="auto">${label}</span>${label === name ? nothing : html` <code>${name}</code>`}${required ? ' *' : ''}</span
    >`;
    if (kind === 'yes-no')
      return html`<label class="box" data-field=${name}
        ><span class="bar"><input type="checkbox" .checked=${written === 'true'} @change=${note} />${title}</span>${about}</label
      >`;
    if (kind === 'choice')
      return html`<label data-field=${name}
        >${title}<select @change=${note}>
          <option value="" ?selected=${written === ''}>${strings.notSet}</option>
          ${options.map(
            (option, at) =>
              html`<option value=${String(at)} ?selected=${written === String(at)}>
                ${optionNames[at] ?? (typeof option === 'string' ? option : JSON.stringify(option))}
              </option>`,
          )}</select
        >${about}</label
      >`;
    if (kind === 'long-text' || kind === 'json')
      return html`<label data-field=${name}
        >${title}<textarea rows="3" dir=${kind === 'json' ? 'ltr' : 'auto'} spellcheck="false" .value=${written} @input=${note}></textarea
        >${about}</label
      >`;
    return html`<label data-field=${name}
      >${title}<input
        type=${secret ? 'password' : (picker ?? 'text')}
        dir=${kind === 'number' ? 'ltr' : 'auto'}
        inputmode=${kind === 'number' ? 'decimal' : nothing}
        autocomplete="off"
        .value=${written}
        @input=${note}
      />${about}</label
    >`;
  }

  #choose(name: string) {
    this.name = name;
    this.result = undefined;
    this.problem = '';
    this.#texts.clear();
  }

  #submit(event: Event, { name }: ToolDefinition, fields: readonly EditField[]) {
    event.preventDefault();
    if (!this.isRunning) void this.#run(name, fields);
  }

  async #run(name: string, fields: readonly EditField[]) {
    const read = formArguments(fields, this.#texts);
    this.result = undefined;
    this.problem = read.ok ? '' : this.strings.noJson(read.unreadable.map((one) => one.name).join(', '));
    if (!read.ok || !this.chat) return;
    this.isRunning = true;
    try {
      this.result = await this.chat.executeToolManually({ type: 'tool_use', name, params: read.args, partial: false });
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isRunning = false;
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-run': ToolChatInspectorRun;
  }
}
