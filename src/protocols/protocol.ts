/** The contract of a text protocol: how tools are taught, calls are read and results are told; docs/protocols.md shows each notation. */
import type { ToolDescription } from '../model/tool-description.js';

/** How a stream ended. */
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
  /** From the tool's start to its end; 0 when it never started. */
  durationMs?: number;
}

export interface RulesOptions {
  /** BCP 47; `zh…` gives the seed's Chinese text, everything else English. */
  lang: string;
  /** `one`: "one tool at a time" is a rule. `many`: one at a time unless independent. */
  callsPerTurn: 'one' | 'many' | 'confirm-chain';
  /** Adds a labelled wrong example that our own parser does not read as a call. */
  counterExamples?: boolean;
  /** `seed`: the words of the seed that the notation comes from, where it has some. Default `plain`: ours, which models follow better. */
  wording?: Wording;
  /** A registered tool and arguments for it, to teach the format with. Without it, names that stand for a tool's. */
  example?: { name: string; args: Record<string, unknown> };
  /** Whether a tool takes lists or objects. Default true. */
  hasLists?: boolean;
}

export type Wording = 'plain' | 'seed';

/** How a list of tools is written. */
export interface DefinitionOptions {
  lang: string;
  wording?: Wording | undefined;
}

/** What teaches a notation. */
export interface Teaching {
  /** Where each stands in the prompt. Default: `format`, `tools`, `rules`, `behaviour`. */
  order?: readonly PromptSection[];
  format: string;
  rules: string;
  /** When to call, what runs at once and what asks, what a result is. */
  behaviour?: string;
}

/** A part of what is generated; `tools` is the list. */
export type PromptSection = 'format' | 'tools' | 'rules' | 'behaviour';

export interface ToolProtocol {
  readonly id: string;
  /** The tool list of the prompt, one section a tool, with a worked example each that our own parser reads. */
  generateToolDefinitions(tools: ToolDescription[], options?: DefinitionOptions): string;
  /** Reads a finished text at once. */
  parseToolRequests(finalText: string): ParsedToolRequest[];
  /** Wraps results for the model; the text inside is: it must not read like a call. */
  formatToolResults(results: ToolExecutionResult[]): string;
  /** The sections of the prompt that teach the notation. */
  rules?(options: RulesOptions): Teaching;
  /** A call as the model should write it; our own parser reads exactly these values (as strings where the notation knows only strings). `id` is the call's, where the notation has a place for one. */
  writeCall?(name: string, values: Record<string, unknown>, id?: string): string;
  createParser?(emit: (segment: Segment) => void, options?: ParserOptions): ProtocolParser;
}

/** What reads the model's text; without a parser a protocol works on completion only. */
export type ProtocolReader = Pick<ToolProtocol, 'id' | 'createParser'>;

export interface ParserOptions {
  /** UTF-16 units that one unfinished call may hold. Default 1,048,576. */
  maxAccumulator?: number;
  /** Mints the id of a call. Default: a counter within the parser (`call-1`, …). */
  createId?: () => string;
  /**
   * Asked at the end, by the notations with JSON, whether the message's last call may be completed that lacks one or two closing brackets. It is flagged
   * `repaired` and `suspicious`. Say no unless the end of the message is proved. Default: none is completed.
   */
  mayMend?: (toolName: string, protocol?: string) => boolean;
}

export interface ProtocolParser {
  /** Takes any slice of the stream; emits only what later text cannot change. Never throws. */
  push(chunk: string): void;
  /** The stream is over: emits what was held back. After `abort` no call is emitted that was not already complete. */
  end(reason?: 'stop' | 'length' | 'abort'): void;
  /** For debugging and tests only; computed when asked. */
  inspect?(): { state: number | string; [field: string]: unknown };
}

export type CallErrorCode = 'unclosed' | 'missing_name' | 'bad_json' | 'bad_shape' | 'malformed' | 'too_large';
/** `foreign`: the call is in a dialect of the model's own, which this page did not teach. */
export type CallFlag = 'repaired' | 'suspicious' | 'duplicate_key' | 'quoted' | 'foreign';

/** What a parser has found in the model's text, in the order it was written. */
export type Segment =
  | { type: 'text' | 'reasoning'; text: string }
  /**
   * All segments so far were reasoning whose beginning the model's template has swallowed: its text is no answer, and its calls are only
   * drafts, which do not run.
   */
  | { type: 'was-reasoning' }
  | { type: 'call-start'; id: string; name: string }
  /** Arguments as they grow, for display only; `text` is the addition. */
  | { type: 'arguments'; id: string; key?: string; text: string }
  | {
      type: 'call';
      id: string;
      name: string;
      arguments: Record<string, unknown>;
      raw: string;
      flags?: CallFlag[];
      /** Where several notations are read at once: the id of the one that this call is written in. */
      protocol?: string;
      /** The dialect of models that a `foreign` call is written in. */
      dialect?: string;
      /** The id that the model (or, under `native`, the service) gave the call itself: what it is told of the call carries it. */
      providerId?: string;
      /** Under `native`: what the service wants back with the call, unread. */
      signature?: string;
    }
  | { type: 'call-error'; id?: string; name?: string; code: CallErrorCode; raw: string };
