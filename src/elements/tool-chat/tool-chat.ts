import {
  type Method,
  type Registration,
  type SharedOption,
  type SnapshotField,
  attributes,
  initialState,
  isOn,
  methods,
  optionNames,
  propertyOf,
} from './attributes.js';
import type { Conversation, ConversationOptions } from '../../conversation/conversation.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';
import type { Settings } from '../../conversation/options/settings.js';
import type { Logger, LogLevel } from '../../base/log.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Texts } from '../../i18n/en.js';
import type { Engine, EngineHost } from '../engine.js';
import { ToolChatEvent } from '../events.js';
import type { Suggest, TextRule } from '../../conversation/options/option-shapes.js';
import { connected, ranCounts, runPageFunctions, type ToolChatQueue } from './page-queue.js';
import { sheet } from './tool-chat.styles.js';

type Decide = NonNullable<ConversationOptions['decide']>;

/** Marks a tool that is replaced by the page's own tool of the same name: `replaceable` in `tools/tool-source.ts`. */
const REPLACED = Symbol.for('tool-chat.replaced');

/**
 * The launcher shows these texts if nothing else could be loaded. They are a copy of two texts of the catalog, because
 * sharing them would cost every page a request. A test keeps them equal.
 */
const failedEn = ['Part of the assistant could not be loaded', 'Retry'] as const;
const failedZh = ['助手的一部分无法加载', '重试'] as const;

/** Server-side rendering also loads this module, for the tag name and its types, and has no `HTMLElement`. */
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement);

/**
 * An assistant for any page. A plain element, without Lit: it owns options, methods and events, and loads the rest when shown or used.
 *
 * @summary An AI assistant for any page: it works with any model, calls the functions that the page registers, and asks the user before it acts.
 * @tagname tool-chat
 *
 * @fires {ToolChatEventMap['tool-chat-ready']} tool-chat-ready - The element is set up, and the functions in `window.toolChat` have run. Once.
 * @fires {ToolChatEventMap['tool-chat-send']} tool-chat-send - Before a message is sent. `event.text` is the message; `preventDefault()` stops it.
 * @fires {ToolChatEventMap['tool-chat-stream-start']} tool-chat-stream-start - A turn begins. `event.message` is the text of the user.
 * @fires {ToolChatEventMap['tool-chat-stream-chunk']} tool-chat-stream-chunk - Visible text has arrived. `event.text` is the new piece, without calls.
 * @fires {ToolChatEventMap['tool-chat-tool-detected']} tool-chat-tool-detected - A call is arriving; again as its arguments grow. `event.tool`, `event.requestId`.
 * @fires {ToolChatEventMap['tool-chat-approval-request']} tool-chat-approval-request - Calls wait for approval. `event.calls` lists them. A listener cannot approve them.
 * @fires {ToolChatEventMap['tool-chat-tool-execute']} tool-chat-tool-execute - Before a tool runs. `event.tool`, `event.requestId`; `preventDefault()` denies the call.
 * @fires {ToolChatEventMap['tool-chat-tool-progress']} tool-chat-tool-progress - A tool reports progress. `event.requestId`, `event.progress` with `fraction` (0 to 1) and `message`.
 * @fires {ToolChatEventMap['tool-chat-tool-complete']} tool-chat-tool-complete - A call has ended, with any result. `event.result`, `event.requestId`.
 * @fires {ToolChatEventMap['tool-chat-stream-end']} tool-chat-stream-end - A turn has ended. `event.success`; `event.reason` is `stop`, `length`, `cut`, `cancelled`, `error`, `limit`, `budget` or `denied`.
 * @fires {ToolChatEventMap['tool-chat-cycle']} tool-chat-cycle - A round has ended. `event.cycle` has its calls and results.
 * @fires {ToolChatEventMap['tool-chat-state-change']} tool-chat-state-change - The phase has changed. `event.state`, `event.previous`, `event.reason`.
 * @fires {ToolChatEventMap['tool-chat-error']} tool-chat-error - A turn has failed. `event.error` has `code`, `message`, `retryable` and, after an HTTP error, `status`.
 * @fires {ToolChatEventMap['tool-chat-feedback']} tool-chat-feedback - The user reports an error (`event.error`), or rates an answer: `event.messageId`, `event.value` (`up`, `down`, or `null` when it is withdrawn) and `event.reason`.
 * @fires {ToolChatEventMap['tool-chat-log']} tool-chat-log - An entry of the log, as far as `log-level` lets it through. `event.entry`.
 * @fires {ToolChatEventMap['tool-chat-show']} tool-chat-show - Before a floating chat opens; `preventDefault()` keeps it closed.
 * @fires {ToolChatEventMap['tool-chat-hide']} tool-chat-hide - Before a floating chat closes; `preventDefault()` keeps it open.
 *
 * @slot header - Replaces the heading.
 * @slot empty - Shown while there are no messages.
 * @slot launcher - Replaces the round button of a floating chat.
 * @slot composer-start - Before the text field.
 * @slot composer-end - After the text field.
 * @slot footer - Below the composer.
 *
 * @csspart launcher - The round button of a floating chat.
 * @csspart badge - Number of unread messages and waiting calls on the closed button.
 * @csspart bubble - Preview of the unread message next to the button.
 * @cssprop [--tool-chat-width=25rem] - Width of a floating panel; a sidebar uses 26rem by default.
 * @cssprop [--tool-chat-height=40rem] - Height of a floating panel.
 * @cssprop [--tool-chat-z-index=2147483000] - `z-index` of a floating chat, a sidebar or a fullscreen chat.
 *
 * @cssstate streaming - A reply is arriving.
 * @cssstate parsing - A call is arriving.
 * @cssstate awaitingApproval - A call waits for approval.
 * @cssstate executing - A tool runs.
 * @cssstate retrying - A failed request will be tried again.
 */
