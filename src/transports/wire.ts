/** The contract of a wire: how a turn becomes a request and a response becomes events. Contract §7 A and C. */
import type { JsonSchema } from '../json-schema.js';

export type Finish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'interrupt' | 'aborted' | 'error' | 'unknown';

export type WireEvent =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'tool'; index: number; id?: string; name?: string; arguments?: string }
  | { type: 'usage'; input: number; output: number; model?: string }
  /** Sent once, last, when the reply has ended properly. Absence of it after `end()` means the reply was cut. */
  | { type: 'finish'; finish: Finish; proved: boolean }
  | { type: 'error'; message: string; code?: string; retryable?: boolean }
  /** Something arrived that carries nothing: a comment, an unknown event. Resets the heartbeat only. */
  | { type: 'ping' };

export interface TurnRequest {
  messages: { role: string; text: string; attachments?: object[] }[];
  system: string;
  model?: string;
  maxTokens: number;
  stream: boolean;
  tools?: JsonSchema[];
}

export interface WireReader {
  push(bytes: Uint8Array): void;
  /** `close`: the body ended; `reset`: the socket broke. */
  end(how: 'close' | 'reset'): void;
}

export interface Wire {
  readonly id: string;
  /** For `wire="auto"`: the first wire that fits the URL is used, else `cutie`. */
  fits?(url: URL): boolean;
  request(turn: TurnRequest, endpoint: URL): { url: URL; headers: Record<string, string>; body: unknown };
  createReader(emit: (event: WireEvent) => void, response: { status: number; contentType: string; maxLine?: number }): WireReader;
}
