/** The conversation as `tool-chat/core` has it, with all that its options may ask for at once. */
import { buildConversation } from './build-conversation.js';
import type { Conversation, ConversationOptions } from './host/api.js';
import { kept } from './keeping/kept.js';

export type { Conversation, ConversationOptions, SendOptions } from './host/api.js';

export const createConversation = (options: ConversationOptions = {}): Conversation => buildConversation(options, kept);
