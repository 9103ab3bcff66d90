/** What is going on, in a few words. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';

/** Calls that wait for a person. */
export const waitingIn = (view: ViewSnapshot): number =>
  Object.values(view.cards).filter((card) => card.status === 'awaiting_approval').length;

/**
 * Seen and not spoken: what matters of it, the panel's one voice says.
 *
 * @param waiting calls that wait for a person. `fetching`: a model that has to be fetched first
 */
export function statusRow(view: ViewSnapshot, waiting: number, fetching: boolean, texts: Texts): TemplateResult {
  const status = statusLine(view, texts);
  return html`<div part="status" class="status" data-state=${view.state} ?data-waiting=${waiting > 0 && !view.isToolExecuting}>
    ${view.isLoading && status && !fetching ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}<span
      id="status"
      dir="auto"
      class=${view.isLoading ? '' : 'unseen'}
      aria-live="off"
      .textContent=${status}
    ></span>
    ${view.planning ? html`<span class="words mode" dir="auto">${texts.planMode}</span>` : nothing}
    ${view.confirmWords && waiting > 0 ? html`<span class="words" dir="auto">${view.confirmWords.join(' · ')}</span>` : nothing}
    ${fetching ? html`<progress max="1" .value=${view.loaded} aria-labelledby="status"></progress>` : nothing}
  </div>`;
}

export function statusLine(view: ViewSnapshot, texts: Texts): string {
  const doing = new Set(view.activities);
  if (view.retry?.visible || view.offline) return ''; // the bar above counts down, or says what it waits for
  if (view.loaded !== undefined) return texts.loadingModel(Math.round(view.loaded * 100));
  if (doing.has('parsing')) return texts.readingCall;
  // A tool that runs goes before a card that waits: it will end by itself.
  if (view.isToolExecuting || doing.has('executing')) return texts.runningAnyTool;
  if (doing.has('awaitingApproval')) return waitingLine(view, texts);
  if (doing.has('streaming')) return view.streamingText ? texts.answering : texts.thinking;
  return stateLine(view, texts);
}

/** Each of the six states can be seen, however short it lasts. */
function stateLine({ state, isLoading }: ViewSnapshot, texts: Texts): string {
  if (state === 'tool_call') return texts.stateToolCall;
  if (state === 'tool_result') return texts.stateToolResult;
  if (state === 'decide') return texts.stateDecide;
  return isLoading ? texts.working : texts.stateIdle;
}

/** What the first link of a chain that waits can be confirmed by. */
function waitingLine({ cards }: ViewSnapshot, texts: Texts): string {
  const link = Object.values(cards).find(({ status, confirm }) => status === 'awaiting_approval' && confirm);
  if (!link) return texts.waitingForConfirmation;
  return link.confirm === 'button' ? texts.stepNeedsButton : texts.replyToContinue;
}
