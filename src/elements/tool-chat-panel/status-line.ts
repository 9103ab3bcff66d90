/** The status line: the current activity in a few words. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';

/** Returns the number of calls that wait for approval. */
export const countWaiting = (view: ViewSnapshot): number =>
  Object.values(view.cards).filter((card) => card.status === 'awaiting_approval').length;

/**
 * Renders the status line. It is not a live region, because the announcer speaks the important changes.
 *
 * @param waiting number of calls that wait for approval. `fetching`: a model is being downloaded
 */
export function statusRow(view: ViewSnapshot, waiting: number, fetching: boolean, texts: Texts): TemplateResult {
  const status = statusLine(view, texts);
  return html`<div part="status" class="status" data-state=${view.state} ?data-waiting=${waiting > 0 && !view.isToolExecuting}>
    ${view.isLoading && status && !fetching ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}<span
      id="status"
      dir="auto"
      class=${view.isLoading ? '' : 'visually-hidden'}
      aria-live="off"
      .textContent=${status}
    ></span>
    ${view.planning ? html`<span class="words mode" dir="auto">${texts.planMode}</span>` : nothing}
    ${view.confirmWords && waiting > 0 ? html`<span class="words" dir="auto">${view.confirmWords.join(' · ')}</span>` : nothing}
    ${fetching ? html`<progress max="1" .value=${view.loaded} aria-labelledby="status"></progress>` : nothing}
  </div>`;
}

export function statusLine(view: ViewSnapshot, texts: Texts): string {
  const activities = new Set(view.activities);
  if (view.retry?.visible || view.offline) return ''; // the bar above shows the countdown or the reason
  if (view.loaded !== undefined) return texts.loadingModel(Math.round(view.loaded * 100));
  if (activities.has('parsing')) return texts.readingCall;
  // A running tool has priority over a waiting card, because it ends by itself.
  if (view.isToolExecuting || activities.has('executing')) return texts.runningAnyTool;
  if (activities.has('awaitingApproval')) return waitingLine(view, texts);
  if (activities.has('streaming')) return view.streamingText ? texts.answering : texts.thinking;
  return stateLine(view, texts);
}

/** Returns the text for each of the six states, however short it lasts. */
function stateLine({ state, isLoading }: ViewSnapshot, texts: Texts): string {
  if (state === 'tool_call') return texts.stateToolCall;
  if (state === 'tool_result') return texts.stateToolResult;
  if (state === 'decide') return texts.stateDecide;
  return isLoading ? texts.working : texts.stateIdle;
}

/** Returns how the first waiting link of a chain can be confirmed. */
function waitingLine({ cards }: ViewSnapshot, texts: Texts): string {
  const link = Object.values(cards).find(({ status, confirm }) => status === 'awaiting_approval' && confirm);
  if (!link) return texts.waitingForConfirmation;
  return link.confirm === 'button' ? texts.stepNeedsButton : texts.replyToContinue;
}
