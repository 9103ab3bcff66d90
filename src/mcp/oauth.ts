/**
 * OAuth 2.1 as the MCP specification requires it of a web page: discovery (RFC 9728, RFC 8414), dynamic client registration if available
 * (RFC 7591), PKCE, the server as `resource` (RFC 8707), and refresh tokens. Uses no window. All responses are untrusted content.
 */
import { isObject, own } from '../base/objects.js';
import { readText } from '../toolkits/read-response.js';
import { oneSentence } from '../tools/tool-naming.js';
import type { Fields } from './mcp-message.js';

/** Timeout of one response, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 15_000;
/** Milliseconds before expiry at which a token is refreshed. */
const REFRESH_MARGIN_MS = 30_000;
/** Milliseconds that the user has to sign in. */
export const SIGN_IN_TIMEOUT_MS = 600_000;

export type SignInProblem = 'noWay' | 'noClient' | 'noPkce' | 'unreachable' | 'refused' | 'insecure' | 'tooLate';

export class SignInError extends Error {
  readonly why: SignInProblem;

  /** @param message the server's own message, if it has any */
  constructor(why: SignInProblem, message = '') {
    super(oneSentence(message, 200));
    this.name = 'SignInError';
    this.why = why;
  }
}

/** The endpoints for signing in to one MCP server. */
export interface AuthorizationServer {
  issuer: URL;
  authorize: URL;
  token: URL;
  register: URL | undefined;
  resource: string;
  scope: string | undefined;
  /** True if the authorization server adds `iss` to its redirect (RFC 9207). */
  sendsIssuer: boolean;
}

export interface TokenSet {
  access: string;
  refresh: string | undefined;
  /** Epoch milliseconds. */
  expiresAt: number;
  clientId: string;
  /** URL of the token endpoint, for refreshing. */
  token: string;
  resource: string;
}

/** Parses the parameters of a header such as `Bearer a="b", c=d`. */
export function challengeOf(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header.slice(0, 4000).matchAll(/([a-z_]{1,40})=(?:"([^"]{0,1000})"|([^\s,"]{0,1000}))/gi))
    found.set(name.toLowerCase(), quoted ?? bare);
  return found;
}

/**
 * Discovers how to sign in to a server.
 * @throws SignInError
 */
export async function discoverServer(
  server: URL,
  challenge: ReadonlyMap<string, string>,
  wantedScope: string | undefined,
): Promise<AuthorizationServer> {
  const path = server.pathname.replace(/\/$/, '');
  const given = safeUrl(challenge.get('resource_metadata'));
  // The user has not agreed to this server yet, so only URLs of its own origin are requested.
  const told = given?.origin === server.origin ? given : undefined;
  const known = [`/.well-known/oauth-protected-resource${path}`, '/.well-known/oauth-protected-resource'].map((at) => new URL(at, server));
  const about = await fetchFirst(told ? [told] : known);
  const resource = own(about, 'resource');
  // Otherwise a token for one service could be requested for another.
  if (about && !isResourceOf(resource, server)) throw new SignInError('noWay');
  const listed = own(about, 'authorization_servers');
  const issuer = safeUrl(Array.isArray(listed) ? listed[0] : undefined) ?? (about ? undefined : new URL(server.origin));
  if (!issuer || isOfPageOnly(issuer, server)) throw new SignInError('noWay');
  const described = await describe(issuer);
  // The user sees the host of the issuer, so only this origin may be opened.
  const [authorize, token, register] = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'].map((name) => {
    const url = safeUrl(described[name]);
    return url?.origin === issuer.origin ? url : undefined;
  });
  if (!authorize || !token) throw new SignInError('noWay');
  const methods = described['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256')) throw new SignInError('noPkce');
  const scopes = own(about, 'scopes_supported');
  const offered = Array.isArray(scopes) ? scopes.filter((one) => typeof one === 'string').join(' ') : '';
  return {
    ...{ issuer, authorize, token, register },
    resource: typeof resource === 'string' ? resource : server.href,
    scope: challenge.get('scope') ?? wantedScope ?? (offered || undefined),
    sendsIssuer: described['authorization_response_iss_parameter_supported'] === true,
  };
}

/**
 * Checks whether the issuer is the page itself but the server is not. URLs of the page are opened with its cookies, so only its own server
 * may name them.
 */
function isOfPageOnly(issuer: URL, server: URL): boolean {
  const page = (globalThis as { location?: Location }).location?.origin;
  return issuer.origin === page && server.origin !== page;
}

async function describe(issuer: URL): Promise<Fields> {
  const path = issuer.pathname.replace(/\/$/, '');
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path) places.push(`${path}/.well-known/openid-configuration`);
  const found = await fetchFirst(places.map((at) => new URL(at, issuer)));
  // Metadata with another issuer are invalid (RFC 8414).
  if (!found || !isSame(found['issuer'], issuer)) throw new SignInError('noWay');
  return found;
}

/**
 * Registers the page as a client and returns its client id.
 * @throws SignInError
 */
export async function register(authServer: AuthorizationServer, redirectUrl: URL, clientName: string): Promise<string> {
  if (!authServer.register) throw new SignInError('noClient');
  const answer = await fetchJson(authServer.register, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ client_name: clientName, redirect_uris: [redirectUrl.href], token_endpoint_auth_method: 'none' },
      ...{
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        ...(authServer.scope && { scope: authServer.scope }),
      },
    }),
  });
  const id = own(answer, 'client_id');
  if (typeof id !== 'string' || !id) throw new SignInError('noClient');
  return id;
}

