/** The settings of a conversation, as every part of it reads them. Values come from `read-settings.ts`. */
import type { ErrorType } from '../../base/errors.js';
import type { Texts } from '../../i18n/en.js';
import type { MemoryOptions, MemoryStore } from '../../model/memory.js';
import type { OutgoingRequest } from '../../transports/prepare-request.js';

export interface Limits {
  /** UTF-16 units of one line of a stream. */
  lineChars: number;
  /** UTF-16 units of one result as the model gets it; the screen can show all. */
  resultChars: number;
  /** Nesting of arguments. */
  depth: number;
  callsPerReply: number;
  asksPerTurn: number;
}

export type HeadersOption = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** Sections of the generated prompt, each instead of the generated one; an empty text leaves it out. */
export interface PromptSections {
  format?: string;
  tools?: string;
  rules?: string;
  behaviour?: string;
}

export interface PromptOptions {
  /** Results of one reply in one message to the model. Default true (S2-11). */
  mergeResults?: boolean;
  /** Adds a labelled wrong example (S0-176). Default false; under the preset `cutie-xml` true. */
  counterExamples?: boolean;
  /** `seed`: in the words of the seed that the notation comes from, to the letter. Default `plain`; the presets of the seeds have `seed`. */
  wording?: 'plain' | 'seed';
  /** BCP 47 of generated prompts, apart from the screen's. */
  lang?: string;
  sections?: PromptSections;
  /** Sends examples that have a `say` as turns before the conversation. Default true. */
  exampleTurns?: boolean;
  /** The model guesses, and asks at most two questions with a card (S4-43). Default: under `planning="threshold"`. */
  clarify?: boolean;
  /**
   * Estimated tokens of the tool list above which only names are sent, and details on demand. Default 6000, and where the model's window is
   * known at most half of it; 0 = always all.
   */
  toolTokens?: number;
}

/** What is done about an error, in order; see `strategies.ts`. */
export type Strategy = 'fail' | 'explain' | 'ask' | 'degrade' | 'disable' | { retry: number; baseMs?: number };
export type ErrorStrategies = Readonly<Partial<Record<ErrorType, readonly Strategy[]>>>;

/** When a message is worth a plan (S4-25). */
export interface PlanningOptions {
  /** Characters of a message, as people count them: one that is longer is worth a plan. Default 300. */
  minLength?: number;
  /** Words that name a goal, each a different one. Default: the usual ones in Chinese and English, and the verbs of the tools. */
  verbs?: readonly string[];
  /** How many different ones it takes. Default 2. */
  minVerbs?: number;
  /** Estimated tokens of the whole request, its tools included. Default: none. */
  maxCost?: number;
}

/** Answers the host keeps; the key is of the request, as text (S0-182). */
export interface AnswerCache {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, answer: string): void | Promise<void>;
  /** Called by `clearCache()`; without it, what is kept is no longer asked for. */
  clear?(): void | Promise<void>;
}

