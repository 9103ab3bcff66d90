/** Creates the services that a panel provides to its parts. */
import type { ConversationSurface } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import type { PanelServices } from '../context.js';
import type { Announcer } from './announcer.js';
import type { DialogApprovals } from './dialog-approvals.js';
import type { ApprovalFocus } from './approval-focus.js';

/** The part of the panel that the services need. It is read with each request. */
export interface ServicesPanel {
  readonly lang: string;
  readonly feedbackUrl: string;
  readonly surface: ConversationSurface | undefined;
}

export function createServices(
  panel: ServicesPanel,
  texts: Texts,
  approvalFocus: ApprovalFocus,
  dialogApprovals: DialogApprovals,
  announcer: () => Announcer | undefined,
): PanelServices {
  return {
    texts,
    lang: panel.lang,
    feedbackUrl: panel.feedbackUrl,
    tools: () => panel.surface?.tools() ?? Promise.resolve([]),
    draw: (requestId) => {
      const node = panel.surface?.draw?.(requestId);
      return node instanceof Node ? node : undefined;
    },
    follow: (messageId, listener) => panel.surface?.follow(messageId, listener) ?? (() => {}),
    ...(dialogApprovals.areInDialog && { placement: (requestId: string) => dialogApprovals.placement(requestId) }),
    announce: (sentence) => announcer()?.say(sentence),
    present: (heading, sentence) => {
      if (!approvalFocus.moveTo(heading)) announcer()?.say(sentence);
    },
    lift: (requestId) => dialogApprovals.lift(requestId),
    returnFocus: (from, isAskedAgain) => approvalFocus.returnFocus(from, isAskedAgain),
  };
}
