/** Registrations by the host, each with a function that removes it, and previews of the prompt that results from them. */
import { discoverTools } from '../../tools/discover.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Conversation } from './api.js';
import type { ConversationServices } from '../chart/services.js';
import type { PromptContext } from '../request/prompt-input.js';
import { load } from '../../base/load.js';
import { settingsOf } from '../options/tool-call-config.js';

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

/** Returns the prompt as the model would get it, and clears the caches of prompts and answers. */
interface Previews extends Pick<Conversation, 'generatePrompt' | 'getToolDescriptions' | 'clearCache'> {
  /** Returns the edition of cached answers that may be used; `clearCache` starts a new one. */
  edition(): number;
}

export function createPreviews({ settings, privacy }: ConversationServices, speaker: PromptContext): Previews {
  let edition = 0;
  return {
    edition: () => edition,
    generatePrompt({ protocol, config } = {}) {
      const now = settings({ ...config, ...settingsOf(config ?? {}), ...(protocol !== undefined && { protocol }) });
      return load(() => import('../request/prompt-context.js'))
        .then(({ previewSystem }) => previewSystem(now.protocol, now, speaker))
        .then(privacy.tokenize);
    },
    getToolDescriptions() {
      const now = settings({ tools: 'on' });
      return load(() => import('../request/prompt-context.js')).then(({ listTools }) => listTools(now, speaker));
    },
    async clearCache() {
      const answers = settings().answerCache;
      if (answers?.clear) await answers.clear();
      else edition += 1;
      (await load(() => import('../../prompts/index.js'))).clearPromptCache();
    },
  };
}