/** Read when a turn begins and kept for that turn; a change takes effect from the next one. */
export interface Settings {
  /** URL that answers. */
  endpoint: string;
  wire: string;
  stream: 'on' | 'off';
  /** `auto` = by model, see `protocolByModel`. */
  protocol: string;
  /** Tools that the host switched on or off by name, and what holds for the others (S2-15, S2-16). */
  toolToggles: Readonly<Record<string, boolean>>;
  defaultToolEnabled: boolean;
  /** `protocol` was chosen by model, and may be learnt. Set by the conversation. */
  autoProtocol: boolean;
  /** Model, or its beginning and `*`, to the id of a protocol; for `protocol: 'auto'`, before the built-in table. */
  protocolByModel: Readonly<Record<string, string>>;
  /** Whose calls are read: the active protocol's, or those of all built-in ones. */
  accept: 'active' | 'any';
  /** `complete`: calls are shown and run when the reply is over (S2-40). */
  parseMode: 'stream' | 'complete';
  /** Whether a call runs when its own end was read, or when the whole reply was. */
  dispatch: 'on-turn-end' | 'on-block';
  /** `stop-stream` closes the reply at the end of a complete call. Default: so under `calls-per-turn="one"`, else `continue`. */
  afterCall: 'continue' | 'stop-stream' | undefined;
  /** Calls that share a tool's `resource` never overlap; `by-resource`: they also keep the order of the text, and all others run at once. */
  execution: 'serial' | 'parallel' | 'by-resource';
  /** What follows a call that could not be read: nothing, its error, or once a turn a request to write it anew. */
  onBrokenCall: 'skip' | 'report' | 'repair';
  /** The role of results on their way to the model. */
  resultRole: 'user-envelope' | 'tool';
  /** Who tells the model about the tools: we, our relay, or nobody. */
  promptInjection: 'client' | 'relay' | 'off';
  promptOptions: PromptOptions;
  /** The same sections by protocol id; over `promptOptions.sections`. Under `composer` texts for the people who write. */
  promptTemplates: PromptTemplates;
  /** `off` = plain chat: nothing is taught and no call is read. */
  tools: 'on' | 'off';
  model: string;
  systemPrompt: string;
  maxTokens: number;
  /** 0 … 2: how freely the model chooses its words. Default: what the service thinks right. */
  temperature: number | undefined;
  /** Tokens the model can read at once, reply included; 0 = learnt from the endpoint when a request was too long for it. */
  contextSize: number;
  /** `auto`: servers that can keep a reply to a grammar are given one of the notation and the tools. */
  constrain: 'off' | 'auto';
  /** Rounds of a turn in which at least one call was executed. */
  maxIterations: number;
  /** Identical executed calls in a turn. */
  repeatLimit: number;
  /** Milliseconds. */
  toolTimeout: number;
  requestTimeout: number;
  heartbeat: number;
  blockTimeout: number;
  /** UTF-16 units of one unfinished call. */
  maxAccumulator: number;
  approval: 'auto' | 'by-risk' | 'always' | 'user-run';
  callsPerTurn: 'one' | 'many' | 'confirm-chain';
  /** How a link of a chain is confirmed. Default: `both` under `calls-per-turn="confirm-chain"`, else `buttons`. */
  confirmVia: 'buttons' | 'keyword' | 'both' | undefined;
  /** The words that confirm; compared without case and surrounding space. Default: those of the language. */
  confirmKeywords: readonly string[] | undefined;
  /** `dialog`: questions stand in a dialog over the conversation. */
  approvalUi: 'inline' | 'dialog';
  resultLoop: 'single' | 'multi';
  onDeny: 'feed-back' | 'stop';
  coercion: 'schema' | 'pattern' | 'none';
  retries: 'balanced' | 'cutie-xml';
  /** Default: `layered` where a `memoryStore`, an `embed` function or a summariser is set, else `window`. */
  memory: 'full' | 'window' | 'layered' | undefined;
  memoryOptions: MemoryOptions;
  memoryStore: MemoryStore | undefined;
  /** Turns a text into a vector, for long-term memory. */
  embed: ((text: string) => number[] | Promise<number[]>) | undefined;
  /** Messages kept under `memory="window"`; `memoryOptions.window` goes before. */
  window: number;
  planning: 'off' | 'threshold';
  planningOptions: PlanningOptions;
  /** `relay-gated`: our relay checks, too, that a request fits the state of the conversation (S4-03). */
  orchestration: 'client' | 'relay-gated';
  /** What is done when streaming, and then tools, fail for good: a simpler mode with a notice, a question, or nothing (S0-144). */
  degrade: 'auto' | 'ask' | 'off';
  errorStrategies: ErrorStrategies;
  composerWhileBusy: 'draft' | 'queue' | 'disabled';
  /** Where the conversation and the journal of its calls are kept. */
  storage: 'none' | 'session' | 'indexeddb';
  /** Tokens (as reported, else estimated) that a session may use; 0 = no bound (S0-182). */
  tokenBudget: number;
  answerCache: AnswerCache | undefined;
  /** BCP 47, of the screen; prompts follow it. */
  lang: string;
  /** The catalogue of that language. */
  texts: Texts;
  /** `{user, permissions, …}`; also the values of `{variables}` in the system prompt. */
  context: Readonly<Record<string, unknown>>;
  headers: HeadersOption | undefined;
  /** The host's last look at a request: what it returns is sent, `null` = nothing is. */
  beforeSend: ((request: OutgoingRequest) => OutgoingRequest | null | Promise<OutgoingRequest | null>) | undefined;
  fetch: typeof globalThis.fetch;
  sessionId: string;
  limits: Limits;
}

export interface ComposerTemplate {
  label: string;
  /** `{name}` is a place to fill. */
  text: string;
}

/** Sections by protocol id, and under `composer` a list for the people who write. */
export type PromptTemplates = Readonly<Record<string, PromptSections | readonly ComposerTemplate[]>>;
