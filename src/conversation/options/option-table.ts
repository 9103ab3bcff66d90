/**
 * All options, one row each, with allowed values and default. The types of the settings, their defaults and checks, the attributes of
 * `<tool-chat>` and their documentation derive from this table; the comment of a row is its description in the docs. The launcher repeats
 * the names of the options in a few bytes (`elements/tool-chat/attributes.ts`); a test compares them.
 */
import type { Texts } from '../../i18n/en.js';
import { isCount, isWait } from '../../base/whole-numbers.js';
import type { MemoryOptions, MemoryStore } from '../../model/memory.js';
import type { OutgoingRequest } from '../../transports/prepare-request.js';
import type {
  AnswerCache,
  ErrorStrategies,
  HeadersOption,
  PlanningOptions,
  PrivateValue,
  PromptOptions,
  PromptTemplates,
  Suggest,
  TextRule,
} from './option-shapes.js';

/** The effective value of another option, by name. */
export type OptionLookup = (name: string) => unknown;

export interface Option<Value> {
  /** The default. Undefined if it derives from other options (`derive`) or is defined elsewhere. */
  readonly initial: Value;
  /** The allowed values, if they are a fixed list. */
  readonly values?: readonly string[];
  /** Checks a value if there are no `values`. Without it, any value of the type of `initial` is allowed. */
  fits?(value: unknown): boolean;
  /** A description of the allowed values for the warning. */
  readonly wanted?: string;
  derive?(of: OptionLookup): unknown;
  /** Reads a numeric text as a number; `decimal`: also with a decimal point. */
  readonly digits?: 'whole' | 'decimal';
  /** `launcher`: the launcher reads the attribute. `none`: text cannot express the value, so there is only a property. Absent: the engine reads the attribute. */
  readonly attribute?: 'launcher' | 'none';
}

const early = { attribute: 'launcher' } as const;

const text = (initial = ''): Option<string> => ({ initial });
const choice = <Value extends string>(...values: [Value, ...Value[]]): Option<Value> => ({ initial: values[0], values });
const derived = <Value extends string>(values: readonly Value[], derive: (of: OptionLookup) => Value): Option<Value | undefined> => ({
  ...{ initial: undefined, values, derive },
});
const count = (initial: number, least = 1): Option<number> => ({
  ...{ initial, wanted: `a whole number from ${least}`, digits: 'whole' },
  fits: (value) => isCount(value, least),
});
/** Creates an option in milliseconds. */
const wait = (initial: number, least = 0): Option<number> => ({
  ...count(initial, least),
  fits: (value) => isWait(value, least),
});
const between = (least: number, most: number): Option<number | undefined> => ({
  ...{ initial: undefined, wanted: `a number, ${least} … ${most}`, digits: 'decimal' },
  fits: (value) => typeof value === 'number' && value >= least && value <= most,
});
const object = <Value>(initial?: Value): Option<Value> => ({ initial: initial as Value, attribute: 'none' });

