/** The texts of an approval: its possible effect, its reason, and the labels of its two buttons. */
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

/** Returns a text that the effect of the call is unknown, if it is. */
export function unknownEffect({ describeFailed, rehearsed }: Call, texts: Texts): string | undefined {
  if (describeFailed) return texts.previewFailed;
  return rehearsed && !rehearsed.by ? texts.effectUnknown : undefined;
}

/** Longest label shown on a button, in characters. */
const MAX_VERB_LENGTH = 40;

/** Returns the labels of the two buttons. Every approval other than the plain one has labels of its own. */
export function verbsOf({ again, call, edited, toolName }: CardView, texts: Texts): CallVerbs {
  if (again !== undefined) return { allow: texts.runAgainButton, deny: texts.leaveIt };
  if (call?.flags?.includes('quoted')) return { allow: texts.run, deny: texts.skip };
  // A service chooses the names of its tools, so they never become the label of a button.
  const plain = { allow: texts.allow, deny: texts.deny };
  const named = call === undefined || call.flags?.includes('service') || call.label === toolName || call.label.length > MAX_VERB_LENGTH;
  const verbs = call?.verbs ?? (named ? plain : { allow: call.label, deny: texts.dont });
  return edited?.length ? { ...verbs, allow: texts.runEdited } : verbs;
}

/** Longest description of the call in the name of a button, in characters. */
const MAX_ABOUT_LENGTH = 200;

/**
 * Returns the accessible name of a button, which a screen reader may reach without the context around it. It begins with the visible label.
 *
 * @param cards the cards that the button acts on
 */
export function buttonLabel(act: string, cards: readonly Pick<CardView, 'call' | 'label'>[], texts: Texts): string {
  const all = cards.map((card) => headlineWithHost(card, texts)).join(texts.grantComma);
  const line = all
    .slice(0, 2 * MAX_ABOUT_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  const subject = line.length > MAX_ABOUT_LENGTH ? `${cutText(line, MAX_ABOUT_LENGTH - 1)}…` : line;
  if (subject === '') return act;
  return subject.startsWith(act) ? subject : texts.actOn(act, subject);
}

/** Returns true if the reason only says that approval is needed. Other reasons are always visible. */
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
