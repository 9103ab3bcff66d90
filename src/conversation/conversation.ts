/**
 * The conversation, without a DOM: runs in a page, a worker, Node, Deno or Bun. Provides the chart's real actors, keeps the queue of
 * turns, and turns what happens into plain snapshots and host events.
 */
import { english } from '../i18n/english.js';
import { createLog, type Log } from '../base/logging.js';
import type { PromptMacro } from '../prompts/macros.js';
import type { Grants } from '../tools/grant-rules.js';
import { createRegistry } from '../tools/registry.js';
import type { Wire } from '../transports/wire.js';
import type { Conversation, ConversationOptions } from './host/api.js';
import { createArrivingReply } from './reply/arriving-reply.js';
import { createAudience } from './view/audience.js';
import { createBudget } from './request/token-budget.js';
import { isDoing } from './chart/call-changes.js';
import { createChart, type ProgressById } from './host/start-chart.js';
import { realClock, timerOf } from './chart/clock.js';
import { isConfirmation } from './chart/keyword-confirmation.js';
import { createEditing } from './calls/editing.js';
import { keptGate } from './request/relay-gate-memory.js';
import { tellSafely } from './chart/hooks.js';
import { createId } from '../base/ids.js';
import { keepInternals } from './host/internals.js';
import { createKeeping } from './keeping/keeping.js';
import { createLayeredMemory } from './remembering/layered-memory.js';
import { watchAsks } from './calls/many-asks.js';
import { createProtocols } from './request/protocol-registry.js';
import { registrations } from './host/registrations.js';
import { createRebinding } from './calls/rebinding.js';
import { createLoadAhead } from './host/load-ahead.js';
import { createPlugins } from './host/plugins.js';
import { createPreviews } from './host/prompt-preview.js';
import { reportToHost } from './host/host-events.js';
import { createSessionDesk } from './keeping/session-io.js';
import { keepRecords } from './remembering/session-records.js';
import { readSettings } from './options/read-settings.js';
import { type Settings } from './options/settings.js';
import type { Activity, ConversationSnapshot } from '../model/snapshot.js';
import { createSurface } from './ui-api.js';
import { watchTurnEnds } from './host/turn-end.js';
import { createTurnQueue } from './host/turn-queue.js';
import { stateOf } from './view/readable-state.js';
import { createTroubles } from './host/recovery-ui.js';
import type { ConversationEvent } from './chart/chart-context.js';
import { createTurns } from './host/turns.js';
import { createTrace } from './host/trace.js';
import { createUndoing } from './calls/undo.js';
import { toView, type Surroundings } from './view/view.js';
import { createWindows } from './request/windows.js';
import type { Speaker } from './request/prompt-input.js';

export type { Conversation, ConversationOptions, SendOptions } from './host/api.js';

const activityNames: readonly Activity[] = ['streaming', 'parsing', 'awaitingApproval', 'executing', 'retrying', 'summarising'];

type Methods = Omit<Conversation, keyof ConversationSnapshot>;

