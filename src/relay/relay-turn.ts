/** What a page asks of the relay, once it has been checked. */
import type { Claims } from './gate/claims.js';

/** One turn of a conversation as it goes upstream. */
export interface RelayTurn {
  messages: { role: 'user' | 'assistant' | 'tool'; text: string }[];
  system: string;
  model?: string;
  maxTokens: number;
  temperature?: number;
  /** GBNF, for a model behind llama.cpp. */
  grammar?: string;
  /** What the page says of its state; only where the relay checks it. */
  claims?: Claims;
}
