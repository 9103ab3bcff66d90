/**
 * Confirms a further call of a chain: by the user's click, by a word, or by either (`confirm-via`). A word takes the same path as a click
 * (`internals.ts`, `decide`): a message, a method or an event that contains it confirms nothing. The word is not sent to the model, which
 * learns of the confirmation from the result. On screen it is shown as the user's text below the reply whose call it confirmed.
 */
import type { Call, CardView } from '../../model/calls.js';
import type { Settings } from '../options/settings.js';
import { load } from '../../base/load.js';
import { apply, isArray, textFunctions } from './captured-functions.js';
import type { CallRecord, ConversationContext } from './chart-context.js';

/** The flag of a call that needs, or needed, confirmation because it is a further step of a chain. */
export const CHAIN_FLAG = 'chain';

/** Maximum length of a confirmation word, in UTF-16 units. */
const WORD_CHARS = 64;

/** Words that also count unless the host sets its own: users may write in another language than the screen's. */
const everywhere = ['confirm', 'yes', 'continue', '确认', '继续'];

type Wording = Pick<Settings, 'confirmKeywords' | 'texts'>;

const { normalize, split, toLowerCase, trim } = textFunctions;

/** Returns the confirmation words as shown to the user and the model: the host's, or else those of the language. */
export function confirmWords({ confirmKeywords, texts }: Wording): readonly string[] {
  const given: unknown = confirmKeywords;
  const words: string[] = [];
  if (isArray(given)) for (let at = 0; at < given.length; at += 1) if (isWord(given[at])) words[words.length] = given[at] as string;
  return words.length > 0 ? words : (apply(split, texts.confirmWords, [' ']) as string[]);
}

const isWord = (given: unknown): boolean => typeof given === 'string' && given.length <= WORD_CHARS && plain(given) !== '';

/**
 * Checks whether the text is a confirmation word and nothing else. Case, surrounding spaces, character width and a final mark (`.`, `!`,
 * `。`) are ignored.
 */
export function isConfirmation(text: string, wording: Wording): boolean {
  if (text.length > WORD_CHARS) return false;
  const said = plain(text);
  const isAmong = (words: readonly string[]): boolean => {
    for (let at = 0; at < words.length; at += 1) if (plain(words[at] ?? '') === said) return said !== '';
    return false;
  };
  return isAmong(confirmWords(wording)) || (wording.confirmKeywords === undefined && isAmong(everywhere));
}

function plain(text: string): string {
  const bare = apply(toLowerCase, apply(trim, apply(normalize, text, ['NFKC']), []), []) as string;
  let word = '';
  for (let at = 0; at < bare.length; at += 1) if (at < bare.length - 1 || !isStop(bare[at])) word += bare[at] ?? '';
  return word;
}

const isStop = (character: string | undefined): boolean => character === '.' || character === '!' || character === '。';

export const isLink = ({ call }: CallRecord): boolean => call?.flags?.includes(CHAIN_FLAG) === true;

/**
 * Returns how the user can confirm a waiting call, if words are enabled. A word is easily typed, so a call that needs approval even outside
 * a chain needs its button. So does a call after text of the model that the word might answer. In these cases the word decides nothing, and
 * it is not sent as a message that would close the call either.
 */
export function confirmBy(record: CallRecord, context: ConversationContext): CardView['confirm'] {
  const { confirmVia, callsPerTurn } = context.turn?.settings ?? {};
  if (record.status !== 'awaiting_approval' || confirmVia === undefined || confirmVia === 'buttons') return undefined;
  // Running a failed call again is a different question than the one that the word is for.
  if (!isLink(record) || record.failed) return callsPerTurn === 'confirm-chain' ? 'button' : undefined;
  return isMild(record.call?.risk) && context.turn && !mayAskOtherQuestion(context, context.turn.settings) ? confirmVia : 'button';
}

/** Checks whether this word would confirm the call now. */
export function wordCounts(record: CallRecord, word: string, context: ConversationContext): boolean {
  const by = confirmBy(record, context);
  return context.turn !== null && (by === 'keyword' || by === 'both') && isConfirmation(word, context.turn.settings);
}

/** True if a “yes” might answer something other than our own question. */
function mayAskOtherQuestion(context: ConversationContext, wording: Wording): boolean {
  const words = wording.confirmKeywords === undefined ? [...confirmWords(wording), ...everywhere] : confirmWords(wording);
  return questions?.asksOtherQuestion(context, [...new Set(words.map(plain))]) ?? true;
}

let questions: typeof import('./detect-question.js') | undefined;

/** Loads the check for questions. Until it is loaded, only buttons confirm. */
export async function loadQuestions(): Promise<void> {
  questions ??= await load(() => import('./detect-question.js')).catch(() => undefined);
}

export const isMild = (risk: string | undefined): boolean => risk === 'query' || risk === 'write';

/**
 * Checks whether the user was asked about a call of this tool and replied with something else. Until the user answers such a call, or the
 * message is a confirmation word, no call of the tool may run as a first step, whatever its arguments. Returns `same` for exactly the call
 * that was left, `another` for other arguments, or undefined.
 */
export function leftUnconfirmed(
  { messages, calls, turn }: ConversationContext,
  { requestId, toolName, digest }: Pick<Call, 'requestId' | 'toolName' | 'digest'>,
): 'same' | 'another' | undefined {
  const said = messages.findLast(({ role }) => role === 'user');
  if (!turn || isConfirmation(said?.text ?? '', turn.settings)) return undefined;
  // Calls of the same reply do not count: the user cannot have answered them yet.
  const reply = calls.findLast((call) => call.requestId === requestId)?.messageId;
  const isOfTool = (call: CallRecord) => (call.call?.toolName ?? call.toolName) === toolName && call.messageId !== reply;
  const last = calls.findLast((call) => isOfTool(call) && (isAnswered(call) || isLeft(call)));
  if (!last || isAnswered(last)) return undefined;
  return last.call?.digest === digest ? 'same' : 'another';
}

const isAnswered = (call: CallRecord): boolean =>
  call.byPerson || call.call?.decidedBy === 'person' || (isLink(call) && call.status === 'denied');

const isLeft = (call: CallRecord): boolean => isLink(call) && call.status === 'cancelled' && !call.started;
