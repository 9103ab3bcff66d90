/**
 * Loaded by the launcher: shows the panel at once so that the user can type, and meanwhile loads the conversation, which follows the
 * element's options. This is the only place that connects a user's decision to the conversation, by a function that is passed on and never
 * stored on an object.
 */
import { load } from '../base/load.js';
import type { Conversation, ConversationOptions } from '../conversation/conversation.js';
import type { HostEvent } from '../conversation/chart/hooks.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ViewSnapshot } from '../model/snapshot.js';
import { deepFreeze, isObject, own } from '../base/objects.js';
import { addSheet, createSheet, restoreSheets } from '../base/style-sheets.js';
import { composerTemplates } from '../conversation/options/composer-templates.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import type { Settings } from '../conversation/options/settings.js';
import { allowDecisions } from './decisions.js';
import { defineFrame } from './define-frame.js';
import { createOptions, type GivenOptions } from './options.js';
import { settingsTable, type Option } from '../conversation/options/option-table.js';
import type { MovedDocument } from './moved-document.js';
import { stopKeys } from './stop-keys.js';
import { ownDirection, pageLanguage } from './page-language.js';
import { createLayoutController } from './layout-controller.js';
import { PanelAdoptedEvent, PanelCloseEvent } from './panel-requests.js';
import { createPanelStrings, textsForPreset, validLanguageTag } from './panel-strings.js';
import { panelParts } from './parts.js';
import { layoutCss } from './tool-chat/layout.styles.js';
import { sheet } from './tool-chat/tool-chat.styles.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import { createWaitingSurface } from './waiting-surface.js';
import { readPage } from './read-page.js';

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

/** Options that the conversation receives in another form. */
const convertedOptions: ReadonlySet<string> = new Set(['endpoint', 'helpUrl', 'lang', 'texts', 'model']);

/** Options that are passed on only if set, because the conversation has its own defaults. */
const passedOnlyIfSet = new Set(Object.entries<Option<unknown>>(settingsTable).flatMap(([name, { attribute }]) => (attribute ? name : [])));

/** Fields of `toolCallConfig` that the element can also set, mapped to the element's own option. */
const sharedFields = {
  ...{ enabled: 'tools', maxIterations: 'maxIterations', timeout: 'toolTimeout', protocol: 'protocol' },
  parallelExecution: 'execution',
} as const;

/** Host events that a listener can cancel. */
const cancelable: ReadonlySet<string> = new Set<HostEvent['type']>(['send', 'tool-execute']);

/** Longest wait for a frame, in milliseconds: hidden pages get no frames. */
const MAX_FRAME_WAIT = 100;

/** Resolves after the panel has been drawn, before other work keeps the page busy. */
const panelPainted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, document.hidden ? 0 : MAX_FRAME_WAIT);
  });

/** Time in milliseconds that an element may be out of the page without ending its turn. */
const MOVE_TIMEOUT = 1000;

const startFunctions = new WeakMap<HTMLElement, () => Promise<Engine>>();

/**
 * Creates the engine. The panel is in place when this returns. Rejects if the conversation could not be loaded; in this case the panel has
 * reported it (`shown` of the error), keeps the text that the user typed, and offers to call `host.load`.
 */
export function createEngine(host: EngineHost): Promise<Engine> {
  const start = startFunctions.get(host.element) ?? openPanel(host);
  startFunctions.set(host.element, start);
  return start();
}

