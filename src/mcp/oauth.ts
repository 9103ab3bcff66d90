/**
 * OAuth 2.1 as MCP wants it of a page: what a server says of how to sign in (RFC 9728, RFC 8414), a client that registers itself where it may
 * (RFC 7591), PKCE, the server as `resource` (RFC 8707), and tokens that are renewed. Knows no window. All that is read is outside content.
 */
import { isObject, own } from '../base/objects.js';
import { readText } from '../toolkits/answers.js';
import { oneSentence } from '../tools/foreign-tools.js';
import type { Fields } from './mcp-message.js';

/** Milliseconds for one answer. */
const PATIENCE = 15_000;
/** Milliseconds before its end at which a token is renewed. */
const EARLY = 30_000;
/** Milliseconds that a person has. */
export const SIGN_IN_TIME = 600_000;

export type SignInTrouble = 'noWay' | 'noClient' | 'noPkce' | 'unreachable' | 'refused' | 'insecure' | 'tooLate';

export class SignInError extends Error {
  readonly why: SignInTrouble;

  /** @param message the server's own words, if it has any */
  constructor(why: SignInTrouble, message = '') {
    super(oneSentence(message, 200));
    this.name = 'SignInError';
    this.why = why;
  }
}

/** How to sign in to one MCP server. */
export interface Way {
  issuer: URL;
  authorize: URL;
  token: URL;
  register: URL | undefined;
  resource: string;
  scope: string | undefined;
  /** It says who it is when it sends back. */
  tellsIssuer: boolean;
}

export interface Held {
  access: string;
  refresh: string | undefined;
  /** Epoch milliseconds. */
  expiresAt: number;
  clientId: string;
  /** Where it is renewed. */
  token: string;
  resource: string;
}

/** Of a header `Bearer a="b", c=d`. */
export function challengeOf(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header.slice(0, 4000).matchAll(/([a-z_]{1,40})=(?:"([^"]{0,1000})"|([^\s,"]{0,1000}))/gi))
    found.set(name.toLowerCase(), quoted ?? bare);
  return found;
}

/** @throws SignInError */
export async function findWay(server: URL, challenge: ReadonlyMap<string, string>, wantedScope: string | undefined): Promise<Way> {
  const path = server.pathname.replace(/\/$/, '');
  const given = safeUrl(challenge.get('resource_metadata'));
  // The user has not agreed to this server yet, so it sends this page nowhere else.
  const told = given?.origin === server.origin ? given : undefined;
  const known = [`/.well-known/oauth-protected-resource${path}`, '/.well-known/oauth-protected-resource'].map((at) => new URL(at, server));
  const about = await firstOf(told ? [told] : known);
  const resource = own(about, 'resource');
  // Else a token for one service could be fetched for another.
  if (about && !covers(resource, server)) throw new SignInError('noWay');
  const listed = own(about, 'authorization_servers');
  const issuer = safeUrl(Array.isArray(listed) ? listed[0] : undefined) ?? (about ? undefined : new URL(server.origin));
  if (!issuer || isOfPageOnly(issuer, server)) throw new SignInError('noWay');
  const described = await describe(issuer);
  // The user is told the host of the issuer, so only that one may open.
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
    tellsIssuer: described['authorization_response_iss_parameter_supported'] === true,
  };
}

/** Addresses of this page would open with its cookies: only a server of the page itself may name them. */
function isOfPageOnly(issuer: URL, server: URL): boolean {
  const page = (globalThis as { location?: Location }).location?.origin;
  return issuer.origin === page && server.origin !== page;
}

async function describe(issuer: URL): Promise<Fields> {
  const path = issuer.pathname.replace(/\/$/, '');
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path) places.push(`${path}/.well-known/openid-configuration`);
  const found = await firstOf(places.map((at) => new URL(at, issuer)));
  // One that speaks for another is none.
  if (!found || !isSame(found['issuer'], issuer)) throw new SignInError('noWay');
  return found;
}

/** @throws SignInError */
export async function register(way: Way, redirectUrl: URL, clientName: string): Promise<string> {
  if (!way.register) throw new SignInError('noClient');
  const answer = await ask(way.register, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ client_name: clientName, redirect_uris: [redirectUrl.href], token_endpoint_auth_method: 'none' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], ...(way.scope && { scope: way.scope }) },
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

