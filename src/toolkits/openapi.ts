/** Creates tools from an OpenAPI document: one per operation, with the same approval rules as any other tool. */
import { ToolError } from '../base/errors.js';
import { isObject, own, readField } from '../base/objects.js';
import { createLog } from '../base/logging.js';
import { readBody } from '../base/read-body.js';
import type { Logger } from '../base/log.js';
import type { Risk } from '../model/calls.js';
import type { ToolContext, ToolDefinition } from '../tools/tool.js';
import { withReport } from '../tools/load-report.js';
import { sourceAt, withSource } from '../tools/tool-source.js';
import { readResponse } from './read-response.js';
import { readOperations, type OpenApiOperation, type ReadOperation } from './openapi-operations.js';
import { addressUnder, makeRequest } from './openapi-request.js';
import { reportOf, reportTexts } from './openapi-report.js';
import { toolkitTextsFor } from './toolkit-texts.js';

export interface OpenApiOptions {
  /** Selects the operations that become tools: a function, or tags, tool names and `operationId`s. Default: all. */
  filter?: ((operation: OpenApiOperation) => boolean) | readonly string[];
  /**
   * Headers that authenticate a request, requested for every call. They never appear in a prompt or a log. A key that the document expects
   * in the query is sent there, under its name.
   */
  auth?: Record<string, string> | ((operation: OpenApiOperation) => Record<string, string> | Promise<Record<string, string>>);
  /**
   * The address of the service. Default: the document's first server. Required with `auth` if that is at another origin than the document.
   */
  baseUrl?: string | URL;
  /**
   * True if you trust the document's descriptions: they then do not count as untrusted content that makes changes by other tools need
   * approval. Default: true for a document that you pass as an object or that comes from the page's own origin, else false.
   */
  trusted?: boolean;
  /** The risk by tool name or `operationId`, or a function. Default: GET and QUERY `query`, POST, PUT and PATCH `write`, DELETE `danger`. */
  risk?: Record<string, Risk> | ((operation: OpenApiOperation) => Risk | undefined);
  /** The `fetch` for all requests. Default: the page's. */
  fetch?: typeof globalThis.fetch;
  /** Language of the texts that its tools show to the user. Default: the page's. */
  lang?: string;
  /** The logger. Default: the console. */
  logger?: Logger;
}

/** Maximum bytes of a document, and milliseconds to load it. The largest that are in use have about 40 MB. */
const MOST_BYTES = 64_000_000;
const LOADING_MS = 60_000;

const RISKS: Record<string, Risk> = { GET: 'query', QUERY: 'query', POST: 'write', PUT: 'write', PATCH: 'write', DELETE: 'danger' };

/**
 * Returns one tool per operation, for `registerTool`. Never rejects: an unusable document gives no tools and one warning, and operations
 * that cannot be called are left out and named in a warning.
 *
 * @param source the document (OpenAPI 3.0, 3.1 or 3.2) as an object, or its URL
 *
 * @example
 * for (const tool of await openApiTools('/openapi.json', { filter: ['tasks'] })) chat.registerTool(tool);
 */
