/**
 * The conversation, without a DOM: runs in a page, a worker, Node, Deno or Bun. Provides the chart's real actors, keeps the queue of
 * turns, and turns what happens into plain snapshots and host events.
 */
import { createActor, type Actor } from 'xstate';
import type { ToolUse } from '../calls.js';
import { en } from '../i18n/en.js';
import { createLog, type Log } from '../logging.js';
import type { PromptMacro } from '../prompts/macros.js';
import type { Grants } from '../tools/grants.js';
import { createRegistry } from '../tools/registry.js';
import { publicArguments } from '../tools/sensitive.js';
import type { SetTimer } from '../transports/read-reply.js';
import type { Wire } from '../transports/wire.js';
import type { Clock, Conversation, ConversationOptions } from './api.js';
import { createAudience } from './audience.js';
import { createBudget } from './budget.js';
import { createCallActors } from './call-actors.js';
import { isDoing, isOpen } from './call-changes.js';
import { isConfirmation, wasLeftUnconfirmed } from './confirmation.js';
import { conversationMachine } from './conversation-machine.js';
import { createEditing } from './editing.js';
import { chatErrorOf, failureLines } from './failure-text.js';
import type { TellHost } from './hooks.js';
import { createId } from './ids.js';
import { keepInternals } from './internals.js';
import { createKeeping } from './keeping.js';
import { createLayeredMemory } from './layered-memory.js';
import { createLiveReply, type LiveReply } from './live-reply.js';
import { watchAsks } from './many-asks.js';
import { inTheWay } from './plan-changes.js';
import { createProtocols } from './protocols.js';
import { registrations } from './registrations.js';
import { createReplyReader } from './reply-actor.js';
import { createPlugins } from './plugins.js';
import { reportToHost } from './report.js';
import { createSessionDesk } from './session-desk.js';
import { keepRecords } from './session-records.js';
import { readSettings, type Settings } from './settings.js';
import type { Activity, ConversationSnapshot, ConversationSurface } from './snapshot.js';
import { createTurnQueue } from './turn-queue.js';
import { stateOf } from './state.js';
import { createTroubles } from './troubles.js';
import type { ConversationEmitted, ConversationEvent } from './turn.js';
import { createTurns } from './turns.js';
import { createTrace } from './trace.js';
import { createUndoing } from './undo.js';
import { toView, type Surroundings } from './view.js';
import type { Speaker } from './wording.js';

export type { Conversation, ConversationOptions, SendOptions } from './api.js';

