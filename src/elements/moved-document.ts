/**
 * Handles an element that was moved to another document than the one its script was loaded in. Style sheets belong to the first document,
 * so the element would be unstyled, and an unstyled approval must not be answered. The element shows a message until it is moved back.
 */
import { endedWithoutResult } from '../conversation/chart/call-records.js';
import type { Conversation } from '../conversation/conversation.js';
import type { ChatError } from '../base/errors.js';
import type { TurnResult } from '../model/messages.js';
import { defineOnce } from './define-once.js';
import { PanelAdoptedEvent } from './panel-requests.js';

/** An element without content that reports every document it is moved to. */
class AdoptionProbe extends HTMLElement {
  adoptedCallback() {
    this.dispatchEvent(new PanelAdoptedEvent());
  }
}

export interface MovedDocument {
  readonly error: ChatError;
  /** Returns a conversation for the other document: nothing is sent, and the error says why. */
  conversation(here: Conversation): Conversation;
}

/** Replaces everything the element showed with a message. `onReturn` is called once, when the element is in its own document again. */
export function showMovedDocument(element: HTMLElement, message: string, onReturn: () => void): MovedDocument {
  const root = element.shadowRoot;
  const box = element.ownerDocument.createElement('p');
  box.role = 'alert';
  box.textContent = message;
  defineOnce('tool-chat-away', AdoptionProbe);
  const probe = document.createElement('tool-chat-away');
  root?.replaceChildren(box, probe);
  probe.addEventListener(PanelAdoptedEvent.type, () => {
    if (element.ownerDocument !== document) return;
    root?.replaceChildren();
    onReturn();
  });

  const error: ChatError = { code: 'CONFIG', layer: 'business', message, retryable: false };
  const refused = (): Promise<TurnResult> =>
    Promise.resolve({ success: false, reason: 'error', text: '', results: [], error: { ...error } });
  return {
    error,
    conversation: (here) =>
      Object.create(here, {
        error: { value: message },
        ...Object.fromEntries(TURN_METHODS.map((name) => [name, { value: refused }])),
        executeToolManually: {
          value: ({ name }: { name: string }) => Promise.resolve(endedWithoutResult('', name, 'cancelled', 'CANCELLED', message)),
        },
      }) as Conversation,
  };
}

const TURN_METHODS = ['sendMessage', 'sendMessageWithTools', 'retryLastMessage', 'regenerate', 'editMessage'] as const;
