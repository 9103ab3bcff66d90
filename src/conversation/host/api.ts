/** What a conversation offers to a host, and what a host can give it. The element has the same state and methods. */
import type { PublishedResult, ToolUse } from '../../model/calls.js';
import type { Logger, LogLevel } from '../../base/log.js';
import type { ConversationDesk, TraceEntry } from '../../model/session.js';
import type { Attachment, TurnResult } from '../../model/messages.js';
import type { Macro, PromptMacro } from '../../prompts/macros.js';
import type { ToolContextDef } from '../../protocols/adapt/tool-context.js';
import type { ToolProtocol } from '../../protocols/protocol.js';
import type { Journal } from '../../storage/journal.js';
import type { Decide } from '../../tools/decide.js';
import type { DescribedTool, LiteralSchema } from '../../tools/described-args.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Wire } from '../../transports/wire.js';
import type { TellHost } from '../chart/hooks.js';
import type { ToolCallConfig } from '../options/tool-call-config.js';
import type { SessionFile } from '../../storage/session-format.js';
import type { ReadPage } from '../options/option-shapes.js';
import type { GivenSettings, Settings } from '../options/settings.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';
import type { Clock } from '../chart/clock.js';

/** Read again for each turn, so an object with getters can follow attributes. */
export interface ConversationOptions extends GivenSettings {
  /** The host's own gate in front of a person. In Node, without a person, it is the only one. */
  decide?: Decide | undefined;
  logger?: Logger | undefined;
  logLevel?: LogLevel | undefined;
  /** `balanced`, or one of the seeds' readings: `cutie-xml`, `json-block`, `aio-vcp`, `semi-auto`, `orchestrated`. */
  preset?: string | undefined;
  /** Seed 002's settings of an agent; over single settings and the preset. A field that does not fit is left out with one warning. */
  toolCallConfig?: ToolCallConfig | undefined;
  helpUrl?: string | undefined;
  /** Set up in this order when the conversation begins; one that throws is left out. */
  plugins?: readonly Plugin[] | undefined;
  /** What selectors of `privateValues` find; without it they are an error. */
  readPage?: ReadPage | undefined;
  /** What plugins are given instead of the conversation: the element. */
  pluginHost?: object;
  journal?: Journal;
  /** For the element: told what happens; see `hooks.ts`. */
  onEvent?: TellHost;
  /** For tests: the waits of retries and of time limits on requests. */
  clock?: Clock;
}

export interface SendOptions {
  /** `false` = without tools for this turn. */
  tools?: boolean;
  /** Name of a registered tool that this message is for: it is called first, once, or the turn says that it was not. */
  tool?: string;
  attachments?: readonly Attachment[];
}

/** The same state and methods as `<tool-chat>`; throws only for a host's mistake. */
export interface Conversation extends ConversationDesk, Readonly<ConversationSnapshot> {
  subscribe(listener: (snapshot: ConversationSnapshot) => void): () => void;
  /** A phase or an activity. */
  matchesState(name: string): boolean;
  sendMessage(text: string, options?: SendOptions): Promise<TurnResult>;
  sendMessageWithTools(text: string): Promise<TurnResult>;
  executeToolManually(tool: ToolUse): Promise<PublishedResult>;
  /** Takes a grant back; from now on such calls ask again. */
  revoke(grantId: string): void;
  /** Takes back what a call did, by its tool's own `undo`. Rejects when there is nothing to take back, or when that failed. */
  undo(requestId: string): Promise<void>;
  cancelStream(): void;
  retryLastMessage(): Promise<TurnResult>;
  regenerate(): Promise<TurnResult>;
  editMessage(id: string, text: string): Promise<TurnResult>;
  /** The arguments of its functions follow from `parameters`: JSON Schema as a literal, or zod, valibot, arktype. */
  registerTool<const Schema extends LiteralSchema>(tool: DescribedTool<Schema>, options?: { signal?: AbortSignal }): () => void;
  registerTool<Args = Record<string, unknown>>(tool: ToolDefinition<Args>, options?: { signal?: AbortSignal }): () => void;
  /** Methods of objects with `getMetadata()` that say `agentCallable: true` (S2-23); all of them or, if one does not fit, none. */
  registerTools(source: object | readonly object[]): () => void;
  /** A whole `ToolProtocol`, one with only the seed's four members, or seed 003's `ToolContextDef` with an `id`. */
  registerProtocol(protocol: ToolProtocol): () => void;
  registerProtocol(protocol: ToolContextDef): () => void;
  registerWire(wire: Wire): () => void;
  /** `{{name}}` in the system prompt becomes what it returns. */
  registerMacro(name: string, macro: Macro | PromptMacro): () => void;
  /** The system prompt as it would be sent, with other settings if they are given. */
  generatePrompt(options?: { protocol?: string; config?: Partial<Settings> & ToolCallConfig }): Promise<string>;
  getToolDescriptions(): Promise<string>;
  /**
   * Sets a plugin up now. What it returns takes the plugin back, with everything that was registered through the `chat` it was given.
   * @throws what the plugin's `setup` throws; then nothing of it is left.
   */
  use(plugin: Plugin): () => void;
  /** The whole session as one plain object: keys sorted, secrets and sensitive values hidden. The same conversation gives the same file. */
  exportSession(): Promise<SessionFile>;
  /**
   * Puts a session in place of this one: the file or its JSON text, or an older history of `{role, content}`. What waited is asked again, what
   * was under way is `interrupted`; nothing runs. Rejects with a `TypeError` for what is none, and then changes nothing; also while another tab
   * has the conversation.
   */
  importSession(file: unknown): Promise<void>;
  /** Why it did what it did, oldest first: the newest 1,000 decisions, in the reader's language. */
  readonly trace: readonly TraceEntry[];
  clear(): Promise<void>;
  clearCache(): Promise<void>;
  /**
   * All of `clear()`, and what outlives it: what is granted, what is remembered, the trace. Messages go, too, for what stands in them would be
   * told again with the next request. Rejects when the store could not be cleared.
   */
  forget(): Promise<void>;
  /** Stops everything and forgets who listens. */
  dispose(): void;
}

/** `chat` is the element, in Node the conversation: what is registered through it goes when the plugin goes. */
export interface Plugin<Chat = Conversation> {
  /** Once a conversation. */
  name: string;
  /** What it returns is called when the plugin is taken back, before its registrations go. */
  setup(chat: Chat): void | (() => void);
}