function openPanel(host: EngineHost): () => Promise<Engine> {
  const { element } = host;
  let modules: ConversationModules | undefined;
  let internals: Internals | undefined;
  let hasBegun = false;
  const strings = createPanelStrings(() => {
    applyOptions();
  });

  const language = () => validLanguageTag(valueOf<string>('lang') || pageLanguage(element));
  const pageConfig = (): unknown => host.config()['toolCallConfig'];
  const { values, chosen, isSet, check } = createOptions(host, {
    ofToolCallConfig: (property) => modules && own(modules.settingsOf(modules.readToolCallConfig(pageConfig())), property),
    // A preset never sets options that only the panel needs.
    ofPreset: (property) => (property === 'preset' ? undefined : own(modules?.presets[valueOf<string>('preset')], property)),
    effective: (property, value) =>
      property === 'approval' && modules
        ? modules.approvalUnder(modules.readToolCallConfig(pageConfig()), value as Settings['approval'])
        : value,
  });
  function valueOf<Value>(property: string): Value {
    return values[property] as Value;
  }
  // Getters, because the conversation reads its options for each turn.
  const options = Object.defineProperties(
    {
      get endpoint() {
        return valueOf<string>('endpoint') && new URL(valueOf<string>('endpoint'), element.baseURI).href;
      },
      get helpUrl() {
        return valueOf<string>('helpUrl') || undefined;
      },
      get lang() {
        return language();
      },
      /** The whole catalog; the element's option contains only a part of it. */
      get texts() {
        return strings.texts;
      },
      get decide() {
        return host.decide();
      },
      /** The page's config without the fields that the element sets itself. */
      get toolCallConfig() {
        const own = pageConfig() as ToolCallConfig | undefined;
        const overrides = features?.overrides;
        if (!isObject(own)) return overrides ?? own;
        const { ...config } = own;
        for (const [field, name] of Object.entries(sharedFields)) if (isSet(name)) Reflect.deleteProperty(config, field);
        return { ...config, ...overrides };
      },
      get model() {
        return features?.model ?? (chosen('model') as string | undefined);
      },
      get limits() {
        return host.config()['limits'] as ConversationOptions['limits'];
      },
      pluginHost: element,
      readPage,
      onEvent({ type, ...fields }: HostEvent) {
        if (type === 'stream-start') hasBegun = true;
        // A token event has only text, in its own object. Cloning thousands of them would take a tenth of the time of an answer.
        const flat = Object.values(fields).every((field) => typeof field !== 'object');
        return host.dispatch(type, deepFreeze(flat ? fields : structuredClone(fields)), cancelable.has(type));
      },
    },
    Object.fromEntries(
      Object.keys(values)
        .filter((name) => !convertedOptions.has(name))
        .map((name) => [name, { enumerable: true, get: (): unknown => (passedOnlyIfSet.has(name) ? chosen(name) : values[name]) }]),
    ),
  ) as ConversationOptions;

  /** The user's choices outside of the chat itself. They are loaded with the conversation. */
  let features: ReturnType<ConversationModules['createOptionalFeatures']> | undefined;

  const waitingSurface = createWaitingSurface(() => {
    host.load();
  });

  defineFrame();
  let panel = createPanel();
  let layoutController = createLayoutController(element, panel);

  function createPanel(): ToolChatPanel {
    const created = document.createElement('tool-chat-panel') as ToolChatPanel;
    created.surface = internals?.surface ?? waitingSurface;
    created.setAttribute('exportparts', panelParts.join(', '));
    allowDecisions(created, (decision) => internals?.decide(decision), {
      confirms: (text) => internals?.confirms(text) ?? false,
      get framedBy() {
        return (host.config()['allowFramedBy'] as string[] | undefined) ?? [];
      },
      onCannotAsk(_requestId, why) {
        // A closed floating panel hides its cards on purpose.
        const closed = valueOf<string>('layout') === 'floating' && !element.open;
        internals?.cannotAsk(why === 'hidden' && closed ? null : why);
        if (!why || closed) return;
        const message = why === 'framed' ? strings.texts.cannotAskFramed : strings.texts.cannotAskHidden;
        host.dispatch('error', deepFreeze({ error: { code: 'CONFIG', layer: 'business', message, retryable: false } }), false);
      },
      onLifted(by) {
        internals?.log.warn(
          'approval.covered',
          `The browser cannot prove that a question is visible, so it is asked in a dialog. Cause: ${by}`,
        );
      },
    });
    created.addEventListener(PanelCloseEvent.type, () => {
      element.hide();
    });
    created.addEventListener(PanelAdoptedEvent.type, onAdopted);
    return created;
  }

  /** Set while the element is in another document. */
  let movedDocument: MovedDocument | undefined;

  let isCheckScheduled = false;

  /**
   * Routers move elements that they keep into the next document before they display it. Only an element that stays in another document has
   * moved.
   */
  function onAdopted(): void {
    if (element.ownerDocument === document && !movedDocument) restoreSheets(element, sheet());
    if (isCheckScheduled) return;
    isCheckScheduled = true;
    setTimeout(() => {
      isCheckScheduled = false;
      checkDocument();
    });
  }

  /** Ends every turn, because the user could not see its approvals. */
  function checkDocument(): void {
    if (movedDocument || !modules || element.ownerDocument === document) return;
    internals?.leave();
    movedDocument = modules.showMovedDocument(element, strings.texts.movedAway, onReturn);
    host.dispatch('error', deepFreeze({ error: movedDocument.error }), false);
  }

  /** Recreates the panel and its style sheets, which belong to the other document. */
  function onReturn(): void {
    movedDocument = undefined;
    panel = createPanel();
    layoutController = createLayoutController(element, panel);
    if (element.shadowRoot) element.shadowRoot.adoptedStyleSheets = [sheet()];
    attachPanel();
    modules?.fitWindow(element, panel);
    if (internals) modules?.reportMissingParts(panel, internals);
    applyOptions();
    forwardSlots();
  }

  function attachPanel(): void {
    // Style sheets belong to the document of the script. In another document, `checkDocument` reports the problem.
    if (element.ownerDocument !== document) return;
    if (element.shadowRoot) addSheet(element.shadowRoot, createSheet(layoutCss));
    element.shadowRoot?.append(panel);
    stopKeys(element);
  }

  function applyOptions(): void {
    check();
    strings.follow(language(), values['texts']);
    panel.texts = textsForPreset(values['preset'], strings.texts);
    panel.lang = strings.lang;
    panel.toggleAttribute('data-wordless', strings.isLoading);
    panel.direction = ownDirection(element, strings.lang);
    panel.heading = valueOf<string>('heading');
    panel.placeholder = valueOf<string>('placeholder');
    panel.whileBusy = values['composerWhileBusy'] as ToolChatPanel['whileBusy'];
    panel.templates = composerTemplates(values['promptTemplates']);
    panel.layout = valueOf<ToolChatPanel['layout']>('layout');
    layoutController.follow(panel.layout);
    panel.approvalUi = values['approvalUi'] as ToolChatPanel['approvalUi'];
    panel.feedbackUrl = values['feedbackUrl'] as string;
    panel.theme = valueOf<ToolChatPanel['theme']>('theme');
    panel.toolPicker = values['toolPicker'] === 'on';
    features?.changed();
    internals?.look();
    panel.quickCommands = valueOf<string>('quickCommands')
      .split('|')
      .map((command) => command.trim())
      .filter(Boolean);
  }

  /** Forwards only the slots that the page fills: an empty one would hide the panel's default content. */
  function forwardSlots(): void {
    for (const name of slotNames) {
      const filled = element.querySelector(`:scope > [slot="${name}"]`) !== null;
      const forwarded = panel.querySelector(`slot[name="${name}"]`);
      if (filled === (forwarded !== null)) continue;
      forwarded?.remove();
      if (!filled) continue;
      const slot = document.createElement('slot');
      slot.name = slot.slot = name;
      panel.append(slot);
    }
  }

  let shownStates: readonly string[] = [];
  function showStates({ state, activities }: ViewSnapshot): void {
    for (const name of shownStates) host.states.delete(name);
    for (const name of (shownStates = [state, ...activities])) host.states.add(name);
  }

  function createConversation(
    loaded: ConversationModules,
    createPersistence: Awaited<ReturnType<ConversationModules['loadPersistence']>>,
  ): Engine {
    loaded.defineMessage();
    loaded.fitWindow(element, panel);
    const conversation = loaded.buildConversation(options, createPersistence);
    const { surface, log, ahead, attachPerson, leave, leavePage } = (internals = loaded.internalsOf(conversation));
    attachPerson();
    loaded.reportMissingParts(panel, internals);
    features = loaded.createOptionalFeatures(() => panel, conversation, internals, { values, options, chosen, config: pageConfig });

    /** A page that can come back from the back/forward cache still reads its answer. */
    const onPageHide = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) leavePage();
    };
    let wasLoading = false;
    surface.subscribe(({ isLoading }) => {
      if (isLoading === wasLoading) return;
      wasLoading = isLoading;
      if (wasLoading) loaded.loadAhead('turn began', ahead, () => surface.view.hasTools === true);
      if (wasLoading) addEventListener('pagehide', onPageHide);
      else removeEventListener('pagehide', onPageHide);
    });
    surface.subscribe(showStates);
    showStates(surface.view);
    panel.surface = surface;
    applyOptions();
    checkDocument();

    /** True if the element was removed before the conversation existed: nothing begins. */
    let isRemoved = !element.isConnected;
    /** Waits a moment, because a page may move the element: this must not cancel waiting or running calls. */
    const stop = () => {
      if (isRemoved || !surface.view.isLoading) leave();
      else setTimeout(() => element.isConnected || leave(), MOVE_TIMEOUT);
      isRemoved = false;
    };

    const engine: Engine = {
      get conversation() {
        return movedDocument?.conversation(conversation) ?? conversation;
      },
      get options() {
        return { ...values };
      },
      option: (property) => values[property],
      get begun() {
        return hasBegun;
      },
      stop,
    };
    // Registrations that a plugin makes in its setup are appended to the same list.
    for (const register of host.early.values()) {
      try {
        register(engine);
      } catch (error) {
        // The caller returned long ago, so the error can only be reported here. The remaining registrations must still run.
        log.error('registration.failed', error instanceof Error ? error.message : String(error), {}, { error });
      }
    }
    // After the tools are registered, because the message may need them.
    waitingSurface.handOver(surface);
    loaded.warnAboutPage(element, (options.endpoint ?? '') as string);
    loaded.warnWithoutEndpoint(element, host.readyState !== 'complete', () => options.endpoint);
    loaded.loadAhead('opened', ahead, () => surface.view.hasTools === true, features.loaded);
    return engine;
  }

  async function start(): Promise<Engine> {
    waitingSurface.fail(null);
    try {
      await panelPainted();
      modules = await load(() => import('./start-conversation.js'));
      return createConversation(modules, await modules.loadPersistence(options.storage));
    } catch (error) {
      const message = strings.texts.loadFailed;
      const failure = { code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', message, retryable: true } as const;
      waitingSurface.fail({ error: failure, lines: [message], canRetry: true });
      host.dispatch('error', deepFreeze({ error: { ...failure } }), false);
      throw Object.assign(error as Error, { shown: true });
    }
  }

  applyOptions();
  host.follow(applyOptions);
  forwardSlots();
  new MutationObserver(forwardSlots).observe(element, { childList: true, attributes: true, attributeFilter: ['slot'], subtree: true });
  attachPanel();
  return start;
}
