/** The API of a conversation for its host, and the options that the host can pass. The element has the same state and methods. */
import type { PublishedResult, ToolUse } from '../../model/calls.js';
import type { Logger, LogLevel } from '../../base/log.js';
import type { ConversationDesk, TraceEntry } from '../../model/session.js';
import type { Attachment, TurnResult } from '../../model/messages.js';
import type { Macro, PromptMacro } from '../../prompts/macros.js';
import type { ToolContextDef } from '../../protocols/adapt/tool-context.js';
import type { ToolProtocol } from '../../protocols/protocol.js';
import type { Journal } from '../../storage/journal.js';
import type { Decide } from '../../tools/decide.js';
import type { DescribedTool, LiteralSchema, ToolDefinition } from '../../tools/tool.js';
import type { Wire } from '../../transports/wire.js';
import type { HostListener } from '../chart/hooks.js';
import type { ToolCallConfig } from '../options/tool-call-config.js';
import type { SessionFile } from '../../storage/session-format.js';
import type { ReadPage } from '../options/option-shapes.js';
import type { GivenSettings, Settings } from '../options/settings.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';
import type { Clock } from '../chart/clock.js';

/** The options of a conversation. They are read again for each turn, so an object with getters can follow attributes. */
export interface ConversationOptions extends GivenSettings {
  /** Custom approval logic: `allow`, `deny` or `ask` for each call. In Node, where no user can be asked, it is the only approval. */
  decide?: Decide | undefined;
  logger?: Logger | undefined;
  logLevel?: LogLevel | undefined;
  /** `balanced` (default), `cutie-xml`, `json-block`, `aio-vcp`, `semi-auto` or `orchestrated`. */
  preset?: string | undefined;
  /**
   * Agent settings in the shape of the design that the `vcp` protocol comes from. They override single settings and the preset. An invalid
   * field is left out with one warning.
   */
  toolCallConfig?: ToolCallConfig | undefined;
  helpUrl?: string | undefined;
  /** Plugins, set up in this order when the conversation begins. A plugin that throws is left out. */
  plugins?: readonly Plugin[] | undefined;
  /** Returns the matches of a selector in `privateValues`. Without it, selectors are an error. */
  readPage?: ReadPage | undefined;
  /** The object that plugins get instead of the conversation: the element. */
  pluginHost?: object;
  journal?: Journal;
  /** For the element: called with each event. */
  onEvent?: HostListener;
  /** For tests: the clock for the delays of retries and the time limits of requests. */
  clock?: Clock;
}

export interface SendOptions {
  /** `false`: this turn has no tools. Default: the option `tools`. */
  tools?: boolean;
  /** Name of a registered tool that this message is for: it is called first, once, or the turn says that it was not. */
  tool?: string;
  /** Files that are sent with the message. */
  attachments?: readonly Attachment[];
}

