/** Signs the user in to an MCP server: asks first, opens a window on click, and keeps the tokens in memory unless `keep` says otherwise. */
import { isObject, own } from '../base/objects.js';
import type { ToolkitTexts } from '../toolkits/toolkit-texts.js';
import { oneSentence } from '../tools/tool-naming.js';
import {
  createAuthorizationRequest,
  challengeOf,
  discoverServer,
  isExpiring,
  exchangeCode,
  register,
  refreshToken,
  SIGN_IN_TIMEOUT_MS,
  SignInError,
  type TokenSet,
  type AuthorizationServer,
} from './oauth.js';

export interface McpAuth {
  /** URL of your copy of `tool-chat-oauth.html`, on your page's own origin. Default: `/tool-chat-oauth.html`. */
  redirectUrl?: string;
  /** Client id of your page at the server. Default: the page registers itself if the server allows it. */
  clientId?: string;
  /** The name under which the page registers itself. Default: the page's host. */
  clientName?: string;
  /** OAuth scope to request if the server names none. */
  scope?: string;
  /** `session`: tokens survive a reload in `sessionStorage`, which every script of your page can read. Default `memory`. */
  keep?: 'memory' | 'session';
}

/** The request shown to the user: a sentence, and a button that opens a window. */
export interface McpSignIn {
  /** Host of the tools' server, and host of the page that asks for name and password. */
  server: string;
  at: string;
  sentence: string;
  button: string;
  /** Call it only in the handler of a user's click: browsers block windows that open by themselves. */
  press(): void;
}

/** Shows a request in place of the previous one; `undefined` removes it. */
export type AskSignIn = (ask: McpSignIn | undefined) => void;

export interface AccessOptions {
  url: URL;
  auth: McpAuth;
  words: ToolkitTexts;
  ask: AskSignIn;
  log(message: string): void;
  signedIn(): void;
}

export interface Access {
  headers(): Promise<Record<string, string>>;
  /** Called when the server requires another token. @returns true if there is one now; otherwise the user is asked */
  renew(challenge: string): Promise<boolean>;
  close(): void;
}

/** Name of the channel by which the redirect page reports back. `tool-chat-oauth.html` uses the same name. */
const CHANNEL = 'tool-chat-oauth';
const WINDOW = 'popup,width=520,height=680';

