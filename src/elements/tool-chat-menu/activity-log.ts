/** The activity log: every call that changed something or may have done so, was denied, or failed; newest first. */
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';

const LOGGED_STATUSES = new Set<CardView['status']>(['success', 'error', 'denied', 'interrupted', 'undone']);

/** Returns the calls for the activity log. Successful read-only calls are left out; they are visible in the conversation. */
export function activitiesOf({ views, cards }: Pick<ViewSnapshot, 'views' | 'cards'>): CardView[] {
  const ids = views.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.requestId] : [])));
  return [...new Set(ids)]
    .flatMap((id) => (Object.hasOwn(cards, id) ? [cards[id] as CardView] : []))
    .filter(({ status, call }) => LOGGED_STATUSES.has(status) && !(status === 'success' && call?.risk === 'query'))
    .reverse();
}

/** Returns the result of a call and who decided, in words. */
export function activityOutcome({ status, call, result, undo }: CardView, texts: Texts): string[] {
  const decidedBy = { person: texts.youAllowed, grant: texts.youAllowedBefore }[call?.decidedBy as string];
  switch (status) {
    case 'denied':
      return [!result?.message || result.message === texts.declined ? texts.youDeclined : result.message];
    case 'error':
      return [result?.message || texts.toolFailed, ...(decidedBy ? [decidedBy] : [])];
    case 'undone':
      return [texts.undone];
    case 'interrupted':
      return [texts.interrupted];
    default:
      return [...(undo === 'unsure' || undo === 'retry' ? [texts.undoUnsure] : []), ...(decidedBy ? [decidedBy] : [])];
  }
}
