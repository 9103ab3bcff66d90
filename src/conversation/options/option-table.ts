/**
 * Every option, a row each: what it can be, and what it is when nobody sets it. The type of the settings, their defaults and checks, the
 * attributes of `<tool-chat>` and their documentation all come from here; the comment of a row is what people read of it. What a page sets
 * before anything is loaded stands once more in the launcher's own few bytes (`elements/tool-chat/attributes.ts`); a test compares.
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
  /** Undefined where the default follows from other options (`derive`), or is somebody else's. */
  readonly initial: Value;
  /** The only values that fit. */
  readonly values?: readonly string[];
  /** Where there are no `values`; everything of the type of `initial` fits where this is absent, too. */
  fits?(value: unknown): boolean;
  /** What would fit, in words. */
  readonly wanted?: string;
  derive?(of: OptionLookup): unknown;
  /** A text of digits stands for a number; `decimal`: with a point in it, too. */
  readonly digits?: 'whole' | 'decimal';
  /** `launcher`: known to the launcher. `none`: no text can say it, so there is only a property. Absent: known with the engine. */
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
/** Milliseconds. */
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
  /** URL that answers; `prompt-api:` is the browser's own model, `wllama:` and the URL of a model's file one inside the page. */
  endpoint: { ...text(), ...early },
  /** `cutie`, `openai`, `openai-responses`, `anthropic`, `ollama`, `gemini`, `ui-message-stream`, `ag-ui`, `text`, a registered id, or `auto`: by URL and response. */
  wire: { ...text('auto'), ...early },
  /** `off` asks the non-streaming endpoint. */
  stream: { ...choice('on', 'off'), ...early },
  /** How tools are written: `xml-invoke`, `json-action`, `vcp`, `json-tool-calls`, `tool-code`, `native`, `auto` (by model: `protocolByModel`) or a registered id. */
  protocol: {
    ...text('xml-invoke'),
    ...early,
    wanted: 'the id of a notation',
    fits: (value: unknown) => typeof value === 'string' && value !== '',
  },
  /** `off` = plain chat: nothing is taught and no call is read. */
  tools: { ...choice('on', 'off'), ...early },
  /** Model name, sent along. */
  model: { ...text(), ...early },
  /** May hold `{{tools}}` and `{variables}` out of `context`. */
  systemPrompt: { ...text(), ...early },
  /** Upper bound of one reply, in tokens. */
  maxTokens: { ...count(2000), ...early },
  /** Rounds of a turn in which at least one call was executed. */
  maxIterations: { ...count(5), ...early },
  /** Identical executed calls in a turn. */
  repeatLimit: { ...count(3), ...early },
  /** Milliseconds from a tool's start. */
  toolTimeout: { ...wait(30_000, 1), ...early },
  /** Milliseconds to the first event, and between two events that carry anything. */
  requestTimeout: { ...wait(60_000), ...early },
  /** Milliseconds without a byte of any kind. */
  heartbeat: { ...wait(30_000), ...early },
  /** Milliseconds without a character inside an open call. */
  blockTimeout: wait(10_000),
  /** UTF-16 units of one unfinished call. */
  maxAccumulator: count(1_048_576),
  /** Told to tools as `context.sessionId`. */
  sessionId: { ...text(), ...early },

  /** When a person is asked; `user-run`: a person runs every call. */
  approval: choice('by-risk', 'auto', 'always', 'user-run'),
  /** How many calls the prompt asks for; in a chain each call after the first is confirmed. */
  callsPerTurn: choice('many', 'one', 'confirm-chain'),
  /** Whether a call runs when its own end was read, or when the whole reply was. */
  dispatch: choice('on-turn-end', 'on-block'),
  /** `stop-stream` closes the reply behind a call; so does `calls-per-turn="one"`. */
  afterCall: derived<'continue' | 'stop-stream'>(['continue', 'stop-stream'], (of) =>
    of('callsPerTurn') === 'one' ? 'stop-stream' : 'continue',
  ),
  /** Which calls of a reply run at the same time. Calls that share a tool's `resource` never do; under `by-resource` they keep the order of the text. */
  execution: choice('serial', 'parallel', 'by-resource'),
  /** Whose calls are read: those of the protocol alone, those of models' native dialects as well, or those of all built-in protocols, too. */
  accept: choice('active', 'strict', 'any'),
  /** `complete`: calls are shown and run when the reply is over. */
  parseMode: choice('stream', 'complete'),
  /** What follows a call that could not be read: nothing, its error, or once a turn an example of how it is written. */
  onBrokenCall: choice('repair', 'report', 'skip'),
  /** The role of results on their way to the model. */
  resultRole: choice('user-envelope', 'tool'),
  /** Who tells the model about the tools: we, our relay, or nobody. */
  promptInjection: choice('client', 'relay', 'off'),
  /** Whether results go back to the model. */
  resultLoop: choice('multi', 'single'),
  /** What follows a refusal. */
  onDeny: choice('feed-back', 'stop'),
  /** How text becomes typed arguments. */
  coercion: choice('schema', 'pattern', 'none'),
  /** How much of the conversation is sent: all, the last 20 messages, or those with a summary and remembered facts. `layered` where a store, `embed` or a summariser is set. */
  memory: derived<'window' | 'full' | 'layered'>(['window', 'full', 'layered'], (of) =>
    of('memoryStore') || of('embed') || (of('memoryOptions') as MemoryOptions | undefined)?.summarise ? 'layered' : 'window',
  ),
  /** How a chain of calls is confirmed; `both` under `calls-per-turn="confirm-chain"`. */
  confirmVia: derived<'buttons' | 'keyword' | 'both'>(['buttons', 'keyword', 'both'], (of) =>
    of('callsPerTurn') === 'confirm-chain' ? 'both' : 'buttons',
  ),
  /** `on`: what the calls of a reply would do is shown before any of them runs; what has changed when its turn comes asks again. */
  rehearse: choice('off', 'on'),
  /** Where a person is asked. */
  approvalUi: choice('inline', 'dialog'),
  /** Whether long requests are planned first. */
  planning: choice('off', 'threshold'),
  /** `relay-gated`: our relay refuses requests that do not fit the state of the conversation. */
  orchestration: choice('client', 'relay-gated'),
  /** Whether to go on in a simpler mode when streaming or tools fail for good. */
  degrade: choice('auto', 'ask', 'off'),
  /** What can be written while an answer is under way. */
  composerWhileBusy: choice('draft', 'queue', 'disabled'),
  /** Where the conversation and the journal of its calls are kept, under `session-id`. */
  storage: choice('none', 'session', 'indexeddb'),
  /** Tokens the session may use, as reported, else estimated; 0 = no bound. */
  tokenBudget: count(0, 0),
  /** 0 … 2: how freely the model chooses its words. Not set = the service's own. */
  temperature: between(0, 2),
  /** Tokens the model can read at once, reply included; 0 = learnt from the endpoint when a request was too long. */
  contextSize: count(0, 0),
  /** `auto`: llama.cpp, and our relay before it, get a grammar of the notation and the tools. */
  constrain: choice('off', 'auto'),

  /** `{user, permissions, profile, …}`; also the values of `{variables}` in the system prompt. */
  context: object<Readonly<Record<string, unknown>>>({}),
  /** Headers of each request, or a function that gives them, such as a fresh token. They are never kept. */
  headers: object<HeadersOption | undefined>(),
  /** In place of the page's `fetch`, for requests to the model. */
  fetch: object<typeof globalThis.fetch>(),
  /** The host's last look at a request: what it returns is sent, `null` = nothing is. */
  beforeSend: object<((request: OutgoingRequest) => OutgoingRequest | null | Promise<OutgoingRequest | null>) | undefined>(),
  /** Values that leave the page as tokens such as `[EMAIL_1]`, by kind, pattern, selector, or as they are: see docs/security.md. */
  privateValues: object<readonly PrivateValue[] | undefined>(),
  /** Model, or its beginning and `*`, to the id of a protocol; for `protocol="auto"`, before the built-in table. */
  protocolByModel: object<Readonly<Record<string, string>>>({}),
  /** What stands in the prompt about tools, and its sections in your words: docs/prompts.md. */
  promptOptions: object<PromptOptions>({}),
  /** The same sections by protocol id; over `promptOptions.sections`. Under `composer` texts for the people who write. */
  promptTemplates: object<PromptTemplates>({}),
  /** What is done about a failed tool, by class of error: docs/errors.md. */
  errorStrategies: object<ErrorStrategies>({}),
  /** When a plan is asked for, and how many steps it may have: docs/planning.md. */
  planningOptions: object<PlanningOptions>({}),
  /** How much is recalled, and who sums up: docs/memory.md. */
  memoryOptions: object<MemoryOptions>({}),
  /** Where facts outlive a conversation: docs/memory.md. */
  memoryStore: object<MemoryStore | undefined>(),
  /** Turns a text into a vector, for long-term memory. */
  embed: object<((text: string) => number[] | Promise<number[]>) | undefined>(),
  /** Answers given before, for the same question in the same place: docs/answers.md. */
  answerCache: object<AnswerCache | undefined>(),
  /** The words that confirm; compared without case and surrounding space. Default: those of the language. */
  confirmKeywords: object<readonly string[] | undefined>(),
} as const satisfies Readonly<Record<string, Option<unknown>>>;

