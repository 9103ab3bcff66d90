/** The moments at which parts are loaded ahead. A part that fails to load is loaded when it is needed, and reported then. */
import { loadTwice, preload } from '../base/load.js';
import type { LoadAhead } from '../conversation/host/load-ahead.js';
import { loadMarkdown } from './tool-chat-message/load-markdown.js';

export type Moment = 'opened' | 'turn began';

type PreloadPart = (conversation: LoadAhead, hasTools: () => boolean) => unknown;

/** The parts to load, in the order in which they will be needed. */
const PRELOADS: Readonly<Record<Moment, readonly PreloadPart[]>> = {
  opened: [(conversation) => conversation.request()],
  'turn began': [
    (conversation) => conversation.calls(),
    (_, hasTools) => hasTools() && loadTwice(() => import('./cards.js')).then(({ defineCards }) => defineCards()),
    // Load Markdown early: rendering a message again above an approval would restart its delay.
    (_, hasTools) => hasTools() && loadMarkdown(),
  ],
};

/** Longest wait for an idle moment, in milliseconds. */
const MAX_IDLE_WAIT = 500;

/**
 * Loads parts before they are needed.
 *
 * @param then called when all parts have loaded or failed
 */
export function loadAhead(moment: Moment, conversation: LoadAhead, hasTools: () => boolean, then: () => unknown = () => undefined): void {
  const parts = PRELOADS[moment].map((part) => async () => part(conversation, hasTools));
  const start = () => void preload(parts).then(then);
  if (moment !== 'opened') start();
  else if ('requestIdleCallback' in globalThis) requestIdleCallback(start, { timeout: MAX_IDLE_WAIT });
  else setTimeout(start, MAX_IDLE_WAIT);
}
