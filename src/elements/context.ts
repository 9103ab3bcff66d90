/**
 * The contexts that a panel provides to its parts. Any script can request a context, so nothing here can do more than the public methods.
 */
import { createContext } from '@lit/context';
import type { ReplyListener, ToolChoice, ViewSnapshot } from '../model/snapshot.js';
import type { Texts } from '../i18n/en.js';

export interface PanelServices {
  texts: Texts;
  /** BCP 47 language tag, for number formats. */
  lang: string;
  /** URL template for feedback on an answer, as the page wrote it. */
  feedbackUrl?: string;
  /** Returns the tools that the user can choose now. */
  tools(): Promise<readonly ToolChoice[]>;
  /** Returns the page's own rendering of a call's result, if its tool has one. */
  draw?(requestId: string): Node | undefined;
  follow(messageId: string, listener: ReplyListener): () => void;
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
