/**
 * One decision for several waiting calls, because users who are asked too often stop reading. Each call is a row with a checkbox; see
 * `batch-selection.ts`.
 */
import { html, nothing, css } from 'lit';
import { approvalDigest } from '../../model/approval-digest.js';
import type { Call } from '../../model/calls.js';
import type { Decision } from '../../model/decision.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { ClickGuard } from '../click-guard.js';
import { ViewElement } from '../context.js';
import { buttonLabel } from '../decision-strings.js';
import { guardButtons } from '../decisions.js';
import { batchableCards } from '../pending-calls.js';
import { liftApproval } from '../lift-approval.js';
import { hasBeenRead, onRead, isUnchangedSinceRead } from '../read-tracker.js';
import { shared } from '../shared.styles.js';
import { isSelected, onSelectionChange } from '../batch-selection.js';
import { valueStyles } from '../value-view.js';
import { decisionStyles } from './decision.styles.js';
import { fullEnglish } from '../../i18n/en.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  ${decisionStyles}

  :host {
    display: block;
    font: var(--_size) / 1.45 var(--_font);
  }

  .batch {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 10px 16px;
    padding: 10px 12px;
    border: 1px solid color-mix(in oklab, var(--_warn) 38%, var(--_line));
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
  }

  .what {
    display: grid;
    align-items: center;
    flex: 1 1 180px;
    min-width: 0;
    font-size: var(--_small);
    overflow-wrap: anywhere;
  }

  .what > * {
    grid-area: 1 / 1;
  }

  .what .hint {
    color: var(--_warn);
  }

  /* One takes the space of the other, so that no button moves just before it is pressed. */
  .what .over {
    visibility: hidden;
  }

  .batch .buttons {
    flex: 1 1 auto;
  }

  @media (max-height: 420px) {
    .batch {
      row-gap: 4px;
      padding: 4px 8px;
    }
  }
`;

/**
 * @summary Allows or denies all waiting calls at once, under the same conditions as each of them alone.
 * @tagname tool-chat-batch
 * @csspart approve-all-button - Allows all selected calls; disabled until each has been shown to its end.
 * @csspart deny-all-button - Denies all waiting calls.
 */
export class ToolChatBatch extends ViewElement {
  static override styles = [shared, valueStyles, styles];

  #clickGuard: ClickGuard | undefined;
  #renderedKeys = '';
  #decidedKeys = '';
  #stopListeners: (() => void) | undefined;

  override connectedCallback() {
    super.connectedCallback();
    const stops = [onRead, onSelectionChange].map((listen) => listen(() => this.requestUpdate()));
    this.#stopListeners = () => {
      for (const stop of stops) stop();
    };
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopListeners?.();
    this.#clickGuard?.stop();
  }

  override render() {
    const texts = this.services?.texts;
    const calls = waitingCalls(this.snapshot);
    if (!texts || calls.length === 0) return nothing;
    const ready = this.#clickGuard?.readiness === 'armed' && this.#decidedKeys !== batchKey(calls);
    const selected = calls.filter(isSelectedCall);
    const read = selected.length > 0 && selected.every((call) => hasBeenRead(call.requestId, approvalDigest(call)));
    const name = (act: string, of: readonly Call[]) =>
      buttonLabel(
        act,
        of.map((call) => ({ call, label: call.label })),
        texts,
      );
    return html`
      <div class="batch" role="group" aria-label=${texts.waitingCalls(calls.length)}>
        <div class="what" data-fact>
          <strong class=${read || selected.length === 0 ? '' : 'over'} .textContent=${texts.waitingCalls(calls.length)}></strong>
          <span class=${read || selected.length === 0 ? 'hint over' : 'hint'}>${texts.readEach}</span>
        </div>
        <div class="buttons" ?data-arming=${this.#clickGuard?.readiness === 'moving'}>
          <button
            type="button"
            part="deny-all-button"
            class="deny"
            aria-label=${name(texts.allowNone, calls)}
            aria-disabled=${String(!ready)}
          >
            ${texts.allowNone}
          </button>
          <button
            type="button"
            part="approve-all-button"
            class="allow primary"
            aria-label=${name(texts.allowCount(selected.length), selected)}
            aria-disabled=${String(!ready || !read)}
          >
            <span .textContent=${texts.allowCount(selected.length)}></span>
          </button>
        </div>
      </div>
    `;
  }

  protected override willUpdate() {
    if (this.#renderedKeys !== batchKey(waitingCalls(this.snapshot))) this.#clickGuard?.restart();
  }

  protected override updated() {
    const calls = waitingCalls(this.snapshot);
    if (!this.isConnected || calls.length === 0 || !this.services) return;
    this.#clickGuard ??= this.#registerGuards();
    this.#clickGuard?.start();
    this.#clickGuard?.checkSoon();
    this.#renderedKeys = batchKey(calls);
  }

  #registerGuards(): ClickGuard | undefined {
    const root = this.renderRoot as ShadowRoot;
    const [deny, allow] = ['.deny', '.allow'].map((name) => root.querySelector<HTMLElement>(name));
    const actions = root.querySelector<HTMLElement>('.buttons');
    const card = root.querySelector<HTMLElement>('.batch');
    if (!deny || !allow || !actions || !card) return undefined;
    const clickGuard = new ClickGuard({
      card,
      actions,
      buttons: [deny, allow],
      facts: () => root.querySelectorAll<HTMLElement>('[data-fact]'),
      changed: () => this.requestUpdate(),
      cannotAsk: () => {}, // each row reports this itself
      lift: () => liftApproval(this, this.services, waitingCalls(this.snapshot)[0]?.requestId),
    });
    guardButtons(root, {
      buttons: [deny, allow],
      decisions: (button): readonly Decision[] => {
        const calls = waitingCalls(this.snapshot);
        if (calls.length === 0 || batchKey(calls) !== this.#renderedKeys || this.#decidedKeys === this.#renderedKeys || !clickGuard.check())
          return [];
        if (button !== allow) return calls.map((call) => ({ requestId: call.requestId, digest: approvalDigest(call), verdict: 'deny' }));
        const selected = calls.filter(isSelectedCall);
        const isReady = (call: Call) => [hasBeenRead, isUnchangedSinceRead].every((holds) => holds(call.requestId, approvalDigest(call)));
        if (!selected.every(isReady)) return [];
        return selected.map((call) => ({ requestId: call.requestId, digest: approvalDigest(call), verdict: 'allow' }));
      },
      decided: () => {
        this.#decidedKeys = this.#renderedKeys;
        this.services?.returnFocus(this);
        this.requestUpdate();
      },
    });
    return clickGuard;
  }
}

/** Returns the calls that are decided together, in the order in which they were made. */
const waitingCalls = (view: ViewSnapshot | undefined): Call[] => batchableCards(view?.cards ?? {}).flatMap(({ call }) => call ?? []);

const approvalKey = (call: Call): string => `${call.requestId} ${approvalDigest(call)}`;

const isSelectedCall = (call: Call): boolean => isSelected(call.requestId);

/** Returns the key of the approval: other calls, or other checkboxes, are another approval. */
function batchKey(calls: readonly Call[]): string {
  return calls.map((call) => `${approvalKey(call)} ${String(isSelectedCall(call))}`).join('\n');
}

fullEnglish();
defineOnce('tool-chat-batch', ToolChatBatch);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-batch': ToolChatBatch;
  }
}
