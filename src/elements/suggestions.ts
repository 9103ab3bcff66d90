/**
 * Suggests next messages, as the page's `suggest` returns them. It is called when an answer is complete; the suggestions disappear with the
 * next message.
 */
import type { Conversation } from '../conversation/conversation.js';
import type { Suggest } from '../conversation/options/option-shapes.js';
import type { ViewSnapshot } from '../model/snapshot.js';
import type { Internals } from '../conversation/host/internals.js';

/** Number of suggestions shown at once. */
const MAX_COUNT = 4;

/** Longest suggestion, in UTF-16 units. */
const MAX_LENGTH = 120;

interface SuggestionPanel {
  suggestions: readonly string[];
}

/** Updates the suggestions for the lifetime of the conversation. If the function throws, this is logged and nothing is suggested. */
export function followSuggestions(
  panel: SuggestionPanel,
  conversation: Conversation,
  { surface, log }: Pick<Internals, 'surface' | 'log'>,
  suggest: () => unknown,
): void {
  let requestCount = 0;
  let wasLoading = surface.view.isLoading;

  async function request(): Promise<void> {
    const callback = suggest();
    const now = ++requestCount;
    if (typeof callback !== 'function') return;
    try {
      const result: unknown = await (callback as Suggest)(snapshotOf(conversation));
      if (now !== requestCount || surface.view.isLoading || !Array.isArray(result)) return;
      const texts = result.flatMap((one: unknown) =>
        typeof one === 'string' && one.trim() !== '' ? [one.trim().slice(0, MAX_LENGTH)] : [],
      );
      panel.suggestions = [...new Set(texts)].slice(0, MAX_COUNT);
    } catch (error) {
      log.warn('suggest.failed', 'The page could not suggest what to say next', {}, { error });
    }
  }

  function onView({ isLoading, views }: ViewSnapshot): void {
    wasLoading = isLoading;
    requestCount += 1;
    panel.suggestions = [];
    const last = views.at(-1)?.message;
    if (!isLoading && last?.role === 'assistant' && last.status.type === 'complete') void request();
  }

  surface.subscribe((view) => {
    if (view.isLoading !== wasLoading || view.views.length === 0) onView(view);
  });
  // An answer may have been completed while this was loading, or restored from storage.
  onView(surface.view);
}

/** Returns a plain snapshot with the fields that `subscribe` passes. */
function snapshotOf(conversation: Conversation): Parameters<Suggest>[0] {
  const { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants } =
    conversation;
  return { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants };
}
