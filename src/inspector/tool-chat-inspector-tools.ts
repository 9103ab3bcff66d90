/** A page that lists the tools, their sources and their declared properties. */
import { html, nothing, type PropertyDeclarations } from 'lit';
import { icons } from '../elements/icons.js';
import { shared } from '../elements/shared.styles.js';
import { own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { reportsOf } from '../tools/load-report.js';
import { isUsable } from '../tools/registry.js';
import { parametersOf } from '../tools/schema.js';
import type { ToolDefinition } from '../tools/tool.js';
import { toolsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';

const TONES: Readonly<Record<string, string>> = { query: 'ok', write: 'warn', danger: 'bad' };

/**
 * @summary The tools of a chat: name, risk, parameters, and where each comes from.
 * @tagname tool-chat-inspector-tools
 */
export class ToolChatInspectorTools extends InspectorPart {
  static override styles = [shared, inspectorShared];
  static override properties: PropertyDeclarations = { query: { state: true } };

  declare protected query: string;

  constructor() {
    super();
    this.query = '';
  }

  override render() {
    const { strings } = this;
    const all = toolsOf(this.chat);
    const wanted = this.query.trim().toLowerCase();
    const found = all.filter((tool) => textOf(tool).includes(wanted));
    return html`<div class="bar">
        <input
          class="grow"
          type="search"
          aria-label=${strings.findTool}
          placeholder=${strings.findTool}
          .value=${this.query}
          @input=${(event: Event) => (this.query = (event.target as HTMLInputElement).value)}
        />
        <span class="muted" role="status">${strings.toolCount(found.length, all.length)}</span>
      </div>
      ${
        found.length === 0
          ? html`<p class="none">${all.length === 0 ? strings.noTools : strings.nothingFound}</p>`
          : html`<ul class="list">
              ${found.map((tool) => this.#tool(tool))}
            </ul>`
      }
      ${reportsOf(all).map(({ host, groups }) => this.#report(host, groups))}`;
  }

  /** Renders the report. Its sentences come from the log, so they are in English. */
  #report(host: string, groups: ReturnType<typeof reportsOf>[number]['groups']) {
    return html`<details data-report=${host}>
      <summary><span class="sign">${icons.chevron}</span>${this.strings.leftOut(host)}</summary>
      <div class="inside" lang="en">
        ${groups.map(
          ({ why, operations }) =>
            html`<p>${why}</p>
              <ul>
                ${operations.map((operation) => html`<li><code>${operation}</code></li>`)}
              </ul>`,
        )}
      </div>
    </details>`;
  }

  #tool(tool: ToolDefinition) {
    const { strings } = this;
    const risk = tool.risk ?? 'undeclared';
    const config = (this.chat?.config ?? {}) as { toolCallConfig?: object; context?: { permissions?: string[] } };
    const on = isUsable(tool, { ...config.toolCallConfig, permissions: config.context?.permissions });
    const facts = [
      [strings.from, tool.origin ? `${tool.origin.name} (${tool.origin.id}.${tool.origin.method})` : strings.byPage],
      ['resource', list(tool.resource)],
      ['requires', list(tool.requires)],
      ['timeout', tool.timeout && strings.ms(String(tool.timeout))],
      ['fallback', tool.fallback],
      ['sensitive', tool.sensitive === true ? '*' : list(tool.sensitive || undefined)],
      [
        'aliases',
        tool.aliases &&
          Object.entries(tool.aliases)
            .map((pair) => pair.join(': '))
            .join(', '),
      ],
      ['', marksOf(tool).join(' · ')],
    ].filter(([, value]) => value);
    return html`<li data-tool=${tool.name}>
      <details>
        <summary>
          <span class="sign">${icons.chevron}</span><code>${tool.name}</code
          ><span class="badge" data-tone=${TONES[risk] ?? 'bad'}>${risk}</span
          >${on ? nothing : html`<span class="badge">${strings.off}</span>`}
          <span class="muted grow" dir="auto">${tool.label ?? ''}</span>
        </summary>
        <div class="inside">
          <p dir="auto">${tool.description}</p>
          ${parameterTable(parametersOf(tool), strings)}
          <p class="muted">
            ${facts.map(([name, value], at) => html`${at > 0 ? html`<br />` : nothing}${name ? `${name}: ` : ''}${value}`)}
          </p>
        </div>
      </details>
    </li>`;
  }
}

const textOf = ({ name, label = '', description, risk }: ToolDefinition): string =>
  `${name} ${label} ${description} ${risk ?? ''}`.toLowerCase();

const list = (value: string | readonly string[] | boolean | undefined): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '');

/** Returns the names of a tool's optional features. */
const marksOf = (tool: ToolDefinition): string[] =>
  (['idempotent', 'untrusted', 'describeCall', 'preview', 'verify', 'undo', 'render', 'onArguments'] as const).filter((mark) => tool[mark]);

function parameterTable(schema: JsonSchema | undefined, strings: ToolChatInspectorTools['strings']) {
  const parameters = Object.entries((own(schema, 'properties') ?? {}) as Record<string, JsonSchema>);
  const required = (own(schema, 'required') ?? []) as readonly string[];
  if (parameters.length === 0) return html`<p class="muted">${strings.noParameters}</p>`;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${strings.parameters}</th>
        <th scope="col">${strings.type}</th>
        <th scope="col">${strings.meaning}</th>
      </tr>
    </thead>
    <tbody>
      ${parameters.map(
        ([name, one]) =>
          html`<tr>
            <td><code>${name}</code>${required.includes(name) ? html`<br /><span class="muted">${strings.required}</span>` : nothing}</td>
            <td><code>${kindOf(one)}</code></td>
            <td dir="auto">${own(one, 'description') ?? own(one, 'title') ?? ''}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function kindOf(schema: JsonSchema): string {
  const { type, enum: values, format } = schema as { type?: unknown; enum?: readonly unknown[]; format?: string };
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  return [[type ?? 'any'].flat().join(' | '), format].filter(Boolean).join(', ');
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-tools': ToolChatInspectorTools;
  }
}
