/** Sign-in to a server. The code that does it is loaded when a server asks for it. */
import { load } from '../base/load.js';
import type { ToolkitTexts } from '../toolkits/toolkit-texts.js';
import type { Access, AskSignIn, McpAuth } from './sign-in.js';

export interface SignInOptions {
  /** Options of the sign-in (OAuth), for servers that require one; `false` disables it. */
  auth?: McpAuth | false;
  /** Shows the request to sign in. Default: a bar at the bottom of the window. */
  signIn?: AskSignIn;
}

/** Returns the access to a server, or undefined if sign-in is disabled or there is no page. */
export function withAccess(
  url: URL,
  { auth = {}, signIn }: SignInOptions,
  words: ToolkitTexts,
  warn: (code: string, message: string) => void,
  signedIn: () => void,
) {
  if (auth === false || (!signIn && typeof document === 'undefined')) return undefined;
  let opening: Promise<Access> | undefined;
  let asking = false;
  let given: AskSignIn | undefined = signIn;
  const open = () =>
    (opening ??= (async () => {
      const { createAccess, showSignInBar } = await load(() => import('./lazy-sign-in.js'));
      given ??= showSignInBar(words);
      const ask: AskSignIn = (question) => {
        asking = question !== undefined;
        given?.(question);
      };
      return createAccess({ ...{ url, auth, words, ask, signedIn }, log: (message) => warn('mcp.sign_in', message) });
    })());
  return {
    isAsking: () => asking,
    headers: async () => (opening || auth.keep === 'session' ? (await open()).headers() : {}),
    renew: async (challenge: string) => (await open()).renew(challenge),
    close: () => void opening?.then((access) => access.close()),
  };
}
