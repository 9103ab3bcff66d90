/** What the widget's own elements can ask of a conversation on behalf of a person. Allowing a call is not among it; see `internals.ts`. */
import type { Actor } from 'xstate';
import type { Texts } from '../i18n/en.js';
import type { Audience } from './view/audience.js';
import { isAtLimit } from './chart/conversation-changes.js';
import type { conversationMachine } from './chart/conversation-machine.js';
import type { Keeping } from './keeping/keeping-host.js';
import type { LayeredMemory } from './remembering/layered-memory.js';
import type { LiveReply } from './reply/live-reply.js';
import type { Settings } from './options/settings.js';
import type { ConversationSurface } from '../model/snapshot.js';
import type { Troubles } from './host/recovery-ui.js';
import type { TurnQueue } from './host/turn-queue.js';
import type { ConversationEvent } from './chart/chart-context.js';
import type { Turns } from './host/turns.js';
import type { Undoing } from './calls/undo.js';
import type { Speaker } from './request/prompt-input.js';

export interface SurfaceDependencies {
  chart: Actor<typeof conversationMachine>;
  audience: Audience;
  turns: Turns;
  queue: TurnQueue;
  memory: LayeredMemory;
  troubles: Troubles;
  undoing: Undoing;
  keeping: Keeping;
  speaker: Speaker;
  /** Of this tab, or of the one that is at work. */
  live(): LiveReply | null;
  settings(): Settings;
  texts(): Texts;
  say(event: ConversationEvent): void;
  revoke(grantId: string): void;
  stop(): void;
}

export function createSurface(from: SurfaceDependencies): ConversationSurface {
  const { chart, audience, turns, queue, memory, troubles, undoing, keeping, speaker, live, settings, texts, say, revoke, stop } = from;
  return {
    get view() {
      return audience.view;
    },
    subscribe: audience.watch,
    follow(messageId, listener) {
      const reply = live();
      return reply?.messageId === messageId ? reply.follow(listener) : () => undefined;
    },
    send: turns.sendByPerson,
    unqueue: queue.remove,
    sendResults: turns.sendResults,
    tools: async () => (await import('./request/prompt-context.js')).toolChoices(settings(), speaker),
    stop,
    ...troubles.surface,
    continue() {
      if (isAtLimit(chart.getSnapshot().context)) void turns.retry({ goOn: true });
      else turns.sendByPerson(texts().continueAnswer);
    },
    memory: { edit: memory.edit, forget: memory.forget, forgetAll: memory.forgetAll },
    revoke,
    undo(requestId, { back = false } = {}) {
      if (!keeping.elsewhere({ type: 'undo', requestId, back })) undoing.undoByPerson(requestId, back);
    },
    draft: keeping.write,
    dismissError() {
      say({ type: 'user.dismiss' });
    },
  };
}