export async function openApiTools(source: object | string | URL, options: OpenApiOptions = {}): Promise<ToolDefinition[]> {
  const log = createLog({ level: 'warn', ...(options.logger && { logger: options.logger }) });
  const refuse = (why: string): ToolDefinition[] => {
    log.warn('openapi.refused', `openApiTools() gives no tools: ${why}`);
    return [];
  };
  const read = await readDocument(source, options);
  if (typeof read === 'string') return refuse(read);
  const { document, at } = read;
  const version = own(document, 'openapi');
  if (own(document, 'swagger') !== undefined) return refuse('the document is Swagger 2.0. Convert it to OpenAPI 3 first.');
  if (typeof version !== 'string' || !/^3\.[012](?:\.|$)/.test(version))
    return refuse(`the document says \`openapi: ${String(version)}\`; 3.0, 3.1 and 3.2 are read.`);
  const base = baseOf(options.baseUrl, own(document, 'servers'), at);
  if (!base) return refuse('it is not known where the service is. Set `baseUrl` to an http or https address.');

  if (options.auth && options.baseUrl === undefined && base.origin !== originOf(at))
    return refuse(`the document sends its requests to ${base.origin}. If that is where \`auth\` belongs, set \`baseUrl\` to it.`);

  const { operations, leftOut } = await readOperations(document, (operation) => isWanted(operation, options.filter));
  const elsewhere: ReadOperation[] = [];
  const near = operations.filter((operation) => {
    const isThere = options.baseUrl !== undefined || isNear(base, operation.servers, at);
    if (!isThere) elsewhere.push(operation);
    return isThere;
  });
  const trusted = options.trusted ?? (at === undefined || originOf(at) === originOf(undefined));
  const kept = near.flatMap((operation) => {
    const server = serverOf(base, operation, options, at);
    if (addressUnder(server, operation.template.path)) return [{ operation, server }];
    leftOut.push({ method: operation.method, path: operation.path, why: 'outside' });
    return [];
  });
  const { auth } = options;
  const keysGiven = typeof auth === 'function' ? undefined : new Set(Object.keys(auth ?? {}).map((name) => name.toLowerCase()));
  const told = { operations: kept.map(({ operation }) => operation), leftOut, elsewhere, keysGiven };
  const text = reportTexts(told);
  if (text) log.warn('openapi.left_out', text);
  const report = reportOf(base.host, told);
  return kept.map(({ operation, server }) => {
    const tool = withSource(toolOf(operation, server, options), sourceAt(server, trusted));
    return report ? withReport(tool, report) : tool;
  });
}

