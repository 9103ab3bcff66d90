/** When this happens, that is loaded. What does not come is loaded when it is needed, and missed then. */
import { loadTwice, preload } from '../base/load.js';
import type { LoadAhead } from '../conversation/host/load-ahead.js';
import { loadMarkdown } from './tool-chat-message/load-markdown.js';

export type Moment = 'opened' | 'turn began';

type Part = (conversation: LoadAhead, hasTools: () => boolean) => unknown;

/** In the order in which it will be missed. */
const AHEAD: Readonly<Record<Moment, readonly Part[]>> = {
  opened: [(conversation) => conversation.request()],
  'turn began': [
    (conversation) => conversation.calls(),
    (_, hasTools) => hasTools() && loadTwice(() => import('./cards.js')).then(({ defineCards }) => defineCards()),
    // What is drawn anew above a question would make it stand still once more.
    (_, hasTools) => hasTools() && loadMarkdown(),
  ],
};

/** Milliseconds after which nobody waits any longer for a quiet moment. */
const QUIET = 500;

/** @param then when all of it is there, or has failed */
export function loadAhead(moment: Moment, conversation: LoadAhead, hasTools: () => boolean, then: () => unknown = () => undefined): void {
  const parts = AHEAD[moment].map((part) => async () => part(conversation, hasTools));
  const start = () => void preload(parts).then(then);
  if (moment !== 'opened') start();
  else if ('requestIdleCallback' in globalThis) requestIdleCallback(start, { timeout: QUIET });
  else setTimeout(start, QUIET);
}
