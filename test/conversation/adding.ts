/** A conversation with one tool, `add`, which notes the arguments it runs with. */
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { CardView } from '../../src/model/calls.js';
import { until } from './talk.js';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';

type CallView = NonNullable<CardView['call']>;

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

/** The user of a conversation: sees its cards, and answers its question. */
export function userOf(chat: Conversation) {
  const { surface, attachPerson, decide } = internalsOf(chat);
  attachPerson();
  const cards = () => Object.values(surface.view.cards);
  const waiting = () => cards().find(({ status }) => status === 'awaiting_approval');
  return {
    cards,
    async question(): Promise<CallView> {
      await until(waiting, 'a question');
      return waiting()!.call!;
    },
    decide: ({ requestId, digest }: CallView, verdict: 'allow' | 'deny') => decide({ requestId, digest, verdict }),
  };
}
