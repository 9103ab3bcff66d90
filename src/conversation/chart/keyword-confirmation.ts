/**
 * What confirms a link of a chain: a person's button, a person's word, or either (`confirm-via`). A word decides on the same
 * path as a click (`internals.ts`, `decide`): a message, a method or an event that holds one confirms nothing. It is no message to the model,
 * which learns of it by the result; on screen it stands as what the person said, below the reply whose call it confirmed.
 */
import type { Call, CardView } from '../../model/calls.js';
import type { Settings } from '../options/settings.js';
import { load } from '../../base/load.js';
import { apply, isArray, textFunctions } from './own-functions.js';
import type { CallRecord, ConversationContext } from './chart-context.js';

/** On a call: it waits, or has waited, for being a further step. */
export const CHAIN_FLAG = 'chain';

/** No confirmation word is longer, in UTF-16 units. */
const WORD_CHARS = 64;

/** People write in another language than the screen's, too. */
const everywhere = ['confirm', 'yes', 'continue', '确认', '继续'];

type Wording = Pick<Settings, 'confirmKeywords' | 'texts'>;

const { normalize, split, toLowerCase, trim } = textFunctions;

/** As they are told to people and to the model: the host's, else those of the language. */
export function confirmWords({ confirmKeywords, texts }: Wording): readonly string[] {
  const given: unknown = confirmKeywords;
  const words: string[] = [];
  if (isArray(given)) for (let at = 0; at < given.length; at += 1) if (isWord(given[at])) words[words.length] = given[at] as string;
  return words.length > 0 ? words : (apply(split, texts.confirmWords, [' ']) as string[]);
}

const isWord = (given: unknown): boolean => typeof given === 'string' && given.length <= WORD_CHARS && plain(given) !== '';

/** Whether this is a confirmation word and nothing else. Case, space around it, width and a full stop do not count. */
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
 * What a person can confirm a waiting call by, where words are taken at all. A word is easily written: what would ask without a chain, too, needs
 * its button; so does a link below words of the model's own, which the word might answer. Then the word decides nothing, and is no message
 * that would close the call either.
 */
export function confirmBy(record: CallRecord, context: ConversationContext): CardView['confirm'] {
  const { confirmVia, callsPerTurn } = context.turn?.settings ?? {};
  if (record.status !== 'awaiting_approval' || confirmVia === undefined || confirmVia === 'buttons') return undefined;
  // Whether it runs once more is another question than the one a word was agreed on for.
  if (!isLink(record) || record.failed) return callsPerTurn === 'confirm-chain' ? 'button' : undefined;
  return isMild(record.call?.risk) && context.turn && !asksItself(context, context.turn.settings) ? confirmVia : 'button';
}

/** Whether this word, said now, confirms this call. */
export function wordCounts(record: CallRecord, word: string, context: ConversationContext): boolean {
  const by = confirmBy(record, context);
  return context.turn !== null && (by === 'keyword' || by === 'both') && isConfirmation(word, context.turn.settings);
}

/** True if a “yes” might answer something else than our own question. */
function asksItself(context: ConversationContext, wording: Wording): boolean {
  const words = wording.confirmKeywords === undefined ? [...confirmWords(wording), ...everywhere] : confirmWords(wording);
  return questions?.asksOtherwise(context, [...new Set(words.map(plain))]) ?? true;
}

let questions: typeof import('./own-question.js') | undefined;

/** Until it has come, only buttons confirm. */
export async function loadQuestions(): Promise<void> {
  questions ??= await load(() => import('./own-question.js')).catch(() => undefined);
}

export const isMild = (risk: string | undefined): boolean => risk === 'query' || risk === 'write';

/**
 * The person was asked about a call of this tool and said something else: until one of them is answered, or a confirmation word is the
 * message, none may run as if it were a first step, whatever its arguments are by now. `same`: it is the very call that was left.
 */
export function leftUnconfirmed(
  { messages, calls, turn }: ConversationContext,
  { requestId, toolName, digest }: Pick<Call, 'requestId' | 'toolName' | 'digest'>,
): 'same' | 'another' | undefined {
  const said = messages.findLast(({ role }) => role === 'user');
  if (!turn || isConfirmation(said?.text ?? '', turn.settings)) return undefined;
  // What is asked beside it in one reply, nobody has answered when it is looked at.
  const reply = calls.findLast((call) => call.requestId === requestId)?.messageId;
  const isOfTool = (call: CallRecord) => (call.call?.toolName ?? call.toolName) === toolName && call.messageId !== reply;
  const last = calls.findLast((call) => isOfTool(call) && (isAnswered(call) || isLeft(call)));
  if (!last || isAnswered(last)) return undefined;
  return last.call?.digest === digest ? 'same' : 'another';
}

const isAnswered = (call: CallRecord): boolean =>
  call.byPerson || call.call?.decidedBy === 'person' || (isLink(call) && call.status === 'denied');

const isLeft = (call: CallRecord): boolean => isLink(call) && call.status === 'cancelled' && !call.started;
