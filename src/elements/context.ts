/**
 * The contexts that a panel provides to its parts, and the base classes of these parts. Any script can request a context, so nothing here can do more than the public methods and
 * the panel's own property `surface`: nothing decides about a call.
 */
import { ContextConsumer, createContext } from '@lit/context';
import { LitElement } from 'lit';
import type { ConversationSurface, ViewSnapshot } from '../model/snapshot.js';
import type { Texts } from '../i18n/en.js';

export interface PanelServices {
  texts: Texts;
  /** BCP 47 language tag, for number formats. */
  lang: string;
  /** URL template for feedback on an answer, as the page wrote it. */
  feedbackUrl?: string;
  /** The actions on the conversation. */
  surface: ConversationSurface | undefined;
  /** Sends a message, and keeps the newest message visible. */
  send: ConversationSurface['send'];
  /** Brings the card of a call into view. */
  reveal(requestId: string): void;
  /** Reopens the dialog with the approvals. */
  resume(): void;
  /** Announces one sentence to screen readers. */
  announce(sentence: string): void;
  /**
   * Called when an approval appears. Moves the focus to its heading if the user is not busy elsewhere; otherwise announces the sentence.
   */
  present(heading: HTMLElement, sentence: string): void;
  /**
   * Returns where the approval of a waiting call is displayed, with `approval-ui="dialog"` or while approvals are in a dialog. `later`: it
   * was postponed and is on its card.
   */
  placement?(requestId: string): 'dialog' | 'later' | undefined;
  /**
   * Moves an approval into a dialog, because the browser cannot prove that it is visible in its place. Returns false if there is no dialog
   * to move it to.
   */
  lift(requestId: string): boolean;
  /**
   * Called when this approval is over. Moves its focus to the next one, or to the composer. `isAskedAgain`: another approval for the same call
   * is about to appear.
   */
  returnFocus(from: HTMLElement, isAskedAgain?: boolean): void;
}

export const servicesContext = createContext<PanelServices>(Symbol('tool-chat services'));
export const viewContext = createContext<ViewSnapshot>(Symbol('tool-chat view'));

/** An element in a panel. It renders with the services of the panel, and again when they change. */
export class PanelElement extends LitElement {
  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });

  /** Undefined outside of a panel. */
  get services(): PanelServices | undefined {
    return this.#services.value;
  }
}

/** An element in a panel that also renders again with each change of the conversation. */
export class ViewElement extends PanelElement {
  readonly #view = new ContextConsumer(this, { context: viewContext, subscribe: true });

  /** The state of the conversation. Undefined outside of a panel. */
  get snapshot(): ViewSnapshot | undefined {
    return this.#view.value;
  }
}
