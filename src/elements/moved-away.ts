/**
 * An element in another document than the one its script was loaded in: style sheets belong to the first, so it would stand there
 * without its looks, and a question without its looks must not be answered. It says so instead, until it comes back.
 */
import { endedWithoutResult } from '../conversation/chart/call-records.js';
import type { Conversation } from '../conversation/conversation.js';
import type { ChatError } from '../base/errors.js';
import type { TurnResult } from '../model/messages.js';
import { defineOnce } from './define-once.js';
import { PanelAdoptedEvent } from './panel-requests.js';

/** Draws nothing, and is told of every document it comes to. */
class Scout extends HTMLElement {
  adoptedCallback() {
    this.dispatchEvent(new PanelAdoptedEvent());
  }
}

export interface MovedAway {
  readonly error: ChatError;
  /** What it answers there: nothing is sent, and the error says why. */
  conversation(here: Conversation): Conversation;
}

/** In the place of everything the element showed. `cameBack` is called once, when it is in its own document again. */
export function showMovedAway(element: HTMLElement, message: string, cameBack: () => void): MovedAway {
  const root = element.shadowRoot;
  const box = element.ownerDocument.createElement('p');
  box.role = 'alert';
  box.textContent = message;
  defineOnce('tool-chat-away', Scout);
  const scout = document.createElement('tool-chat-away');
  root?.replaceChildren(box, scout);
  scout.addEventListener(PanelAdoptedEvent.type, () => {
    if (element.ownerDocument !== document) return;
    root?.replaceChildren();
    cameBack();
  });

  const error: ChatError = { code: 'CONFIG', layer: 'business', message, retryable: false };
  const refused = (): Promise<TurnResult> =>
    Promise.resolve({ success: false, reason: 'error', text: '', results: [], error: { ...error } });
  return {
    error,
    conversation: (here) =>
      Object.create(here, {
        error: { value: message },
        ...Object.fromEntries(TURNS.map((name) => [name, { value: refused }])),
        executeToolManually: {
          value: ({ name }: { name: string }) => Promise.resolve(endedWithoutResult('', name, 'cancelled', 'CANCELLED', message)),
        },
      }) as Conversation,
  };
}

const TURNS = ['sendMessage', 'sendMessageWithTools', 'retryLastMessage', 'regenerate', 'editMessage'] as const;