export function createConversation(options: ConversationOptions = {}): Conversation {
  const trace = createTrace(() => texts());
  const log: Log = trace.listen(
    createLog({
      get level() {
        return options.logLevel;
      },
      get logger() {
        return options.logger;
      },
      emit: (entry) => void options.onEvent?.({ type: 'log', entry }),
    }),
  );
  const clock = options.clock ?? realClock;
  const setTimer = timerOf(clock);
  const registry = createRegistry();
  const protocols = createProtocols(log);
  const wires: Wire[] = [];
  const macros = new Map<string, PromptMacro>();
  const speaker: Speaker = {
    ...{
      registry,
      protocols,
      macros,
      log,
      windows: createWindows(),
      unlisted: new Set<string>(),
      paged: { tools: [] },
      warned: new Set<string>(),
      gate: {},
    },
    recall: (input) => memory.recall(input),
  };
  const progress: ProgressById = new Map();
  const budget = createBudget();
  let person = false;
  let grants: Grants | undefined;
  let loadCalls: () => Promise<unknown>;
  /** How far a model that has to be fetched first has come. */
  let loaded: number | undefined;
  const audience = createAudience(log, {
    of: () => keeping.shown ?? chart.getSnapshot(),
    build: () => keeping.decorate(toView(keeping.shown?.context ?? chart.getSnapshot().context, surroundings())),
  });
  const { changed } = audience;
  const queue = createTurnQueue(log, () => {
    changed();
    keeping.changed();
  });
  const view = () => audience.view;
  const arriving = createArrivingReply({
    changed,
    grew() {
      audience.textGrew();
      keeping.changed();
    },
  });

  const tell = tellSafely(options, log);

  /** As they are now; `over` is for looking at what they would be. The protocol is chosen here, for the whole of a turn. */
  const settings = (over: Partial<Settings> = {}): Settings => {
    const now = { ...readSettings(options, log), ...over };
    const autoProtocol = now.protocol === 'auto';
    return { ...now, sessionId: now.sessionId || sessionId, protocol: protocols.choose(now), autoProtocol };
  };
  /** Both are read once: what is kept under one name does not move to another. */
  const storage = options.storage ?? 'none';
  const sessionId = storage === 'none' ? createId('session') : options.sessionId || 'default';
  const texts = () => options.texts ?? english;
  /** A tool by the name the model writes under the protocol of now. */
  const toolNamed = (name: string) => registry.get(name, chart.getSnapshot().context.turn?.settings.protocol ?? options.protocol);

  const previews = createPreviews(settings, speaker);
  const memory = createLayeredMemory({
    ...{ log, wires, setTimer, settings, budget },
    records: () => records,
    context: () => chart.getSnapshot().context,
    notice: (notice) => {
      notices.add(notice);
    },
    changed: () => changed(),
  });

  const troubles = createTroubles({
    ...{ wires, tell },
    settings: () => settings(),
    failure: () => chart.getSnapshot().context.failure,
    retry: () => void turns.retry(),
    changed: () => changed(),
  });
  const { notices, degrading, connection } = troubles;

  const keeping = createKeeping({
    ...{ storage, sessionId, journal: options.journal, log, queue, notices, tell, toolNamed, say },
    chart: () => chart,
    texts: () => texts(),
    settings: () => settings(),
    live: () => arriving.live,
    hasSecrets: () => registry.list().some(({ sensitive }) => Boolean(sensitive)),
    grants: () => grants,
    openGrants: () => loadCalls().then(() => grants as Grants),
    clear: (all) => (all ? forget() : clear(false)),
    undo: (requestId, back) => undoing.undoByPerson(requestId, back),
    changed() {
      changed();
      audience.tell();
    },
  });

  const undoing = createUndoing({
    calls: () => chart.getSnapshot().context.calls,
    settings: () => settings(),
    log,
    begins(requestId) {
      say({ type: 'call.undoing', requestId });
    },
    undone(requestId) {
      say({ type: 'call.undone', requestId });
    },
    changed: () => changed(),
  });

  const editing = createEditing({
    context: () => chart.getSnapshot().context,
    ...{ registry, log },
    settings: () => settings(),
    say,
    runAgain: (request) => turns.runAgain(request),
    changed: () => changed(),
  });

  const rebinding = createRebinding({ registry, log, bound: editing.bound, ran: undoing.ran, changed: () => changed() });

  const chart = createChart({
    ...speaker,
    ...{ wires, budget, degrading, connection, notices, setTimer, clock, progress, tell, texts, toolNamed, say, changed },
    edition: previews.edition,
    openLive: arriving.open,
    onLoad(fraction) {
      loaded = fraction < 1 ? fraction : undefined;
      changed();
    },
    journal: keeping.journal,
    lasting: () => keeping.lasting,
    handedOn: () => keeping.handedOn,
    early: (load) => (loadCalls = load),
    decide: () => options.decide,
    hasPerson: () => person,
    haveGrants(desk) {
      grants = desk;
      desk.subscribe(() => {
        changed();
        keeping.changed();
      });
    },
    onDone: undoing.ran,
    onNoTools() {
      notices.add({ id: 'no-tools', text: ({ noticeNoTools }) => noticeNoTools });
    },
    bound: editing.bound,
  });

  // ——— What happens → host events, queue, listeners

  reportToHost({ chart, toolNamed, journal: keeping.journal, log, tell });
  trace.watch(chart);
  const records = keepRecords({ chart, sessionId: () => options.sessionId || sessionId });
  watchTurnEnds({
    ...{ chart, queue, log, tell, texts },
    ends: arriving.end,
    ended: () => memory.turnEnded(),
  });
  // Each turn has its tools back.
  chart.on('phase', ({ state }) => {
    if (state === 'plan') notices.remove('no-tools');
  });
  chart.subscribe(() => {
    changed();
    keeping.changed();
    audience.tell();
  });
  chart.start();

  function face(name: string) {
    const tool = toolNamed(name);
    const label = tool?.label ?? name;
    return tool ? { label, ...(tool.icon && { icon: tool.icon }) } : (desk.faceOf(name) ?? { label });
  }

  /** What is on the screen, but not in the chart. */
  function surroundings(): Surroundings {
    const snapshot = chart.getSnapshot();
    return {
      texts: texts(),
      activities: activityNames.filter(
        (name) => snapshot.hasTag(name) || isDoing(snapshot.context, name) || (name === 'summarising' && memory.busy),
      ),
      live: arriving.live,
      face,
      progress,
      undo: undoing.state,
      edit: editing.view,
      grants: grants?.list() ?? [],
      queue: [...queue.texts, ...keeping.waiting],
      draft: keeping.draft,
      remembered: memory.items,
      hasTools: registry.list().length > speaker.unlisted.size && (snapshot.context.turn?.settings ?? settings()).tools === 'on',
      loaded,
      offline: connection.waiting,
      notices: notices.list(texts()),
      helpUrl: options.helpUrl,
      ...keeping.shown?.around,
    };
  }

  // ——— Turns

  function say(event: ConversationEvent) {
    if (chart.getSnapshot().status === 'active') chart.send(event);
    if (event.type === 'restore') rebinding.restored(event.context.calls);
  }

  const here = createTurns({
    ...{ chart, queue, registry, log, tell, texts, say, edit: editing.edit },
    settings: () => settings(),
    live: () => arriving.live,
  });
  const turns = keeping.guard(here);
  const stop = () => {
    here.stop();
    memory.stop();
  };

  /** Also what another tab is doing. */
  const stopEverywhere = () => {
    turns.stop();
    memory.stop();
  };

  watchAsks(chart, notices, () => turns.stop());

  const surface = createSurface({
    ...{ chart, audience, turns, queue, memory, troubles, undoing, keeping, speaker, texts, say, revoke, stop: stopEverywhere },
    live: () => keeping.shown?.around.live ?? arriving.live,
    settings: () => settings(),
  });

  const desk = createSessionDesk({
    ...{ queue, records, trace, budget, log, texts, toolNamed, face, stop, say, keeping, view },
    settings: () => settings(),
    context: () => keeping.shown?.context ?? chart.getSnapshot().context,
    live: () => keeping.shown?.around.live ?? arriving.live,
    hasSecrets: () => registry.list().some((tool) => tool.sensitive),
  });
  function revoke(grantId: string) {
    if (!keeping.elsewhere({ type: 'revoke', grantId })) grants?.revoke(grantId);
  }

  /** With `all` also what is kept beside the conversation. */
  async function clear(all: boolean) {
    if (keeping.pending) await keeping.ready();
    queue.cancel();
    stop();
    say({ type: 'user.clear' });
    await keeping.clear(all);
  }

  async function forget() {
    await clear(true).finally(() => memory.forgetAll());
  }

  keeping.keep('session', desk.kept);
  keeping.keep('gate', keptGate(speaker.gate));
  const plugins = createPlugins(() => options.pluginHost ?? conversation, log);
  const methods: Methods = {
    get trace() {
      return [...trace.entries];
    },
    use: plugins.use,
    exportSession: desk.exportSession,
    importSession: desk.importSession,
    ...registrations({
      ...{ registry, protocols, wires, macros, log, texts },
      changed() {
        changed();
        rebinding.look();
      },
    }),
    subscribe: audience.listen,
    matchesState: (name) => view().state === name || view().activities.includes(name as Activity),
    sendMessage: (text, extra) => turns.send(text, extra),
    sendMessageWithTools: (text) => turns.send(text, { tools: true }),
    executeToolManually: turns.runTool,
    revoke,
    undo: undoing.undo,
    cancelStream: stopEverywhere,
    retryLastMessage: turns.retry,
    regenerate: turns.retry,
    editMessage: turns.edit,
    generatePrompt: previews.generatePrompt,
    getToolDescriptions: previews.getToolDescriptions,
    clear: () => clear(false),
    clearCache: previews.clearCache,
    forget,
    dispose() {
      plugins.takeAllBack();
      keeping.close();
      queue.close();
      queue.cancel();
      stop();
      audience.close();
      // Not at once: it may be a listener that disposes, and the turn has yet to end.
      queueMicrotask(() => chart.stop());
    },
  };
  const state = stateOf(view, () => !queue.isEmpty || keeping.waiting.length > 0);
  const conversation = Object.defineProperties(methods, Object.getOwnPropertyDescriptors(state)) as Conversation;
  keepInternals(conversation, {
    ...{ surface, log },
    ahead: createLoadAhead({ ...{ speaker, wires }, settings: () => settings(), loadCalls: () => loadCalls() }),
    decide: turns.decide,
    // As they were when the turn began, and as the screen says them.
    confirms: (text) => isConfirmation(text, chart.getSnapshot().context.turn?.settings ?? settings()),
    attachPerson() {
      person = true;
      memory.look();
    },
    leave() {
      keeping.pause();
      queue.cancel();
      stop();
    },
    leavePage: () => void (storage === 'none' && stop()),
    cannotAsk(why) {
      say({ type: 'ask.blocked', failure: why && { kind: why, code: 'CONFIG', layer: 'business', retryable: false } });
    },
  });
  plugins.useAll(options.plugins ?? []);
  return conversation;
}