export function createAccess({ url, auth, words, ask, log, signedIn }: AccessOptions): Access {
  const key = `tool-chat-oauth ${url.href}`;
  let now = auth.keep === 'session' ? read(key) : undefined;
  let renewing: Promise<boolean> | undefined;
  let discovery: Promise<AuthorizationServer> | undefined;
  let clientId = auth.clientId;
  let waiting = new AbortController();
  let closed = false;
  /** True while a window is open for sign-in. */
  let busy = false;

  function saveTokens(held: TokenSet | undefined): void {
    now = held;
    if (auth.keep !== 'session') return;
    try {
      if (held) sessionStorage.setItem(key, JSON.stringify(held));
      else sessionStorage.removeItem(key);
    } catch {
      // Storage failed, so the token stays in memory only.
    }
  }

  /** Refreshes the token, one request at a time: a refresh token may be used only once. */
  function renewNow(): Promise<boolean> {
    const before = now;
    if (before?.refresh === undefined) return Promise.resolve(false);
    return (renewing ??= refreshToken(before)
      .then(saveTokens)
      .then(
        () => true,
        (error: unknown) => {
          // If the endpoint was unreachable, the token may still be valid.
          if (!(error instanceof SignInError) || error.why !== 'unreachable') saveTokens(undefined);
          return false;
        },
      )
      .finally(() => (renewing = undefined)));
  }

  function show(at: string, sentence: string, button: string, authServer: AuthorizationServer | undefined): void {
    if (!closed) ask({ server: url.host, at, sentence, button, press: () => void openWindow(authServer) });
  }

  /** Asks the user to sign in. No window opens before the user clicks. */
  async function question(challenge: string): Promise<void> {
    try {
      const authServer = await (discovery ??= discoverServer(url, challengeOf(challenge), auth.scope).finally(
        () => (discovery = undefined),
      ));
      show(authServer.issuer.host, words.signIn(url.host, authServer.issuer.host), words.signInButton, authServer);
    } catch (error) {
      // If the server does not say how to sign in, the caller reports the error.
      if (!(error instanceof SignInError && error.why === 'noWay')) log(words.signInTrouble(url.host, signInErrorText(error, words)));
    }
  }

  async function openWindow(authServer: AuthorizationServer | undefined): Promise<void> {
    if (!authServer || closed) return;
    waiting.abort();
    const mine = (waiting = new AbortController());
    const at = authServer.issuer.host;
    // Open it at once, while user activation lasts: finding the URL takes a moment.
    const popup = open('about:blank', '_blank', WINDOW);
    if (!popup) return show(at, words.signInBlocked(url.host), words.signInButton, authServer);
    busy = true;
    show(at, words.signInWaits(url.host), words.signInAgain, authServer);
    try {
      // The page in the window must not reach this page.
      popup.opener = null;
      const redirectUrl = new URL(auth.redirectUrl ?? '/tool-chat-oauth.html', document.baseURI);
      clientId ??= await register(authServer, redirectUrl, auth.clientName ?? location.host);
      const attempt = await createAuthorizationRequest(authServer, clientId, redirectUrl);
      const answer = waitForRedirect(attempt.state, mine.signal);
      popup.location.replace(attempt.url.href);
      saveTokens(await exchangeCode(authServer, attempt, await answer));
      if (closed) return;
      ask(undefined);
      signedIn();
    } catch (error) {
      popup.close();
      if (mine.signal.aborted || closed) return;
      show(at, words.signInTrouble(url.host, signInErrorText(error, words)), words.signInButton, authServer);
    } finally {
      if (waiting === mine) busy = false;
    }
  }

  return {
    async headers() {
      if (now && isExpiring(now)) await renewNow();
      return now ? { authorization: `Bearer ${now.access}` } : {};
    },
    async renew(challenge) {
      const wantsMore = challengeOf(challenge).get('error') === 'insufficient_scope';
      if (!wantsMore && (await renewNow())) return true;
      if (!closed && !busy) await question(challenge);
      return false;
    },
    close() {
      closed = true;
      waiting.abort();
      ask(undefined);
    },
  };
}

/** Waits for the redirect's parameters, sent by a page of this origin. Other messages cannot know the state. */
function waitForRedirect(state: string, stop: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    const end = () => {
      clearTimeout(timer);
      channel.close();
    };
    const timer = setTimeout(() => {
      end();
      reject(new SignInError('tooLate'));
    }, SIGN_IN_TIMEOUT_MS);
    stop.addEventListener('abort', () => {
      end();
      reject(stop.reason as Error);
    });
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const answer = new URLSearchParams(typeof data === 'string' ? data.slice(0, 10_000) : '');
      if (answer.get('state') !== state) return;
      end();
      resolve(answer);
    });
  });
}

function signInErrorText(error: unknown, words: ToolkitTexts): string {
  if (!(error instanceof SignInError)) return words.signInTroubles.refused;
  return error.why === 'refused' && error.message ? oneSentence(error.message, 200) : words.signInTroubles[error.why];
}

/** Returns the stored token, or undefined if it is missing or has another shape. */
function read(key: string): TokenSet | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    const [access, refresh, expiresAt, clientId, token, resource] = ['access', 'refresh', 'expiresAt', 'clientId', 'token', 'resource'].map(
      (name) => own(kept, name),
    );
    if (!isObject(kept) || ![access, clientId, token, resource].every((one) => typeof one === 'string')) return undefined;
    return {
      ...{ access: access as string, clientId: clientId as string, token: token as string, resource: resource as string },
      refresh: typeof refresh === 'string' ? refresh : undefined,
      expiresAt: typeof expiresAt === 'number' ? expiresAt : Infinity,
    };
  } catch {
    return undefined;
  }
}
