import type { ToolChatMessage } from '../tool-chat-message/tool-chat-message.js';

/** Finds the card of a call among the messages, scrolls to it and focuses it. */
export async function revealCard(messages: Iterable<ToolChatMessage>, requestId: string): Promise<void> {
  for (const message of messages) {
    await message.updateComplete;
    for (const call of message.shadowRoot?.querySelectorAll('tool-chat-call') ?? []) {
      if (call.requestId !== requestId) continue;
      await call.updateComplete;
      const card = call.shadowRoot?.querySelector<HTMLElement>('[part=tool-card]');
      card?.scrollIntoView({ block: 'nearest' });
      card?.focus({ preventScroll: true });
      return;
    }
  }
}
