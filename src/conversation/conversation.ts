/**
 * The conversation, without a DOM: runs in a page, a worker, Node, Deno or Bun. Provides the chart's real actors, keeps the queue of
 * turns, and turns what happens into plain snapshots and host events.
 */
import { english } from '../i18n/en-first.js';
import { createLog, type Log } from '../logging.js';
import type { PromptMacro } from '../prompts/macros.js';
import type { Grants } from '../tools/grants.js';
import { createRegistry } from '../tools/registry.js';
import type { Wire } from '../transports/wire.js';
import type { Conversation, ConversationOptions } from './api.js';
import { createArrivingReply } from './arriving-reply.js';
import { createAudience } from './audience.js';
import { createBudget } from './budget.js';
import { isDoing } from './call-changes.js';
import { createChart, type ProgressById } from './chart.js';
import { realClock, timerOf } from './clock.js';
import { isConfirmation } from './confirmation.js';
import { createEditing } from './editing.js';
import { keptGate } from './gate-memory.js';
import { tellSafely } from './hooks.js';
import { createId } from './ids.js';
import { keepInternals } from './internals.js';
import { createKeeping } from './keeping.js';
import { createLayeredMemory } from './layered-memory.js';
import { watchAsks } from './many-asks.js';
import { createProtocols } from './protocols.js';
import { registrations } from './registrations.js';
import { createRebinding } from './rebinding.js';
import { createPlugins } from './plugins.js';
import { createPreviews } from './previews.js';
import { reportToHost } from './report.js';
import { createSessionDesk } from './session-desk.js';
import { keepRecords } from './session-records.js';
import { readSettings, type Settings } from './settings.js';
import type { Activity, ConversationSnapshot } from './snapshot.js';
import { createSurface } from './surface.js';
import { watchTurnEnds } from './turn-end.js';
import { createTurnQueue } from './turn-queue.js';
import { stateOf } from './state.js';
import { createTroubles } from './troubles.js';
import type { ConversationEvent } from './turn.js';
import { createTurns } from './turns.js';
import { createTrace } from './trace.js';
import { createUndoing } from './undo.js';
import { toView, type Surroundings } from './view.js';
import { createWindows } from './windows.js';
import type { Speaker } from './wording.js';

export type { Conversation, ConversationOptions, SendOptions } from './api.js';

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
