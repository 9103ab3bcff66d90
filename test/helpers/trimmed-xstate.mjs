/** `node --import` this file: XState is then the one of the scripts of a page. */
import { register } from 'node:module';

register('./trimmed-xstate-hooks.mjs', import.meta.url);