/** The same state and methods as `<tool-chat>`; throws only for a host's mistake. */
export interface Conversation extends ConversationDesk, Readonly<ConversationSnapshot> {
  /** Calls `listener` with the state after each change, at most once a microtask. Returns the function that ends it. */
  subscribe(listener: (snapshot: ConversationSnapshot) => void): () => void;
  /** Checks whether the state is this phase (`idle`, `respond` …) or this activity (`streaming`, `awaitingApproval` …). */
  matchesState(name: string): boolean;
  /**
   * Sends a message of the user and resolves when its turn has ended, with `{ success, reason, text, results, error? }`. Messages are sent one after the
   * other. Rejects with a `TypeError` for an empty text or an unknown `options.tool`; errors of network, model and tools are in the result.
   */
  sendMessage(text: string, options?: SendOptions): Promise<TurnResult>;
  /** `sendMessage` with tools, even if the option `tools` is `off`. */
  sendMessageWithTools(text: string): Promise<TurnResult>;
  /**
   * Runs a registered tool as if the model had called it: checked, asked about by its risk, shown on a card. Resolves with its result when the call has
   * ended.
   */
  executeToolManually(tool: ToolUse): Promise<PublishedResult>;
  /** Revokes a permission by the `id` of an entry of `grants`: from now on such calls ask again. Unknown ids are ignored. */
  revoke(grantId: string): void;
  /** Undoes a call by its `requestId`, with its tool's own `undo`. Rejects if there is nothing to undo, or if undoing failed. */
  undo(requestId: string): Promise<void>;
  /** Stops the turn: the request is closed, finished results stay, other calls are cancelled. Does nothing when idle. */
  cancelStream(): void;
  /** Asks again for an answer to the last message of the user, such as after an error. Resolves as `sendMessage` does. */
  retryLastMessage(): Promise<TurnResult>;
  /** Asks for another version of the last answer; the old version stays and can be shown again. Actions already taken are not undone. */
  regenerate(): Promise<TurnResult>;
  /**
   * Replaces a message of the user by `text` and answers it again; what followed stays as another version. Rejects with a `TypeError` for
   * an unknown id.
   */
  editMessage(id: string, text: string): Promise<TurnResult>;
  /**
   * Registers a tool. Returns the function that removes it; `options.signal` removes it when it aborts. The arguments of
   * its functions follow from `parameters`: JSON Schema as a literal, or zod, valibot, arktype. Throws a `TypeError` for an invalid definition or a name that is taken.
   */
  registerTool<const Schema extends LiteralSchema>(tool: DescribedTool<Schema>, options?: { signal?: AbortSignal }): () => void;
  registerTool<Args = Record<string, unknown>>(tool: ToolDefinition<Args>, options?: { signal?: AbortSignal }): () => void;
  /**
   * Registers a list of tools, or the methods of objects with `getMetadata()` that say `agentCallable: true`: all of them or, if one is invalid, none.
   * Returns the function that removes them.
   */
  registerTools(source: object | readonly object[]): () => void;
  /** Registers a tool-call format of your own under its `id`, for the option `protocol`. Returns the function that removes it. */
  registerProtocol(protocol: ToolProtocol): () => void;
  registerProtocol(protocol: ToolContextDef): () => void;
  /** Registers an API format of your own under its `id`, for the option `wire`. Returns the function that removes it. */
  registerWire(wire: Wire): () => void;
  /** Replaces `{{name}}` in the system prompt by what `macro` returns, for each request. Returns the function that removes it. */
  registerMacro(name: string, macro: Macro | PromptMacro): () => void;
  /** Resolves with the system prompt as it would be sent now, or as it would be with another protocol or other settings. Nothing is sent. */
  generatePrompt(options?: { protocol?: string; config?: Partial<Settings> & ToolCallConfig }): Promise<string>;
  /** Resolves with the part of the prompt that describes the tools; '' without tools. */
  getToolDescriptions(): Promise<string>;
  /**
   * Sets up a plugin now. Returns the function that removes it, with everything that was registered through the `chat` it was given.
   * @throws what the plugin's `setup` throws; then nothing of it is left.
   */
  use(plugin: Plugin): () => void;
  /** Resolves with the whole session as one plain object: keys sorted, secrets and sensitive values hidden. The same conversation gives the same file. */
  exportSession(): Promise<SessionFile>;
  /**
   * Replaces this session by another: a file of `exportSession()`, its JSON text, or a history of `{ role, content }`. Calls that waited ask again, calls
   * that ran are `interrupted`; nothing runs. Rejects with a `TypeError` for anything else, and while the conversation is active in another tab; then
   * nothing changes.
   */
  importSession(file: unknown): Promise<void>;
  /** Why calls ran, waited or were refused, oldest first: the newest 1,000 decisions, in the user's language. */
  readonly trace: readonly TraceEntry[];
  /** Stops the turn and deletes the messages, calls and plans of this conversation, also from the storage. Permissions, memory and the trace stay. */
  clear(): Promise<void>;
  /** Empties `answerCache`; no earlier answer is given again. */
  clearCache(): Promise<void>;
  /**
   * Deletes everything: messages as `clear()` does, permissions, memory and the trace. Call it when the user signs out. Rejects if the storage could not be
   * cleared.
   */
  forget(): Promise<void>;
  /** Stops everything and removes all listeners. The conversation cannot be used afterwards. */
  dispose(): void;
}

/** A plugin. `chat` is the element, in Node the conversation. Everything that is registered through it is removed with the plugin. */
export interface Plugin<Chat = Conversation> {
  /** The name, unique within a conversation. */
  name: string;
  /** Sets up the plugin. The returned function is called when the plugin is removed, before its registrations are. */
  setup(chat: Chat): void | (() => void);
}
