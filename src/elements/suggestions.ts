/**
 * Suggests next messages, as the page's `suggest` returns them. It is called when an answer is complete; the suggestions disappear with the
 * next message.
 */
import type { Conversation } from '../conversation/conversation.js';
import type { Suggest } from '../conversation/options/option-shapes.js';
import type { ViewSnapshot } from '../model/snapshot.js';
import type { Internals } from '../conversation/host/internals.js';

/** Number of suggestions shown at once. */
const MOST = 4;

/** Longest suggestion, in UTF-16 units. */
const LONGEST = 120;

interface Shows {
  suggestions: readonly string[];
}

/** Updates the suggestions for the lifetime of the conversation. If the function throws, this is logged and nothing is suggested. */
export function followSuggestions(
  panel: Shows,
  conversation: Conversation,
  { surface, log }: Pick<Internals, 'surface' | 'log'>,
  suggest: () => unknown,
): void {
  let asked = 0;
  let wasLoading = surface.view.isLoading;

  async function ask(): Promise<void> {
    const given = suggest();
    const now = ++asked;
    if (typeof given !== 'function') return;
    try {
      const said: unknown = await (given as Suggest)(snapshotOf(conversation));
      if (now !== asked || surface.view.isLoading || !Array.isArray(said)) return;
      const texts = said.flatMap((one: unknown) => (typeof one === 'string' && one.trim() !== '' ? [one.trim().slice(0, LONGEST)] : []));
      panel.suggestions = [...new Set(texts)].slice(0, MOST);
    } catch (error) {
      log.warn('suggest.failed', 'The page could not suggest what to say next', {}, { error });
    }
  }

  function look({ isLoading, views }: ViewSnapshot): void {
    wasLoading = isLoading;
    asked += 1;
    panel.suggestions = [];
    const last = views.at(-1)?.message;
    if (!isLoading && last?.role === 'assistant' && last.status.type === 'complete') void ask();
  }

  surface.subscribe((view) => {
    if (view.isLoading !== wasLoading || view.views.length === 0) look(view);
  });
  // An answer may have been completed while this was loading, or restored from storage.
  look(surface.view);
}

/** Returns a plain snapshot with the fields that `subscribe` passes. */
function snapshotOf(conversation: Conversation): Parameters<Suggest>[0] {
  const { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants } =
    conversation;
  return { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants };
}
