/** The contract of a text protocol: how it teaches tools, reads calls and formats results; docs/protocols.md shows each of them. */
import type { ToolDescription } from '../model/tool-description.js';

/** The reason why a stream ended. */
export type EndReason = 'stop' | 'length' | 'abort';

export type { JsonSchema } from '../model/json-schema.js';
export type { MethodMetadata, ToolDescription } from '../model/tool-description.js';

export interface ParsedToolRequest {
  requestId: string;
  toolName: string;
  rawBlock: string;
  args: Record<string, unknown>;
}

/** A result on its way back to the model. `result` is already text. */
export interface ToolExecutionResult {
  requestId: string;
  toolName: string;
  status: 'success' | 'error' | 'denied' | 'cancelled' | 'interrupted';
  result: string;
  /** Milliseconds from the tool's start to its end; 0 if it never started. */
  durationMs?: number;
}

export interface RulesOptions {
  /** BCP 47; `zh…` gives the original Chinese text, everything else English. */
  lang: string;
  /** `one`: "one tool at a time" is a rule. `many`: one at a time unless independent. */
  callsPerTurn: 'one' | 'many' | 'confirm-chain';
  /** Adds a labeled wrong example that our own parser does not read as a call. */
  counterExamples?: boolean;
  /**
   * The wording of the rules. `seed`: the original text of the protocol, if there is one. Default `plain`: ours, which models follow
   * better.
   */
  wording?: Wording;
  /** A registered tool and arguments for it, to teach the format with. Default: placeholder names. */
  example?: { name: string; args: Record<string, unknown> };
  /** True if a tool takes lists or objects. Default true. */
  hasLists?: boolean;
}

export type Wording = 'plain' | 'seed';

/** Options for writing the list of tools. */
export interface DefinitionOptions {
  lang: string;
  wording?: Wording | undefined;
}

/** The prompt sections that teach a protocol. */
export interface ProtocolPrompt {
  /** The order of the sections in the prompt. Default: `format`, `tools`, `rules`, `behaviour`. */
  order?: readonly PromptSection[];
  format: string;
  rules: string;
  /** Explains when to call, what runs immediately and what requires approval, and what a result is. */
  behaviour?: string;
}

/** A section of the generated prompt; `tools` is the list of tools. */
export type PromptSection = 'format' | 'tools' | 'rules' | 'behaviour';

export interface ToolProtocol {
  readonly id: string;
  /** Returns the tool list of the prompt, one section for each tool, with a worked example each that our own parser can read. */
  generateToolDefinitions(tools: ToolDescription[], options?: DefinitionOptions): string;
  /** Reads a complete text at once. */
  parseToolRequests(finalText: string): ParsedToolRequest[];
  /** Formats results for the model. The text inside must be neutralized, so that it does not read like a call. */
  formatToolResults(results: ToolExecutionResult[]): string;
  /** Returns the sections of the prompt that teach the protocol. */
  rules?(options: RulesOptions): ProtocolPrompt;
  /**
   * Writes a call as the model should; our own parser reads exactly these values (as strings if the protocol has only strings). `id` is the
   * id of the call, if the protocol has a place for one.
   */
  writeCall?(name: string, values: Record<string, unknown>, id?: string): string;
  createParser?(emit: (segment: Segment) => void, options?: ParserOptions): ProtocolParser;
}

/** The reading part of a protocol. Without a parser, a protocol reads replies only when they are complete. */
export type ProtocolReader = Pick<ToolProtocol, 'id' | 'createParser'>;

export interface ParserOptions {
  /** Maximum length of one unfinished call, in UTF-16 units. Default 1,048,576. */
  maxAccumulator?: number;
  /** Creates the id of a call. Default: a counter within the parser (`call-1`, …). */
  createId?: () => string;
  /**
   * Called at the end by the JSON protocols. Returns true if the message's last call, which lacks one or two closing brackets, may be
   * completed. The call is flagged `repaired` and `suspicious`. Return false unless the end of the message is proved. Default: none is
   * completed.
   */
  mayMend?: (toolName: string, protocol?: string) => boolean;
}

export interface ProtocolParser {
  /** Takes any slice of the stream. Emits only segments that later text cannot change. Never throws. */
  push(chunk: string): void;
  /** Ends the stream and emits the text that was held back. After `abort`, only calls that were already complete are emitted. */
  end(reason?: 'stop' | 'length' | 'abort'): void;
  /** Returns the state for debugging and tests only. It is computed on demand. */
  inspect?(): { state: number | string; [field: string]: unknown };
}

export type CallErrorCode = 'unclosed' | 'missing_name' | 'bad_json' | 'bad_shape' | 'malformed' | 'too_large';
/** Flags of a call. `foreign`: the call is in a dialect of the model, which this page did not teach. */
export type CallFlag = 'repaired' | 'suspicious' | 'duplicate_key' | 'quoted' | 'foreign';

/** A part that a parser has found in the model's text. Segments come in the order of the text. */
export type Segment =
  | { type: 'text' | 'reasoning'; text: string }
  /**
   * All segments so far were reasoning whose opening tag the model's template swallowed: the text is not an answer, and the calls are
   * drafts that do not run.
   */
  | { type: 'was-reasoning' }
  | { type: 'call-start'; id: string; name: string }
  /** Arguments as they stream, for display only; `text` is the addition. */
  | { type: 'arguments'; id: string; key?: string; text: string }
  | {
      type: 'call';
      id: string;
      name: string;
      arguments: Record<string, unknown>;
      raw: string;
      flags?: CallFlag[];
      /** The id of the protocol that this call is written in, if several protocols are read at once. */
      protocol?: string;
      /** The model dialect that a `foreign` call is written in. */
      dialect?: string;
      /** The id that the model (or, under `native`, the service) gave the call. Everything the model receives about the call carries it. */
      providerId?: string;
      /** Under `native`: an opaque value that the service expects back with the call. */
      signature?: string;
    }
  | { type: 'call-error'; id?: string; name?: string; code: CallErrorCode; raw: string };
