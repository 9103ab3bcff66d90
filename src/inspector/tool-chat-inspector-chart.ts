/** A page with the running statecharts, rendered from the machines themselves, with their active states highlighted. */
import { html, nothing, type TemplateResult, css } from 'lit';
import { conversationMachine } from '../conversation/chart/conversation-machine.js';
import { toolCallMachine } from '../conversation/chart/call-machine.js';
import { shared } from '../elements/shared.styles.js';
import { internalsOfChat, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';
import type { AnyStateNode } from 'xstate';

const chartStyles = css`
  .states {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 6px;
  }

  .states[data-parallel] > .state {
    border-style: dashed;
  }

  .state {
    display: flex;
    flex: 0 1 auto;
    flex-direction: column;
    gap: 6px;
    min-width: 0;
    padding: 5px 8px;
    border: 1px solid var(--_line-strong);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    color: var(--_muted);
    font-size: var(--_tiny);
    transition:
      background 0.15s,
      border-color 0.15s;
  }

  .state:has(> .states) {
    flex: 1 1 100%;
  }

  .states[data-parallel] > .state:has(> .states) {
    flex: 1 1 180px;
  }

  .state[data-lit] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_text);
  }

  .state[data-lit] > .name {
    font-weight: 650;
  }

  .state[data-lit]:not(:has([data-lit])) {
    box-shadow: inset 0 0 0 1px var(--_accent);
  }

  .name {
    overflow-wrap: anywhere;
  }

  @media (forced-colors: active) {
    .state[data-lit] {
      border: 2px solid Highlight;
    }
  }
`;

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

/** A state of a machine as a box with the boxes of its own states. */
interface StateBox {
  /** The path from the root, whatever id targets use for the state. */
  id: string;
  /** The state's own key. */
  key: string;
  isParallel: boolean;
  /** Names of the actors that the state invokes. */
  actors: readonly string[];
  states: readonly StateBox[];
}

function boxOf(node: AnyStateNode): StateBox {
  return {
    ...{ id: [node.machine.id, ...node.path].join('.'), key: node.key, isParallel: node.type === 'parallel' },
    actors: node.invoke.map(({ src }) => (typeof src === 'string' ? src : '')).filter(Boolean),
    states: Object.values(node.states as Record<string, AnyStateNode>).map(boxOf),
  };
}

/** Returns the ids of the states in a state value, outermost first: `{ turn: 'reply' }` of `chat` is `chat.turn` and `chat.turn.reply`. */
function activeStates(value: unknown, id: string): Set<string> {
  if (typeof value === 'string') return new Set([`${id}.${value}`]);
  return new Set(
    Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, inner]) => [
      `${id}.${key}`,
      ...activeStates(inner, `${id}.${key}`),
    ]),
  );
}

/** Returns the state of each call that has a running statechart. */
function callStatesOf(children: object): { id: string; value: unknown }[] {
  return Object.entries(children as Record<string, { getSnapshot?(): { value?: unknown } } | undefined>).flatMap(([id, actor]) => {
    const value = actor?.getSnapshot?.().value;
    return value === undefined ? [] : [{ id, value }];
  });
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-chart': ToolChatInspectorChart;
  }
}