export interface SignInAttempt {
  url: URL;
  state: string;
  verifier: string;
  redirectUrl: URL;
  clientId: string;
}

/**
 * Creates an authorization request.
 * @throws SignInError if the page is not in a secure context
 */
export async function createAuthorizationRequest(
  authServer: AuthorizationServer,
  clientId: string,
  redirectUrl: URL,
): Promise<SignInAttempt> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (!subtle) throw new SignInError('insecure');
  const [verifier, state] = [randomToken(), randomToken()];
  const hash = await subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const url = new URL(authServer.authorize);
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUrl.href, state, resource: authServer.resource },
    ...{
      code_challenge: base64Url(new Uint8Array(hash)),
      code_challenge_method: 'S256',
      ...(authServer.scope && { scope: authServer.scope }),
    },
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url, state, verifier, redirectUrl, clientId };
}

/**
 * Exchanges the redirect's parameters for a token.
 * @throws SignInError
 */
export async function exchangeCode(authServer: AuthorizationServer, attempt: SignInAttempt, answer: URLSearchParams): Promise<TokenSet> {
  const [code, error, issuer] = ['code', 'error', 'iss'].map((name) => answer.get(name));
  // Check the issuer first: another server must not get this one's code.
  if (issuer === null || issuer === undefined ? authServer.sendsIssuer : !isSame(issuer, authServer.issuer))
    throw new SignInError('refused');
  if (error || !code) throw new SignInError('refused', answer.get('error_description') ?? error ?? '');
  const { clientId, redirectUrl, verifier } = attempt;
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUrl.href, client_id: clientId, code_verifier: verifier };
  return readTokenSet(await post(authServer.token, { ...form, resource: authServer.resource }), {
    clientId,
    token: authServer.token.href,
    resource: authServer.resource,
  });
}

/**
 * Refreshes a token.
 * @throws SignInError if it cannot be refreshed
 */
export async function refreshToken(before: TokenSet): Promise<TokenSet> {
  const token = safeUrl(before.token);
  if (before.refresh === undefined || !token) throw new SignInError('refused');
  const form = { grant_type: 'refresh_token', refresh_token: before.refresh, client_id: before.clientId, resource: before.resource };
  return readTokenSet(await post(token, form), before);
}

export const isExpiring = ({ expiresAt }: TokenSet) => expiresAt - REFRESH_MARGIN_MS < Date.now();

function readTokenSet(answer: Fields | undefined, before: Pick<TokenSet, 'clientId' | 'token' | 'resource'> & Partial<TokenSet>): TokenSet {
  const [access, type, seconds, refresh] = ['access_token', 'token_type', 'expires_in', 'refresh_token'].map((name) => own(answer, name));
  // Reject tokens with characters that are not allowed in a header.
  if (typeof access !== 'string' || !/^[\x21-\x7e]{1,10000}$/.test(access) || !/^bearer$/i.test(String(type)))
    throw new SignInError('refused');
  return {
    ...{ access, clientId: before.clientId, token: before.token, resource: before.resource },
    refresh: typeof refresh === 'string' ? refresh : before.refresh,
    expiresAt: typeof seconds === 'number' && seconds > 0 ? Date.now() + seconds * 1000 : Infinity,
  };
}

const post = (url: URL, form: Record<string, string>) => fetchJson(url, { method: 'POST', body: new URLSearchParams(form) });

async function fetchFirst(urls: readonly URL[]): Promise<Fields | undefined> {
  let trouble: unknown;
  for (const url of urls) {
    try {
      return await fetchJson(url);
    } catch (error) {
      if (error instanceof SignInError && error.why === 'unreachable') trouble = error;
    }
  }
  // A missing page often fails CORS, too, so an error for one of several URLs means nothing.
  if (trouble && urls.length === 1) throw trouble;
  return undefined;
}

/** Sends a request without cookies, referrer or redirects. */
async function fetchJson(url: URL, init: RequestInit = {}): Promise<Fields> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...{ credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', cache: 'no-store' },
      ...{ signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS), ...init, headers: { accept: 'application/json', ...init.headers } },
    });
  } catch {
    throw new SignInError('unreachable');
  }
  const text = (await readText(response).catch(() => '')) ?? '';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Responses without JSON are mostly 404 pages.
  }
  if (response.ok && isObject(json)) return json;
  const said = own(json, 'error_description') ?? own(json, 'error');
  throw new SignInError('refused', typeof said === 'string' ? said : '');
}

/** Returns the URL if it is https, or http on this machine, and has no credentials. */
export function safeUrl(given: unknown): URL | undefined {
  if (typeof given !== 'string' || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) && !url.username && !url.password ? url : undefined;
}

const isSame = (given: unknown, { href }: URL) => typeof given === 'string' && given.replace(/\/$/, '') === href.replace(/\/$/, '');

function isResourceOf(resource: unknown, { origin, pathname }: URL): boolean {
  const url = safeUrl(resource);
  return url?.origin === origin && `${pathname}/`.startsWith(url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`);
}

const randomToken = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