/** Read when a turn begins and kept for that turn; a change takes effect from the next one. */
export const settingsTable = {
  /** Full URL that answers; `prompt-api:` for the browser's own model, `wllama:` and a URL for a model inside the page. */
  endpoint: { ...text(), ...early },
  /** API format: `cutie` (our relay), `openai`, `openai-responses`, `anthropic`, `ollama`, `gemini`, `ui-message-stream`, `ag-ui`, `text`, a registered id, or `auto`. */
  wire: { ...text('auto'), ...early },
  /** `off`: the answer comes as a whole, from the non-streaming endpoint. */
  stream: { ...choice('on', 'off'), ...early },
  /** Tool-call format: `xml-invoke`, `json-action`, `vcp`, `json-tool-calls`, `tool-code`, `native`, `auto` (by model: `protocolByModel`) or a registered id. */
  protocol: {
    ...text('xml-invoke'),
    ...early,
    wanted: 'the id of a protocol',
    fits: (value: unknown) => typeof value === 'string' && value !== '',
  },
  /** `off`: a plain chat without tools. */
  tools: { ...choice('on', 'off'), ...early },
  /** Name of the model, sent with each request. */
  model: { ...text(), ...early },
  /** System prompt. It may contain `{{tools}}` and `{variables}` of `context`. */
  systemPrompt: { ...text(), ...early },
  /** Most tokens of one reply. */
  maxTokens: { ...count(2000), ...early },
  /** Most rounds with calls in one turn; then the user is asked whether to continue. */
  maxIterations: { ...count(5), ...early },
  /** Most identical calls in one turn. */
  repeatLimit: { ...count(3), ...early },
  /** Milliseconds that a tool may run, unless it has its own `timeout`. Then its signal is aborted. */
  toolTimeout: { ...wait(30_000, 1), ...early },
  /** Milliseconds to the first event, and between two events with content. 0 = no limit. */
  requestTimeout: { ...wait(60_000), ...early },
  /** Milliseconds without any byte before a connection counts as lost. 0 = no limit. */
  heartbeat: { ...wait(30_000), ...early },
  /** Milliseconds without a character inside an unfinished call. 0 = no limit. */
  blockTimeout: wait(10_000),
  /** Most UTF-16 units of one unfinished call. */
  maxAccumulator: count(1_048_576),
  /** Id of the conversation, for `storage` and for tools (`context.sessionId`). */
  sessionId: { ...text(), ...early },

  /** Which calls need approval: by the tool's `risk`, none, all; `user-run`: the user starts every call. */
  approval: choice('by-risk', 'auto', 'always', 'user-run'),
  /** Number of calls that a reply may have; in a chain each call after the first needs confirmation. */
  callsPerTurn: choice('many', 'one', 'confirm-chain'),
  /** When a call runs: when the whole reply has ended, or when the call itself has. */
  dispatch: choice('on-turn-end', 'on-block'),
  /** `stop-stream`: the reply is closed after a call. Default under `calls-per-turn="one"`. */
  afterCall: derived<'continue' | 'stop-stream'>(['continue', 'stop-stream'], (of) =>
    of('callsPerTurn') === 'one' ? 'stop-stream' : 'continue',
  ),
  /** Which calls of a reply run at the same time. Those with one `resource` never do; `by-resource` keeps their order. */
  execution: choice('serial', 'parallel', 'by-resource'),
  /** Calls that are accepted: `strict`: only the set format; `active`: also native dialects of models; `any`: also all built-in formats. */
  accept: choice('active', 'strict', 'any'),
  /** `complete`: calls are shown and run when the reply has ended. */
  parseMode: choice('stream', 'complete'),
  /** Reaction to an invalid call: the model sees an example once per turn (`repair`), the error (`report`) or nothing (`skip`). */
  onBrokenCall: choice('repair', 'report', 'skip'),
  /** Role of the messages that carry results to the model. */
  resultRole: choice('user-envelope', 'tool'),
  /** Adds the descriptions of tools to the prompt in this page, in the relay, or not at all. */
  promptInjection: choice('client', 'relay', 'off'),
  /** `single`: results do not go back to the model. */
  resultLoop: choice('multi', 'single'),
  /** Reaction to a denied call: the model is told, or the turn stops. */
  onDeny: choice('feed-back', 'stop'),
  /** Conversion of text to typed arguments: by the schema, by its looks, or none. */
  coercion: choice('schema', 'pattern', 'none'),
  /** Messages that are sent: the last 20, all, or 20 and remembered facts (default with a store, `embed`, a summarizer). */
  memory: derived<'window' | 'full' | 'layered'>(['window', 'full', 'layered'], (of) =>
    of('memoryStore') || of('embed') || (of('memoryOptions') as MemoryOptions | undefined)?.summarise ? 'layered' : 'window',
  ),
  /** Confirmation of a chain of calls: by buttons, by a word, or both. `both` by default under `calls-per-turn="confirm-chain"`. */
  confirmVia: derived<'buttons' | 'keyword' | 'both'>(['buttons', 'keyword', 'both'], (of) =>
    of('callsPerTurn') === 'confirm-chain' ? 'both' : 'buttons',
  ),
  /** `on`: a dry run, which shows all changes of a reply first. A step that now differs requires approval again. */
  rehearse: choice('off', 'on'),
  /** Asks for approval on the card, or in a dialog. */
  approvalUi: choice('inline', 'dialog'),
  /** `threshold`: long requests, and requests with several goals, are planned first. */
  planning: choice('off', 'threshold'),
  /** `relay-gated`: the relay refuses requests that do not fit the state of the conversation. */
  orchestration: choice('client', 'relay-gated'),
  /** Uses or offers a simpler mode when streaming or tools keep failing. */
  degrade: choice('auto', 'ask', 'off'),
  /** Lets the user write a draft, queue messages, or do nothing while an answer arrives. */
  composerWhileBusy: choice('draft', 'queue', 'disabled'),
  /** Storage for the conversation and the journal of its calls, under `session-id`. */
  storage: choice('none', 'session', 'indexeddb'),
  /** Most tokens of the session, as reported or else estimated. 0 = no limit. */
  tokenBudget: count(0, 0),
  /** Randomness of the answer, 0 to 2. Default: the service's own. */
  temperature: between(0, 2),
  /** Context window of the model in tokens, reply included. 0 = learned from the endpoint when a request was too long. */
  contextSize: count(0, 0),
  /** `auto`: llama.cpp, directly or through the relay, gets a grammar of the format and the tools. */
  constrain: choice('off', 'auto'),

  /** `{ user, permissions, profile, … }` for tools and prompts; its values replace `{variables}` in the system prompt. */
  context: object<Readonly<Record<string, unknown>>>({}),
  /** Headers of each request, or a function that returns them (or a promise), such as a fresh token. They are never saved. */
  headers: object<HeadersOption | undefined>(),
  /** Replaces the page's `fetch` for requests to the model. */
  fetch: object<typeof globalThis.fetch>(),
  /** Called with each request before it is sent. What it returns is sent; `null` stops it. */
  beforeSend: object<((request: OutgoingRequest) => OutgoingRequest | null | Promise<OutgoingRequest | null>) | undefined>(),
  /** Values that leave the page as tokens such as `[EMAIL_1]`, by kind, pattern, selector or literal value: see docs/security.md. */
  privateValues: object<readonly PrivateValue[] | undefined>(),
  /** For `protocol="auto"`: protocol ids by model name, or by its beginning and `*`. Goes before the built-in table. */
  protocolByModel: object<Readonly<Record<string, string>>>({}),
  /** Content of the prompt about tools, and your own wording of its sections: docs/prompts.md. */
  promptOptions: object<PromptOptions>({}),
  /** Sections by protocol id, over `promptOptions.sections`. `composer` holds message templates for the user. */
  promptTemplates: object<PromptTemplates>({}),
  /** Reactions to a failed tool, by class of error: docs/errors.md. */
  errorStrategies: object<ErrorStrategies>({}),
  /** The conditions under which a message is planned first: docs/planning.md. */
  planningOptions: object<PlanningOptions>({}),
  /** Amount of memory that is sent, and the summarizer: docs/memory.md. */
  memoryOptions: object<MemoryOptions>({}),
  /** Store for facts across conversations: docs/memory.md. */
  memoryStore: object<MemoryStore | undefined>(),
  /** Returns the vector of a text (or a promise of it), for long-term memory. */
  embed: object<((text: string) => number[] | Promise<number[]>) | undefined>(),
  /** Reuses earlier answers to the same question in the same context: docs/sessions.md. */
  answerCache: object<AnswerCache | undefined>(),
  /** Words that confirm a call in a chain, compared without case and surrounding spaces. Default: those of the language. */
  confirmKeywords: object<readonly string[] | undefined>(),
} as const satisfies Readonly<Record<string, Option<unknown>>>;

