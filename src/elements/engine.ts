/**
 * Loaded by the launcher: shows the panel at once so that the user can type, and meanwhile loads the conversation, which follows the
 * element's options. This is the only place that connects a user's decision to the conversation, by a function that is passed on and never
 * stored on an object.
 */
import { load } from '../base/load.js';
import { deepFreeze, own } from '../base/objects.js';
import { addSheet, createSheet, restoreSheets } from '../base/style-sheets.js';
import type { Conversation, ConversationOptions } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import { composerTemplates } from '../conversation/options/composer-templates.js';
import type { Settings } from '../conversation/options/settings.js';
import type { ViewSnapshot } from '../model/snapshot.js';
import { allowDecisions, type ApprovalConditions } from './decisions.js';
import { stopKeys } from './keys.js';
import { createLayoutController, layoutCss, type LayoutController } from './layout-controller.js';
import type { MovedDocument } from './moved-document.js';
import type { OptionalFeatures } from './optional-features.js';
import { createOptions, type GivenOptions, type Options } from './options.js';
import { ownDirection, pageLanguage } from './page-language.js';
import { PanelAdoptedEvent, PanelCloseEvent } from './panel-requests.js';
import { createPanelStrings, textsForPreset, validLanguageTag } from './panel-strings.js';
import { exportPanel } from './parts.js';
import { sheet } from './tool-chat/tool-chat.styles.js';
import { createPanel, type ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import { createWaitingSurface } from './waiting-surface.js';

/** The interface of the launcher. */
export interface EngineHost extends GivenOptions {
  readonly element: HTMLElement & { readonly open: boolean; hide(): void };
  /** Registrations that wait for the conversation. */
  readonly early: ReadonlyMap<unknown, (engine: Engine) => unknown>;
  decide(): ConversationOptions['decide'];
  /** Returns false if a listener canceled the event. */
  dispatch(name: string, fields: object, cancelable: boolean): boolean;
  /** Registers a function to be called when an option changes. */
  follow(changed: () => void): void;
  /** Requests the engine again. */
  load(): void;
  readonly states: CustomStateSet;
  /** The page's state when the engine was requested. */
  readonly readyState: DocumentReadyState;
}

export interface Engine {
  readonly conversation: Conversation;
  /** Effective values of all options, by property. */
  readonly options: Record<string, unknown>;
  /** Returns the effective value of one option. */
  option(property: string): unknown;
  /** True after the first turn has begun: `decide` can no longer be set. */
  readonly begun: boolean;
  /** Called when the element has left the page. */
  stop(): void;
}

type ConversationModules = typeof import('./start-conversation.js');

const slotNames = ['header', 'empty', 'composer-start', 'composer-end', 'footer'];

/** Longest wait for a frame, in milliseconds: hidden pages get no frames. */
const MAX_FRAME_WAIT = 100;

/** Resolves after the panel has been drawn, before other work keeps the page busy. */
const panelPainted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, document.hidden ? 0 : MAX_FRAME_WAIT);
  });

const openPanels = new WeakMap<HTMLElement, OpenPanel>();

/**
 * Creates the engine. The panel is in place when this returns. Rejects if the conversation could not be loaded; in this case the panel has
 * reported it (`shown` of the error), keeps the text that the user typed, and offers to call `host.load`.
 */
export function createEngine(host: EngineHost): Promise<Engine> {
  const panel = openPanels.get(host.element) ?? new OpenPanel(host);
  openPanels.set(host.element, panel);
  return panel.start();
}

