/** The services that a panel provides to its parts. */
import type { ConversationSurface } from '../../model/snapshot.js';
import type { PanelServices } from '../context.js';
import type { DialogApprovals } from './dialog-approvals.js';
import { matchesMedia } from '../../base/dom-features.js';
import type { ToolChatComposer } from '../tool-chat-composer/tool-chat-composer.js';

/** The part of the panel that the services need. */
export interface ServicesPanel {
  readonly lang: string;
  readonly feedbackUrl: string;
  readonly surface: ConversationSurface | undefined;
}

interface ServiceActions extends Pick<PanelServices, 'texts' | 'reveal'> {
  approvalFocus: ApprovalFocus;
  dialogApprovals: DialogApprovals;
  announce(sentence: string): void;
  /** Scrolls to the newest message and keeps it visible. */
  stick(): void;
}

export function createServices(
  { lang, feedbackUrl, surface }: ServicesPanel,
  { texts, reveal, approvalFocus, dialogApprovals, announce, stick }: ServiceActions,
): PanelServices {
  return {
    ...{ texts, lang, feedbackUrl, surface, reveal, announce },
    send(text, options = {}) {
      stick();
      // Repeat this after the click, because a click in a card of the log releases the end.
      requestAnimationFrame(stick);
      surface?.send(text, options);
    },
    resume: () => dialogApprovals.resume(),
    ...(dialogApprovals.areInDialog && { placement: (requestId: string) => dialogApprovals.placement(requestId) }),
    present: (heading, sentence) => {
      if (!approvalFocus.moveTo(heading)) announce(sentence);
    },
    lift: (requestId) => dialogApprovals.lift(requestId),
    returnFocus: (from, isAskedAgain) => approvalFocus.returnFocus(from, isAskedAgain),
  };
}

/** Decides where the focus moves when an approval appears and when it is over. */
export class ApprovalFocus {
  #headings: HTMLElement[] = [];
  /** True if the user has requested an approval that has not appeared yet. */
  #isExpected = false;
  readonly #panel: HTMLElement;
  readonly #composer: () => ToolChatComposer | null;

  constructor(panel: HTMLElement, composer: () => ToolChatComposer | null) {
    this.#panel = panel;
    this.#composer = composer;
  }

  /** Handles a new approval with this heading. Returns false if the focus stays where it is: the approval must be announced instead. */
  moveTo(heading: HTMLElement): boolean {
    this.#headings = [...this.#headings.filter((known) => known.isConnected), heading];
    const active = this.#panel.shadowRoot?.activeElement;
    // Never move the focus out of a text being typed, or from one approval to another.
    const expected = this.#isExpected;
    this.#isExpected = false;
    if (!active && !(expected && document.activeElement === document.body)) return false;
    if (!this.#composer()?.empty || active?.localName === 'tool-chat-message') return false;
    heading.focus();
    return true;
  }

  /** Handles the end of the approval in `from`: the focus moves to the next one, else to the text field. */
  returnFocus(from: HTMLElement, isAskedAgain = false): void {
    const active = this.#panel.shadowRoot?.activeElement;
    // The focused element may have been removed with its form. Never take the focus from another element.
    const isElsewhere = document.activeElement !== document.body && document.activeElement !== null;
    if (isAskedAgain ? isElsewhere : active?.localName !== 'tool-chat-message' && active !== from) return;
    const next = this.#headings.find((heading) => heading.isConnected && heading.getRootNode() !== from.shadowRoot);
    if (next) next.focus();
    else if (isAskedAgain) this.#isExpected = true;
    // On a touch screen, focusing the field would open the keyboard.
    else if (!matchesMedia('(pointer: coarse)')) this.#composer()?.focus();
  }
}
