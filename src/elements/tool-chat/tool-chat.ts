import { launcherEn, launcherZh } from '../../i18n/launcher.js';
import type { Conversation, ConversationOptions } from '../../conversation/conversation.js';
import type { ConversationSnapshot } from '../../conversation/snapshot.js';
import type { Logger } from '../../log.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Engine, EngineHost } from '../engine.js';
import { ToolChatEvent } from '../events.js';
import { launcherIcon, sheet } from './launcher.styles.js';
import { optionTable, propertyOf, readOption, type OptionValue } from './options.js';

type Decide = NonNullable<ConversationOptions['decide']>;

/** What is read of the conversation, and what it is before there is one. */
const initialState = (): Record<string, unknown> => ({
  messages: [],
  isLoading: false,
  error: null,
  currentTool: null,
  toolHistory: [],
  streamingText: '',
  isToolExecuting: false,
  session: { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null },
  grants: [],
  state: 'idle',
});

/** Methods that answer with a promise: they load the rest first. */
const methods = [
  'sendMessage',
  'sendMessageWithTools',
  'executeToolManually',
  'retryLastMessage',
  'regenerate',
  'editMessage',
  'generatePrompt',
  'getToolDescriptions',
  'clear',
  'clearCache',
] as const;

const objectOptions = ['context', 'headers', 'fetch', 'logger'] as const;

/**
 * An assistant for any page. A plain element, without Lit: it owns options, methods and events, and loads the rest when shown or used.
 *
 * @summary A chat that streams from any model and calls the tools the page registers, asking before it acts.
 * @tagname tool-chat
 *
 * @attr {string} endpoint - URL that answers.
 * @attr {string} [wire=auto] - `cutie`, `openai`, a registered id, or `auto`: by URL and response.
 * @attr {'on'|'off'} [stream=on] - `off` asks the non-streaming endpoint.
 * @attr {string} [protocol=xml-invoke] - How tools are written: `xml-invoke` or a registered id.
 * @attr {'on'|'off'} [tools=on] - `off` = plain chat.
 * @attr {string} model - Model name, sent along.
 * @attr {string} system-prompt - May hold `{{tools}}` and `{variables}` out of `context`.
 * @attr {number} [max-tokens=2000] - Upper bound of one reply.
 * @attr {number} [max-iterations=5] - Rounds with at least one executed call in a turn.
 * @attr {number} [repeat-limit=3] - Identical executed calls in a turn.
 * @attr {number} [tool-timeout=30000] - Milliseconds from a tool's start.
 * @attr {number} [request-timeout=60000] - Milliseconds to the first event, and between two events that carry anything.
 * @attr {number} [heartbeat=30000] - Milliseconds without a byte of any kind.
 * @attr {number} [block-timeout=10000] - Milliseconds without a character inside an open call.
 * @attr {number} [max-accumulator=1048576] - UTF-16 units of one unfinished call.
 * @attr {'auto'|'by-risk'|'always'} [approval=by-risk] - When a person is asked.
 * @attr {'one'|'many'} [calls-per-turn=many] - What the prompt asks for.
 * @attr {'single'|'multi'} [result-loop=multi] - Whether results go back to the model.
 * @attr {'feed-back'|'stop'} [on-deny=feed-back] - What follows a refusal.
 * @attr {'schema'|'pattern'|'none'} [coercion=schema] - How text becomes typed arguments.
 * @attr {'full'|'window'} [memory=window] - How much of the conversation is sent: all, or the last 20 messages.
 * @attr {'inline'|'floating'|'sidebar'|'fullscreen'} [layout=inline] - Where it stands.
 * @attr {boolean} open - Opens a floating one.
 * @attr {string} heading - Title; default: "Assistant" in the reader's language.
 * @attr {string} placeholder - In the composer.
 * @attr {'auto'|'light'|'dark'} [theme=auto] - Colours.
 * @attr {string} lang - BCP 47; default: the nearest `lang` of the page, else the browser's, else `en`.
 * @attr {string} quick-commands - Ready messages, separated by `|`.
 * @attr {string} help-url - Linked from errors.
 * @attr {string} session-id - Told to tools as `context.sessionId`.
 * @attr {'debug'|'info'|'warn'|'error'|'off'} [log-level=warn] - What the console and `tool-chat-log` get.
 *
 * @fires tool-chat-ready - The element is set up and the page's `window.toolChat` functions have run.
 * @fires tool-chat-send - Before a message is sent; cancelable. `text`.
 * @fires tool-chat-stream-start - Once a turn. `message`.
 * @fires tool-chat-stream-chunk - Visible text. `text`.
 * @fires tool-chat-tool-detected - A call, again as it grows. `tool`, `requestId`.
 * @fires tool-chat-approval-request - Calls wait for a person. `calls`.
 * @fires tool-chat-tool-execute - Before a tool runs; cancelable: a veto counts as denied. `tool`, `requestId`.
 * @fires tool-chat-tool-progress - `requestId`, `progress`.
 * @fires tool-chat-tool-complete - A call has ended. `result`, `requestId`.
 * @fires tool-chat-stream-end - Once a turn, last. `success`, `reason`.
 * @fires tool-chat-cycle - One round of calls. `cycle`.
 * @fires tool-chat-state-change - `state`, `previous`, `reason`.
 * @fires tool-chat-error - `error`.
 * @fires tool-chat-log - `entry`.
 * @fires tool-chat-show - Before it opens; cancelable.
 * @fires tool-chat-hide - Before it closes; cancelable.
 *
 * @slot header - Instead of the heading.
 * @slot empty - Shown while there are no messages.
 * @slot launcher - Instead of the round button of a floating one.
 * @slot composer-start - Before the text field.
 * @slot composer-end - After the text field.
 * @slot footer - Below the composer.
 *
 * @cssstate streaming - A reply is arriving.
 * @cssstate parsing - A call is arriving.
 * @cssstate awaitingApproval - A call waits for a person.
 * @cssstate executing - A tool runs.
 * @cssstate retrying - Another attempt is due.
 */
