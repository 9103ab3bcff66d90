/** JSON-RPC messages of MCP. Everything that a server sends is untrusted content. */
import { isObject, own } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';

export type Fields = Record<string, unknown>;

/** A failed request. `message` is the server's, or ours if it sent none. */
export class McpError extends Error {
  /** Error code of JSON-RPC. */
  readonly code: number | undefined;
  /** Status of the HTTP response. */
  readonly status: number | undefined;
  readonly data: unknown;
  readonly why: 'refused' | 'network' | 'cut' | 'unreadable' | 'too-large';

  constructor(
    why: McpError['why'],
    message: string,
    more: { code?: number | undefined; status?: number | undefined; data?: unknown } = {},
  ) {
    super(cutText(message, 500));
    this.name = 'McpError';
    this.why = why;
    this.code = more.code;
    this.status = more.status;
    this.data = more.data;
  }
}

export type Message =
  | { type: 'answer'; id: unknown; result?: Fields; error?: McpError }
  | { type: 'request'; id: string | number; method: string; params: Fields }
  | { type: 'notice'; method: string; params: Fields };

/** Maximum number of messages in one batch. */
export const MOST_MESSAGES = 100;

/** Parses the messages of a text, which may be a batch. Returns undefined if it is not JSON. Skips values that are no JSON-RPC messages. */
export function readRpcMessages(text: string): Message[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  // One more tells the caller that there are too many. Reading a million of them would block the page.
  return (Array.isArray(json) ? json.slice(0, MOST_MESSAGES + 1) : [json]).flatMap(readMessage);
}

function readMessage(json: unknown): Message[] {
  const [id, method, params, result, error] = ['id', 'method', 'params', 'result', 'error'].map((key) => own(json, key));
  const fields = isObject(params) ? params : {};
  if (typeof method === 'string') {
    if (typeof id === 'string' || typeof id === 'number') return [{ type: 'request', id, method, params: fields }];
    return [{ type: 'notice', method, params: fields }];
  }
  if (isObject(error)) return [{ type: 'answer', id, error: readMcpError(error) }];
  return isObject(result) ? [{ type: 'answer', id, result }] : [];
}

export function readMcpError(error: Fields, status?: number): McpError {
  const [code, message, data] = [own(error, 'code'), own(error, 'message'), own(error, 'data')];
  const said = typeof message === 'string' ? message : '';
  return new McpError('refused', said, { code: typeof code === 'number' ? code : undefined, status, data });
}

/** Matches the messages by which servers report an unknown session, under any status. */
const NO_SESSION = /\bsession|not initiali[sz]ed|initiali[sz]e request/i;
/** Statuses for an unknown session from servers and gateways that send no message. */
const SILENT_STATUSES: readonly (number | undefined)[] = [400, 410, 422];
/** JSON-RPC error codes that servers use for an unknown session when the HTTP status is a success. */
const SESSION_CODES: readonly (number | undefined)[] = [-32_000, -32_001, -32_002, -32_600];

/**
 * Checks whether an error means that the server has lost the session, as after a restart. The standard status is 404, but many servers use
 * others.
 */
export function isSessionLost(error: unknown, hadSession: boolean): error is McpError {
  if (!(error instanceof McpError) || error.why !== 'refused') return false;
  const { status, code, message } = error;
  if (status === 404) return hadSession || NO_SESSION.test(message);
  if (message === '') return hadSession && SILENT_STATUSES.includes(status);
  return NO_SESSION.test(message) && (status !== undefined || (hadSession && SESSION_CODES.includes(code)));
}

/** Error code of a call that is refused until the user has visited the pages in its data. */
const URL_NEEDED = -32_042;

export function readPages(error: unknown): Fields[] {
  const pages = error instanceof McpError && error.code === URL_NEEDED ? own(error.data, 'elicitations') : undefined;
  return Array.isArray(pages) ? pages.filter(isObject).slice(0, 10) : [];
}

/** Encodes a header value: base64 unless it is plain ASCII. */
export function headerText(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')) return value;
  const bytes = new TextEncoder().encode(value);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`;
}

/** Returns the arguments that the server wants as request headers, too. */
export function parameterHeaders(schema: Fields, args: Fields): Record<string, string> {
  const properties = own(schema, 'properties');
  const found: Record<string, string> = {};
  for (const [key, property] of isObject(properties) ? Object.entries(properties) : []) {
    const [name, value] = [own(property, 'x-mcp-header'), own(args, key)];
    if (typeof name === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(name) && ['string', 'number', 'boolean'].includes(typeof value))
      found[`mcp-param-${name.toLowerCase()}`] = headerText(String(value));
  }
  return found;
}

/** Returns the data as JSON, or undefined if it is nested too deeply. */
export function written(data: Fields): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
