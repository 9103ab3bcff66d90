/** The texts of a card: the sentence, its object, and the arguments that the sentence does not state. */
import { html } from 'lit';
import type { Call, CardView, Change } from '../model/calls.js';
import { own } from '../base/objects.js';
import type { Texts } from '../i18n/en.js';
import { labelWithHost } from '../model/label-with-host.js';
import { isId, isListOfIds, objectsIn, OBJECTS, unquoted } from '../model/sentence-objects.js';
import { argumentRows, renderVisible } from './value-view.js';
import { visibleText } from './visible-text.js';

/** Returns the sentence of a call, else the label of its tool. A malformed call may have no label. */
export const headlineOf = ({ call, label }: Pick<CardView, 'call' | 'label'>, texts: Texts): string =>
  call?.sentence ?? (label || texts.couldNotRead);

/** Returns the headline with the host of the tool, for places that do not show the host otherwise. */
export const headlineWithHost = (card: Pick<CardView, 'call' | 'label'>, texts: Texts): string =>
  labelWithHost({ label: headlineOf(card, texts), ...(card.call?.toolHost && { toolHost: card.call.toolHost }) }, texts);

/** Renders a sentence with its object in bold. */
export function renderSentence(text: string): unknown {
  const parts: unknown[] = [];
  let from = 0;
  for (const { 0: object, index } of text.matchAll(OBJECTS)) {
    const name = unquoted(object);
    const start = object.indexOf(name, 1);
    const written = html`<bdi class="object">${renderVisible(name)}</bdi>`;
    parts.push(renderVisible(text.slice(from, index)), object.slice(0, start), written, object.slice(start + name.length));
    from = index + object.length;
  }
  return [...parts, renderVisible(text.slice(from))];
}

export type ArgumentRow = [name: string, text: string];

/**
 * Splits the arguments into those that must be visible and those that the sentence or the changes provably state (`Call.stated`). If in
 * doubt, an argument is visible.
 */
export function splitArguments(call: Call, texts: Texts): { shown: ArgumentRow[]; folded: ArgumentRow[] } {
  const rows = argumentRows(call.args, texts);
  const { sentence, stated } = call;
  if (sentence === undefined || !stated || call.describeFailed || call.flags?.some((flag) => flag !== 'quoted'))
    return { shown: rows, folded: [] };
  // A row that combines the rest of very many arguments is never stated.
  const isWhole = rows.length === Object.keys(call.args).length;
  const isStated = ([name, text]: ArgumentRow): boolean => isWhole && stated.args.includes(name) && !isStrange(name) && !isStrange(text);
  return { shown: rows.filter((row) => !isStated(row)), folded: rows.filter(isStated) };
}

/**
 * Splits the changes in the same way. A changed value is always visible; a new value is visible unless the sentence provably states it. A
 * deleted object that the sentence names in quotation marks is folded, and so are its parts, each with a label of its own.
 */
export function splitChanges({ args, preview = [], sentence = '', stated, rehearsed }: Call): { shown: Change[]; folded: Change[] } {
  // If a call affects several objects, each is visible. After a dry run, all changes are visible.
  const each =
    preview.length > 0 &&
    Object.entries(args).some(([name, value]) => isListOfIds(name, value) && (value as string[]).length === preview.length);
  const objects = objectsIn(sentence);
  const isNamed = (text: unknown) => typeof text === 'string' && objects.includes(text.trim());
  const gone = preview.filter(({ after }) => after === undefined);
  const areParts =
    gone.filter(({ before }) => isNamed(before)).length === 1 && new Set(gone.map(({ label }) => label)).size === gone.length;
  const isShown = ({ label, before, after }: Change, at: number) =>
    each ||
    rehearsed !== undefined ||
    (after === undefined ? !areParts && !isNamed(label) : before !== undefined || !stated?.changes.includes(at));
  return { shown: preview.filter(isShown), folded: preview.filter((change, at) => !isShown(change, at)) };
}

/** Returns the names of arguments that are ids and that the sentence replaces with a name. */
export const namedIds = (call: Call, texts: Texts): string[] =>
  splitArguments(call, texts)
    .folded.map(([name]) => name)
    .filter((name) => isId(name) || isListOfIds(name, own(call.args, name)));

const isStrange = (text: string): boolean => {
  const { hidden, mixed } = visibleText(text);
  return hidden > 0 || mixed.length > 0;
};