/** What only the element knows. */
export const elementTable = {
  /** Which reading of a turn: one of the seeds', or our own. A single option overrides it. */
  preset: choice('balanced', 'cutie-xml', 'json-block', 'aio-vcp', 'semi-auto', 'orchestrated'),
  /** Where to report a problem; without it `tool-chat-feedback` is dispatched. */
  feedbackUrl: text(),
  /** Where it stands. */
  layout: { ...choice('inline', 'floating', 'sidebar', 'fullscreen'), ...early },
  /** At which side of the window a floating one, or a sidebar, stands: where lines end, or where they start. */
  position: choice('end', 'start'),
  /** Opens a floating one. */
  open: { initial: false, ...early },
  /** Title; default: "Assistant" in the reader's language. */
  heading: { ...text(), ...early },
  /** In the composer. */
  placeholder: { ...text(), ...early },
  /** Colours. */
  theme: { ...choice('auto', 'light', 'dark'), ...early },
  /** BCP 47; default: the nearest `lang` of the page, else the browser's, else `en`. */
  lang: { ...text(), ...early },
  /** Ready messages, separated by `|`. */
  quickCommands: { ...text(), ...early },
  /** Models that a person can choose from, separated by blanks; the first is asked where `model` names none. */
  models: text(),
  /** `auto`: pictures can be added where the endpoint takes them. */
  attachments: choice('auto', 'off'),
  /** `on`: a person can switch tools off, be asked about everything, and see what the model is told; never the other way round. */
  settings: choice('off', 'on'),
  /** `on`: the inspector stands beside it, for whoever builds the page. */
  inspect: choice('off', 'on'),
  /** `on`: a person can choose the tool that the next message is for. */
  toolPicker: choice('off', 'on'),
  /** Linked from errors. */
  helpUrl: { ...text(), ...early },
  /** What the console and `tool-chat-log` get. */
  logLevel: { ...choice('warn', 'debug', 'info', 'error', 'off'), ...early },
  /** URL of an MCP server, whose tools ask; `connectMcp` of `tool-chat/mcp` has options. */
  mcp: text(),
  /** URL of `tool-chat-sandbox.html` of the package, as your site serves it: where code of `sandboxTools()` runs and views of MCP servers are shown. */
  sandboxUrl: text(),
  /** A page's own words in place of the widget's, by key of the catalogue. */
  texts: object<Partial<Texts> | undefined>(),
  /** What a person may want to say next, given the state that `subscribe` gives: up to four short texts, offered when an answer is over. */
  suggest: object<Suggest | undefined>(),
  /** Rules for texts that are shown: `{pattern, replace, targetRoles?}`, one after the other. What is sent, kept and run stays as it is. */
  textRules: object<readonly TextRule[] | undefined>(),
  /** What `use` takes, in a list. */
  plugins: object<unknown>(),
} as const satisfies Readonly<Record<string, Option<unknown>>>;

/** The values of the options of a table. */
export type OptionValues<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends { readonly initial: infer Value } ? Value : never;
};

/** The attribute of an option: `maxTokens` is `max-tokens`. */
export const attributeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