async function readDocument(
  source: object | string | URL,
  options: OpenApiOptions,
): Promise<{ document: Record<string, unknown>; at?: URL } | string> {
  if (typeof source !== 'string' && !(source instanceof URL))
    return isObject(source) ? { document: source } : 'it takes a document or a URL.';
  const page = pageAddress();
  if (!URL.canParse(source, page)) return `"${String(source).slice(0, 200)}" is no URL.`;
  const at = new URL(source, page);
  try {
    const { fetch = globalThis.fetch } = options;
    const signal = AbortSignal.timeout(LOADING_MS);
    const response = await fetch(at, { headers: { accept: 'application/json' }, redirect: 'error', referrerPolicy: 'no-referrer', signal });
    if (!response.ok) return `${at.pathname} answered ${String(response.status)}.`;
    const { text, isWhole, error } = await readBody(response.body, MOST_BYTES, { signal });
    if (error !== undefined) throw error;
    if (!isWhole) return `${at.pathname} is larger than ${String(MOST_BYTES / 1_000_000)} MB, or took too long.`;
    if (/^\s*(?:#|openapi\s*:)/.test(text)) return `${at.pathname} is YAML. Pass JSON, or the document as an object.`;
    const document: unknown = JSON.parse(text);
    return isObject(document) ? { document, at } : `${at.pathname} holds no document.`;
  } catch (error) {
    return error instanceof SyntaxError ? `${at.pathname} is no JSON.` : `${at.pathname} could not be loaded.`;
  }
}

/** Returns the origin of the document; a document passed as an object has the page's origin. */
const originOf = (at: URL | undefined): string | undefined => {
  const address = at ?? pageAddress();
  return address === undefined ? undefined : new URL(address).origin;
};

const pageAddress = (): string | undefined => (globalThis as { location?: { href?: string } }).location?.href;

/** Returns the service's address: `baseUrl`, else the first server with its variables filled in, else the root of the document's origin. */
function baseOf(given: string | URL | undefined, servers: unknown, at: URL | undefined): URL | undefined {
  const relativeTo = at ?? pageAddress();
  const address = given ?? serverAddress(servers) ?? '/';
  const isIncomplete = given === undefined && /[{}]/.test(String(address));
  if (isIncomplete || !URL.canParse(address, relativeTo)) return undefined;
  const url = new URL(address, relativeTo);
  url.hash = '';
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

function serverAddress(servers: unknown): string | undefined {
  const server = own(servers, 0);
  const address = own(server, 'url');
  if (typeof address !== 'string') return undefined;
  return address.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = own(own(server, 'variables'), name);
    const value = own(variable, 'default') ?? own(own(variable, 'enum'), 0);
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : whole;
  });
}

/** Checks that an operation's servers have the same origin, because credentials for one service must not be sent to another. */
function isNear(base: URL, servers: unknown, at: URL | undefined): boolean {
  return servers === undefined || baseOf(undefined, servers, at)?.origin === base.origin;
}

function serverOf(base: URL, { servers }: ReadOperation, { baseUrl }: OpenApiOptions, at: URL | undefined): URL {
  return (baseUrl === undefined && servers !== undefined && baseOf(undefined, servers, at)) || base;
}

function isWanted(operation: OpenApiOperation, filter: OpenApiOptions['filter']): boolean {
  if (filter === undefined) return true;
  if (typeof filter === 'function') return filter(operation);
  return [operation.name, operation.id, ...operation.tags].some((one) => one !== undefined && filter.includes(one));
}

function toolOf(operation: ReadOperation, base: URL, options: OpenApiOptions): ToolDefinition {
  const { name, description, label, parameters, secret } = operation;
  const risk = riskOf(operation, options.risk);
  return {
    ...{ name, description, label, parameters, risk, untrusted: true },
    ...(secret.length > 0 && { sensitive: [...secret] }),
    execute: (args, context) => call(operation, base, options, args, context, risk === 'query'),
  };
}

function riskOf(operation: ReadOperation, given: OpenApiOptions['risk']): Risk {
  const said = typeof given === 'function' ? given(operation) : (own(given, operation.name) ?? own(given, operation.id ?? operation.name));
  return typeof said === 'string' && ['query', 'write', 'danger'].includes(said) ? (said as Risk) : (RISKS[operation.method] ?? 'danger');
}

/** Adds the authentication. Header names ignore case. A key that the service expects in the query, and in no header, goes there. */
function sign({ keys }: ReadOperation, url: URL, headers: Record<string, string>, signed: Record<string, string> = {}): Headers {
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(signed)) {
    const places = keys.filter((key) => key.name.toLowerCase() === name.toLowerCase());
    const inQuery = places.some((key) => key.in === 'header') ? undefined : places.find((key) => key.in === 'query');
    if (inQuery && inQuery.name.toLowerCase() !== 'authorization') url.searchParams.set(inQuery.name, value);
    else all.set(name, value);
  }
  return all;
}

async function call(
  operation: ReadOperation,
  base: URL,
  { auth, fetch = globalThis.fetch, lang }: OpenApiOptions,
  args: Record<string, unknown>,
  { signal, requestId }: ToolContext,
  isRead: boolean,
): Promise<unknown> {
  const words = toolkitTextsFor(lang);
  const { url, headers, body } = makeRequest(operation, base, args, words);
  if (operation.keyHeader !== undefined) headers[operation.keyHeader] = requestId;
  let signed: Record<string, string> | undefined;
  try {
    signed = typeof auth === 'function' ? await auth(operation) : auth;
  } catch {
    // The error of the host's function is not passed on, because it could contain a secret.
    throw new ToolError(words.noAuth, { errorType: 'auth' });
  }
  let response: Response;
  try {
    const all = sign(operation, url, headers, signed);
    response = await fetch(url, {
      method: operation.method,
      headers: all,
      ...(body !== undefined && { body }),
      ...{ redirect: 'error', referrerPolicy: 'no-referrer', signal },
    });
  } catch (error) {
    if (signal.aborted || readField(error, 'name') === 'AbortError') throw error;
    throw new ToolError(words.moved, { errorType: 'network' });
  }
  return readResponse(response, words, { isRead, mayBePage: /\bhtml\b/i.test(operation.accept), signal });
}
