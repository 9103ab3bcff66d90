/**
 * What the launcher loads: the panel at once, for people to write in, and beside it the conversation that follows the element's options. The
 * one place where a person's decision is joined to the conversation, by a function that is handed down and never kept on an object.
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
import type { MovedAway } from './moved-away.js';
import { keepKeys } from './keep-keys.js';
import { ownDirection, pageLanguage } from './page-language.js';
import { createStance } from './stance.js';
import { PanelAdoptedEvent, PanelCloseEvent } from './panel-requests.js';
import { createPanelWords, inWordsOf, wellFormed } from './panel-words.js';
import { panelParts } from './parts.js';
import { layoutCss } from './tool-chat/layout.styles.js';
import { sheet } from './tool-chat/tool-chat.styles.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import { createWaitingSurface } from './waiting-surface.js';
import { readPage } from './read-page.js';

/** What the launcher gives. */
export interface EngineHost extends GivenOptions {
  readonly element: HTMLElement & { readonly open: boolean; hide(): void };
  /** Registrations that have waited for the conversation. */
  readonly early: ReadonlyMap<unknown, (engine: Engine) => unknown>;
  decide(): ConversationOptions['decide'];
  /** False when a listener cancelled it. */
  dispatch(name: string, fields: object, cancelable: boolean): boolean;
  /** Called with what has to know when an option has changed. */
  follow(changed: () => void): void;
  /** Asks for the engine once more. */
  load(): void;
  readonly states: CustomStateSet;
  /** The page's, when the engine was asked for. */
  readonly readyState: DocumentReadyState;
}

export interface Engine {
  readonly conversation: Conversation;
  /** Effective values of all options, by property. */
  readonly options: Record<string, unknown>;
  /** The effective value of one. */
  option(property: string): unknown;
  /** A turn has begun: `decide` can no longer be set. */
  readonly begun: boolean;
  /** The element has left the page. */
  stop(): void;
}

type Talking = typeof import('./start-conversation.js');

const slots = ['header', 'empty', 'composer-start', 'composer-end', 'footer'];

/** The conversation gets these in another form. */
const named: ReadonlySet<string> = new Set(['endpoint', 'helpUrl', 'lang', 'texts', 'model']);

/** Where these are not set, the conversation has its own default. */
const asGiven = new Set(Object.entries<Option<unknown>>(settingsTable).flatMap(([name, { attribute }]) => (attribute ? name : [])));

/** Fields of `toolCallConfig` that the element can set, too: to the name of its own option. */
const alsoSet = {
  ...{ enabled: 'tools', maxIterations: 'maxIterations', timeout: 'toolTimeout', protocol: 'protocol' },
  parallelExecution: 'execution',
} as const;

/** Host events that a listener can answer. */
const cancelable: ReadonlySet<string> = new Set<HostEvent['type']>(['send', 'tool-execute']);

/** Milliseconds to wait for a frame: out of sight there are none. */
const FRAME = 100;

/** What people write in is drawn before anything else keeps the page busy. */
const framed = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, document.hidden ? 0 : FRAME);
  });

/** Milliseconds that an element may be out of the page with its turn going on. */
const MOMENT = 1000;

const opened = new WeakMap<HTMLElement, () => Promise<Engine>>();

/**
 * The panel is there when this returns. Rejects when the conversation could not be loaded; the panel has said so then (`shown` of the error),
 * keeps what is written, and offers to call `host.load`.
 */
export function createEngine(host: EngineHost): Promise<Engine> {
  const start = opened.get(host.element) ?? openPanel(host);
  opened.set(host.element, start);
  return start();
}

