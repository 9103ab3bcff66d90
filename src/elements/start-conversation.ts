/** The modules that an open panel loads while the user reads and types: the conversation and the elements for its messages. */
import { load, loadMissingParts, watchMissingParts, type MissingPart, loadTwice, preload } from '../base/load.js';
import { buildConversation } from '../conversation/build-conversation.js';
import { internalsOf, type Internals } from '../conversation/host/internals.js';
import type { LoadAhead } from '../conversation/host/load-ahead.js';
import { conversationOptions } from './conversation-options.js';
import type { Engine, OpenPanel } from './engine.js';
import { fitWindow } from './fit-window.js';
import { OptionalFeatures } from './optional-features.js';
import { warnAboutPage, warnWithoutEndpoint } from './page-warnings.js';
import { loadMarkdown } from './tool-chat-message/load-markdown.js';
import './tool-chat-message/tool-chat-message.js';
import { defineBanners } from './tool-chat-panel/lazy-banners.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

export { presets } from '../conversation/options/presets.js';
export { approvalUnder, readToolCallConfig, settingsOf } from '../conversation/options/tool-call-config.js';
export { fitWindow } from './fit-window.js';
export { showMovedDocument } from './moved-document.js';

/** Time in milliseconds that an element may be out of the page without ending its turn. */
const MOVE_TIMEOUT = 1000;

/** Creates the conversation of a panel and shows it there. */
export async function startConversation(open: OpenPanel): Promise<Engine> {
  const { host, options: given, waitingSurface } = open;
  const { element } = host;
  const { values } = given;
  /** Created after the conversation, which already reads the options. */
  const late: { features?: OptionalFeatures } = {};
  let hasBegun = false;
  const options = conversationOptions(
    open,
    () => late.features,
    () => (hasBegun = true),
  );
  const createPersistence = await loadPersistence(options.storage);
  defineBanners();
  fitWindow(element, open.panel);
  const conversation = buildConversation(options, createPersistence);
  const internals = internalsOf(conversation);
  const { surface, log, ahead, leave } = internals;
  internals.attachPerson();
  reportMissingParts(open.panel, internals);
  const features = (late.features = new OptionalFeatures(() => open.panel, conversation, internals, {
    ...{ values, options, chosen: given.chosen, config: () => open.pageConfig },
  }));
  followTurns(internals);
  open.connect(internals, features);

  /** True if the element was removed before the conversation existed: nothing begins. */
  let isRemoved = !element.isConnected;
  const engine: Engine = {
    get conversation() {
      return open.current(conversation);
    },
    get options() {
      return { ...values };
    },
    option: (property) => values[property],
    get begun() {
      return hasBegun;
    },
    /** Waits a moment, because a page may move the element: this must not cancel waiting or running calls. */
    stop() {
      if (isRemoved || !surface.view.isLoading) leave();
      else setTimeout(() => element.isConnected || leave(), MOVE_TIMEOUT);
      isRemoved = false;
    },
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
  warnAboutPage(element, (options.endpoint ?? '') as string);
  warnWithoutEndpoint(element, host.readyState !== 'complete', () => options.endpoint);
  loadAhead(
    'opened',
    ahead,
    () => surface.view.hasTools === true,
    () => features.loaded(),
  );
  return engine;
}

/** Loads ahead when a turn begins, and saves a turn that the user leaves. */
function followTurns({ surface, ahead, leavePage }: Internals): void {
  /** A page that can come back from the back/forward cache still reads its answer. */
  const onPageHide = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) leavePage();
  };
  let wasLoading = false;
  surface.subscribe(({ isLoading }) => {
    if (isLoading === wasLoading) return;
    wasLoading = isLoading;
    if (wasLoading) loadAhead('turn began', ahead, () => surface.view.hasTools === true);
    if (wasLoading) addEventListener('pagehide', onPageHide);
    else removeEventListener('pagehide', onPageHide);
  });
}

/** Loads the persistence before the conversation is created. Returns undefined if `storage` is `none`. */
async function loadPersistence(
  storage: unknown,
): Promise<typeof import('../conversation/persistence/persisted-session.js').createPersistedSession | undefined> {
  return (storage ?? 'none') === 'none'
    ? undefined
    : (await load(() => import('../conversation/persistence/persisted-session.js'))).createPersistedSession;
}

const NOTICE = 'missing-part';

/**
 * Tells the user once per part that a part of the widget could not be loaded, and logs the file for the developer. It ends when the panel
 * leaves the page.
 */
export function reportMissingParts(panel: ToolChatPanel, { log, notices }: Pick<Internals, 'log' | 'notices'>): void {
  const reported = new Set<string>();
  let stop: (() => void) | undefined;

  function onMissingPart(part: MissingPart | undefined): void {
    if (!part) {
      reported.clear();
      return notices.remove(NOTICE);
    }
    const { error, byUser } = part;
    const file = addressIn(error) ?? part.id;
    const isKnown = reported.has(file);
    reported.add(file);
    if (!isKnown) log.error('feature.missing', 'A part of the widget could not be loaded', { file }, { error });
    // An automatic retry must not bring back a notice that the user has closed.
    if (isKnown && !byUser) return;
    const isOffline = !navigator.onLine;
    notices.add({
      id: NOTICE,
      // Do not suggest a reload: without a network, the reloaded page would be lost.
      text: (texts) => (isOffline ? `${texts.loadFailed}. ${texts.checkNetwork}` : texts.partMissing),
      action: { label: ({ retry }) => retry, run: loadMissingParts },
    });
  }

  panel.addController({
    hostConnected() {
      stop ??= watchMissingParts(onMissingPart);
    },
    hostDisconnected() {
      stop?.();
      stop = undefined;
    },
  });
}

/** Returns the URL in an error message; undefined if the browser does not include it. */
function addressIn(error: unknown): string | undefined {
  return /\bhttps?:\/\/\S+/.exec(error instanceof Error ? error.message : '')?.[0];
}

/** The moments at which parts are loaded ahead. A part that fails to load is loaded when it is needed, and reported then. */
type Moment = 'opened' | 'turn began';

type PreloadPart = (conversation: LoadAhead, hasTools: () => boolean) => unknown;

/** The parts to load, in the order in which they will be needed. */
const PRELOADS: Readonly<Record<Moment, readonly PreloadPart[]>> = {
  opened: [(conversation) => conversation.request()],
  'turn began': [
    (conversation) => conversation.calls(),
    (_, hasTools) => hasTools() && loadTwice(() => import('./tool-chat-call/tool-chat-call.js')),
    // Load Markdown early: rendering a message again above an approval would restart its delay.
    (_, hasTools) => hasTools() && loadMarkdown(),
  ],
};

/** Longest wait for an idle moment, in milliseconds. */
const MAX_IDLE_WAIT = 500;

/**
 * Loads parts before they are needed.
 *
 * @param then called when all parts have loaded or failed
 */
function loadAhead(moment: Moment, conversation: LoadAhead, hasTools: () => boolean, then: () => unknown = () => undefined): void {
  const parts = PRELOADS[moment].map((part) => async () => part(conversation, hasTools));
  const start = () => void preload(parts).then(then);
  if (moment !== 'opened') start();
  else if ('requestIdleCallback' in globalThis) requestIdleCallback(start, { timeout: MAX_IDLE_WAIT });
  else setTimeout(start, MAX_IDLE_WAIT);
}
