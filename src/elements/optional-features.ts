/** The user's choices outside of the chat itself: model, settings, images, suggestions. Loaded with the conversation. */
import { load, loadFor } from '../base/load.js';
import type { Conversation, ConversationOptions } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import type { ConversationSurface } from '../model/snapshot.js';
import type { UnreadBadge } from './unread-badge.js';
import { countWaiting } from './tool-chat-panel/frame.js';

interface FeatureInputs {
  /** Effective values of all options. */
  values: Readonly<Record<string, unknown>>;
  options: ConversationOptions;
  /** Returns the value that the element or its `config` sets. */
  chosen(name: string): unknown;
  /** Returns the page's own `toolCallConfig`. */
  config(): unknown;
}

export class OptionalFeatures {
  readonly #panel: () => ToolChatPanel;
  readonly #conversation: Conversation;
  readonly #internals: Internals;
  readonly #inputs: FeatureInputs;
  readonly #updateUnread: () => void;
  #overrides: ToolCallConfig | undefined;
  /** The model that the user chose. */
  #chosenModel: string | undefined;
  #canQueryEndpoint = false;
  #hasSuggestions = false;
  #hasInspector = false;
  #withTextRules: typeof import('./text-rules.js').withTextRules | undefined;
  #emptySurface: ConversationSurface | undefined;
  #loadingRules: Promise<unknown> | undefined;
  #mcpModule: Promise<typeof import('./sync-mcp.js')> | undefined;

  constructor(panel: () => ToolChatPanel, conversation: Conversation, internals: Internals, inputs: FeatureInputs) {
    this.#panel = panel;
    this.#conversation = conversation;
    this.#internals = internals;
    this.#inputs = inputs;
    this.#updateUnread = trackUnread(panel, internals.surface);
  }

