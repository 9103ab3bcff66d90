/** States that the conversation's chart has twice: a reply is read in `plan` and in `respond`, and calls are worked on while one is read. */
import { and } from 'xstate';
import type { ConversationContext, ReplyInput, Turn } from './chart-context.js';
import { runningMessage } from './conversation-changes.js';

/** What happens to calls that are being worked on: in `tool_call`, and under `on-block` already while the reply is read. */
export const working = {
  'call.changed': { actions: ['note change', 'start what is ready'] },
  'call.settled': { actions: ['settle call', 'start what is ready'] },
  'user.allow': { actions: 'pass the decision on' },
  'user.deny': { actions: 'pass the decision on' },
  'call.granted': { actions: 'pass the grant on' },
  'user.edit': { actions: 'pass the edit on' },
} as const;

/** The states of a phase in which a reply is read. The same in `plan` and `respond`. */
export function replying<Closing extends string>(closing: Closing) {
  return {
    initial: 'streaming',
    on: { 'user.stop': stopping() },
    states: {
      streaming: {
        tags: 'streaming',
        entry: 'open a message',
        invoke: {
          id: 'readReply',
          src: 'readReply',
          input: ({ context }: { context: ConversationContext }): ReplyInput => ({
            turn: context.turn as Turn,
            messageId: runningMessage(context)?.id ?? '',
            messages: context.messages,
            parts: context.parts,
            calls: context.calls,
          }),
        },
        initial: 'text',
        states: {
          text: { on: { 'call.opened': 'parsing' } },
          parsing: { tags: 'parsing', on: { 'call.closed': 'text' } },
        },
        on: {
          'call.found': { actions: 'hold call' },
          'call.broken': { actions: 'note broken call' },
          'call.served': { actions: 'note served call' },
          ...working,
          'plan.due': { actions: 'note planning' },
          'plan.found': { actions: 'take the plan' },
          'plan.broken': { actions: 'note what is wrong with the plan' },
          'reply.ended': { target: 'ended', actions: 'keep reply' },
          'reply.cut': { target: '#conversation.idle', actions: ['keep reply', 'close open calls', 'conclude'] },
          'reply.failed': [
            { guard: 'another attempt is due', target: 'retrying', actions: 'schedule retry' },
            { target: '#conversation.idle', actions: ['keep reply', 'close open calls', 'conclude'] },
          ],
        },
      },
      retrying: {
        tags: 'retrying',
        after: { 'until the next attempt': 'streaming' },
        exit: 'forget retry',
      },
      ended: {
        always: [
          {
            guard: and(['the reply made calls', 'the rounds are used up']),
            target: '#conversation.idle',
            actions: ['close open calls', 'conclude: too many rounds'],
          },
          { guard: 'the reply made calls', target: '#conversation.tool_call' },
          { guard: 'the plan could not be read', target: '#conversation.respond' },
          { guard: 'a plan waits to begin', target: '#conversation.respond', actions: 'ask to begin' },
          { guard: 'the chosen tool can be asked for', target: '#conversation.respond', actions: 'ask for the chosen tool' },
          { guard: 'the chosen tool was not called', target: '#conversation.idle', actions: 'conclude: the chosen tool was not called' },
          { target: closing, actions: 'tell that nothing was asked for' },
        ],
      },
    },
  } as const;
}

/** A stop ends the turn in any state: the request closes, finished results are kept, the rest is cancelled (S2-62). */
export function stopping() {
  return { target: '#conversation.idle', actions: ['keep reply', 'close open calls', 'conclude'] } as const;
}
