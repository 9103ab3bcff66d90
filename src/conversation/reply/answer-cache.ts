/**
 * Looks up answers in the host's cache, so that the same question in the same state is asked only once. Loaded only if there is an
 * `answerCache`.
 */
import type { Log } from '../../base/logging.js';
import { canonicalJson, sha256 } from '../../tools/digest.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { ReplyDependencies } from './reply-reading.js';
import type { AnswerCache } from '../options/option-shapes.js';
import type { ComposedRequest } from '../request/prompt-input.js';

/** Time that a cache may take, in milliseconds. A cache that is slower than the model is of no use. */
const LOOKUP_TIMEOUT_MS = 1000;

/** Maximum length of an answer in the cache, in UTF-16 units. */
const ANSWER_CHARS = 1_048_576;

interface Question {
  endpoint: string;
  wire: string;
  model: string;
  maxTokens: number;
  said: ComposedRequest;
  /** A number that changes the key, so that earlier answers are not found any more; see `clearCache`. */
  edition: number;
}

/** Returns the key of a question: a digest of everything that the answer depends on. */
function keyOf({ endpoint, wire, model, maxTokens, said, edition }: Question): Promise<string> {
  const { messages, system, tools, config } = said;
  return sha256(canonicalJson({ endpoint, wire, model, maxTokens, system, tools, config, messages: asOne(messages), edition }));
}

/**
 * Reduces a question that was only repeated: [Q, answer, Q] becomes [Q]. Anything else stays, because "continue" depends on what precedes
 * it.
 */
function asOne(whole: ComposedRequest['messages']): unknown {
  const messages = whole.filter(({ example }) => !example);
  const last = messages.at(-1);
  const question = canonicalJson(last);
  const same = messages.every((message, at) => (at % 2 === 0 ? canonicalJson(message) === question : message.role === 'assistant'));
  return [...whole.filter(({ example }) => example), ...(same && messages.length % 2 === 1 ? [last] : messages)];
}

/** Returns the answer in the cache; undefined if the cache fails, is slow or has no text. Never rejects. */
async function readCached(
  cache: AnswerCache,
  key: string,
  log: Log,
  setTimer: (run: () => void, ms: number) => () => void,
): Promise<string | undefined> {
  let stop = () => {};
  try {
    const late = new Promise<undefined>((resolve) => {
      stop = setTimer(() => resolve(undefined), LOOKUP_TIMEOUT_MS);
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

/** Stores an answer. The reply does not wait for that, because the answer is already there. */
async function writeCached(cache: AnswerCache, key: string, answer: string, log: Log): Promise<void> {
  try {
    if (answer !== '' && answer.length <= ANSWER_CHARS) await cache.set(key, answer);
  } catch (error) {
    log.warn('answer.cache', 'The answer cache failed; the answer is not kept', {}, { error });
  }
}

/** A question, and its answer in the cache, if there is one. */
export interface CachedAnswer {
  answer?: string;
  /** Stores the answer of the model, which has made no call. */
  keep(answer: string): void;
}

/**
 * Looks up the answer to a question. Returns undefined if the reply cannot come from a cache, because it follows the results of calls. A
 * regenerated answer is not looked up, only stored.
 */
export async function askCache(
  cache: AnswerCache,
  input: ReplyInput,
  question: Pick<Question, 'wire' | 'said' | 'edition'>,
  { log, setTimer, privacy }: Pick<ReplyDependencies, 'log' | 'setTimer' | 'privacy'>,
): Promise<CachedAnswer | undefined> {
  const { turn, messages } = input;
  if (messages.findLast(({ status }) => status.type !== 'running')?.role !== 'user') return undefined;
  const { endpoint, model, maxTokens } = turn.settings;
  const key = await keyOf({ ...question, endpoint, model, maxTokens });
  const answer = turn.isRetry ? undefined : await readCached(cache, key, log, setTimer);
  return {
    ...(answer !== undefined && { answer }),
    // A token in the answer could belong to another private value in another conversation.
    keep: (text) => void (privacy.detokenize(text) === text && writeCached(cache, key, text, log)),
  };
}
