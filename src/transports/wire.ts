/** The contract of a wire: it converts a turn to a request, and a response to events. */
import type { JsonSchema } from '../model/json-schema.js';

export type Finish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'interrupt' | 'aborted' | 'error' | 'unknown';

export type WireEvent =
  | { type: 'text' | 'reasoning'; text: string }
  /**
   * A piece of a tool call that the service itself made, outside of the text. Pieces of one call share `index`; `arguments` is JSON text in
   * pieces. Under `protocol="native"` the page runs such a call, unless the service ran it itself. `signature`: see `TurnMessage`.
   */
  | ({ type: 'tool'; index: number; id?: string; name?: string; arguments?: string; signature?: string } & ServiceTool)
  /** The state that the service and the page share (AG-UI). It is sent back with each request of the conversation. */
  | { type: 'state'; next: (before: unknown, onSkipped?: (error: unknown) => void) => unknown }
  /** A part of a kind that is not shown here. */
  | { type: 'part'; kind: string }
  | { type: 'usage'; input: number; output: number; model?: string }
  /** Sent once, last, when the reply has ended properly. If it is missing after `end()`, the reply was cut. */
  | { type: 'finish'; finish: Finish; proved: boolean }
  /**
   * An error of the endpoint. `reason` and `window` come from our relay: the broken validation rule, and the number of tokens that the
   * model can read.
   */
  | { type: 'error'; message: string; code?: string; retryable?: boolean; reason?: string; window?: number }
  /** The download progress of a local model, 0 to 1 (`prompt-api:`). */
  | { type: 'progress'; fraction: number }
  /** Something without content arrived: a comment, an unknown event. Resets only the heartbeat. */
  | { type: 'ping' };

/** The fields of tool calls that a service runs itself (AI SDK, AG-UI). */
export interface ServiceTool {
  /** Set if the service runs it: the page never does. */
  by?: 'service';
  /** The result of a finished call, as text; with `failed` it is the error. */
  result?: string;
  /** The result as it was sent. */
  value?: unknown;
  failed?: true;
  /** Set if the service waits for the user's approval; `TurnRequest.answers` answers it under this id. */
  approval?: { id: string; reason?: string; /** An opaque value that the service expects back. */ keep?: object };
}

export interface TurnMessage {
  role: string;
  text: string;
  attachments?: object[];
  /**
   * Calls of an `assistant` message, under `native` only; one `tool` message with its id answers each. `signature` came with the call and
   * is opaque: Gemini's thinking models reject a history without it.
   */
  toolCalls?: { id: string; name: string; arguments: Record<string, unknown>; signature?: string }[];
  /** With role `tool`: the call that this is the result of. */
  toolCallId?: string;
  toolName?: string;
  failed?: true;
  /** With role `tool`: the tool's value, of which `text` is the text form. */
  output?: unknown;
  /** Calls that the service itself made and answered in this message, before its text. */
  served?: ServedCall[];
  /** Set for an example that teaches the model; it is not part of the conversation. No wire sends this flag. */
  example?: true;
}

export interface ServedCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  output: unknown;
  failed?: true;
  signature?: string;
}

export interface TurnRequest {
  messages: TurnMessage[];
  system: string;
  model?: string;
  maxTokens: number;
  /** 0 … 2. Default: the service's own. */
  temperature?: number;
  /** GBNF that the reply must match, for servers known to support it. */
  grammar?: string;
  /** JSON schema that the complete reply must match. */
  replySchema?: JsonSchema;
  stream: boolean;
  /** Set if the reply to the last message is to be regenerated. */
  regenerates?: true;
  /** The last `state` of the service. */
  state?: unknown;
  /**
   * Tools, only under `protocol="native"`: `{name, description, parameters}` each; `parameters` is a JSON Schema with an object at its
   * root.
   */
  tools?: JsonSchema[];
  /** The user's answers to the approvals that the service requested in its last reply. */
  answers?: {
    id: string;
    toolCallId?: string;
    toolName?: string;
    /** The arguments of the call; services that store nothing need them again. */
    arguments?: Record<string, unknown>;
    approved: boolean;
    reason?: string;
    keep?: object;
  }[];
  /** For a relay that writes the prompt: `enabledTools`, `toolParadigm` and `tools`. */
  config?: object;
  /** The same id for all requests of a conversation, for services that store conversations. */
  sessionId?: string;
}

export interface WireReader {
  push(bytes: Uint8Array): void;
  /** Ends the response. `close`: the body ended; `reset`: the socket broke. */
  end(how: 'close' | 'reset'): void;
}

/** An image that can be sent: base64 `data` of a `data:` URL, or a web address. */
export interface Image {
  url: string;
  /** The media type of a `data:` URL, in lower case: `image/png`. */
  mediaType?: string;
  data?: string;
}

export interface Wire {
  readonly id: string;
  /** Sends its requests if they do not use the network. Same signature as `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** `false`: it has no place for tools, so `protocol="native"` is of no use with it. */
  readonly tools?: false;
  /**
   * Checks whether it carries an attached image; `false`: it carries none. The user is told before sending which images are not carried.
   * Default: unknown, and nothing is said.
   */
  readonly images?: false | ((image: Image) => boolean);
  /** `false`: its model has its own fixed temperature. Setting one is reported to the developer. */
  readonly temperature?: false;
  /** Checks whether it fits the URL, for `wire="auto"`: the first wire that fits is used, else `cutie`. */
  fits?(url: URL): boolean;
  request(turn: TurnRequest, endpoint: URL): { url: URL; headers: Record<string, string>; body: unknown };
  /**
   * For wires whose frames have ids: returns the address of the rest of a reply after this frame. It is requested by GET with these
   * headers, and by DELETE if the rest is not wanted. `undefined`: this id cannot be resumed.
   */
  resume?(endpoint: URL, lastEventId: string): { url: URL; headers: Record<string, string> } | undefined;
  createReader(emit: (event: WireEvent) => void, response: { status: number; contentType: string; maxLine?: number }): WireReader;
}
