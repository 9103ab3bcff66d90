/** The contract of a wire: how a turn becomes a request and a response becomes events. */
import type { JsonSchema } from '../model/json-schema.js';

export type Finish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'interrupt' | 'aborted' | 'error' | 'unknown';

export type WireEvent =
  | { type: 'text' | 'reasoning'; text: string }
  /**
   * A piece of a tool call that the service itself made, outside of the text. Pieces of one call share `index`; `arguments` is JSON text in
   * pieces. Under `protocol="native"` such a call is the page's to run, unless the service ran it itself. `signature`: see `TurnMessage`.
   */
  | ({ type: 'tool'; index: number; id?: string; name?: string; arguments?: string; signature?: string } & ServiceTool)
  /** What the service and the page share (AG-UI). It goes back with each request of the conversation. */
  | { type: 'state'; next: (before: unknown) => unknown }
  /** A part of a kind that is not shown here. */
  | { type: 'part'; kind: string }
  | { type: 'usage'; input: number; output: number; model?: string }
  /** Sent once, last, when the reply has ended properly. Absence of it after `end()` means the reply was cut. */
  | { type: 'finish'; finish: Finish; proved: boolean }
  /** `reason` and `window` come from our relay: which rule of its gate was broken, and how many tokens the model can read. */
  | { type: 'error'; message: string; code?: string; retryable?: boolean; reason?: string; window?: number }
  /** How far a model that has to be fetched first has come, 0 to 1 (`prompt-api:`). */
  | { type: 'progress'; fraction: number }
  /** Something arrived that carries nothing: a comment, an unknown event. Resets the heartbeat only. */
  | { type: 'ping' };

/** What a service that runs tools of its own tells about them (AI SDK, AG-UI). */
export interface ServiceTool {
  /** The service runs it: never ours to execute. */
  by?: 'service';
  /** It is done, and this came out, as text; with `failed` it is what went wrong. */
  result?: string;
  /** The same, as it was sent. */
  value?: unknown;
  failed?: true;
  /** The service waits for a person's word before it goes on; answered by `TurnRequest.answers` under this id. */
  approval?: { id: string; reason?: string; /** What the service wants back with the answer, untouched. */ keep?: object };
}

export interface TurnMessage {
  role: string;
  text: string;
  attachments?: object[];
  /**
   * Calls of an `assistant` message, under `native` only; each is answered by one `tool` message with its id. `signature` is what came
   * with the call, opaque: Gemini's thinking models refuse a history that has lost it.
   */
  toolCalls?: { id: string; name: string; arguments: Record<string, unknown>; signature?: string }[];
  /** With role `tool`: which call this is the result of. */
  toolCallId?: string;
  toolName?: string;
  failed?: true;
  /** With role `tool`: what the tool gave, where `text` says the same in words. */
  output?: unknown;
  /** Calls that the service itself made and answered in this message, before its text. */
  served?: ServedCall[];
  /** Nobody said this: it is part of what the model is taught. No wire sends the mark. */
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
  /** 0 … 2; absent = the service's own. */
  temperature?: number;
  /** GBNF that the reply has to keep to, for servers that are known to read it. */
  grammar?: string;
  /** JSON schema that the whole reply has to keep to. */
  replySchema?: JsonSchema;
  stream: boolean;
  /** The reply to the last message is to be made once more. */
  regenerates?: true;
  /** Last `state` of the service. */
  state?: unknown;
  /** Only under `protocol="native"`: `{name, description, parameters}` each, `parameters` a JSON Schema with an object at its root. */
  tools?: JsonSchema[];
  /** A person's words to what the service asked in its last reply. */
  answers?: {
    id: string;
    toolCallId?: string;
    toolName?: string;
    /** What was approved or not; services that keep nothing are told again. */
    arguments?: Record<string, unknown>;
    approved: boolean;
    reason?: string;
    keep?: object;
  }[];
  /** For a relay that writes the prompt: `enabledTools`, `toolParadigm` and `tools`. */
  config?: object;
  /** The same for all requests of a conversation; for wires whose services keep one. */
  sessionId?: string;
}

export interface WireReader {
  push(bytes: Uint8Array): void;
  /** `close`: the body ended; `reset`: the socket broke. */
  end(how: 'close' | 'reset'): void;
}

/** A picture that can travel: base64 `data` of a `data:` URL, or an address of the web. */
export interface Image {
  url: string;
  /** Of a `data:` URL, in lower case: `image/png`. */
  mediaType?: string;
  data?: string;
}

export interface Wire {
  readonly id: string;
  /** How its requests travel, if not by the network: takes and answers what `fetch` does. */
  readonly fetch?: typeof globalThis.fetch;
  /** `false`: it has no place for tools, so `protocol="native"` is of no use with it. */
  readonly tools?: false;
  /**
   * Which attached pictures it carries; `false`: none. What it does not carry the person is told before the message is sent. Absent: nobody
   * knows, and nothing is said.
   */
  readonly images?: false | ((image: Image) => boolean);
  /** `false`: its model has a temperature of its own; whoever sets one is told. */
  readonly temperature?: false;
  /** For `wire="auto"`: the first wire that fits the URL is used, else `cutie`. */
  fits?(url: URL): boolean;
  request(turn: TurnRequest, endpoint: URL): { url: URL; headers: Record<string, string>; body: unknown };
  /**
   * For wires whose frames have ids: where the rest of a reply is, after this frame. Asked by GET with these headers, and by DELETE
   * when nobody wants the rest. `undefined` = an id of this kind leads nowhere.
   */
  resume?(endpoint: URL, lastEventId: string): { url: URL; headers: Record<string, string> } | undefined;
  createReader(emit: (event: WireEvent) => void, response: { status: number; contentType: string; maxLine?: number }): WireReader;
}
