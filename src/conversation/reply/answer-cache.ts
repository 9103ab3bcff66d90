/** Answers the host keeps: the same question in the same state is asked once. Loaded only where there is an `answerCache`. */
import type { Log } from '../../base/logging.js';
import { canonicalJson, sha256 } from '../../tools/digest.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { ReplyDependencies } from './reply-reading.js';
import type { AnswerCache } from '../options/option-shapes.js';
import type { ComposedRequest } from '../request/prompt-input.js';

/** Milliseconds a cache may take; one that is slower than the model is none. */
const PATIENCE = 1000;

/** UTF-16 units. */
const ANSWER_CHARS = 1_048_576;

interface Question {
  endpoint: string;
  wire: string;
  model: string;
  maxTokens: number;
  said: ComposedRequest;
  /** Another one leads to other answers; see `clearCache`. */
  edition: number;
}

/** Everything that the answer depends on, as one short text. */
function keyOf({ endpoint, wire, model, maxTokens, said, edition }: Question): Promise<string> {
  const { messages, system, tools, config } = said;
  return sha256(canonicalJson({ endpoint, wire, model, maxTokens, system, tools, config, messages: asOne(messages), edition }));
}

/** Asked again with nothing else in between, a question stands where it stood: [Q, answer, Q] is [Q]. Later on, "continue" is not. */
function asOne(whole: ComposedRequest['messages']): unknown {
  const messages = whole.filter(({ example }) => !example);
  const last = messages.at(-1);
  const question = canonicalJson(last);
  const same = messages.every((message, at) => (at % 2 === 0 ? canonicalJson(message) === question : message.role === 'assistant'));
  return [...whole.filter(({ example }) => example), ...(same && messages.length % 2 === 1 ? [last] : messages)];
}

/** What the cache knows; undefined where it fails, is slow or gives no text. Never rejects. */
async function recall(
  cache: AnswerCache,
  key: string,
  log: Log,
  setTimer: (run: () => void, ms: number) => () => void,
): Promise<string | undefined> {
  let stop = () => {};
  try {
    const late = new Promise<undefined>((resolve) => {
      stop = setTimer(() => resolve(undefined), PATIENCE);
    });
    const answer: unknown = await Promise.race([cache.get(key), late]);
    return typeof answer === 'string' && answer !== '' && answer.length <= ANSWER_CHARS ? answer : undefined;
  } catch (error) {
    log.warn('answer.cache', 'The answer cache failed; asking instead', {}, { error });
    return undefined;
  } finally {
    stop();
  }
}

/** Not waited for: the answer is there. */
async function remember(cache: AnswerCache, key: string, answer: string, log: Log): Promise<void> {
  try {
    if (answer !== '' && answer.length <= ANSWER_CHARS) await cache.set(key, answer);
  } catch (error) {
    log.warn('answer.cache', 'The answer cache failed; the answer is not kept', {}, { error });
  }
}

/** One question, and what the cache says to it. */
export interface Kept {
  answer?: string;
  /** The model has answered, and made no call. */
  keep(answer: string): void;
}

/**
 * Undefined where a reply cannot come from a cache: it follows the results of calls. Asked for anew, an answer is not looked up, only kept.
 */
export async function askCache(
  cache: AnswerCache,
  input: ReplyInput,
  question: Pick<Question, 'wire' | 'said' | 'edition'>,
  { log, setTimer, privacy }: Pick<ReplyDependencies, 'log' | 'setTimer' | 'privacy'>,
): Promise<Kept | undefined> {
  const { turn, messages } = input;
  if (messages.findLast(({ status }) => status.type !== 'running')?.role !== 'user') return undefined;
  const { endpoint, model, maxTokens } = turn.settings;
  const key = await keyOf({ ...question, endpoint, model, maxTokens });
  const answer = turn.anew ? undefined : await recall(cache, key, log, setTimer);
  return {
    ...(answer !== undefined && { answer }),
    // A token in it may be another value's in another conversation.
    keep: (text) => void (privacy.inward(text) === text && remember(cache, key, text, log)),
  };
}
