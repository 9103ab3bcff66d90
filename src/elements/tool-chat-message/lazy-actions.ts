/**
 * Loads the rarely used message actions when the user approaches the messages, by pointer or keyboard, but not their cards. If a message
 * has several versions, they are loaded immediately.
 */
import { load } from '../../base/load.js';
import type { MessageView } from '../../model/snapshot.js';
import type { renderMessageActions } from './message-actions.js';

let renderActions: typeof renderMessageActions | undefined;
const observedLogs = new WeakSet<Element>();
/**
 * Events that show the presence of a user. `pointerover` is left out, because it also fires when an element appears under a resting
 * pointer.
 */
const USER_EVENTS = ['pointermove', 'pointerdown', 'focusin'];

export function actionsRenderer(message: Element, { branch }: MessageView): typeof renderMessageActions | undefined {
  const log = message.closest('.messages') ?? message;
  if (!observedLogs.has(log)) observeUser(log);
  if (branch && !renderActions) void loadActions(log);
  return renderActions;
}

function observeUser(log: Element): void {
  observedLogs.add(log);
  const onEvent = (event: Event) => {
    if (event.composedPath().some((one) => (one as Element).localName === 'tool-chat-call')) return;
    void loadActions(log).then(() => renderActions && USER_EVENTS.forEach((type) => log.removeEventListener(type, onEvent)));
  };
  // No `signal` option: under Jest, a signal of Node is passed to a listener of jsdom, which rejects it.
  for (const type of USER_EVENTS) log.addEventListener(type, onEvent);
}

async function loadActions(log: Element): Promise<void> {
  try {
    renderActions ??= (await load(() => import('./message-actions.js'))).renderMessageActions;
  } catch {
    return; // the next event tries again
  }
  for (const one of log.querySelectorAll('tool-chat-message')) one.requestUpdate();
}