  /** The model that the user chose, or the first of the offered models if the page names none. */
  get model(): string | undefined {
    const all = this.#offeredModels;
    const model = this.#chosenModel;
    return model !== undefined && all.includes(model) ? model : ((this.#inputs.chosen('model') as string | undefined) ?? all[0]);
  }

  /** The user's settings, if any. */
  get overrides(): ToolCallConfig | undefined {
    return this.#overrides;
  }

  /** Applies changed options. */
  changed(): void {
    const { values } = this.#inputs;
    this.#updateUnread();
    this.#showModels();
    this.#applyTextRules();
    this.#syncServer();
    if (this.#canQueryEndpoint) void this.#updateAttachButton();
    if (values['suggest'] !== undefined && !this.#hasSuggestions) this.#enableSuggestions();
    if (this.#hasInspector || values['inspect'] === 'on') this.#updateInspector();
    if ((values['settings'] === 'on') !== (this.#panel().settings !== undefined)) this.#showSettings();
  }

  /** Called when the code that queries the endpoint has loaded. */
  loaded(): void {
    this.#canQueryEndpoint = true;
    void this.#updateAttachButton();
  }

  get #offeredModels(): string[] {
    return [...new Set(String(this.#inputs.values['models']).split(/\s+/).filter(Boolean))];
  }

  #showModels(): void {
    const panel = this.#panel();
    const all = this.#offeredModels;
    const current = this.model ?? '';
    const models = all.includes(current) ? all : [current, ...all];
    if (all.length < 2) panel.models = undefined;
    else if (panel.models?.current !== current || panel.models.models.join(' ') !== models.join(' ')) {
      loadFor(() => import('./tool-chat-models/tool-chat-models.js'));
      panel.models = {
        ...{ models, current },
        choose: (model) => {
          this.#chosenModel = model;
          this.#showModels();
        },
      };
    }
  }

  #showSettings(): void {
    if (this.#inputs.values['settings'] === 'on') loadFor(() => import('./settings-controller.js'), this.#useSettings);
    else this.#panel().settings = undefined;
  }

  readonly #useSettings = ({ createSettingsController }: typeof import('./settings-controller.js')) => {
    const { values, options, config } = this.#inputs;
    if (values['settings'] !== 'on') return;
    this.#panel().settings ??= createSettingsController(this.#conversation, this.#internals, {
      pageConfig: () => config() as ToolCallConfig | undefined,
      overrides: () => this.#overrides ?? {},
      override: (changed) => (this.#overrides = { ...this.#overrides, ...changed }),
      option: (name) => (options as Readonly<Record<string, unknown>>)[name],
    });
  };

  #enableSuggestions(): void {
    this.#hasSuggestions = true;
    loadFor(
      () => import('./suggestions.js'),
      ({ followSuggestions }) =>
        followSuggestions(this.#panel(), this.#conversation, this.#internals, () => this.#inputs.values['suggest']),
    );
  }

  #syncServer(): void {
    const { values } = this.#inputs;
    if (values['mcp'] === '' && !this.#mcpModule) return;
    this.#mcpModule ??= load(() => import('./sync-mcp.js'));
    void this.#mcpModule.then(
      ({ syncMcp }) => syncMcp(this.#conversation, values, this.#panel().lang, this.#internals),
      (error: unknown) => {
        this.#mcpModule = undefined;
        this.#internals.log.warn('mcp', 'A part of the widget could not be loaded: there are no tools of the MCP server', {}, { error });
      },
    );
  }

  /** Applies the page's `textRules` to displayed text. No message is displayed until they have loaded. */
  #applyTextRules(): void {
    const { surface } = this.#internals;
    const rules = this.#inputs.values['textRules'];
    if (rules === undefined && !this.#withTextRules) return;
    this.#panel().surface = this.#withTextRules ? this.#withTextRules(surface, rules) : (this.#emptySurface ??= withoutMessages(surface));
    this.#loadingRules ??= load(() => import('./text-rules.js'))
      .then(
        ({ withTextRules }) => withTextRules,
        // If the rules fail to load, show the original text rather than none.
        () => (original: typeof surface) => original,
      )
      .then((loaded) => {
        this.#withTextRules = loaded;
        this.#applyTextRules();
      });
  }

  #updateInspector(): void {
    this.#hasInspector = true;
    loadFor(() => import('./sync-inspector.js'), this.#useInspector);
  }

  readonly #useInspector = ({ syncInspector }: typeof import('./sync-inspector.js')) =>
    void syncInspector(this.#panel(), this.#internals.log, this.#inputs.values['inspect'] === 'on');

  /** Shows the attach button if the endpoint accepts images. */
  async #updateAttachButton(): Promise<void> {
    this.#panel().attaches = this.#inputs.values['attachments'] === 'auto' && (await this.#internals.ahead.seesImages());
  }
}

/** Returns a conversation that shows nothing. */
const withoutMessages = (surface: ConversationSurface): ConversationSurface =>
  Object.create(surface, {
    view: { get: () => ({ ...surface.view, views: [], cards: {} }) },
    subscribe: { value: () => () => undefined },
  }) as ConversationSurface;

/**
 * Shows waiting messages and approvals on the launcher button while a floating panel is closed. Returns a function to be called when the
 * panel may have been opened, closed or given another layout.
 */
function trackUnread(panel: () => ToolChatPanel, surface: ConversationSurface): () => void {
  let badge: UnreadBadge | undefined;
  /** Number of messages that the user has already seen, or that were restored from storage. */
  let seen = 0;
  /** True if a turn is running, or has run since the panel was closed. */
  let hasTurn = false;

  const update = () => {
    const { view } = surface;
    const host = (panel().getRootNode() as ShadowRoot).host as (HTMLElement & { readonly open: boolean; show(): void }) | undefined;
    const closed = panel().layout === 'floating' && host && !host.open;
    hasTurn = view.isLoading || (hasTurn && closed === true);
    if (!hasTurn) seen = view.views.length;
    if (!closed || (countWaiting(view) === 0 && (view.isLoading || view.views.length <= seen))) return badge?.clear();
    load(() => import('./unread-badge.js')).then(
      ({ createUnreadBadge }) => {
        badge ??= createUnreadBadge(host, panel);
        if (!host.open) badge.show(seen);
      },
      () => undefined,
    );
  };
  surface.subscribe(update);
  return update;
}