export class ToolChat extends HTMLElement {
  static readonly observedAttributes: readonly string[] = Object.keys(optionTable);

  readonly #options = new Map<string, OptionValue>();
  readonly #objects: Partial<Record<(typeof objectOptions)[number], unknown>> = {};
  readonly #early = new Map<string, { tool: ToolDefinition<never>; off?: () => void }>();
  readonly #listeners = new Map<(snapshot: ConversationSnapshot) => void, () => void>();
  readonly #internals = this.attachInternals();
  #config: Record<string, unknown> = {};
  #decide: Decide | undefined;
  #loading: Promise<Engine> | undefined;
  #engine: Engine | undefined;
  #announced = false;

  static {
    for (const attribute of Object.keys(optionTable)) {
      const property = propertyOf(attribute);
      Object.defineProperty(this.prototype, property, {
        configurable: true,
        enumerable: true,
        get(this: ToolChat) {
          return this.#option(attribute);
        },
        set(this: ToolChat, value: unknown) {
          // What the page's own style sheets may ask for has to stand in an attribute.
          if (attribute === 'open') this.toggleAttribute('open', Boolean(value));
          else if (attribute === 'layout' || attribute === 'theme') this.setAttribute(attribute, String(value));
          else this.#setOption(attribute, value);
        },
      });
    }
    for (const name of objectOptions) {
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: ToolChat) {
          return this.#objects[name] ?? this.#config[name];
        },
        set(this: ToolChat, value: unknown) {
          this.#objects[name] = value;
          this.#engine?.changed();
        },
      });
    }
    for (const name of Object.keys(initialState())) {
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: ToolChat): unknown {
          return this.#engine ? this.#engine.conversation[name as keyof Conversation] : initialState()[name];
        },
      });
    }
    for (const name of methods) {
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        value(this: ToolChat, ...args: never[]): Promise<unknown> {
          const call = ({ conversation }: Engine) => (conversation[name] as (...args: never[]) => Promise<unknown>)(...args);
          return this.#engine ? call(this.#engine) : this.#load().then(call);
        },
      });
    }
  }

  constructor() {
    super();
    this.attachShadow({ mode: 'open', delegatesFocus: true }).adoptedStyleSheets = [sheet()];
    // Properties that a script set before the tag was known hide our accessors until they are set again.
    for (const key of [...Object.keys(optionTable).map(propertyOf), ...objectOptions, 'decide', 'config']) {
      if (!Object.hasOwn(this, key)) continue;
      const value: unknown = Reflect.get(this, key);
      Reflect.deleteProperty(this, key);
      Reflect.set(this, key, value);
    }
  }

  connectedCallback(): void {
    this.#draw();
    runPageFunctions(this);
    if (this.#announced) return;
    this.#announced = true;
    queueMicrotask(() => this.#dispatch('ready'));
  }

  disconnectedCallback(): void {
    // Moving an element disconnects it for a moment; only one that stays away is stopped.
    queueMicrotask(() => {
      if (this.isConnected) return;
      connected.delete(this);
      this.#engine?.stop();
    });
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    if (value === null) this.#options.delete(name);
    else this.#setOption(name, value);
    if (this.isConnected && (name === 'layout' || name === 'open')) this.#draw();
    this.#engine?.changed();
  }

  /** All options as one object; reads back as the effective values. */
  get config(): Record<string, unknown> {
    const effective: Record<string, unknown> = { ...this.#config };
    for (const attribute of Object.keys(optionTable)) effective[propertyOf(attribute)] = this.#option(attribute);
    return effective;
  }
  set config(config: Record<string, unknown>) {
    this.#config = {};
    for (const [key, value] of Object.entries(config)) {
      const attribute = Object.keys(optionTable).find((one) => propertyOf(one) === key);
      if (!attribute) this.#config[key] = value;
      else if (readOption(attribute, value) === undefined) this.#warn(attribute, value);
      else this.#config[key] = readOption(attribute, value);
    }
    this.#engine?.changed();
  }

  /** The host's own gate in front of the card. Can be set once, before the first turn; later sets throw. */
  get decide(): Decide | undefined {
    return this.#decide;
  }
  set decide(decide: Decide | undefined) {
    if (this.#decide || this.#engine?.begun) throw new Error('`decide` can be set once, before the first turn.');
    this.#decide = decide;
  }

  /** Makes a function of the page callable. Returns the function that takes it back. Throws when the name is taken or does not fit. */
  registerTool(tool: ToolDefinition<never>, options: { signal?: AbortSignal } = {}): () => void {
    if (this.#engine) return this.#engine.conversation.registerTool(tool, options);
    const name: unknown = (tool as ToolDefinition<never> | undefined)?.name;
    if (typeof name !== 'string' || !/^[A-Za-z_][\w-]{0,63}$/.test(name) || typeof tool.execute !== 'function')
      throw new TypeError('registerTool needs {name, description, execute}; a name is letters, digits, _ and -, at most 64.');
    if (this.#early.has(name)) throw new Error(`A tool named “${name}” is registered already. Unregister it first.`);
    const entry: { tool: ToolDefinition<never>; off?: () => void } = { tool };
    this.#early.set(name, entry);
    const off = () => {
      if (this.#early.get(name) === entry) this.#early.delete(name);
      entry.off?.();
    };
    options.signal?.addEventListener('abort', off, { once: true });
    return off;
  }

  /** Gives every snapshot of the state. Returns the unsubscriber. */
  subscribe(listener: (snapshot: ConversationSnapshot) => void): () => void {
    this.#listeners.set(listener, this.#engine?.conversation.subscribe(listener) ?? (() => undefined));
    return () => {
      this.#listeners.get(listener)?.();
      this.#listeners.delete(listener);
    };
  }

  /** A phase or an activity; not `matches`, which is the DOM's. */
  matchesState(name: string): boolean {
    return this.#engine?.conversation.matchesState(name) ?? name === 'idle';
  }

  /** Stops the turn: the request closes, finished results are kept, the rest is cancelled. */
  cancelStream(): void {
    this.#engine?.conversation.cancelStream();
  }

  show(): void {
    if (!this.hasAttribute('open') && this.#dispatch('show', {}, true)) this.setAttribute('open', '');
  }

  hide(): void {
    if (this.hasAttribute('open') && this.#dispatch('hide', {}, true)) this.removeAttribute('open');
  }

  #option(attribute: string): OptionValue {
    return this.#options.get(attribute) ?? (this.#config[propertyOf(attribute)] as OptionValue | undefined) ?? (optionTable[attribute] as [never, OptionValue])[1];
  }

  #setOption(attribute: string, value: unknown): void {
    const option = readOption(attribute, value);
    if (option === undefined) this.#warn(attribute, value);
    if (option === undefined) this.#options.delete(attribute);
    else this.#options.set(attribute, option);
    this.#engine?.changed();
  }

  #warn(attribute: string, value: unknown): void {
    console.warn(`[tool-chat] ${attribute}=${JSON.stringify(value)} does not fit; using ${String(optionTable[attribute]?.[1])}.`);
  }

  #dispatch(name: string, fields: object = {}, cancelable = false): boolean {
    return this.dispatchEvent(new ToolChatEvent(name, fields, cancelable));
  }

  #lang(): string {
    return String(this.#option('lang')) || pageLanguage(this) || globalThis.navigator.language || 'en';
  }

  #texts(): typeof launcherEn {
    return /^zh/i.test(this.#lang()) ? launcherZh : launcherEn;
  }

  /** A floating one is a button until it is opened; all others load the rest at once. */
  #draw(): void {
    const root = this.shadowRoot as ShadowRoot;
    const floating = this.#option('layout') === 'floating';
    const open = this.hasAttribute('open');
    let slot = root.querySelector<HTMLSlotElement>('slot[name=launcher]');
    if (floating && !slot) {
      slot = document.createElement('slot');
      slot.name = 'launcher';
      const button = document.createElement('button');
      button.part.add('launcher');
      button.append(launcherIcon());
      slot.append(button);
      slot.addEventListener('click', () => {
        if (this.hasAttribute('open')) this.hide();
        else this.show();
      });
      // What will be needed at the click is fetched as soon as somebody seems to be about to click.
      slot.addEventListener('pointerenter', () => void this.#load().catch(() => undefined), { once: true });
      root.append(slot);
    }
    if (!floating) slot?.remove();
    const button = slot?.querySelector('button');
    button?.setAttribute('aria-label', open ? this.#texts().closePanel : this.#texts().open);
    button?.setAttribute('aria-expanded', String(open));
    if (!floating || open) this.#load().catch(() => undefined);
  }

  #load(): Promise<Engine> {
    return (this.#loading ??= import('../engine.js')
      .then(({ createEngine }) => {
        const host: EngineHost = {
          element: this,
          option: (attribute) => this.#option(attribute),
          object: (name) => this.#objects[name as 'context'] ?? this.#config[name],
          decide: () => this.#decide,
          lang: () => this.#lang(),
          dispatch: (name, fields, cancelable) => this.#dispatch(name, fields, cancelable),
          states: this.#internals.states,
        };
        const engine = createEngine(host);
        this.#engine = engine;
        for (const entry of this.#early.values()) entry.off = engine.conversation.registerTool(entry.tool);
        this.#early.clear();
        for (const listener of this.#listeners.keys()) this.#listeners.set(listener, engine.conversation.subscribe(listener));
        return engine;
      })
      .catch((error: unknown) => {
        this.#loading = undefined;
        this.#showLoadFailure();
        throw error;
      }));
  }

  /** The one message that has to work when nothing else could be fetched. */
  #showLoadFailure(): void {
    const root = this.shadowRoot as ShadowRoot;
    root.querySelector('.failure')?.remove();
    const box = document.createElement('div');
    box.className = 'failure';
    box.setAttribute('role', 'alert');
    const button = document.createElement('button');
    button.textContent = this.#texts().retry;
    button.addEventListener('click', () => {
      box.remove();
      this.#load().catch(() => undefined);
    });
    box.append(this.#texts().loadFailed, button);
    root.append(box);
    const message = this.#texts().loadFailed;
    this.#dispatch('error', { error: Object.freeze({ code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', message, retryable: true }) });
  }
}

/** Options and state that the table above defines on the prototype. */
export interface ToolChat extends Pick<
  Conversation,
  Extract<keyof ConversationSnapshot, 'messages' | 'isLoading' | 'error' | 'currentTool' | 'toolHistory' | 'streamingText' | 'isToolExecuting' | 'session' | 'grants' | 'state'> | (typeof methods)[number]
> {
  endpoint: string;
  wire: string;
  stream: 'on' | 'off';
  protocol: string;
  tools: 'on' | 'off';
  model: string;
  systemPrompt: string;
  maxTokens: number;
  maxIterations: number;
  repeatLimit: number;
  toolTimeout: number;
  requestTimeout: number;
  heartbeat: number;
  blockTimeout: number;
  maxAccumulator: number;
  approval: 'auto' | 'by-risk' | 'always';
  callsPerTurn: 'one' | 'many';
  resultLoop: 'single' | 'multi';
  onDeny: 'feed-back' | 'stop';
  coercion: 'schema' | 'pattern' | 'none';
  memory: 'full' | 'window';
  layout: 'inline' | 'floating' | 'sidebar' | 'fullscreen';
  open: boolean;
  heading: string;
  placeholder: string;
  theme: 'auto' | 'light' | 'dark';
  quickCommands: string;
  helpUrl: string;
  sessionId: string;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'off';
  context: Record<string, unknown>;
  headers: ConversationOptions['headers'];
  fetch: typeof globalThis.fetch | undefined;
  logger: Logger | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat': ToolChat;
  }
}

/** The nearest `lang` around an element, through shadow roots. */
function pageLanguage(element: Element): string | undefined {
  for (let at: Element | null = element; at; ) {
    const near: Element | null = at.closest('[lang]:not(tool-chat)');
    if (near) return near.getAttribute('lang') ?? undefined;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return undefined;
}

type PageFunction = (chat: ToolChat) => void;
const pageFunctions: PageFunction[] = [];
const connected = new Set<ToolChat>();
/** How many of the functions an element has run. */
const ran = new WeakMap<ToolChat, number>();

/** Runs each function that the page left in `window.toolChat` once for this element. */
function runPageFunctions(chat: ToolChat): void {
  connected.add(chat);
  for (let at = ran.get(chat) ?? 0; at < pageFunctions.length; ) {
    const run = pageFunctions[at];
    at += 1;
    ran.set(chat, at);
    try {
      run?.(chat);
    } catch (error) {
      reportError(error);
    }
  }
}

/** Takes over `window.toolChat`: what was pushed before and what will be pushed runs for every element, present and future. */
export function takeOverQueue(page: { toolChat?: unknown }): void {
  const before = page.toolChat;
  if (Array.isArray(before)) pageFunctions.push(...(before as PageFunction[]));
  page.toolChat = {
    push(...functions: PageFunction[]): number {
      pageFunctions.push(...functions);
      for (const chat of connected) runPageFunctions(chat);
      return pageFunctions.length;
    },
  };
}

