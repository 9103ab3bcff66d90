/** A page's request, after it has been checked. */
import type { ClientState } from './gate/client-state.js';

/** One turn of a conversation as it goes upstream. */
export interface RelayTurn {
  messages: { role: 'user' | 'assistant' | 'tool'; text: string }[];
  system: string;
  model?: string;
  maxTokens: number;
  temperature?: number;
  /** A GBNF grammar, for a model behind llama.cpp. */
  grammar?: string;
  /** The page's view of the conversation. Only set in gated mode. */
  claims?: ClientState;
}
