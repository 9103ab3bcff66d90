/** What is going on, in a few words. */
import type { ViewSnapshot } from '../../conversation/snapshot.js';
import type { Texts } from '../../i18n/en.js';

export function statusLine(view: ViewSnapshot, texts: Texts): string {
  const doing = new Set(view.activities);
  if (view.retry?.visible) return ''; // the bar above counts down
  if (view.loaded !== undefined) return texts.loadingModel(Math.round(view.loaded * 100));
  if (doing.has('parsing')) return texts.readingCall;
  // S0-123. A tool that runs goes before a card that waits: it will end by itself.
  if (view.isToolExecuting || doing.has('executing')) return texts.runningAnyTool;
  if (doing.has('awaitingApproval')) return texts.waitingForConfirmation;
  if (doing.has('streaming')) return view.streamingText ? texts.answering : texts.thinking;
  return view.isLoading ? texts.working : '';
}
