/** What a host adds as one piece: registered by one function, and taken back as one. */
import type { Services } from '../chart/services.js';
import type { Plugin } from './api.js';

export interface Plugins {
  /**
   * Sets a plugin up and returns the function that takes it back.
   * @throws TypeError for what is no plugin; whatever `setup` throws, after everything it registered has been taken back.
   */
  use(plugin: Plugin): () => void;
  /**
   * @param chat what plugins are given from now on
   * @param plugins one that cannot be set up is logged and holds up no other
   */
  begin(chat: object, plugins: readonly Plugin[]): void;
  /** The newest first. */
  takeAllBack(): void;
}

/** Methods whose answer takes back what they did. */
const registering = ['registerTool', 'registerTools', 'registerProtocol', 'registerWire', 'registerMacro', 'subscribe', 'use'];

type Method = (...args: unknown[]) => unknown;

export function createPlugins({ log }: Services): Plugins {
  let chat: object = {};
  const used = new Map<string, () => void>();

  function use(plugin: Plugin): () => void {
    const name: unknown = plugin?.name;
    if (typeof name !== 'string' || !name || typeof plugin.setup !== 'function')
      throw new TypeError('A plugin is an object with a `name` and `setup(chat)`.');
    if (used.has(name)) throw new Error(`The plugin “${name}” is in use. Take it back first, by the function that \`use\` returned.`);
    const undo: (() => void)[] = [];
    let gone = false;

    function takeBack(): void {
      if (gone) return;
      gone = true;
      if (used.get(name as string) === takeBack) used.delete(name as string);
      for (const one of undo.splice(0).reverse()) guarded(one);
    }
    function guarded(run: () => unknown): void {
      try {
        run();
      } catch (error) {
        log.error('plugin.failed', `The plugin “${String(name)}” could not be taken back whole`, { name }, { error });
      }
    }
    /** Remembered until somebody takes it back. */
    function keep(off: unknown): () => void {
      const once = () => {
        const at = undo.indexOf(once);
        if (at >= 0) undo.splice(at, 1);
        if (typeof off === 'function') (off as () => void)();
      };
      undo.push(once);
      return once;
    }
    const alive = () => {
      if (gone) throw new Error(`The plugin “${String(name)}” was taken back and cannot register anything.`);
    };

    used.set(name, takeBack);
    try {
      const end: unknown = plugin.setup(watched(chat, keep, alive) as never);
      if (typeof end === 'function') undo.push(end as () => void);
      // What an `async setup` comes to is not waited for; what it registers meanwhile is kept like the rest.
      else if (end instanceof Promise)
        end.catch((error: unknown) => log.error('plugin.failed', `The plugin “${name}” failed`, { name }, { error }));
    } catch (error) {
      takeBack();
      throw error;
    }
    return takeBack;
  }

  return {
    use,
    begin(host, plugins) {
      chat = host;
      for (const plugin of plugins) {
        try {
          use(plugin);
        } catch (error) {
          log.error('plugin.failed', 'A plugin could not be set up', { name: plugin?.name }, { error });
        }
      }
    },
    takeAllBack() {
      for (const takeBack of [...used.values()].reverse()) takeBack();
    },
  };
}

/** The same object to look at and to call; what it registers is noted. Methods are bound: an element's own are private to it. */
function watched(chat: object, keep: (off: unknown) => () => void, alive: () => void): object {
  const methods = new Map<unknown, unknown>();
  const wrap = (name: PropertyKey, method: Method): Method => {
    if (registering.includes(name as string))
      return (...args) => {
        alive();
        return keep(method.apply(chat, args));
      };
    if (name === 'addEventListener')
      return (...args) => {
        alive();
        method.apply(chat, args);
        keep(() => (chat as EventTarget).removeEventListener(...(args as Parameters<EventTarget['removeEventListener']>)));
      };
    return (...args) => method.apply(chat, args);
  };
  return new Proxy(chat, {
    get(_, name) {
      const value: unknown = Reflect.get(chat, name, chat);
      if (typeof value !== 'function') return value;
      if (!methods.has(value)) methods.set(value, wrap(name, value as Method));
      return methods.get(value);
    },
    set: (_, name, value) => Reflect.set(chat, name, value, chat),
  });
}
