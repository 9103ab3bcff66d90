/** What a person may want to say next, as the page's `suggest` says: asked when an answer is over, and gone with the next message. */
import type { Conversation } from '../conversation/conversation.js';
import type { Suggest } from '../conversation/options/option-shapes.js';
import type { ViewSnapshot } from '../model/snapshot.js';
import type { Internals } from '../conversation/host/internals.js';

/** Offered at once. */
const MOST = 4;

/** UTF-16 units of one. */
const LONGEST = 120;

interface Shows {
  suggestions: readonly string[];
}

/** Listens as long as the conversation does. A function that fails is logged, and offers nothing. */
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
  // An answer may have ended while this was loaded, or have been kept.
  look(surface.view);
}

/** Plain data, as `subscribe` gives it. */
function snapshotOf(conversation: Conversation): Parameters<Suggest>[0] {
  const { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants } =
    conversation;
  return { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants };
}
