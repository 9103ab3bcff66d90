/** The conversation of `tool-chat/core`. It includes the persistence that its options may need. */
import { buildConversation } from './build-conversation.js';
import type { Conversation, ConversationOptions } from './host/api.js';
import { createPersistedSession } from './persistence/persisted-session.js';

export type { Conversation, ConversationOptions, SendOptions } from './host/api.js';

export const createConversation = (options: ConversationOptions = {}): Conversation => buildConversation(options, createPersistedSession);
