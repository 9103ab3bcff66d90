/** While a floating panel is closed, its button says what waits there. */
import { load } from '../base/load.js';
import type { ConversationSurface } from '../model/snapshot.js';
import type { News } from './launcher-news.js';
import { waitingIn } from './tool-chat-panel/status-line.js';
import type { ToolChat } from './tool-chat/tool-chat.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/** @returns to be called when the panel may have been opened, closed, or laid out another way */
export function watchClosed(panel: () => ToolChatPanel, surface: ConversationSurface): () => void {
  let news: News | undefined;
  /** So many messages were seen, or came back from the storage. */
  let seen = 0;
  /** Something is under way, or was when it was closed or since. */
  let awaited = false;

  const look = () => {
    const { view } = surface;
    const { host } = panel().getRootNode() as ShadowRoot;
    const closed = panel().layout === 'floating' && host && !(host as ToolChat).open;
    awaited = view.isLoading || (awaited && closed === true);
    if (!awaited) seen = view.views.length;
    if (!closed || (waitingIn(view) === 0 && (view.isLoading || view.views.length <= seen))) return news?.clear();
    load(() => import('./launcher-news.js')).then(
      ({ createNews }) => {
        news ??= createNews(host as HTMLElement & { show(): void }, panel);
        if (!(host as ToolChat).open) news.show(seen);
      },
      () => undefined,
    );
  };
  surface.subscribe(look);
  return look;
}