/** @throws SignInError where the page is not served safely */
export async function begin(way: Way, clientId: string, redirectUrl: URL): Promise<SignInAttempt> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (!subtle) throw new SignInError('insecure');
  const [verifier, state] = [random(), random()];
  const hash = await subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const url = new URL(way.authorize);
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUrl.href, state, resource: way.resource },
    ...{ code_challenge: base64Url(new Uint8Array(hash)), code_challenge_method: 'S256', ...(way.scope && { scope: way.scope }) },
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url, state, verifier, redirectUrl, clientId };
}

/** What came back to the page. @throws SignInError */
export async function redeem(way: Way, attempt: SignInAttempt, answer: URLSearchParams): Promise<Held> {
  const [code, error, issuer] = ['code', 'error', 'iss'].map((name) => answer.get(name));
  // Before anything it says is believed: another server must not get this one's code.
  if (issuer === null || issuer === undefined ? way.tellsIssuer : !isSame(issuer, way.issuer)) throw new SignInError('refused');
  if (error || !code) throw new SignInError('refused', answer.get('error_description') ?? error ?? '');
  const { clientId, redirectUrl, verifier } = attempt;
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUrl.href, client_id: clientId, code_verifier: verifier };
  return held(await post(way.token, { ...form, resource: way.resource }), { clientId, token: way.token.href, resource: way.resource });
}

/** @throws SignInError where it cannot be renewed */
export async function renewed(before: Held): Promise<Held> {
  const token = safeUrl(before.token);
  if (before.refresh === undefined || !token) throw new SignInError('refused');
  const form = { grant_type: 'refresh_token', refresh_token: before.refresh, client_id: before.clientId, resource: before.resource };
  return held(await post(token, form), before);
}

export const isOld = ({ expiresAt }: Held) => expiresAt - EARLY < Date.now();

function held(answer: Fields | undefined, before: Pick<Held, 'clientId' | 'token' | 'resource'> & Partial<Held>): Held {
  const [access, type, seconds, refresh] = ['access_token', 'token_type', 'expires_in', 'refresh_token'].map((name) => own(answer, name));
  // What no header may hold is no token.
  if (typeof access !== 'string' || !/^[\x21-\x7e]{1,10000}$/.test(access) || !/^bearer$/i.test(String(type)))
    throw new SignInError('refused');
  return {
    ...{ access, clientId: before.clientId, token: before.token, resource: before.resource },
    refresh: typeof refresh === 'string' ? refresh : before.refresh,
    expiresAt: typeof seconds === 'number' && seconds > 0 ? Date.now() + seconds * 1000 : Infinity,
  };
}

const post = (url: URL, form: Record<string, string>) => ask(url, { method: 'POST', body: new URLSearchParams(form) });

async function firstOf(urls: readonly URL[]): Promise<Fields | undefined> {
  let trouble: unknown;
  for (const url of urls) {
    try {
      return await ask(url);
    } catch (error) {
      if (error instanceof SignInError && error.why === 'unreachable') trouble = error;
    }
  }
  // A page that is not there often allows no other page to see so.
  if (trouble && urls.length === 1) throw trouble;
  return undefined;
}

/** Without cookies, without the address of this page, and to nobody else. */
async function ask(url: URL, init: RequestInit = {}): Promise<Fields> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...{ credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', cache: 'no-store' },
      ...{ signal: AbortSignal.timeout(PATIENCE), ...init, headers: { accept: 'application/json', ...init.headers } },
    });
  } catch {
    throw new SignInError('unreachable');
  }
  const text = (await readText(response).catch(() => '')) ?? '';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Most answers that are no JSON say that there is nothing here.
  }
  if (response.ok && isObject(json)) return json;
  const said = own(json, 'error_description') ?? own(json, 'error');
  throw new SignInError('refused', typeof said === 'string' ? said : '');
}

/** Only what nobody on the way can read, or what never leaves this machine. */
export function safeUrl(given: unknown): URL | undefined {
  if (typeof given !== 'string' || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) && !url.username && !url.password ? url : undefined;
}

const isSame = (given: unknown, { href }: URL) => typeof given === 'string' && given.replace(/\/$/, '') === href.replace(/\/$/, '');

function covers(resource: unknown, { origin, pathname }: URL): boolean {
  const url = safeUrl(resource);
  return url?.origin === origin && `${pathname}/`.startsWith(url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`);
}

const random = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
