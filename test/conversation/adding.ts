/** A conversation with one tool, `add`, which notes the arguments it runs with. */
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';

export function adding(options: ConversationOptions): { chat: Conversation; ran: Record<string, unknown>[] } {
  const defaults: ConversationOptions = { endpoint: 'http://model.test/chat', wire: 'cutie', logLevel: 'off' };
  // The caller's own object: options are read anew for each turn.
  const chat = createConversation(Object.assign(options, { ...defaults, ...options }));
  const ran: Record<string, unknown>[] = [];
  chat.registerTool({
    name: 'add',
    description: 'Adds an item.',
    risk: 'write',
    parameters: { type: 'object', properties: { item: { type: 'string' }, count: { type: 'integer' } }, required: ['item'] },
    execute(args: Record<string, unknown>) {
      ran.push(args);
      return `added ${String(args['item'])}`;
    },
  });
  return { chat, ran };
}
