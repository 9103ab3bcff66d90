/** Converts anything that a tool returns or throws to one shape. Never throws; its results have a limited size. */
import type { CallStatus, PublishedResult, ToolResult } from '../model/calls.js';
import { load } from '../base/load.js';
import type { ErrorCode, ErrorType } from '../base/errors.js';
import type { Texts } from '../i18n/en.js';
import { deepFreeze, own } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { toPlain } from '../base/plain.js';
import { readableName } from '../base/readable-name.js';

/** The outcome of a call, before it is published. */
export interface Outcome extends ToolResult {
  status: CallStatus;
  /** The text for the model instead of `message`, for names and numbers that do not help the user. */
  modelMessage?: string;
  /** Set if the call may have had an effect although it failed. */
  unsure?: true;
}

/** Maximum UTF-16 units of a result's text for the model (`limits.resultChars`). */
export const RESULT_CHARS = 32_768;

/** Maximum length of a one-line text that serves as the sentence for the user; longer text is data. */
const SENTENCE_CHARS = 200;

export const CODES: readonly unknown[] = [
  ...(['TOOL_NOT_FOUND', 'MISSING_PARAMETER', 'INVALID_PARAMETER', 'EXECUTION_FAILED', 'API_ERROR'] satisfies ErrorCode[]),
  ...(['TIMEOUT', 'DENIED', 'CANCELLED', 'INTERRUPTED', 'MALFORMED_CALL'] satisfies ErrorCode[]),
];
export const TYPES: readonly unknown[] = [
  'rate_limit',
  'auth',
  'network',
  'timeout',
  'empty_result',
  'invalid_format',
] satisfies ErrorType[];
const GOOD_CODES: readonly unknown[] = [0, 200, '0', 'OK', 'SUCCESS'];

/**
 * Converts a tool's return value: a `ToolResult`, one of two other known shapes, or any other value.
 *
 * @param label the tool's label, for the sentence if the tool returns none
 */
export function normalizeResult(value: unknown, texts: Texts, label?: string): Outcome {
  const { success, message: said, data, code, errorType, unsure } = readShape(value) ?? { success: true, data: value };
  const plain = boundedData(data);
  const empty = Array.isArray(plain) && plain.length === 0;
  const isSentence = typeof plain === 'string' && plain.length <= SENTENCE_CHARS && plain.trim() && !plain.includes('\n');
  const sentence = said ?? (isSentence ? plain : empty ? texts.noResults : undefined);
  const message = sentence ?? (label === undefined ? texts.toolFinished : texts.toolDone(readableName(label)));
  const type = TYPES.includes(errorType) ? (errorType as ErrorType) : success && empty ? 'empty_result' : undefined;
  return {
    success,
    status: success ? 'success' : 'error',
    message,
    ...(sentence === undefined && label !== undefined && { modelMessage: texts.toolFinished }),
    ...(!success && { code: CODES.includes(code) ? (code as ErrorCode) : 'EXECUTION_FAILED' }),
    ...(type && { errorType: type }),
    ...(plain !== undefined && plain !== message && { data: plain }),
    ...(unsure && { unsure }),
  };
}

interface Shape {
  success: boolean;
  message?: string;
  data?: unknown;
  code?: unknown;
  errorType?: unknown;
  unsure?: true;
}

/** Reads the own fields of a known shape; returns `undefined` for any other value. */
function readShape(value: unknown): Shape | undefined {
  try {
    const [success, message, status, result, code, errorType, data] = SHAPE_KEYS.map((key) => own(value, key));
    if (typeof success === 'boolean' && typeof message === 'string') return { success, message, data, code, errorType };
    if ((status === 'success' || status === 'error') && typeof result === 'string')
      return { success: status === 'success', message: result, code, errorType };
    if (code === undefined || typeof message !== 'string') return undefined;
    const http = Number(code);
    const isGood = GOOD_CODES.includes(typeof code === 'string' ? code.toUpperCase() : code) || (http >= 200 && http < 300);
    if (errorType === undefined && isGood) return { success: true, message, data };
    if (CODES.includes(code)) return { success: false, message, data, code, errorType };
    const isHttp = http >= 400 && http < 600;
    const failed = { success: false, message, data, code: isHttp && 'API_ERROR', errorType: errorType ?? errorTypeOf(http) };
    // The service's own code may mean success as well: `{ code: 'CREATED' }`.
    return http >= 400 && http < 500 ? failed : { ...failed, unsure: true };
  } catch {
    return undefined; // a proxy that throws
  }
}

/**
 * Maximum number of values in a result, on all levels together. A longer list is cut and gets its total. Stored data may have 20,000
 * values.
 */
const MOST_VALUES = 19_990;