const realClock: Clock = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (id) => {
    clearTimeout(id as ReturnType<typeof setTimeout>);
  },
};

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
  const setTimer: SetTimer = (run, ms) => {
    const id = clock.setTimeout(run, ms) as unknown;
    return () => {
      clock.clearTimeout(id);
    };
  };
  const registry = createRegistry();
  const protocols = createProtocols(log);
  const wires: Wire[] = [];
  const macros = new Map<string, PromptMacro>();
  const speaker: Speaker = {
    ...{ registry, protocols, macros, log, unlisted: new Set<string>(), paged: { tools: [] }, warned: new Set<string>(), gate: {} },
    recall: (input) => memory.recall(input),
  };
  const progress = new Map<string, { fraction?: number; message?: string }>();
  const settling = new Map<string, () => void>();
  const budget = createBudget();
  /** Of the answers that may come from a cache: `clearCache` begins another. */
  let edition = 0;
  let live: LiveReply | null = null;
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

  /** What the host does with what it hears must not take a turn down; what it was asked and did not answer, it did not allow. */
  const tell: TellHost = (event) => {
    try {
      return options.onEvent?.(event) ?? true;
    } catch (error) {
      log.error('host.failed', `A listener for ${event.type} failed`, { type: event.type }, { error });
      return event.type !== 'tool-execute';
    }
  };

  /** As they are now; `over` is for looking at what they would be. The protocol is chosen here, for the whole of a turn. */
  const settings = (over: Partial<Settings> = {}): Settings => {
    const now = { ...readSettings(options, log), ...over };
    const autoProtocol = now.protocol === 'auto';
    return { ...now, sessionId: now.sessionId || sessionId, protocol: protocols.choose(now), autoProtocol };
  };
  /** Both are read once: what is kept under one name does not move to another. */
  const storage = options.storage ?? 'none';
  const sessionId = storage === 'none' ? createId('session') : options.sessionId || 'default';
  const texts = () => options.texts ?? en;
  /** A tool by the name the model writes under the protocol of now. */
  const toolNamed = (name: string) => registry.get(name, chart.getSnapshot().context.turn?.settings.protocol ?? options.protocol);

  const memory = createLayeredMemory({
    ...{ log, wires, setTimer, settings, budget },
    records: () => records,
    context: () => chart.getSnapshot().context,
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
    ...{ storage, sessionId, journal: options.journal, log, queue, notices, tell, toolNamed, say, clear },
    chart: () => chart,
    texts: () => texts(),
    settings: () => settings(),
    live: () => live,
    hasSecrets: () => registry.list().some(({ sensitive }) => Boolean(sensitive)),
    grants: () => grants,
    openGrants: () => loadCalls().then(() => grants as Grants),
    undo(requestId, back) {
      void (back ? undoing.undoBackTo(requestId) : undoing.undo(requestId)).catch(ignore);
    },
    changed() {
      changed();
      audience.tell();
    },
  });

  const undoing = createUndoing({
    calls: () => chart.getSnapshot().context.calls,
    settings: () => settings(),
    log,
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

  const chart: Actor<typeof conversationMachine> = createActor(
    conversationMachine.provide({
      actors: {
        readReply: createReplyReader({
          ...speaker,
          wires,
          budget,
          edition: () => edition,
          ...{ degrading, connection },
          openLive,
          whenSettled: (requestId) =>
            isOpen(chart.getSnapshot().context, requestId) ? new Promise((resolve) => settling.set(requestId, resolve)) : Promise.resolve(),
          onLoad(fraction) {
            loaded = fraction < 1 ? fraction : undefined;
            changed();
          },
          createId: () => createId('call'),
          setTimer,
          onText: (text) => void tell({ type: 'stream-chunk', text }),
          onCall: ({ requestId, name, params, partial }) => {
            const tool: ToolUse = { type: 'tool_use', name, params: publicArguments(params, toolNamed(name)?.sensitive), partial };
            tell({ type: 'tool-detected', tool, requestId });
          },
        }),
        toolCall: createCallActors({
          registry,
          journal: keeping.journal,
          lasting: () => keeping.lasting,
          early: (load) => (loadCalls = load),
          log,
          decide: () => options.decide,
          hasPerson: () => person,
          turn: () => chart.getSnapshot().context.turn,
          tell,
          texts,
          inTheWay: (requestId) => inTheWay(chart.getSnapshot().context, requestId),
          haveGrants(desk) {
            grants = desk;
            desk.subscribe(() => {
              changed();
              keeping.changed();
            });
          },
          isWaiting: (requestId) =>
            chart.getSnapshot().context.calls.some((call) => call.requestId === requestId && call.status === 'awaiting_approval'),
          granted(call) {
            say({ type: 'call.granted', call });
          },
          onDone: undoing.ran,
          onNoTools() {
            notices.add({ id: 'no-tools', text: ({ noticeNoTools }) => noticeNoTools });
          },
          setTimer,
          bound: editing.bound,
          unconfirmed: (digest) => wasLeftUnconfirmed(chart.getSnapshot().context, digest),
          onProgress(requestId, said) {
            if (!isOpen(chart.getSnapshot().context, requestId)) return;
            progress.set(requestId, said);
            tell({ type: 'tool-progress', requestId, progress: said });
            changed();
          },
        }),
      },
    }),
    { clock },
  );

  // ——— What happens → host events, queue, listeners

  chart.on('call.settled', ({ requestId }) => {
    progress.delete(requestId);
    settling.get(requestId)?.();
    settling.delete(requestId);
  });
  reportToHost({ chart, toolNamed, journal: keeping.journal, log, tell });
  trace.watch(chart);
  const records = keepRecords({ chart, sessionId: () => options.sessionId || sessionId });
  chart.on('turn.ended', endTurn);
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

  function endTurn({ turnId, outcome }: ConversationEmitted & { type: 'turn.ended' }) {
    live?.end();
    live = null;
    const { failure, ...rest } = outcome;
    const lines = failure ? failureLines(failure, texts()) : [];
    const error = failure && chatErrorOf(failure, lines);
    if (error) {
      log.error(
        'turn.failed',
        error.message,
        { code: error.code, status: error.status },
        error.errorType ? { errorType: error.errorType } : {},
      );
      tell({ type: 'error', error });
    }
    log.info('turn.ended', 'Conversation turn ended', { reason: outcome.reason });
    log.debug('stream.end', 'Written', { turnId }, { stage: 'WB' });
    // After the chart has come to rest, and before the next turn may begin: nothing of this turn comes after its `stream-end`.
    queueMicrotask(() => {
      tell({ type: 'stream-end', success: outcome.success, reason: outcome.reason });
      queue.finish({ ...rest, ...(error && { error }) });
      memory.turnEnded();
    });
  }

  function openLive(messageId: string): LiveReply {
    if (live?.messageId === messageId) return live;
    let silent = true;
    live = createLiveReply(messageId, (what) => {
      // The first word is a boundary, too: thinking turns into answering.
      if (what === 'call' || silent) changed();
      silent &&= what === 'call';
      audience.textGrew();
      keeping.changed();
    });
    // The panel may have drawn the message before its reply was opened.
    changed();
    return live;
  }

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
      live,
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
  }

  const here = createTurns({ chart, queue, registry, log, tell, texts, settings: () => settings(), say, live: () => live, edit: editing.edit });
  const turns = keeping.guard(here);
  const stop = () => {
    here.stop();
    memory.stop();
  };

  watchAsks(chart, notices, () => turns.stop());

  const surface: ConversationSurface = {
    get view() {
      return view();
    },
    subscribe: audience.watch,
    follow(messageId, listener) {
      const reply = keeping.shown?.around.live ?? live;
      return reply?.messageId === messageId ? reply.follow(listener) : () => undefined;
    },
    send: turns.sendByPerson,
    unqueue: queue.remove,
    sendResults: turns.sendResults,
    tools: async () => (await import('./wording.js')).toolChoices(settings(), speaker),
    stop: () => {
      turns.stop();
      memory.stop();
    },
    ...troubles.surface,
    continue: () => {
      if (chart.getSnapshot().context.failure?.code === 'LIMIT') void turns.retry({ goOn: true });
      else turns.sendByPerson(texts().continueAnswer);
    },
    memory: { edit: memory.edit, forget: memory.forget, forgetAll: memory.forgetAll },
    revoke,
    undo(requestId, { back = false } = {}) {
      if (keeping.elsewhere({ type: 'undo', requestId, back })) return;
      void (back ? undoing.undoBackTo(requestId) : undoing.undo(requestId)).catch(ignore); // its card says so
    },
    draft: keeping.write,
    dismissError: () => {
      say({ type: 'user.dismiss' });
    },
  };

  const desk = createSessionDesk({
    ...{ queue, records, trace, budget, log, texts, toolNamed, face, stop, say, keeping, view },
    settings: () => settings(),
    context: () => keeping.shown?.context ?? chart.getSnapshot().context,
    live: () => keeping.shown?.around.live ?? live,
    hasSecrets: () => registry.list().some((tool) => tool.sensitive),
  });
  function revoke(grantId: string) {
    if (!keeping.elsewhere({ type: 'revoke', grantId })) grants?.revoke(grantId);
  }

  /** With `all` also what is kept beside the conversation. */
  async function clear(all: boolean) {
    if (keeping.pending) await keeping.ready();
    if (keeping.elsewhere({ type: all ? 'forget' : 'clear' })) return;
    queue.cancel();
    stop();
    say({ type: 'user.clear' });
    await keeping.clear(all);
  }

  keeping.keep('session', desk.kept);
  const plugins = createPlugins(() => options.pluginHost ?? conversation, log);
  const methods: Methods = {
    get trace() {
      return [...trace.entries];
    },
    use: plugins.use,
    exportSession: desk.exportSession,
    importSession: desk.importSession,
    ...registrations({ registry, protocols, wires, macros, log, texts, changed }),
    subscribe: audience.listen,
    matchesState: (name) => view().state === name || view().activities.includes(name as Activity),
    sendMessage: (text, extra) => turns.send(text, extra),
    sendMessageWithTools: (text) => turns.send(text, { tools: true }),
    executeToolManually: turns.runTool,
    revoke,
    undo: undoing.undo,
    cancelStream: () => {
      turns.stop();
      memory.stop();
    },
    retryLastMessage: turns.retry,
    regenerate: turns.retry,
    editMessage: turns.edit,
    generatePrompt({ protocol, config } = {}) {
      const now = settings({ ...config, ...(protocol !== undefined && { protocol }) });
      return import('./wording.js').then(({ previewSystem }) => previewSystem(now.protocol, now, speaker));
    },
    getToolDescriptions() {
      const now = settings({ tools: 'on' });
      return import('./wording.js').then(({ listTools }) => listTools(now, speaker));
    },
    clear: () => clear(false),
    async clearCache() {
      const answers = settings().answerCache;
      if (answers?.clear) await answers.clear();
      else edition += 1;
      (await import('../prompts/index.js')).clearPromptCache();
    },
    async forget() {
      await clear(true);
      await memory.forgetAll();
    },
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
    surface,
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
    cannotAsk(why) {
      say({ type: 'ask.blocked', failure: why && { kind: why, code: 'CONFIG', layer: 'business', retryable: false } });
    },
  });
  for (const plugin of options.plugins ?? []) {
    try {
      plugins.use(plugin);
    } catch (error) {
      log.error('plugin.failed', 'A plugin could not be set up', { name: plugin?.name }, { error });
    }
  }
  return conversation;
}

function ignore() {}
