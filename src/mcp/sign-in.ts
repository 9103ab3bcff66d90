/** Signs a person in to an MCP server: asks them, opens a window when they press, and holds what comes of it, in memory and nowhere else unless it is told to. */
import { isObject, own } from '../base/objects.js';
import type { Words } from '../toolkits/toolkit-words.js';
import { oneSentence } from '../tools/foreign-tools.js';
import { begin, challengeOf, findWay, isOld, redeem, register, renewed, SIGN_IN_TIME, SignInError, type Held, type Way } from './oauth.js';

export interface McpAuth {
  /** Address of your copy of `tool-chat-oauth.html`, of your page's own origin. Default: `/tool-chat-oauth.html`. */
  redirectUrl?: string;
  /** As the server knows your page. Default: the page registers itself, where the server lets it. */
  clientId?: string;
  /** Under which it registers itself. Default: the page's host. */
  clientName?: string;
  /** What is asked for where the server does not say. */
  scope?: string;
  /** `session`: what it got outlives a reload, in `sessionStorage`, which every script of your page can read. Default `memory`. */
  keep?: 'memory' | 'session';
}

/** What a person is asked: a sentence, and a button that opens a window. */
export interface McpSignIn {
  /** Whose tools it is about, and who asks for the name and the password: hosts. */
  server: string;
  at: string;
  sentence: string;
  button: string;
  /** Only in the handler of a person's press: browsers refuse windows that open by themselves. */
  press(): void;
}

/** Shows the question in place of the one before; `undefined`: there is none any more. */
export type AskSignIn = (ask: McpSignIn | undefined) => void;

export interface AccessOptions {
  url: URL;
  auth: McpAuth;
  words: Words;
  ask: AskSignIn;
  log(message: string): void;
  signedIn(): void;
}

export interface Access {
  headers(): Promise<Record<string, string>>;
  /** The server wants another token. @returns whether there is one; else a person is asked */
  renew(challenge: string): Promise<boolean>;
  close(): void;
}

/** Where the page that the window comes back to says so; the same name stands in `tool-chat-oauth.html`. */
const CHANNEL = 'tool-chat-oauth';
const WINDOW = 'popup,width=520,height=680';

export function createAccess({ url, auth, words, ask, log, signedIn }: AccessOptions): Access {
  const key = `tool-chat-oauth ${url.href}`;
  let now = auth.keep === 'session' ? read(key) : undefined;
  let renewing: Promise<boolean> | undefined;
  let looking: Promise<Way> | undefined;
  let clientId = auth.clientId;
  let waiting = new AbortController();
  let closed = false;
  /** A window is open for it. */
  let busy = false;

  function hold(held: Held | undefined): void {
    now = held;
    if (auth.keep !== 'session') return;
    try {
      if (held) sessionStorage.setItem(key, JSON.stringify(held));
      else sessionStorage.removeItem(key);
    } catch {
      // It stays in memory.
    }
  }

  /** One at a time: a token for renewing is good once. */
  function renewNow(): Promise<boolean> {
    const before = now;
    if (before?.refresh === undefined) return Promise.resolve(false);
    return (renewing ??= renewed(before)
      .then(hold)
      .then(
        () => true,
        (error: unknown) => {
          // What could not be reached may be good yet.
          if (!(error instanceof SignInError) || error.why !== 'unreachable') hold(undefined);
          return false;
        },
      )
      .finally(() => (renewing = undefined)));
  }

  function show(at: string, sentence: string, button: string, way: Way | undefined): void {
    if (!closed) ask({ server: url.host, at, sentence, button, press: () => void press(way) });
  }

  /** A person is asked, and nothing opens before they press. */
  async function question(challenge: string): Promise<void> {
    try {
      const way = await (looking ??= findWay(url, challengeOf(challenge), auth.scope).finally(() => (looking = undefined)));
      show(way.issuer.host, words.signIn(url.host, way.issuer.host), words.signInButton, way);
    } catch (error) {
      // What is refused without saying how to be let in, is told by who asked.
      if (!(error instanceof SignInError && error.why === 'noWay')) log(words.signInTrouble(url.host, inWords(error, words)));
    }
  }

  async function press(way: Way | undefined): Promise<void> {
    if (!way || closed) return;
    waiting.abort();
    const mine = (waiting = new AbortController());
    const at = way.issuer.host;
    // At once, while it counts as the person's: where it leads to takes a moment.
    const popup = open('about:blank', '_blank', WINDOW);
    if (!popup) return show(at, words.signInBlocked(url.host), words.signInButton, way);
    busy = true;
    show(at, words.signInWaits(url.host), words.signInAgain, way);
    try {
      // What stands in the window must not reach this page.
      popup.opener = null;
      const redirectUrl = new URL(auth.redirectUrl ?? '/tool-chat-oauth.html', document.baseURI);
      clientId ??= await register(way, redirectUrl, auth.clientName ?? location.host);
      const attempt = await begin(way, clientId, redirectUrl);
      const answer = answerFor(attempt.state, mine.signal);
      popup.location.replace(attempt.url.href);
      hold(await redeem(way, attempt, await answer));
      if (closed) return;
      ask(undefined);
      signedIn();
    } catch (error) {
      popup.close();
      if (mine.signal.aborted || closed) return;
      show(at, words.signInTrouble(url.host, inWords(error, words)), words.signInButton, way);
    } finally {
      if (waiting === mine) busy = false;
    }
  }

  return {
    async headers() {
      if (now && isOld(now)) await renewNow();
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

/** What the window brings back, by a page of this origin; nothing else can know the state. */
function answerFor(state: string, stop: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    const end = () => {
      clearTimeout(timer);
      channel.close();
    };
    const timer = setTimeout(() => {
      end();
      reject(new SignInError('tooLate'));
    }, SIGN_IN_TIME);
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

function inWords(error: unknown, words: Words): string {
  if (!(error instanceof SignInError)) return words.signInTroubles.refused;
  return error.why === 'refused' && error.message ? oneSentence(error.message, 200) : words.signInTroubles[error.why];
}

/** As it was kept; what has another shape is nothing. */
function read(key: string): Held | undefined {
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
