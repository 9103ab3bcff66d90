/**
 * Conversations with private values, whose requests are looked into. `node test/run.mjs canaries` puts this file in the place of
 * src/conversation/conversation.ts: then messages and results hold private values, too. Other runs have them in the context only.
 */
import { createConversation as create, type Conversation, type ConversationOptions } from '../../../src/conversation/conversation.js';
import { internalsOf } from '../../../src/conversation/host/internals.js';
import { canaryRules, flock, HIDDEN_FLOCK, look } from './canaries.js';

export type { Conversation, ConversationOptions, SendOptions } from '../../../src/conversation/conversation.js';

export const createConversation = (given: ConversationOptions = {}): Conversation => withCanaries(given, canaryRules);

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

/** @param rules what of the canaries is private */
export function withCanaries(given: ConversationOptions, rules: readonly (typeof canaryRules)[number][]): Conversation {
  const conversation = create(watchedOptions(given, rules));
  const { sendMessage, sendMessageWithTools, registerTool, exportSession } = conversation;
  const { surface } = internalsOf(conversation);
  const { send } = surface;
  surface.send = (text, extra) => send(withFlock(text), extra);
  return Object.assign(conversation, {
    sendMessage: (text: string, extra?: object) => sendMessage(withFlock(text), extra),
    sendMessageWithTools: (text: string) => sendMessageWithTools(withFlock(text)),
    registerTool: (tool: object, extra?: object) => registerTool(telling(tool) as never, extra),
    async exportSession() {
      const file = await exportSession();
      look({ url: 'export:', body: file });
      return file;
    },
  });
}

const withFlock = (text: string): string => (typeof text === 'string' && text ? `${text}\n${flock}` : text);

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

/** The same tool; its results name the canaries, too. */
function telling(tool: object): object {
  const execute: unknown = Object.getOwnPropertyDescriptor(tool, 'execute')?.value;
  if (typeof execute !== 'function') return tool;
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(tool),
      execute: {
        enumerable: true,
        async value(...args: unknown[]) {
          const result: unknown = await Reflect.apply(execute, tool, args);
          if (typeof result !== 'object' || result === null) return result;
          const message: unknown = Object.getOwnPropertyDescriptor(result, 'message')?.value;
          return typeof message === 'string' ? { ...result, message: `${message} ${flock}` } : result;
        },
      },
    },
  );
}
