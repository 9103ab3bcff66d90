/** Who may act on a conversation: of several tabs one; under `storage="session"` the tab itself, for its storage is its own. */
import { joinTabs, type Tabs as AllTabs, type TabsOptions } from '../../storage/tabs.js';

export type Tabs = Pick<AllTabs, 'isLeader' | 'tell' | 'request' | 'takeOver' | 'leave'>;

export function joinConversation(area: 'session' | 'indexeddb', options: TabsOptions): Tabs {
  return area === 'indexeddb' ? joinTabs(options) : alone(options);
}

function alone({ onLeader, onRequest }: TabsOptions): Tabs {
  let isLeader = false;
  let hasLeft = false;
  queueMicrotask(() => {
    if (hasLeft) return;
    isLeader = true;
    onLeader?.(true);
  });
  return {
    get isLeader() {
      return isLeader;
    },
    tell() {},
    request: async (name, body) => onRequest?.(name, body),
    takeOver: () => Promise.resolve(isLeader),
    leave() {
      hasLeft = true;
      isLeader = false;
    },
  };
}
