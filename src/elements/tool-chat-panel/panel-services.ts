/** Creates the services that a panel provides to its parts. */
import type { ConversationSurface } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import type { PanelServices } from '../context.js';
import type { Announcer } from './announcer.js';
import type { DialogQuestions } from './dialog-questions.js';
import type { Headings } from './approval-focus.js';

/** The part of the panel that the services need. It is read with each request. */
export interface Serving {
  readonly lang: string;
  readonly feedbackUrl: string;
  readonly surface: ConversationSurface | undefined;
}

export function servicesOf(
  panel: Serving,
  texts: Texts,
  headings: Headings,
  questions: DialogQuestions,
  announcer: () => Announcer | undefined,
): PanelServices {
  return {
    texts,
    lang: panel.lang,
    feedbackUrl: panel.feedbackUrl,
    tools: () => panel.surface?.tools() ?? Promise.resolve([]),
    draw: (requestId) => {
      const drawn = panel.surface?.draw?.(requestId);
      return drawn instanceof Node ? drawn : undefined;
    },
    follow: (messageId, listener) => panel.surface?.follow(messageId, listener) ?? (() => {}),
    ...(questions.areInDialog && { asks: (requestId: string) => questions.asks(requestId) }),
    announce: (sentence) => announcer()?.say(sentence),
    attend: (heading, sentence) => {
      if (!headings.attend(heading)) announcer()?.say(sentence);
    },
    lift: (requestId) => questions.lift(requestId),
    returnFocus: (from, asksAnew) => headings.returnFocus(from, asksAnew),
  };
}
