/** The APIs of models behind the relay: the path, the header for the key, and the wire that reads the answers. */
import { anthropic } from '../transports/anthropic.js';
import { gemini } from '../transports/gemini.js';
import { ollama } from '../transports/ollama.js';
import { openai } from '../transports/openai.js';
import type { Wire } from '../transports/wire.js';

export interface ModelApi {
  readonly wire: Wire;
  /** Returns the path that is appended to `baseUrl`. */
  path(model: string | undefined): string;
  keyHeader(key: string): Record<string, string>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The APIs by the value of the option `api`. */
export const modelApis = {
  openai: { wire: openai, path: () => 'chat/completions', keyHeader: bearer },
  anthropic: { wire: anthropic, path: () => 'messages', keyHeader: (key) => ({ 'x-api-key': key }) },
  ollama: { wire: ollama, path: () => 'api/chat', keyHeader: bearer },
  gemini: {
    wire: gemini,
    path: (model = '') => `models/${encodeURIComponent(model.replace(/^models\//, ''))}:streamGenerateContent`,
    keyHeader: (key) => ({ 'x-goog-api-key': key }),
  },
} satisfies Record<string, ModelApi>;

export type ModelApiName = keyof typeof modelApis;
