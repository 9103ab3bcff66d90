/** The wires that come with the package; the only file that lists them all. Each is loaded at first use. */
import type { Wire } from './wire.js';

interface BuiltInWire {
  readonly id: string;
  /** Checks whether `wire="auto"` selects it for this address. */
  fits(url: URL): boolean;
  load(): Promise<Wire>;
}

const never = () => false;

export const builtInWires: readonly BuiltInWire[] = [
  {
    id: 'openai',
    fits: (url) => /\/chat\/completions\/?$/.test(url.pathname),
    load: async () => (await import('./openai.js')).openai,
  },
  {
    id: 'openai-responses',
    fits: (url) => /\/responses\/?$/.test(url.pathname),
    load: async () => (await import('./openai-responses.js')).openaiResponses,
  },
  {
    id: 'anthropic',
    fits: (url) => /\/v1\/messages\/?$/.test(url.pathname),
    load: async () => (await import('./anthropic.js')).anthropic,
  },
  {
    id: 'ollama',
    fits: (url) => /\/api\/chat\/?$/.test(url.pathname),
    load: async () => (await import('./ollama.js')).ollama,
  },
  {
    id: 'gemini',
    fits: (url) => /:(?:streamG|g)enerateContent$/.test(url.pathname),
    load: async () => (await import('./gemini.js')).gemini,
  },
  {
    id: 'prompt-api',
    fits: (url) => url.protocol === 'prompt-api:',
    load: async () => (await import('./prompt-api.js')).promptApi,
  },
  {
    id: 'wllama',
    fits: (url) => url.protocol === 'wllama:',
    load: async () => (await import('./wllama.js')).pageModel,
  },
  {
    id: 'ui-message-stream',
    fits: never,
    load: async () => (await import('./ui-message-stream.js')).uiMessageStream,
  },
  {
    id: 'ag-ui',
    fits: never,
    load: async () => (await import('./ag-ui.js')).agUi,
  },
  {
    id: 'text',
    fits: never,
    load: async () => (await import('./text.js')).plainText,
  },
  // Last, because it takes every other address.
  { id: 'cutie', fits: () => true, load: async () => (await import('./cutie.js')).cutie },
];