export class ToolChat extends Base {
  static readonly observedAttributes = attributes;

  /** The original values of attributes and properties, by property. The last one set wins. */
  readonly #set = new Map<string, unknown>();
  /**
   * Registrations that wait for the conversation; tools by name. Before the engine has loaded, a replaceable tool gives way to the page's
   * own.
   */
  readonly #registrations = new Map<unknown, (engine?: Engine) => unknown>();
  readonly #listeners = new Map<(snapshot: ConversationSnapshot) => void, (() => void) | undefined>();
  /** The DOM of a test runner may have no custom states. */
  readonly #states = (this.attachInternals as (() => Partial<ElementInternals>) | undefined)?.().states ?? new Set<string>();
  /** The custom states set for style sheets, because the attributes belong to the page. */
  #shown: string[] = [];
  #config: Record<string, unknown> = {};
  #decide: Decide | undefined;
  #hasWarned = false;
  #loading: Promise<Engine> | undefined;
  #engine: Engine | undefined;
  #changed: (() => void) | undefined;

  static {
    const define = (name: string, get: (chat: ToolChat) => unknown, isOption = false) =>
      Object.defineProperty(this.prototype, name, {
        get(this: ToolChat) {
          return get(this);
        },
        ...(isOption && {
          set(this: ToolChat, value: unknown) {
            this.#setOption(name, value);
          },
        }),
      });
    for (const name of optionNames) define(name, (chat) => chat.#option(name), true);
    for (const name of Object.keys(initialState())) {
      define(name, (chat) => (chat.#engine ? chat.#engine.conversation[name as 'state'] : initialState()[name]));
    }
    for (const name of methods) {
      define(name, (chat) => (...args: never[]) => {
        const call = ({ conversation }: Engine) => (conversation[name] as (...args: never[]) => never)(...args);
        if (chat.#engine) return call(chat.#engine);
        return /^(reg|use)/.test(name) ? chat.#register(name, args as [], call) : chat.#load().then(call);
      });
    }
  }

  constructor() {
    super();
    this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet()];
  }

  connectedCallback(): void {
    const own = this as Record<string, unknown>;
    // Properties that a script set before the element was defined hide our accessors. Set them again here, after the attributes were read.
    for (const key of [...optionNames, 'decide', 'config'])
      if (Object.hasOwn(own, key)) {
        const value = own[key];
        delete own[key];
        own[key] = value;
      }
    this.#render();
    if (!ranCounts.has(this)) queueMicrotask(() => this.#dispatch('ready'));
    runPageFunctions(this);
  }

  disconnectedCallback(): void {
    // Moving an element disconnects it for a moment. Stop it only if it stays disconnected.
    queueMicrotask(() => {
      if (!this.isConnected && connected.delete(this)) this.#whenLoaded((engine) => this.isConnected || engine.stop());
    });
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    this.#setOption(propertyOf(name), value);
  }

  #setOption(name: string, value: unknown): void {
    if (value == null) this.#set.delete(name);
    else this.#set.set(name, value);
    this.#update();
  }

  #update(): void {
    // Attributes in the markup are set one by one before the element is connected. Drawing now would load everything, even if the element
    // becomes floating.
    if (connected.has(this)) this.#render();
    this.#changed?.();
  }

  /** All options as one object: what was set, and the effective values once the conversation has loaded. `undefined` and `null` unset it. */
  get config(): Record<string, unknown> {
    return { ...this.#config, ...(this.#engine ? { ...this.#engine.options, open: this.open } : Object.fromEntries(this.#set)) };
  }
  set config(config: Record<string, unknown> | null | undefined) {
    // In React, a setter that throws unmounts the whole tree of the page.
    this.#config = Object(config) as Record<string, unknown>;
    this.#update();
  }

  /** Custom approval logic: gets each call and returns `allow`, `deny` or `ask` (or a promise). Set it once, before the first turn; later ones are ignored with a warning. */
  get decide(): Decide | undefined {
    return this.#decide;
  }
  set decide(decide: Decide | null | undefined) {
    if ((decide ?? undefined) === this.#decide) return;
    if (!this.#decide && !this.#engine?.begun) this.#decide = decide as Decide;
    else if (!this.#hasWarned) {
      // Warn once: a React component sets a new function with each rendering.
      this.#hasWarned = true;
      console.warn('[tool-chat] `decide` can be set once, before the first turn: ignored');
    }
  }

  /**
   * Stores a registration until there is a conversation. The name of a tool is checked immediately, so that the error appears at the call.
   */
  #register(
    name: string,
    [tool, options]: [(ToolDefinition<never> & { [REPLACED]?: () => void })?, { signal?: AbortSignal }?],
    register: (engine: Engine) => () => void,
  ): () => void {
    let key: unknown = register;
    let takeBack: (() => void) | undefined;
    if (name === 'registerTool') {
      key = tool?.name;
      if (!/^[A-Za-z_][\w-]{0,63}$/.test(key as string) || !tool?.execute)
        throw new TypeError(`registerTool(): expected an \`execute\` function and a name such as "create_task", got "${key as string}".`);
      if (!tool[REPLACED]) this.#registrations.get(key)?.();
      if (this.#registrations.has(key)) throw new Error(`The tool name "${key as string}" is taken.`);
    }
    const waiting = (engine?: Engine) => (engine ? (takeBack = register(engine)) : tool?.[REPLACED]?.());
    const off = () => {
      if (this.#registrations.get(key) === waiting) this.#registrations.delete(key); // a successor stays
      takeBack?.();
    };
    this.#registrations.set(key, waiting);
    options?.signal?.addEventListener('abort', off);
    return off;
  }

  /** Calls `listener` with the state after each change, at most once a microtask. Returns the function that ends it. */
  subscribe(listener: (snapshot: ConversationSnapshot) => void): () => void {
    this.#listeners.set(listener, this.#engine?.conversation.subscribe(listener));
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
    this.#whenLoaded(({ conversation }) => {
      conversation.cancelStream();
    });
  }

  /** Calls `act` with the engine, or after a load in progress: stopping also ends actions started before the conversation was ready. */
  #whenLoaded(act: (engine: Engine) => unknown): void {
    if (this.#engine) act(this.#engine);
    else this.#loading?.then(act, () => undefined);
  }

  /** Opens a floating chat, unless a listener cancels `tool-chat-show`. */
  show(): void {
    if (!this.open && this.#dispatch('show', {}, true)) this.open = true;
  }

  /** Closes a floating chat, unless a listener cancels `tool-chat-hide`. The turn goes on. */
  hide(): void {
    if (this.open && this.#dispatch('hide', {}, true)) this.open = false;
  }

  #option(name: string): unknown {
    const given = this.#set.get(name) ?? this.#config[name];
    // The layouts `sidebar` and `fullscreen` are open from the start.
    if (name === 'open') return given == null ? /^(s|fu)/.test(this.layout) : isOn(given);
    return this.#engine ? this.#engine.option(name) : given;
  }

  #dispatch(name: string, fields: object = {}, cancelable = false): boolean {
    return this.dispatchEvent(new ToolChatEvent(name, fields, cancelable));
  }

  /** Updates states and launcher. A closed floating chat is only a button; all others load the rest immediately. */
  #render(): void {
    const { layout, position, theme, open } = this;
    for (const state of this.#shown) this.#states.delete(state);
    for (const state of (this.#shown = [layout || 'inline', position || 'end', theme || 'auto', ...(open ? ['open'] : [])]))
      this.#states.add(state);
    const floating = layout === 'floating';
    if (floating || this.shadowRoot?.querySelector('slot')) {
      void import('./launcher-button.js').then(({ renderLauncher }) => {
        renderLauncher(this, floating, this.#preload);
      }, this.#preload);
    }
    if (!floating || open) this.#preload();
  }

  /** Loads the engine. Failures have already been reported. */
  readonly #preload = () => void this.#load().catch(() => undefined);

  #load(): Promise<Engine> {
    const { readyState } = document;
    return (this.#loading ??= import('../engine.js')
      .then(({ createEngine }) => {
        const host: EngineHost = {
          element: this,
          set: this.#set,
          config: () => this.#config,
          early: this.#registrations,
          decide: () => this.#decide,
          dispatch: (name, fields, cancelable) => this.#dispatch(name, fields, cancelable),
          states: this.#states,
          follow: (changed) => (this.#changed = changed),
          load: this.#preload,
          readyState,
        };
        return createEngine(host);
      })
      .then((engine) => {
        this.#engine = engine;
        this.#render();
        for (const [listener] of this.#listeners) this.#listeners.set(listener, engine.conversation.subscribe(listener));
        return engine;
      })
      .catch((error: unknown) => {
        this.#loading = undefined;
        console.warn('[tool-chat] Not loaded. Set data-base: the folder of chunks/', error);
        if (!(error as { shown?: true }).shown) this.#showLoadFailure();
        throw error;
      }));
  }

  /** Shows a message if nothing else could be loaded. */
  #showLoadFailure(): void {
    const [message, retry] = /^zh/i.test(this.lang || document.documentElement.lang) ? failedZh : failedEn;
    const box = document.createElement('div');
    box.role = 'alert';
    const button = document.createElement('button');
    button.textContent = retry;
    button.onclick = () => {
      box.remove();
      this.#preload();
    };
    box.append(message, ' ', button);
    this.shadowRoot?.append(box);
    this.#dispatch('error', { error: { code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', message, retryable: true } });
  }
}

/** Options and state that the table above defines on the prototype. */
export interface ToolChat extends Pick<Conversation, SnapshotField | Method | Registration>, Pick<Settings, SharedOption> {
  /** A set of policies by name; a single option overrides it. Default: `balanced`. */
  preset: string;
  /** `inline` fills its container, the others lie over the page. Default: `inline`. */
  layout: 'inline' | 'floating' | 'sidebar' | 'fullscreen';
  /** True if a floating chat is open. Default: false. */
  open: boolean;
  /** Title in the header. Default: “Assistant” in the user's language. */
  heading: string;
  /** Text in the empty message field. */
  placeholder: string;
  /** Color scheme. `auto`, the default, follows the page, then the system. */
  theme: 'auto' | 'light' | 'dark';
  /** Prompts to choose from, separated by `|`. */
  quickCommands: string;
  /** Address that errors link to. */
  helpUrl: string;
  /** Address of “Report a problem”; without it, `tool-chat-feedback` is dispatched. */
  feedbackUrl: string;
  /** Least severe entries for the console. Default: `warn`. */
  logLevel: LogLevel;
  /** Replaces the page's `fetch` for requests to the model. */
  fetch: typeof globalThis.fetch | undefined;
  /** Gets what would be written to the console: `{ debug, info, warn, error }`. Default: the console. */
  logger: Logger | undefined;
  /** Plugins that are set up when the conversation begins; see `use`. */
  plugins: ConversationOptions['plugins'];
  /** Your own texts by key of the catalog, such as `{ send: 'Ask' }`; a text of the wrong type is left out with a warning. */
  texts: Partial<Texts> | undefined;
  /** Side of the window for a floating chat or a sidebar: where lines end (`end`) or start. */
  position: 'end' | 'start';
  /** Models that the user can choose from, separated by spaces; without `model`, the first is used. */
  models: string;
  /** `auto`: the user can add pictures if the endpoint takes them. */
  attachments: 'auto' | 'off';
  /** `on`: the menu has settings: the user can switch tools off, or approve every call. */
  settings: 'off' | 'on';
  /** `on`: shows the inspector next to the chat, for developers. */
  inspect: 'off' | 'on';
  /** `on`: the user can choose the tool for the next message. */
  toolPicker: 'off' | 'on';
  /** URL of an MCP server; all of its tools ask. */
  mcp: string;
  /** URL of `tool-chat-sandbox.html` of the package, as the site serves it; without it there are no tools for code and no views of MCP servers. */
  sandboxUrl: string;
  /** Returns up to four short suggestions for the next message, offered when an answer has ended. */
  suggest: Suggest | undefined;
  /** Rules for texts that are shown, one after the other; what is sent, saved and run stays as it is. An invalid rule is left out with a warning. */
  textRules: readonly TextRule[] | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat': ToolChat;
  }
  interface Window {
    /** Functions for every `<tool-chat>` of the page, present and future: `(window.toolChat ??= []).push((chat) => …)`. */
    toolChat?: ToolChatQueue<ToolChat>;
  }
}
