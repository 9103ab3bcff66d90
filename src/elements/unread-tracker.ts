/** Shows waiting messages and approvals on the launcher button while a floating panel is closed. */
import { load } from '../base/load.js';
import type { ConversationSurface } from '../model/snapshot.js';
import type { UnreadBadge } from './unread-badge.js';
import { countWaiting } from './tool-chat-panel/status-line.js';
import type { ToolChat } from './tool-chat/tool-chat.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** @returns a function to be called when the panel may have been opened, closed or given another layout */
export function trackUnread(panel: () => ToolChatPanel, surface: ConversationSurface): () => void {
  let badge: UnreadBadge | undefined;
  /** Number of messages that the user has already seen, or that were restored from storage. */
  let seen = 0;
  /** True if a turn is running, or has run since the panel was closed. */
  let hasTurn = false;

  const update = () => {
    const { view } = surface;
    const { host } = panel().getRootNode() as ShadowRoot;
    const closed = panel().layout === 'floating' && host && !(host as ToolChat).open;
    hasTurn = view.isLoading || (hasTurn && closed === true);
    if (!hasTurn) seen = view.views.length;
    if (!closed || (countWaiting(view) === 0 && (view.isLoading || view.views.length <= seen))) return badge?.clear();
    load(() => import('./unread-badge.js')).then(
      ({ createUnreadBadge }) => {
        badge ??= createUnreadBadge(host as HTMLElement & { show(): void }, panel);
        if (!(host as ToolChat).open) badge.show(seen);
      },
      () => undefined,
    );
  };
  surface.subscribe(update);
  return update;
}
