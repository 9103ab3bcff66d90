/** `node --import` this file after that of tsx: the conversations that tests make are those of `conversation.ts`, and who goes past them is seen, too. */
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);

const { seek } = await import('./canaries.ts');
const { fetch } = globalThis;
globalThis.fetch = (url, init) => {
  seek({ url: String(url?.url ?? url), headers: init?.headers, body: init?.body });
  return fetch(url, init);
};
