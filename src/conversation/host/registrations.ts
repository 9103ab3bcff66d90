/** Registrations by the host; each returns the function that removes it. */
import { discoverTools } from '../../tools/discover.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Conversation } from './api.js';
import type { ConversationServices } from '../chart/services.js';
import type { PromptContext } from '../request/prompt-input.js';

type Registrations = Pick<Conversation, 'registerTool' | 'registerTools' | 'registerProtocol' | 'registerWire' | 'registerMacro'>;

export function registrations(
  { registry, wires, log, texts, emit }: ConversationServices,
  { protocols, macros }: PromptContext,
): Registrations {
  const changed = () => {
    emit('cards');
    emit('tools');
  };
  const untilTakenBack = (takeBack: () => void) => {
    changed();
    return () => {
      takeBack();
      changed();
    };
  };
  return {
    registerTool(tool: object, { signal }: { signal?: AbortSignal } = {}) {
      if (signal?.aborted) return () => undefined;
      const off = untilTakenBack(registry.register(tool as ToolDefinition));
      signal?.addEventListener('abort', off, { once: true });
      return off;
    },
    registerTools: (source) => untilTakenBack(registry.registerAll(discoverTools(source, { log, texts }))),
    registerProtocol: (protocol) => protocols.register(protocol),
    registerWire(wire) {
      if (typeof wire?.id !== 'string' || !wire.id || typeof wire.request !== 'function' || typeof wire.createReader !== 'function')
        throw new TypeError('A wire is an object with `id`, `request(turn, endpoint)` and `createReader(emit, response)`.');
      wires.push(wire);
      return () => void wires.splice(wires.indexOf(wire) >>> 0, 1);
    },
    registerMacro(name, given) {
      const macro = typeof given === 'function' ? { execute: given } : given;
      if (!/^\w+$/.test(name) || typeof macro?.execute !== 'function')
        throw new TypeError('A macro needs a name of letters, digits and “_”, and a function or `{execute}`.');
      if (name === 'tools' || macros.has(name)) throw new Error(`The macro name “${name}” is taken.`);
      macros.set(name, macro);
      return () => void (macros.get(name) === macro && macros.delete(name));
    },
  };
}
