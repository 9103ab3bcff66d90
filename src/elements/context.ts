/** What the parts of a panel are handed down. Any script can ask for a context, so nothing here can do more than the public methods. */
import { createContext } from '@lit/context';
import type { ReplyListener, ToolChoice, ViewSnapshot } from '../model/snapshot.js';
import type { Texts } from '../i18n/en.js';

export interface PanelServices {
  texts: Texts;
  /** BCP 47; for numbers. */
  lang: string;
  /** Where more can be said about an answer, as the page wrote it. */
  feedbackUrl?: string;
  /** What can be chosen now. */
  tools(): Promise<readonly ToolChoice[]>;
  /** The page's own view of what came of a call, where its tool has one. */
  draw?(requestId: string): Node | undefined;
  follow(messageId: string, listener: ReplyListener): () => void;
  /** Says one sentence to screen readers. */
  announce(sentence: string): void;
  /** A question has appeared: moves the focus to its heading if that disturbs nobody, else says the sentence. */
  attend(heading: HTMLElement, sentence: string): void;
  /** Under `approval-ui="dialog"`, and while questions are lifted into one: where the question of a waiting call stands; `later` = put off, so it stands on its card. */
  asks?(requestId: string): 'dialog' | 'later' | undefined;
  /** The browser cannot prove that a question is visible where it is: moves it into a dialog. False if there is none to move it to. */
  lift(requestId: string): boolean;
  /** This question is over: gives its focus to the next one, or to where people go on. `asksAnew`: another one is about to come for it. */
  returnFocus(from: HTMLElement, asksAnew?: boolean): void;
}

export const servicesContext = createContext<PanelServices>(Symbol('tool-chat services'));
export const viewContext = createContext<ViewSnapshot>(Symbol('tool-chat view'));
