/** What a card says in words: the one sentence, its object, and which arguments the sentence does not say. */
import { html } from 'lit';
import type { Call, CardView, Change } from '../model/calls.js';
import { own } from '../base/objects.js';
import type { Texts } from '../i18n/en.js';
import { argumentRows, renderVisible, valueText } from './value-view.js';
import { visibleText } from './visible-text.js';

/** What stands in quotation marks. Bounded, for the text may be anything. */
const OBJECTS = /“[^“”]{1,200}”|„[^„“”]{1,200}[“”]|«[^«»]{1,200}»|「[^「」]{1,200}」|『[^『』]{1,200}』|"[^"]{1,200}"/g;

/** The sentence of a call, else what its tool is called; a call may be so broken that it names none. */
export const headlineOf = ({ call, label }: Pick<CardView, 'call' | 'label'>, texts: Texts): string =>
  call?.sentence ?? (label || texts.couldNotRead);

/** With its object in bold. */
export function renderSentence(text: string): unknown {
  const parts: unknown[] = [];
  let from = 0;
  for (const { 0: object, index } of text.matchAll(OBJECTS)) {
    parts.push(
      renderVisible(text.slice(from, index)),
      object.slice(0, 1),
      html`<bdi class="object">${renderVisible(object.slice(1, -1))}</bdi>`,
      object.slice(-1),
    );
    from = index + object.length;
  }
  return [...parts, renderVisible(text.slice(from))];
}

export type ArgumentRow = [name: string, text: string];

/**
 * The arguments, in two: those that have to stand in view, and those that the sentence or what changes says. Whatever is doubtful stands in view.
 */
export function divided(call: Call, texts: Texts): { shown: ArgumentRow[]; folded: ArgumentRow[] } {
  const rows = argumentRows(call.args, texts);
  const { sentence } = call;
  if (sentence === undefined || call.describeFailed || call.flags?.some((flag) => flag !== 'quoted')) return { shown: rows, folded: [] };
  const changes = dividedChanges(call).shown.flatMap(({ before, after }) =>
    [before, after].filter((value) => value !== undefined).map(valueText),
  );
  const ids = rows.filter(([name]) => isId(name));
  // A sentence stands for an id only by a name that it did not get from the arguments themselves.
  const named = objectsIn(sentence).some((object) => !rows.some(([, text]) => text.includes(object)));
  const isSaid = ([name, text]: ArgumentRow): boolean => {
    if (isStrange(name) || isStrange(text)) return false;
    if (isListOfIds(name, own(call.args, name)) && isNamedOneByOne(call, own(call.args, name) as string[])) return true;
    return changes.includes(text) || stands(text, sentence) || (named && ids.length === 1 && isId(name) && isPlainId(text));
  };
  return { shown: rows.filter((row) => !isSaid(row)), folded: rows.filter(isSaid) };
}

/**
 * What would change, likewise: what becomes something else stands in view, and so does what is new as far as the sentence does not say it.
 */
export function dividedChanges({ args, preview = [], sentence = '', rehearsed }: Call): { shown: Change[]; folded: Change[] } {
  // Of several things each is named, whatever becomes of it; of a rehearsed call all that it would do.
  const each =
    preview.length > 0 &&
    Object.entries(args).some(([name, value]) => isListOfIds(name, value) && (value as string[]).length === preview.length);
  const isShown = ({ before, after }: Change) =>
    each || rehearsed !== undefined || (after !== undefined && (before !== undefined || !stands(valueText(after), sentence)));
  return { shown: preview.filter(isShown), folded: preview.filter((change) => !isShown(change)) };
}

/** Arguments that are ids, and that the sentence calls by a name. */
export const namedIds = (call: Call, texts: Texts): string[] =>
  divided(call, texts)
    .folded.map(([name]) => name)
    .filter((name) => isId(name) || isListOfIds(name, own(call.args, name)));

/** What a sentence is about. */
export const objectsIn = (sentence: string): string[] => [...sentence.matchAll(OBJECTS)].map(([object]) => object.slice(1, -1));

/** The sentence says how many, and what would change names each of them by something else than its id. */
const isNamedOneByOne = ({ preview = [], sentence = '' }: Call, ids: readonly string[]): boolean =>
  preview.length === ids.length && stands(String(ids.length), sentence) && preview.every(({ label }) => !ids.includes(label));

const isListOfIds = (name: string, value: unknown): boolean =>
  /(?:^|_|-)(?:ids|uuids)$/i.test(name) || /[a-z](?:Ids|IDs|Uuids)$/.test(name)
    ? Array.isArray(value) && value.every((id) => typeof id === 'string' && isPlainId(id))
    : false;

const isId = (name: string): boolean => /(?:^|_|-)(?:id|uuid)$/i.test(name) || /[a-z](?:Id|ID|Uuid)$/.test(name);
const isPlainId = (text: string): boolean => /^[\w:.-]{1,64}$/.test(text) && !/^(?:all|any|every|none)$/i.test(text);

const isStrange = (text: string): boolean => {
  const { hidden, mixed } = visibleText(text);
  return hidden > 0 || mixed.length > 0;
};

/** Whether a sentence holds a text as a whole: `5` does not stand in `15`, in `5.5` or in `5th`. */
function stands(text: string, sentence: string): boolean {
  if (text.length > 200) return false;
  for (let at = sentence.indexOf(text); at !== -1 && text !== ''; at = sentence.indexOf(text, at + 1))
    if (isEdge(sentence.slice(0, at).at(-1)) && isEdge(sentence.slice(at + text.length).replace(/^[.,]$/, '')[0])) return true;
  return false;
}

const isEdge = (character: string | undefined): boolean =>
  character === undefined || /[\s“”„«»"「」『』（）()\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、：]/u.test(character);