/** Returns plain data of limited size. A cut is marked by a separate field, not by an additional item. */
function boundedData(data: unknown): unknown {
  let cut = false;
  const plain = toPlain(data, { nodes: MOST_VALUES, onCut: () => (cut = true) });
  if (!cut) return plain;
  if (Array.isArray(plain)) return { items: plain, truncated: true, ...(Array.isArray(data) && { total: data.length }) };
  return typeof plain === 'object' && plain !== null ? { ...plain, truncated: true } : plain;
}

const SHAPE_KEYS = ['success', 'message', 'status', 'result', 'code', 'errorType', 'data'];

/**
 * Converts anything a tool throws, including `undefined` or a proxy whose getters throw. If the module for that cannot be loaded, returns a
 * general failure.
 *
 * @param body the body of a thrown `Response`, if the caller has read it
 */
export async function readThrown(thrown: unknown, texts: Texts, body = ''): Promise<Outcome> {
  const read = await load(() => import('./normalize-error.js')).catch(() => undefined);
  return read ? read.normalizeError(thrown, texts, body) : { ...unsuccessful('error', 'EXECUTION_FAILED', texts.toolFailed), unsure: true };
}

/** Returns the error type of an HTTP status. */
export function errorTypeOf(status: unknown): ErrorType | undefined {
  if (typeof status !== 'number') return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate_limit';
  if (status === 400 || status === 422) return 'invalid_format';
  return status >= 500 && status < 600 ? 'network' : undefined;
}

/**
 * Returns the text for the model: the error's code, the sentence, and the data as compact JSON on the following lines. At most `cap` UTF-16
 * units; a cut is marked.
 */
export function resultText(
  outcome: Pick<Outcome, 'message' | 'data' | 'code' | 'errorType' | 'modelMessage'>,
  texts: Texts,
  cap = RESULT_CHARS,
): string {
  const { message, modelMessage = message, data, code, errorType } = outcome;
  let text = code === undefined ? modelMessage : `${code}: ${modelMessage}`;
  if (errorType === 'empty_result') text += message === texts.noResults ? '' : `\n${texts.noResults}`;
  else if (data !== undefined) text += `\n${typeof data === 'string' ? data : JSON.stringify(data)}`;
  return shorten(text, cap, texts);
}

function shorten(text: string, cap: number, texts: Texts): string {
  if (text.length <= cap) return text;
  const kept = cutText(text, Math.max(0, cap - texts.truncated(text.length).length));
  return cutText(kept + texts.truncated(text.length - kept.length), cap);
}

export interface PublishOptions {
  requestId: string;
  toolName: string;
  texts: Texts;
  /** Duration in milliseconds; 0 if the tool never started. */
  durationMs?: number;
  /** Maximum UTF-16 units of the text for the model. */
  resultChars?: number;
  /** A note in front of the text for the model. */
  note?: string | undefined;
}

/** Creates the frozen result that is published to all listeners. */
export function publish(outcome: Outcome, options: PublishOptions): PublishedResult {
  const { requestId, toolName, texts, durationMs = 0, resultChars, note } = options;
  const text = resultText(outcome, texts, resultChars);
  const { modelMessage: _, unsure: __, data, ...known } = outcome;
  return deepFreeze({
    requestId,
    toolName,
    ...known,
    message: shorten(outcome.message, RESULT_CHARS, texts),
    result: note === undefined ? text : shorten(`${note}\n${text}`, resultChars ?? RESULT_CHARS, texts),
    durationMs,
    // `data` comes last, so that a limited copy cuts it and not the other fields.
    ...(data !== undefined && { data }),
  });
}

export function unsuccessful(status: CallStatus, code: ErrorCode, message: string, errorType?: ErrorType): Outcome {
  return { success: false, status, code, message, ...(errorType && { errorType }) };
}

/** Outcomes of calls whose tool never ran, or whose effect is unknown. */
export const outcomes = {
  denied: (texts: Texts, message = texts.declined) => unsuccessful('denied', 'DENIED', message),
  /** The call was closed by the next message or by stop, before it started. */
  notExecuted: (texts: Texts) => unsuccessful('cancelled', 'CANCELLED', texts.notExecuted),
  cancelled: (texts: Texts) => unsuccessful('cancelled', 'CANCELLED', texts.toolCancelled),
  timeout: (texts: Texts, ms: number) => unsuccessful('error', 'TIMEOUT', texts.toolTimeout(ms), 'timeout'),
  /** The definition that the call was bound to is gone. */
  gone: (texts: Texts, name: string) => ({
    ...unsuccessful('error', 'TOOL_NOT_FOUND', texts.toolMissing),
    modelMessage: texts.toolGone(name),
  }),
  /** The tool does not exist, or may not be used here. `modelMessage` lists the available ones. */
  missing: (texts: Texts, modelMessage: string, errorType: ErrorType = 'invalid_format') => ({
    ...unsuccessful('error', 'TOOL_NOT_FOUND', texts.toolMissing, errorType),
    modelMessage,
  }),
  refused: (code: ErrorCode, message: string, errorType: ErrorType = 'invalid_format') => unsuccessful('error', code, message, errorType),
};
