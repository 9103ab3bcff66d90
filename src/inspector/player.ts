/** A panel that replays a session. It has no model, its controls are disabled, and no tool runs. */
import { buildConversation } from '../conversation/build-conversation.js';
import { internalsOf } from '../conversation/host/internals.js';
import '../elements/tool-chat-message/tool-chat-message.js';
import { defineBanners } from '../elements/tool-chat-panel/lazy-banners.js';
import { createPanel } from '../elements/tool-chat-panel/tool-chat-panel.js';
import { fullEnglish, type Texts } from '../i18n/en.js';
import type { SessionFile } from '../storage/session-format.js';
import type { ToolDefinition } from '../tools/tool.js';

export interface Player {
  readonly panel: HTMLElement;
  /** Shows a session. Rejects with a `TypeError` if the data is not a session. */
  show(session: SessionFile): Promise<void>;
  close(): void;
}

/** @param tools the chat's tools: the player uses their labels, but cannot run them */
export function openPlayer(tools: readonly ToolDefinition[], texts: Texts, lang: string): Player {
  fullEnglish();
  defineBanners();
  const conversation = buildConversation({ texts, lang, logLevel: 'off' });
  const { attachPerson, surface } = internalsOf(conversation);
  attachPerson();
  for (const { name, description, label, icon, risk = 'danger', parameters, sensitive, verbs, describeCall } of tools) {
    const display = { name, description, label, icon, risk, parameters, sensitive, verbs, describeCall } as Partial<ToolDefinition>;
    conversation.registerTool({ ...display, execute: () => Promise.reject(new Error('Nothing runs in a replay.')) } as ToolDefinition);
  }
  const panel = createPanel();
  Object.assign(panel, { texts, lang, surface, inert: true });
  return {
    panel,
    show: (session) => conversation.importSession(session),
    close() {
      conversation.dispose();
    },
  };
}