/** The panel in an element: it follows the element's options, is there before the conversation, and shows it when it has loaded. */
export class OpenPanel {
  readonly host: EngineHost;
  readonly strings = createPanelStrings(() => this.#applyOptions());
  readonly options: Options;
  readonly waitingSurface = createWaitingSurface(() => {
    this.host.load();
  });
  panel: ToolChatPanel;
  #layoutController: LayoutController;
  #modules: ConversationModules | undefined;
  #internals: Internals | undefined;
  /** The user's choices outside of the chat itself. They are loaded with the conversation. */
  #features: OptionalFeatures | undefined;
  /** Set while the element is in another document. */
  #movedDocument: MovedDocument | undefined;
  #isCheckScheduled = false;
  #shownStates: readonly string[] = [];

  constructor(host: EngineHost) {
    const { element } = host;
    this.host = host;
    this.options = createOptions(host, {
      ofToolCallConfig: (property) =>
        this.#modules && own(this.#modules.settingsOf(this.#modules.readToolCallConfig(this.pageConfig)), property),
      // A preset never sets options that only the panel needs.
      ofPreset: (property) => (property === 'preset' ? undefined : own(this.#modules?.presets[this.option('preset')], property)),
      effective: (property, value) =>
        property === 'approval' && this.#modules
          ? this.#modules.approvalUnder(this.#modules.readToolCallConfig(this.pageConfig), value as Settings['approval'])
          : value,
    });
    this.panel = this.#createPanel();
    this.#layoutController = createLayoutController(element, this.panel);
    this.#applyOptions();
    host.follow(() => this.#applyOptions());
    const forwardSlots = () => this.#forwardSlots();
    forwardSlots();
    new MutationObserver(forwardSlots).observe(element, { childList: true, attributes: true, attributeFilter: ['slot'], subtree: true });
    this.#attachPanel();
  }

  get pageConfig(): unknown {
    return this.host.config()['toolCallConfig'];
  }

  get lang(): string {
    return validLanguageTag(this.option('lang') || pageLanguage(this.host.element));
  }

  /** Returns the effective value of an option whose type is known. */
  option<Value = string>(property: string): Value {
    return this.options.values[property] as Value;
  }

  async start(): Promise<Engine> {
    this.waitingSurface.fail(null);
    try {
      await panelPainted();
      this.#modules = await load(() => import('./start-conversation.js'));
      return await this.#modules.startConversation(this);
    } catch (error) {
      const message = this.strings.texts.loadFailed;
      const failure = { code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', message, retryable: true } as const;
      this.waitingSurface.fail({ error: failure, lines: [message], canRetry: true });
      this.#dispatchError(failure);
      throw Object.assign(error as Error, { shown: true });
    }
  }

  /** Shows the conversation in the panel. */
  connect(internals: Internals, features: OptionalFeatures): void {
    this.#internals = internals;
    this.#features = features;
    const { surface } = internals;
    surface.subscribe((view) => this.#showStates(view));
    this.#showStates(surface.view);
    this.panel.surface = surface;
    this.#applyOptions();
    this.#checkDocument();
  }

  /** Returns the conversation for callers of the element. While the element is in another document, it sends nothing. */
  current(conversation: Conversation): Conversation {
    return this.#movedDocument?.conversation(conversation) ?? conversation;
  }

  #createPanel(): ToolChatPanel {
    const created = createPanel();
    created.surface = this.#internals?.surface ?? this.waitingSurface;
    created.setAttribute('exportparts', exportPanel);
    allowDecisions(created, (decision) => this.#internals?.decide(decision), this.#approvalConditions());
    created.addEventListener(PanelCloseEvent.type, () => {
      this.host.element.hide();
    });
    created.addEventListener(PanelAdoptedEvent.type, () => this.#onAdopted());
    return created;
  }

  #approvalConditions(): ApprovalConditions {
    const { config } = this.host;
    return {
      confirms: (text) => this.#internals?.confirms(text) ?? false,
      get framedBy() {
        return (config()['allowFramedBy'] as string[] | undefined) ?? [];
      },
      onEdit: (requestId) => this.#internals?.asksAlone(requestId),
      onCannotAsk: (_requestId, why) => {
        // A closed floating panel hides its cards on purpose.
        const closed = this.option('layout') === 'floating' && !this.host.element.open;
        this.#internals?.cannotAsk(why === 'hidden' && closed ? null : why);
        if (!why || closed) return;
        const { texts } = this.strings;
        const message = why === 'framed' ? texts.cannotAskFramed : texts.cannotAskHidden;
        this.#dispatchError({ code: 'CONFIG', layer: 'business', message, retryable: false });
      },
      onLifted: (by) => {
        this.#internals?.log.warn(
          'approval.covered',
          `The browser cannot prove that a question is visible, so it is asked in a dialog. Cause: ${by}`,
        );
      },
    };
  }

  #dispatchError(error: object): void {
    this.host.dispatch('error', deepFreeze({ error: { ...error } }), false);
  }

  /**
   * Routers move elements that they keep into the next document before they display it. Only an element that stays in another document has
   * moved.
   */
  #onAdopted(): void {
    const { element } = this.host;
    if (element.ownerDocument === document && !this.#movedDocument) restoreSheets(element, sheet());
    if (this.#isCheckScheduled) return;
    this.#isCheckScheduled = true;
    setTimeout(() => {
      this.#isCheckScheduled = false;
      this.#checkDocument();
    });
  }

  /** Ends every turn, because the user could not see its approvals. */
  #checkDocument(): void {
    const { element } = this.host;
    if (this.#movedDocument || !this.#modules || element.ownerDocument === document) return;
    this.#internals?.leave();
    this.#movedDocument = this.#modules.showMovedDocument(element, this.strings.texts.movedAway, () => this.#onReturn());
    this.#dispatchError(this.#movedDocument.error);
  }

  /** Recreates the panel and its style sheets, which belong to the other document. */
  #onReturn(): void {
    const { element } = this.host;
    this.#movedDocument = undefined;
    this.panel = this.#createPanel();
    this.#layoutController = createLayoutController(element, this.panel);
    if (element.shadowRoot) element.shadowRoot.adoptedStyleSheets = [sheet()];
    this.#attachPanel();
    this.#modules?.fitWindow(element, this.panel);
    if (this.#internals) this.#modules?.reportMissingParts(this.panel, this.#internals);
    this.#applyOptions();
    this.#forwardSlots();
  }

  #attachPanel(): void {
    const { element } = this.host;
    // Style sheets belong to the document of the script. In another document, `#checkDocument` reports the problem.
    if (element.ownerDocument !== document) return;
    if (element.shadowRoot) addSheet(element.shadowRoot, createSheet(layoutCss));
    element.shadowRoot?.append(this.panel);
    stopKeys(element);
  }

  #applyOptions(): void {
    const { strings, panel } = this;
    const { values, check } = this.options;
    check();
    strings.follow(this.lang, values['texts']);
    panel.texts = textsForPreset(values['preset'], strings.texts);
    panel.lang = strings.lang;
    panel.toggleAttribute('data-wordless', strings.isLoading);
    panel.direction = ownDirection(this.host.element, strings.lang);
    panel.heading = this.option('heading');
    panel.placeholder = this.option('placeholder');
    panel.whileBusy = this.option('composerWhileBusy');
    panel.templates = composerTemplates(values['promptTemplates']);
    panel.layout = this.option('layout');
    this.#layoutController.follow(panel.layout);
    panel.approvalUi = this.option('approvalUi');
    panel.feedbackUrl = this.option('feedbackUrl');
    panel.theme = this.option('theme');
    panel.toolPicker = values['toolPicker'] === 'on';
    this.#features?.changed();
    this.#internals?.look();
    panel.quickCommands = this.option('quickCommands')
      .split('|')
      .map((command) => command.trim())
      .filter(Boolean);
  }

  /** Forwards only the slots that the page fills: an empty one would hide the panel's default content. */
  #forwardSlots(): void {
    const { panel } = this;
    for (const name of slotNames) {
      const filled = this.host.element.querySelector(`:scope > [slot="${name}"]`) !== null;
      const forwarded = panel.querySelector(`slot[name="${name}"]`);
      if (filled === (forwarded !== null)) continue;
      forwarded?.remove();
      if (!filled) continue;
      const slot = document.createElement('slot');
      slot.name = slot.slot = name;
      panel.append(slot);
    }
  }

  #showStates({ state, activities }: ViewSnapshot): void {
    const { states } = this.host;
    for (const name of this.#shownStates) states.delete(name);
    for (const name of (this.#shownStates = [state, ...activities])) states.add(name);
  }
}
