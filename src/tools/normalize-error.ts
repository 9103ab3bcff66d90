/** Converts an error that a tool threw to an outcome. Loaded when a tool first throws; never throws itself. */
import { ToolError, type ErrorCode, type ErrorType } from '../base/errors.js';
import { fullEnglish, type Texts } from '../i18n/en.js';
import { readField } from '../base/objects.js';
import { messageOf, toPlain } from '../base/plain.js';
import { CODES, errorTypeOf, outcomes, TYPES, unsuccessful, type Outcome } from './result.js';

fullEnglish();

/**
 * Converts anything a tool throws, including `undefined` or a proxy whose getters throw.
 *
 * @param body the body of a thrown `Response`, if the caller has read it
 */
export function normalizeError(thrown: unknown, texts: Texts, body = ''): Outcome {
  const [name, status, said] = ['name', 'status', 'message'].map((key) => readField(thrown, key));
  if (name === 'AbortError') return outcomes.cancelled(texts);
  const message = messageOf(thrown);
  const outcome =
    typeof status === 'number'
      ? apiError(status, body || (typeof said === 'string' ? said : ''), texts)
      : unsuccessful('error', 'EXECUTION_FAILED', message || texts.toolFailed);
  const errorType = connectionError(thrown, message) ?? errorTypeOf(status);
  if (errorType) outcome.errorType = errorType;
  if (isToolError(thrown)) return passThrough(outcome, thrown);
  // A service that refuses has done nothing. Any other error may have come after an effect.
  if (typeof status !== 'number' || status < 400 || status >= 499) outcome.unsure = true;
  return outcome;
}

/** Recognizes a lost connection or a time-out. The request may have arrived nevertheless. */
function connectionError(thrown: unknown, message: string): 'network' | 'timeout' | undefined {
  const [name, cause, own] = ['name', 'cause', 'code'].map((key) => readField(thrown, key));
  const code = String(own ?? readField(cause, 'code') ?? '');
  if (name === 'TimeoutError' || LATE.has(code)) return 'timeout';
  return (name === 'TypeError' && NO_CONNECTION.test(message)) || LOST.has(code) ? 'network' : undefined;
}

/** Creates the outcome of an HTTP error. The user reads the service's own message; the model and the log get the status, too. */
const apiError = (status: number, detail: string, texts: Texts): Outcome => ({
  ...unsuccessful('error', 'API_ERROR', texts.serviceAnswered(sentenceOf(detail.trim()))),
  modelMessage: texts.apiError(status, detail),
});

/** Returns the message of an error body for the user: none for HTML, and the message field of an object. */
function sentenceOf(body: string): string {
  if (body.startsWith('<')) return '';
  if (!body.startsWith('{') && !body.startsWith('[')) return body;
  try {
    const given: unknown = JSON.parse(body);
    const error = readField(given, 'error');
    const said = [readField(error, 'message'), ...['message', 'detail', 'title'].map((key) => readField(given, key)), error];
    return said.find((one): one is string => typeof one === 'string') ?? '';
  } catch {
    return '';
  }
}

function isToolError(thrown: unknown): thrown is ToolError {
  try {
    // The name is checked as well, because the page may load a second copy of the class.
    return thrown instanceof ToolError || readField(thrown, 'name') === 'ToolError';
  } catch {
    return false;
  }
}

function passThrough(outcome: Outcome, error: ToolError): Outcome {
  const [code, errorType, data] = [readField(error, 'code'), readField(error, 'errorType'), toPlain(readField(error, 'data'))];
  if (CODES.includes(code)) outcome.code = code as ErrorCode;
  if (TYPES.includes(errorType)) outcome.errorType = errorType as ErrorType;
  if (data !== undefined) outcome.data = data;
  const modelMessage = readField(error, 'modelMessage');
  if (typeof modelMessage === 'string') outcome.modelMessage = modelMessage;
  if (outcome.code === 'CANCELLED') outcome.status = 'cancelled';
  if (outcome.code === 'DENIED') outcome.status = 'denied';
  return outcome;
}

/** Error messages of Chromium, Firefox, WebKit and Node if a `fetch` failed to connect or lost the response. */
const NO_CONNECTION = /^(?:Failed to fetch|NetworkError|Load failed|fetch failed|network error|Error in input stream|terminated)/;

/** Error codes of Node, its `fetch` and axios. */
const LATE: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'ECONNABORTED',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND', 'EPIPE', 'ERR_NETWORK', 'UND_ERR_SOCKET']);
