/** JSON-RPC as MCP speaks it, read with care: everything that a server says is outside content. */
import { isObject, own } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';

export type Fields = Record<string, unknown>;

/** What was asked and could not be had. `message` is the server's, or ours where it said none. */
export class McpError extends Error {
  /** Of JSON-RPC. */
  readonly code: number | undefined;
  /** Of HTTP. */
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

/** The messages of a text, a batch too; undefined where it is no JSON. What is no message of JSON-RPC is left out. */
export function readRpcMessages(text: string): Message[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  return [json].flat().flatMap((one) => readMessage(one));
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

/** Words of servers that do not know a session, in whatever status they put it. */
const NO_SESSION = /\bsession|not initiali[sz]ed|initiali[sz]e request/i;
/** The same, of servers and gateways that say nothing more. */
const SILENT_STATUSES: readonly (number | undefined)[] = [400, 410, 422];
/** JSON-RPC: what servers use for it where the status says success. */
const SESSION_CODES: readonly (number | undefined)[] = [-32_000, -32_001, -32_002, -32_600];

/** A restarted server has forgotten its sessions. 404 is the standard's word for it; many servers have others. */
export function isSessionLost(error: unknown, hadSession: boolean): error is McpError {
  if (!(error instanceof McpError) || error.why !== 'refused') return false;
  const { status, code, message } = error;
  if (status === 404) return hadSession || NO_SESSION.test(message);
  if (message === '') return hadSession && SILENT_STATUSES.includes(status);
  return NO_SESSION.test(message) && (status !== undefined || (hadSession && SESSION_CODES.includes(code)));
}

/** A call is refused with this code until the user has visited the pages that come with it. */
const URL_NEEDED = -32_042;

export function readPages(error: unknown): Fields[] {
  const pages = error instanceof McpError && error.code === URL_NEEDED ? own(error.data, 'elicitations') : undefined;
  return Array.isArray(pages) ? pages.filter(isObject).slice(0, 10) : [];
}

/** A value of a header: what is no plain ASCII goes in base64. */
export function headerText(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')) return value;
  const bytes = new TextEncoder().encode(value);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`;
}

/** Arguments that the server wants in the head of a request, too. */
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
