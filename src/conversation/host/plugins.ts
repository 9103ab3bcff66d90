/** Plugins: each is registered by one function, and removed as a whole by another. */
import type { ConversationServices } from '../chart/services.js';
import type { Plugin } from './api.js';

export interface Plugins {
  /**
   * Sets up a plugin and returns the function that removes it.
   * @throws TypeError for an invalid plugin, or the error of `setup`, after everything it registered was removed
   */
  use(plugin: Plugin): () => void;
  /**
   * @param chat the object that plugins get from now on
   * @param plugins the plugins to set up; one that fails is logged and does not stop the others
   */
  begin(chat: object, plugins: readonly Plugin[]): void;
  /** Removes all plugins, the newest first. */
  takeAllBack(): void;
}

/** Methods that return the function that reverts them. */
const registering = ['registerTool', 'registerTools', 'registerProtocol', 'registerWire', 'registerMacro', 'subscribe', 'use'];

type Method = (...args: unknown[]) => unknown;

export function createPlugins({ log }: ConversationServices): Plugins {
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
        log.error('plugin.failed', `The plugin “${String(name)}” could not be removed completely`, { name }, { error });
      }
    }
    /** Records a removal function until it is called. */
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
      if (gone) throw new Error(`The plugin “${String(name)}” was removed and cannot register anything.`);
    };

    used.set(name, takeBack);
    try {
      const end: unknown = plugin.setup(watched(chat, keep, alive) as never);
      if (typeof end === 'function') undo.push(end as () => void);
      // An `async setup` is not awaited. Its registrations are recorded like all others.
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

/** Wraps the object to record its registrations. Methods are bound to the original, because elements have private members. */
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