function openPanel(host: EngineHost): () => Promise<Engine> {
  const { element } = host;
  let talking: Talking | undefined;
  let internals: Internals | undefined;
  let begun = false;
  const words = createPanelWords(() => {
    changed();
  });

  const language = () => wellFormed(valueOf<string>('lang') || pageLanguage(element));
  const given = (): unknown => host.config()['toolCallConfig'];
  const { values, chosen, isSet, check } = createOptions(host, {
    ofToolCallConfig: (property) => talking && own(talking.settingsOf(talking.readToolCallConfig(given())), property),
    // No preset says anything of what a panel alone needs to know.
    ofPreset: (property) => (property === 'preset' ? undefined : own(talking?.presets[valueOf<string>('preset')], property)),
    effective: (property, value) =>
      property === 'approval' && talking
        ? talking.approvalUnder(talking.readToolCallConfig(given()), value as Settings['approval'])
        : value,
  });
  function valueOf<Value>(property: string): Value {
    return values[property] as Value;
  }
  // Getters: the conversation reads its options anew for each turn.
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
      /** The whole catalog, of which the element's option is a part. */
      get texts() {
        return words.texts;
      },
      get decide() {
        return host.decide();
      },
      /** Without what the element sets itself. */
      get toolCallConfig() {
        const own = given() as ToolCallConfig | undefined;
        const wishes = choices?.wishes;
        if (!isObject(own)) return wishes ?? own;
        const { ...config } = own;
        for (const [field, name] of Object.entries(alsoSet)) if (isSet(name)) Reflect.deleteProperty(config, field);
        return { ...config, ...wishes };
      },
      get model() {
        return choices?.model ?? (chosen('model') as string | undefined);
      },
      get limits() {
        return host.config()['limits'] as ConversationOptions['limits'];
      },
      pluginHost: element,
      readPage,
      onEvent({ type, ...fields }: HostEvent) {
        if (type === 'stream-start') begun = true;
        // A token's event is text alone, already in an object of its own: to clone thousands of them costs a tenth of an answer.
        const flat = Object.values(fields).every((field) => typeof field !== 'object');
        return host.dispatch(type, deepFreeze(flat ? fields : structuredClone(fields)), cancelable.has(type));
      },
    },
    Object.fromEntries(
      Object.keys(values)
        .filter((name) => !named.has(name))
        .map((name) => [name, { enumerable: true, get: (): unknown => (asGiven.has(name) ? chosen(name) : values[name]) }]),
    ),
  ) as ConversationOptions;

  /** What a person chooses and sets beside talking; it comes with the conversation. */
  let choices: ReturnType<Talking['createChoices']> | undefined;

  const waiting = createWaitingSurface(() => {
    host.load();
  });

  defineFrame();
  let panel = createPanel();
  let stance = createStance(element, panel);

  function createPanel(): ToolChatPanel {
    const made = document.createElement('tool-chat-panel') as ToolChatPanel;
    made.surface = internals?.surface ?? waiting;
    made.setAttribute('exportparts', panelParts.join(', '));
    allowDecisions(made, (decision) => internals?.decide(decision), {
      confirms: (text) => internals?.confirms(text) ?? false,
      get framedBy() {
        return (host.config()['allowFramedBy'] as string[] | undefined) ?? [];
      },
      onCannotAsk(_requestId, why) {
        // A floating panel that is closed hides its cards on purpose.
        const closed = valueOf<string>('layout') === 'floating' && !element.open;
        internals?.cannotAsk(why === 'hidden' && closed ? null : why);
        if (!why || closed) return;
        const message = why === 'framed' ? words.texts.cannotAskFramed : words.texts.cannotAskHidden;
        host.dispatch('error', deepFreeze({ error: { code: 'CONFIG', layer: 'business', message, retryable: false } }), false);
      },
      onLifted(by) {
        internals?.log.warn(
          'approval.covered',
          `The browser cannot prove that a question is visible, so it is asked in a dialog. Cause: ${by}`,
        );
      },
    });
    made.addEventListener(PanelCloseEvent.type, () => {
      element.hide();
    });
    made.addEventListener(PanelAdoptedEvent.type, adopted);
    return made;
  }

  /** While the element stands in another document. */
  let away: MovedAway | undefined;

  let looksSoon = false;

  /** Routers take what they keep into the next page before they show it: only an element that stays in another document has moved. */
  function adopted(): void {
    if (element.ownerDocument === document && !away) restoreSheets(element, sheet());
    if (looksSoon) return;
    looksSoon = true;
    setTimeout(() => {
      looksSoon = false;
      movedAway();
    });
  }

  /** Every turn ends: nobody could see what it asks. */
  function movedAway(): void {
    if (away || !talking || element.ownerDocument === document) return;
    internals?.leave();
    away = talking.showMovedAway(element, words.texts.movedAway, cameBack);
    host.dispatch('error', deepFreeze({ error: away.error }), false);
  }

  /** Style sheets and panel stayed behind with the other document. */
  function cameBack(): void {
    away = undefined;
    panel = createPanel();
    stance = createStance(element, panel);
    if (element.shadowRoot) element.shadowRoot.adoptedStyleSheets = [sheet()];
    place();
    talking?.fitWindow(element, panel);
    if (internals) talking?.reportMissingParts(panel, internals);
    changed();
    forwardSlots();
  }

  function place(): void {
    // Style sheets belong to the document of the script: elsewhere `movedAway` says what is the matter.
    if (element.ownerDocument !== document) return;
    if (element.shadowRoot) addSheet(element.shadowRoot, createSheet(layoutCss));
    element.shadowRoot?.append(panel);
    keepKeys(element);
  }

  function changed(): void {
    check();
    words.follow(language(), values['texts']);
    panel.texts = inWordsOf(values['preset'], words.texts);
    panel.lang = words.lang;
    panel.toggleAttribute('data-wordless', words.isAwaited);
    panel.direction = ownDirection(element, words.lang);
    panel.heading = valueOf<string>('heading');
    panel.placeholder = valueOf<string>('placeholder');
    panel.whileBusy = values['composerWhileBusy'] as ToolChatPanel['whileBusy'];
    panel.templates = composerTemplates(values['promptTemplates']);
    panel.layout = valueOf<ToolChatPanel['layout']>('layout');
    stance.follow(panel.layout);
    panel.approvalUi = values['approvalUi'] as ToolChatPanel['approvalUi'];
    panel.feedbackUrl = values['feedbackUrl'] as string;
    panel.theme = valueOf<ToolChatPanel['theme']>('theme');
    panel.toolPicker = values['toolPicker'] === 'on';
    choices?.changed();
    internals?.look();
    panel.quickCommands = valueOf<string>('quickCommands')
      .split('|')
      .map((command) => command.trim())
      .filter(Boolean);
  }

  /** Passes on only the slots that the page fills: an empty one would hide what the panel shows by itself. */
  function forwardSlots(): void {
    for (const name of slots) {
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

  let shown: readonly string[] = [];
  function showStates({ state, activities }: ViewSnapshot): void {
    for (const name of shown) host.states.delete(name);
    for (const name of (shown = [state, ...activities])) host.states.add(name);
  }

  function begin(loaded: Talking, keep: Awaited<ReturnType<Talking['keepingOf']>>): Engine {
    loaded.defineMessage();
    loaded.fitWindow(element, panel);
    const conversation = loaded.buildConversation(options, keep);
    const { surface, log, ahead, attachPerson, leave, leavePage } = (internals = loaded.internalsOf(conversation));
    attachPerson();
    loaded.reportMissingParts(panel, internals);
    choices = loaded.createChoices(() => panel, conversation, internals, { values, options, chosen, config: given });

    /** One that can come back still reads its answer. */
    const onPageHide = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) leavePage();
    };
    let listening = false;
    surface.subscribe(({ isLoading }) => {
      if (isLoading === listening) return;
      listening = isLoading;
      if (listening) loaded.loadAhead('turn began', ahead, () => surface.view.hasTools === true);
      if (listening) addEventListener('pagehide', onPageHide);
      else removeEventListener('pagehide', onPageHide);
    });
    surface.subscribe(showStates);
    showStates(surface.view);
    panel.surface = surface;
    changed();
    movedAway();

    /** Taken away before there was a conversation: nothing begins. */
    let comesLate = !element.isConnected;
    /** A page that moves the element may take a moment: what waits or runs is not cancelled by that. */
    const stop = () => {
      if (comesLate || !surface.view.isLoading) leave();
      else setTimeout(() => element.isConnected || leave(), MOMENT);
      comesLate = false;
    };

    const engine: Engine = {
      get conversation() {
        return away?.conversation(conversation) ?? conversation;
      },
      get options() {
        return { ...values };
      },
      option: (property) => values[property],
      get begun() {
        return begun;
      },
      stop,
    };
    // What a plugin registers in its setup waits at the end of the same list.
    for (const register of host.early.values()) {
      try {
        register(engine);
      } catch (error) {
        // Whoever called is long gone: this is the one place that can still say it, and what waits behind is no part of the mistake.
        log.error('registration.failed', error instanceof Error ? error.message : String(error), {}, { error });
      }
    }
    // After the tools, which it may be about.
    waiting.handOver(surface);
    loaded.warnOfPage(element, (options.endpoint ?? '') as string);
    loaded.warnWithoutEndpoint(element, host.readyState !== 'complete', () => options.endpoint);
    loaded.loadAhead('opened', ahead, () => surface.view.hasTools === true, choices.loaded);
    return engine;
  }

  async function start(): Promise<Engine> {
    waiting.fail(null);
    try {
      await framed();
      talking = await load(() => import('./start-conversation.js'));
      return begin(talking, await talking.keepingOf(options.storage));
    } catch (error) {
      const message = words.texts.loadFailed;
      const failure = { code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', message, retryable: true } as const;
      waiting.fail({ error: failure, lines: [message], canRetry: true });
      host.dispatch('error', deepFreeze({ error: { ...failure } }), false);
      throw Object.assign(error as Error, { shown: true });
    }
  }

  changed();
  host.follow(changed);
  forwardSlots();
  new MutationObserver(forwardSlots).observe(element, { childList: true, attributes: true, attributeFilter: ['slot'], subtree: true });
  place();
  return start;
}
