/** A page that explains why each call ran, waits, or was denied. */
import { html, nothing } from 'lit';
import { icons } from '../elements/icons.js';
import { shared } from '../elements/shared.styles.js';
import type { CardView } from '../model/calls.js';
import { cardsOf, decisionsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';

const TONES: Readonly<Record<string, string>> = {
  ...{ success: 'ok', error: 'bad', denied: 'bad', interrupted: 'bad' },
  ...{ awaiting_approval: 'warn', executing: 'accent', queued: 'accent' },
};

/**
 * @summary Each call of the conversation, with who decided on it and why, step by step.
 * @tagname tool-chat-inspector-decisions
 */
export class ToolChatInspectorDecisions extends InspectorPart {
  static override styles = [shared, inspectorShared];

  override render() {
    const cards = cardsOf(this.chat);
    if (cards.length === 0) return html`<p class="none">${this.strings.noCalls}</p>`;
    const newest = cards.at(-1)?.requestId;
    return html`<ul class="list">
      ${cards.toReversed().map((card) => this.#card(card, card.requestId === newest))}
    </ul>`;
  }

  #card({ requestId, toolName, status, call }: CardView, isOpen: boolean) {
    const { strings } = this;
    const steps = decisionsOf(this.chat).filter((entry) => entry.requestId === requestId);
    const facts = [
      [strings.decidedBy, call?.decidedBy],
      [strings.reason, call?.reason],
      [strings.risk, call?.risk],
      [strings.tainted, call?.taintedBy && `${call.taintedBy.toolName} (${call.taintedBy.requestId})`],
      [strings.flags, call?.flags?.join(', ')],
      [strings.digest, call?.digest],
    ].filter(([, value]) => value);
    return html`<li data-call=${requestId}>
      <details ?open=${isOpen}>
        <summary>
          <span class="sign">${icons.chevron}</span><code>${toolName}</code
          ><span class="badge" data-tone=${TONES[status] ?? ''}>${status}</span
          ><span class="muted grow" dir="auto">${call?.sentence ?? ''}</span>
        </summary>
        <div class="inside">
          <table>
            <tbody>
              ${facts.map(
                ([name, value]) =>
                  html`<tr>
                    <th scope="row">${name}</th>
                    <td dir="auto">${value}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
          ${
            steps.length === 0
              ? nothing
              : html`<ol>
                  ${steps.map(({ what, reason }) => html`<li><span class="badge">${what}</span> <span dir="auto">${reason}</span></li>`)}
                </ol>`
          }
        </div>
      </details>
    </li>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-decisions': ToolChatInspectorDecisions;
  }
}
