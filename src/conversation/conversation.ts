/**
 * The conversation, without a DOM: runs in a page, a worker, Node, Deno or Bun. Provides the chart's real actors, keeps the queue of
 * turns, and turns what happens into plain snapshots and host events.
 */
import { createActor, type Actor } from 'xstate';
import type { ToolUse } from '../calls.js';
import { en } from '../i18n/en.js';
import { createLog, type Log } from '../logging.js';
import type { PromptMacro } from '../prompts/macros.js';
import { createMemoryJournal } from '../storage/journal.js';
import type { Grants } from '../tools/grants.js';
import { createRegistry } from '../tools/registry.js';
import { publicArguments } from '../tools/sensitive.js';
import type { Wire } from '../transports/wire.js';
import type { Clock, Conversation, ConversationOptions } from './api.js';
import { createAudience } from './audience.js';
import { createCallActors } from './call-actors.js';
import { isDoing, isOpen } from './call-changes.js';
import { conversationMachine } from './conversation-machine.js';
import { chatErrorOf, failureLines } from './failure-text.js';
import type { TellHost } from './hooks.js';
import { createId } from './ids.js';
import { keepInternals } from './internals.js';
import { createLiveReply, type LiveReply } from './live-reply.js';
import { createProtocols } from './protocols.js';
import { registrations } from './registrations.js';
import { createReplyReader } from './reply-actor.js';
import { reportToHost } from './report.js';
import { readSettings, type Settings } from './settings.js';
import type { Activity, ConversationSnapshot, ConversationSurface } from './snapshot.js';
import { createTurnQueue } from './turn-queue.js';
import { stateOf } from './state.js';
import type { ConversationEmitted, ConversationEvent } from './turn.js';
import { createTurns } from './turns.js';
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
  const log: Log = createLog({
    get level() {
      return options.logLevel;
    },
    get logger() {
      return options.logger;
    },
    emit: (entry) => void options.onEvent?.({ type: 'log', entry }),
  });
  const clock = options.clock ?? realClock;
  const registry = createRegistry();
  const journal = options.journal ?? createMemoryJournal();
  const protocols = createProtocols(log);
  const wires: Wire[] = [];
  const macros = new Map<string, PromptMacro>();
  const speaker: Speaker = { registry, protocols, macros, log, unlisted: new Set(), paged: { tools: [] }, warned: new Set() };
  const progress = new Map<string, { fraction?: number; message?: string }>();
  const settling = new Map<string, () => void>();
  let live: LiveReply | null = null;
  let person = false;
  let grants: Grants | undefined;
  /** How far a model that has to be fetched first has come. */
  let loaded: number | undefined;
  const audience = createAudience(log, {
    of: () => chart.getSnapshot(),
    build: () => toView(chart.getSnapshot().context, surroundings()),
  });
  const { changed } = audience;
  const queue = createTurnQueue(log, changed);
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
  const sessionId = createId('session');
  const texts = () => options.texts ?? en;
  /** A tool by the name the model writes under the protocol of now. */
  const toolNamed = (name: string) => registry.get(name, chart.getSnapshot().context.turn?.settings.protocol ?? options.protocol);

  const undoing = createUndoing({
    calls: () => chart.getSnapshot().context.calls,
    settings: () => settings(),
    log,
    undone(requestId) {
      say({ type: 'call.undone', requestId });
    },
    changed: () => changed(),
  });

  const chart: Actor<typeof conversationMachine> = createActor(
    conversationMachine.provide({
      actors: {
        readReply: createReplyReader({
          ...speaker,
          wires,
          openLive,
          whenSettled: (requestId) =>
            isOpen(chart.getSnapshot().context, requestId) ? new Promise((resolve) => settling.set(requestId, resolve)) : Promise.resolve(),
          onLoad(fraction) {
            loaded = fraction < 1 ? fraction : undefined;
            changed();
          },
          createId: () => createId('call'),
          setTimer(run, ms) {
            const id = clock.setTimeout(run, ms) as unknown;
            return () => {
              clock.clearTimeout(id);
            };
          },
          onText: (text) => void tell({ type: 'stream-chunk', text }),
          onCall: ({ requestId, name, params, partial }) => {
            const tool: ToolUse = { type: 'tool_use', name, params: publicArguments(params, toolNamed(name)?.sensitive), partial };
            tell({ type: 'tool-detected', tool, requestId });
          },
        }),
        toolCall: createCallActors({
          registry,
          journal,
          log,
          decide: () => options.decide,
          hasPerson: () => person,
          turn: () => chart.getSnapshot().context.turn,
          tell,
          texts,
          haveGrants(desk) {
            grants = desk;
            desk.subscribe(changed);
          },
          isWaiting: (requestId) =>
            chart.getSnapshot().context.calls.some((call) => call.requestId === requestId && call.status === 'awaiting_approval'),
          granted(call) {
            say({ type: 'call.granted', call });
          },
          onDone: undoing.ran,
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
  reportToHost({ chart, toolNamed, journal, log, tell });
  chart.on('turn.ended', endTurn);
  chart.subscribe(() => {
    changed();
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
    });
    // The panel may have drawn the message before its reply was opened.
    changed();
    return live;
  }

  /** What is on the screen, but not in the chart. */
  function surroundings(): Surroundings {
    const snapshot = chart.getSnapshot();
    return {
      texts: texts(),
      activities: activityNames.filter((name) => snapshot.hasTag(name) || isDoing(snapshot.context, name)),
      live,
      face: (name) => {
        const tool = toolNamed(name);
        return { label: tool?.label ?? name, ...(tool?.icon && { icon: tool.icon }) };
      },
      progress,
      undo: undoing.state,
      grants: grants?.list() ?? [],
      queue: queue.texts,
      loaded,
      helpUrl: options.helpUrl,
    };
  }

  // ——— Turns

  function say(event: ConversationEvent) {
    if (chart.getSnapshot().status === 'active') chart.send(event);
  }

  const turns = createTurns({ chart, queue, registry, log, tell, texts, settings: () => settings(), say, live: () => live });
  const { stop } = turns;

  const surface: ConversationSurface = {
    get view() {
      return view();
    },
    subscribe: audience.watch,
    follow: (messageId, listener) => (live?.messageId === messageId ? live.follow(listener) : () => undefined),
    send: turns.sendByPerson,
    stop: () => {
      stop();
    },
    retry: () => void turns.retry(),
    continue: () => {
      turns.sendByPerson(texts().continueAnswer);
    },
    revoke(grantId) {
      grants?.revoke(grantId);
    },
    undo(requestId, { back = false } = {}) {
      void (back ? undoing.undoBackTo(requestId) : undoing.undo(requestId)).catch(ignore); // its card says so
    },
    dismissError: () => {
      say({ type: 'user.dismiss' });
    },
  };

  const methods: Methods = {
    ...registrations({ registry, protocols, wires, macros, log, texts, changed }),
    subscribe: audience.listen,
    matchesState: (name) => view().state === name || view().activities.includes(name as Activity),
    sendMessage: (text, extra) => turns.send(text, extra),
    sendMessageWithTools: (text) => turns.send(text, { tools: true }),
    executeToolManually: turns.runTool,
    revoke(grantId) {
      grants?.revoke(grantId);
    },
    undo: undoing.undo,
    cancelStream: () => {
      stop();
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
    clear() {
      queue.cancel();
      stop();
      say({ type: 'user.clear' });
      return Promise.resolve();
    },
    async clearCache() {
      (await import('../prompts/index.js')).clearPromptCache();
    },
    dispose() {
      queue.close();
      queue.cancel();
      stop();
      audience.close();
      // Not at once: it may be a listener that disposes, and the turn has yet to end.
      queueMicrotask(() => chart.stop());
    },
  };
  const state = stateOf(view, () => !queue.isEmpty);
  const conversation = Object.defineProperties(methods, Object.getOwnPropertyDescriptors(state)) as Conversation;
  keepInternals(conversation, {
    surface,
    decide: turns.decide,
    attachPerson() {
      person = true;
    },
    leave() {
      queue.cancel();
      stop();
    },
    cannotAsk(why) {
      say({ type: 'ask.blocked', failure: why && { kind: why, code: 'CONFIG', layer: 'business', retryable: false } });
    },
  });
  return conversation;
}

function ignore() {}
