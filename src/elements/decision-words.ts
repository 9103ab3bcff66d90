/** The words of a decision: what a call could do, why it asks, and what its two buttons say. */
import type { Call, CallVerbs, CardView } from '../model/calls.js';
import type { Texts } from '../i18n/en.js';
import { cutText } from '../base/cut-text.js';
import { cardIcons } from './card-icons.js';
import { headlineWithHost } from './sentences.js';

export function riskIcon(risk: Call['risk']) {
  return { query: cardIcons.eye, write: cardIcons.pencil, danger: cardIcons.warning, undeclared: cardIcons.shield }[risk];
}

export function riskText({ risk, undoable }: Call, texts: Texts): string {
  if (risk === 'danger') return undoable ? texts.riskUndoable : texts.riskDanger;
  return { query: texts.riskQuery, write: texts.riskWrite, undeclared: texts.riskUndeclared }[risk];
}

/** That it is not known beforehand what would change, where that is so. */
export function unknownEffect({ describeFailed, rehearsed }: Call, texts: Texts): string | undefined {
  if (describeFailed) return texts.previewFailed;
  return rehearsed && !rehearsed.by ? texts.effectUnknown : undefined;
}

/** More of a label does not stand on a button. */
const VERB_CHARS = 40;

/** What the two buttons say: in all but the plain question, that it is another one. */
export function verbsOf({ again, call, edited, toolName }: CardView, texts: Texts): CallVerbs {
  if (again !== undefined) return { allow: texts.runAgainButton, deny: texts.leaveIt };
  if (call?.flags?.includes('quoted')) return { allow: texts.run, deny: texts.skip };
  // A service names its tools as it likes: what it says stands on no button.
  const plain = { allow: texts.allow, deny: texts.deny };
  const named = call === undefined || call.flags?.includes('service') || call.label === toolName || call.label.length > VERB_CHARS;
  const verbs = call?.verbs ?? (named ? plain : { allow: call.label, deny: texts.dont });
  return edited?.length ? { ...verbs, allow: texts.runEdited } : verbs;
}

/** The name of a button says what it is about. */
const ABOUT_CHARS = 200;

/**
 * The whole name of a button, which a screen reader may find without what stands around it. It begins with the words that are seen.
 *
 * @param cards what it is about
 */
export function nameOf(act: string, cards: readonly Pick<CardView, 'call' | 'label'>[], texts: Texts): string {
  const all = cards.map((card) => headlineWithHost(card, texts)).join(texts.grantComma);
  const line = all
    .slice(0, 2 * ABOUT_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  const about = line.length > ABOUT_CHARS ? `${cutText(line, ABOUT_CHARS - 1)}…` : line;
  if (about === '') return act;
  return about.startsWith(act) ? about : texts.actOn(act, about);
}

/** Says no more than that it asks. What else there is to say stands in view. */
export const isPlainReason = (reason: string, texts: Texts): boolean =>
  [
    texts.reasonDanger,
    texts.reasonUndeclared,
    texts.reasonAlways,
    texts.reasonUserRun,
    texts.reasonHostAsk,
    texts.reasonEdited,
    texts.reasonRehearsed,
  ].includes(reason);
