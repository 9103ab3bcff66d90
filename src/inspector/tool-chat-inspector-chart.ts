/** A page with the running statecharts, rendered from the machines themselves, with their active states highlighted. */
import { html, nothing, type TemplateResult } from 'lit';
import { conversationMachine } from '../conversation/chart/conversation-machine.js';
import { toolCallMachine } from '../conversation/chart/call-machine.js';
import { shared } from '../elements/shared.styles.js';
import { boxOf, callStatesOf, activeStates, type StateBox } from './chart-boxes.js';
import { internalsOfChat } from './inspected.js';
import { InspectorPart } from './inspector-part.js';
import { inspectorShared } from './inspector.styles.js';
import { chartStyles } from './tool-chat-inspector-chart.styles.js';

const conversation = boxOf(conversationMachine.root);
const toolCall = boxOf(toolCallMachine.root);

/**
 * @summary The live statecharts of a conversation and of its calls.
 * @tagname tool-chat-inspector-chart
 */
export class ToolChatInspectorChart extends InspectorPart {
  static override styles = [shared, inspectorShared, chartStyles];

  override render() {
    const { strings } = this;
    const snapshot = internalsOfChat(this.chat)?.chart.getSnapshot();
    if (!snapshot) return nothing;
    const lit = activeStates(snapshot.value, conversation.id);
    const calls = callStatesOf(snapshot.children);
    const litCalls = new Set(calls.flatMap(({ value }) => [...activeStates(value, toolCall.id)]));
    const tags = [...snapshot.tags];
    return html`<h3>
        <span class="grow">${strings.conversation}</span>${tags.map((tag) => html`<span class="badge" data-tone="accent">${tag}</span>`)}
      </h3>
      ${this.#inside(conversation, lit)}
      <h3>
        <span class="grow">${strings.callChart}</span>${calls.map(
          ({ id, value }) =>
            html`<span class="badge" data-tone="accent">${id.slice(-6)}: ${JSON.stringify(value).replace(/["{}]/g, '')}</span>`,
        )}
      </h3>
      ${this.#inside(toolCall, litCalls)}`;
  }

  #inside({ states, isParallel }: StateBox, lit: ReadonlySet<string>): TemplateResult | typeof nothing {
    return states.length === 0
      ? nothing
      : html`<ul class="states" ?data-parallel=${isParallel}>
          ${states.map((state) => this.#box(state, lit))}
        </ul>`;
  }

  #box(state: StateBox, lit: ReadonlySet<string>): TemplateResult {
    const isLit = lit.has(state.id);
    return html`<li class="state" data-state=${state.id} ?data-lit=${isLit} aria-current=${isLit ? 'true' : nothing}>
      <span class="name">${state.key}${state.actors.map((actor) => html` <span class="muted">⚙ ${actor}</span>`)}</span>
      ${this.#inside(state, lit)}
    </li>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-chart': ToolChatInspectorChart;
  }
}
