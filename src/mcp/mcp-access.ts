/** Whether and how people are asked to sign in to a server. What does it is loaded when a server wants it. */
import { load } from '../base/load.js';
import type { Words } from '../toolkits/toolkit-words.js';
import type { Access, AskSignIn, McpAuth } from './sign-in.js';

export interface SignInOptions {
  /** How people sign in where the server wants it (OAuth); `false`: not from here. */
  auth?: McpAuth | false;
  /** Asks a person to sign in. Default: a bar at the foot of the window. */
  signIn?: AskSignIn;
}

/** Undefined where the page has its own way to be let in, or there is no page. What signs people in is loaded when a server wants it. */
export function withAccess(
  url: URL,
  { auth = {}, signIn }: SignInOptions,
  words: Words,
  warn: (code: string, message: string) => void,
  signedIn: () => void,
) {
  if (auth === false || (!signIn && typeof document === 'undefined')) return undefined;
  let opening: Promise<Access> | undefined;
  let asking = false;
  let given: AskSignIn | undefined = signIn;
  const open = () =>
    (opening ??= (async () => {
      const { createAccess, askInBar } = await load(() => import('./signing-in.js'));
      given ??= askInBar(words);
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