/** Options that only the element has. */
export const elementTable = {
  /** A set of policies by name. A single option overrides it. */
  preset: choice('balanced', 'cutie-xml', 'json-block', 'aio-vcp', 'semi-auto', 'orchestrated'),
  /** Address of “Report a problem”; without it `tool-chat-feedback` is dispatched. */
  feedbackUrl: text(),
  /** `inline` fills its container, at least 320px high; the others lie over the page. */
  layout: { ...choice('inline', 'floating', 'sidebar', 'fullscreen'), ...early },
  /** Side of the window for a floating chat or a sidebar: where lines end, or where they start. */
  position: choice('end', 'start'),
  /** Opens a floating chat. */
  open: { initial: false, ...early },
  /** Title in the header. Default: "Assistant" in the user's language. */
  heading: { ...text(), ...early },
  /** Text in the empty message field. */
  placeholder: { ...text(), ...early },
  /** Color scheme. `auto` follows the page's `color-scheme`, then the system: dark mode needs no work. */
  theme: { ...choice('auto', 'light', 'dark'), ...early },
  /** Language of the screen (BCP 47). Default: the nearest `lang` of the page, else the browser's, else `en`. */
  lang: { ...text(), ...early },
  /** Prompts to choose from, separated by `|`. */
  quickCommands: { ...text(), ...early },
  /** Models that the user can choose from, separated by spaces. Without `model`, the first is used. */
  models: text(),
  /** `auto`: the user can add pictures if the endpoint takes them. */
  attachments: choice('auto', 'off'),
  /** `on`: the user can switch off tools, approve every call, and see the prompt, but not allow more than you. */
  settings: choice('off', 'on'),
  /** `on`: shows the inspector next to the chat, for developers. */
  inspect: choice('off', 'on'),
  /** `on`: the user can choose the tool for the next message. */
  toolPicker: choice('off', 'on'),
  /** Address that errors link to. */
  helpUrl: { ...text(), ...early },
  /** Least severe entries for the console and `tool-chat-log`. */
  logLevel: { ...choice('warn', 'debug', 'info', 'error', 'off'), ...early },
  /** URL of an MCP server; all of its tools require approval. `connectMcp` of `tool-chat/mcp` has options. */
  mcp: text(),
  /** URL of `tool-chat-sandbox.html` of the package on your site, for code of `sandboxTools()` and views of MCP servers. */
  sandboxUrl: text(),
  /** Your own texts by key of the catalog, such as `{ send: 'Ask' }`. */
  texts: object<Partial<Texts> | undefined>(),
  /** Gets the state and returns up to four short suggestions (or a promise of them), offered when an answer has ended. */
  suggest: object<Suggest | undefined>(),
  /** Rules for shown texts, in order: `{ pattern, replace, targetRoles? }`. What is sent, saved and run stays as it is. */
  textRules: object<readonly TextRule[] | undefined>(),
  /** Plugins that are set up when the conversation begins; see `use`. */
  plugins: object<unknown>(),
} as const satisfies Readonly<Record<string, Option<unknown>>>;

/** The values of the options of a table. */
export type OptionValues<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends { readonly initial: infer Value } ? Value : never;
};

/** Returns the attribute of an option: `max-tokens` for `maxTokens`. */
export const attributeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
