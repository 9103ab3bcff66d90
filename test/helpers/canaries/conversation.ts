/** Conversations with private values in their context, whose requests are looked into. */
import type { ConversationOptions } from '../../../src/conversation/conversation.js';
import { canaryRules, flock, HIDDEN_FLOCK, look } from './canaries.js';

/** The same options with private values in the context; `fetch` and what else sends is watched. */
export function watchedOptions(
  given: ConversationOptions,
  rules: readonly (typeof canaryRules)[number][] = canaryRules,
): ConversationOptions {
  const over: { [Name in keyof ConversationOptions]?: (was: ConversationOptions[Name]) => unknown } = {
    // What cannot be read stays so: then nothing may leave at all.
    privateValues: (was) => (was === undefined || Array.isArray(was) ? [...(was ?? []), ...rules] : was),
    context: (was = {}) => (typeof was === 'object' ? { ...was, canaries: flock } : was),
    fetch: (was = globalThis.fetch) => (typeof was === 'function' ? watched(was) : was),
    embed: (was) => (typeof was === 'function' ? seen(was, 'embed:') : was),
    memoryOptions: (was) => (typeof was?.summarise === 'function' ? { ...was, summarise: seen(was.summarise, 'summarise:') } : was),
  };
  return new Proxy({} as ConversationOptions, {
    get(_, name) {
      const was: unknown = Reflect.get(given, name, given);
      const change = Object.hasOwn(over, name) && (Reflect.get(over, name) as (was: unknown) => unknown);
      return change ? change(was) : was;
    },
    has: (_, name) => Reflect.has(given, name) || Object.hasOwn(over, name),
  });
}

/** What the test's own ear is given is as it would be without the canaries. */
function watched(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (url, init) => {
    const to = url instanceof Request ? url.url : String(url);
    look({ url: to, headers: init?.headers, body: init?.body });
    return fetch(url, typeof init?.body === 'string' ? { ...init, body: init.body.replace(HIDDEN_FLOCK, '') } : init);
  };
}

function seen<Given extends unknown[], Answer>(ask: (...given: Given) => Answer, url: string) {
  return (...args: Given): Answer => {
    look({ url, body: args });
    return ask(...args);
  };
}
