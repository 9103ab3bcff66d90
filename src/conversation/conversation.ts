/**
 * The conversation, without a DOM: runs in a page, a worker, Node, Deno or Bun. Provides the chart's real actors, keeps the queue of
 * turns, and turns what happens into plain snapshots and host events.
 */
import { createActor, type Actor, type ActorOptions, type AnyActorLogic, type SnapshotFrom } from 'xstate';
import type { CardView, PublishedResult, ToolUse } from '../calls.js';
import { en } from '../i18n/en.js';
import type { Logger, LogLevel } from '../log.js';
import { createLog, type Log } from '../logging.js';
import type { Attachment, ChatMessage, TurnResult } from '../messages.js';
import { builtIn } from '../protocols/built-in.js';
import { createPromptCache } from '../prompts/system-prompt.js';
import type { ToolProtocol } from '../protocols/protocol.js';
import { createMemoryJournal, type Journal } from '../storage/journal.js';
import type { Decide } from '../tools/decide.js';
import { deepFreeze } from '../tools/freeze.js';
import { createRegistry } from '../tools/registry.js';
import { HIDDEN, publicArguments } from '../tools/sensitive.js';
import type { ToolDefinition } from '../tools/tool.js';
import type { Wire } from '../transports/wire.js';
import { createCallActors } from './call-actors.js';
import { isOpen, unsuccessful } from './changes.js';
import { conversationMachine } from './conversation-machine.js';
import { chatErrorOf, failureLines } from './failure-text.js';
import type { TellHost, ToolCallCycleResult } from './hooks.js';
import { createId } from './ids.js';
import { keepInternals, type Decision } from './internals.js';
import { createLiveReply, type LiveReply } from './live-reply.js';
import { createReplyReader, permissionsOf, systemPromptFor } from './reply-actor.js';
import { readSettings, type Settings } from './settings.js';
import type { Activity, ConversationSnapshot, ConversationSurface, ViewSnapshot } from './snapshot.js';
import { plainCopy } from './plain-copy.js';
import type { ConversationEmitted, ConversationEvent } from './turn.js';
import { toView } from './view.js';

/** Read anew for each turn, so an object with getters can follow attributes. */
export interface ConversationOptions extends Partial<Settings> {
  /** The host's own gate in front of a person. In Node, without a person, it is the only one. */
  decide?: Decide | undefined;
  logger?: Logger | undefined;
  logLevel?: LogLevel | undefined;
  helpUrl?: string | undefined;
  journal?: Journal;
  /** For the element: told what happens; see `hooks.ts`. */
  onEvent?: TellHost;
  /** For tests: the waits of retries and of time limits on requests. */
  clock?: Clock;
}

type Clock = NonNullable<ActorOptions<AnyActorLogic>['clock']>;

export interface SendOptions {
  /** `false` = without tools for this turn. */
  tools?: boolean;
  attachments?: Attachment[];
}

/** The same state and methods as `<tool-chat>` (contract §2); throws only for a host's mistake. */
export interface Conversation extends Readonly<ConversationSnapshot> {
  subscribe(listener: (snapshot: ConversationSnapshot) => void): () => void;
  /** A phase or an activity. */
  matchesState(name: string): boolean;
  sendMessage(text: string, options?: SendOptions): Promise<TurnResult>;
  sendMessageWithTools(text: string): Promise<TurnResult>;
  executeToolManually(tool: ToolUse): Promise<PublishedResult>;
  cancelStream(): void;
  retryLastMessage(): Promise<TurnResult>;
  regenerate(): Promise<TurnResult>;
  editMessage(id: string, text: string): Promise<TurnResult>;
  registerTool(tool: ToolDefinition<never>, options?: { signal?: AbortSignal }): () => void;
  registerProtocol(protocol: ToolProtocol): () => void;
  registerWire(wire: Wire): () => void;
  generatePrompt(options?: { protocol?: string }): Promise<string>;
  getToolDescriptions(): Promise<string>;
  clear(): Promise<void>;
  clearCache(): Promise<void>;
  /** Stops everything and forgets who listens. */
  dispose(): void;
}

interface Waiting {
  turnId: string;
  text: string;
  /** False when there was nothing to begin. */
  begin(): boolean;
  resolve(result: TurnResult): void;
}

const realClock: Clock = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (id) => {
    clearTimeout(id as ReturnType<typeof setTimeout>);
  },
};

const activityNames: readonly Activity[] = ['streaming', 'parsing', 'awaitingApproval', 'executing', 'retrying', 'summarising'];

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
  const prompts = createPromptCache();
  const protocols = new Map<string, ToolProtocol>();
  const wires: Wire[] = [];
  const progress = new Map<string, { fraction?: number; message?: string }>();
  const listeners = new Set<(snapshot: ConversationSnapshot) => void>();
  const viewers = new Set<(view: ViewSnapshot) => void>();
  const waiting: Waiting[] = [];
  const manual = new Map<string, (result: PublishedResult) => void>();
  let running: Waiting | null = null;
  let disposed = false;
  let live: LiveReply | null = null;
  let person = false;
  let lastView: { view: ViewSnapshot; of: object } | null = null;
  let told = true;
  let textTimer: ReturnType<typeof setTimeout> | undefined;

  /** What the host does with what it hears must not take a turn down; what it was asked and did not answer, it did not allow. */
  const tell: TellHost = (event) => {
    try {
      return options.onEvent?.(event) ?? true;
    } catch (error) {
      log.error('host.failed', `A listener for ${event.type} failed`, { type: event.type }, { error });
      return event.type !== 'tool-execute';
    }
  };

  const settings = (): Settings => {
    const now = readSettings(options, log);
    return now.sessionId ? now : { ...now, sessionId };
  };
  const sessionId = createId('session');
  const texts = () => options.texts ?? en;
  /** A tool by the name the model writes under the protocol of now. */
  const toolNamed = (name: string) =>
    registry.get(name, chart.getSnapshot().context.turn?.settings.protocol ?? options.protocol ?? 'xml-invoke');

  const chart: Actor<typeof conversationMachine> = createActor(
    conversationMachine.provide({
      actors: {
        readReply: createReplyReader({
          registry,
          prompts,
          log,
          wires,
          protocol: loadProtocol,
          openLive,
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

  chart.on('phase', ({ state, previous, reason }) => {
    log.debug('state', `State: ${previous} → ${state}`, { state, previous, reason });
    tell({ type: 'state-change', state, previous, reason });
  });
  chart.on('call.waiting', ({ requestId }) => {
    const call = chart.getSnapshot().context.calls.find((one) => one.requestId === requestId)?.call;
    if (call)
      tell({ type: 'approval-request', calls: [{ ...call, args: publicArguments(call.args, registry.get(call.toolName)?.sensitive) }] });
  });
  chart.on('call.settled', ({ requestId, result }) => {
    progress.delete(requestId);
    // A tool that was stopped gets its end from here: its own actor is gone.
    if (result.status === 'cancelled') journal.settle(requestId, result).catch(ignore);
    manual.get(requestId)?.(result);
    manual.delete(requestId);
    tell({ type: 'tool-complete', requestId, result });
  });
  chart.on('round.settled', ({ requestIds }) => void tell({ type: 'cycle', cycle: cycleOf(requestIds) }));
  chart.on('turn.ended', endTurn);
  chart.subscribe(() => {
    changed();
    tellListeners();
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
      const ended = running;
      running = null;
      ended?.resolve({ ...rest, ...(error && { error }) });
      changed();
      beginNext();
    });
  }

  function cycleOf(requestIds: readonly string[]): ToolCallCycleResult {
    const calls = chart.getSnapshot().context.calls.filter((call) => requestIds.includes(call.requestId));
    return {
      parsedRequests: calls.map(({ requestId, toolName, raw, params }) => {
        const sensitive = toolNamed(toolName)?.sensitive;
        return { requestId, toolName, rawBlock: sensitive ? HIDDEN : raw, args: publicArguments(params, sensitive) };
      }),
      executionResults: calls.flatMap((call) => (call.result ? [call.result] : [])),
      hasToolRequests: calls.length > 0,
    };
  }

  function openLive(messageId: string): LiveReply {
    if (live?.messageId === messageId) return live;
    let silent = true;
    live = createLiveReply(messageId, (what) => {
      // The first word is a boundary, too: thinking turns into answering.
      if (what === 'call' || silent) changed();
      silent &&= what === 'call';
      textGrew();
    });
    // The panel may have drawn the message before its reply was opened.
    changed();
    return live;
  }

  async function loadProtocol(id: string): Promise<ToolProtocol> {
    const own = protocols.get(id);
    if (own) return own;
    const load = Object.hasOwn(builtIn, id) ? builtIn[id] : undefined;
    if (!load) {
      log.warn('config.protocol', `There is no protocol named “${id}”; using xml-invoke`, { id });
      return loadProtocol('xml-invoke');
    }
    return load();
  }

  // ——— Views

  function activities(snapshot: SnapshotFrom<typeof conversationMachine>): Activity[] {
    return activityNames.filter((name) => snapshot.hasTag(name as never));
  }

  function view(): ViewSnapshot {
    const snapshot = chart.getSnapshot();
    if (lastView?.of === snapshot) return lastView.view;
    const view = toView(snapshot.context, {
      texts: texts(),
      activities: activities(snapshot),
      live,
      face: (name): Pick<CardView, 'label' | 'icon'> => {
        const tool = toolNamed(name);
        return { label: tool?.label ?? name, ...(tool?.icon && { icon: tool.icon }) };
      },
      progress,
      queue: waiting.flatMap(({ text }) => (text ? [text] : [])),
      helpUrl: options.helpUrl,
    });
    lastView = { view, of: snapshot };
    return view;
  }

  /** Each listener gets a copy of its own, and one that throws keeps nothing from the others. */
  function tellListeners() {
    for (const listener of [...listeners]) guarded(() => listener(plainCopy(publicPart(view()))));
  }

  function guarded(listen: () => void) {
    try {
      listen();
    } catch (error) {
      log.error('host.failed', 'A listener failed', {}, { error });
    }
  }

  /** Elements hear of changes once a microtask, however many there were. */
  function changed() {
    lastView = null;
    if (!told) return;
    told = false;
    queueMicrotask(() => {
      told = true;
      for (const viewer of [...viewers]) guarded(() => viewer(view()));
    });
  }

  /** Text that grows is drawn by those who follow it; other listeners hear of it a few times a second. */
  function textGrew() {
    lastView = null;
    if (listeners.size === 0) return;
    textTimer ??= setTimeout(() => {
      textTimer = undefined;
      tellListeners();
    }, 50);
  }

  // ——— Turns

  function say(event: ConversationEvent) {
    if (chart.getSnapshot().status === 'active') chart.send(event);
  }

  function enqueue(text: string, begin: (turnId: string) => boolean): Promise<TurnResult> {
    if (disposed) return Promise.resolve(cancelledTurn());
    return new Promise((resolve) => {
      const turnId = createId('turn');
      waiting.push({ turnId, text, resolve, begin: () => begin(turnId) });
      log.debug('stream.start', 'Fetched', { turnId }, { stage: 'IF' });
      changed();
      beginNext();
    });
  }

  /** `running` alone says whether a turn may begin: the chart may be in the middle of a step when a listener sends. */
  function beginNext() {
    if (running) return;
    const next = waiting.shift();
    if (!next) return;
    running = next;
    log.debug('stream.start', 'Scheduled', { turnId: next.turnId }, { stage: 'SCH' });
    if (next.begin()) return;
    running = null;
    next.resolve(cancelledTurn());
    beginNext();
  }

  const cancelledTurn = (): TurnResult => ({ success: false, reason: 'cancelled', text: '', results: [] });

  /** `accepted` is called before the turn is queued, once nothing speaks against it. */
  function send(text: string, extra: SendOptions = {}, accepted: () => void = ignore): Promise<TurnResult> {
    const attachments = extra.attachments ?? [];
    if (typeof text !== 'string' || (text.trim() === '' && attachments.length === 0))
      return Promise.reject(new TypeError('sendMessage needs a text. Pass a string that is not empty, or attachments.'));
    if (!tell({ type: 'send', text })) return Promise.resolve(cancelledTurn());
    accepted();
    return enqueue(text, (turnId) => {
      const now = settings();
      const message: ChatMessage = {
        id: `${turnId}-user`,
        role: 'user',
        text,
        createdAt: Date.now(),
        status: { type: 'complete' },
        ...(attachments.length > 0 && { attachments: attachments.map((one) => ({ ...one })) }),
        metadata: {},
      };
      tell({ type: 'stream-start', message: text });
      log.debug('stream.start', 'Executing', { turnId }, { stage: 'EX' });
      say({
        type: 'user.send',
        turnId,
        message,
        settings: extra.tools === undefined ? now : { ...now, tools: extra.tools ? 'on' : 'off' },
      });
      return true;
    });
  }

  function retry(): Promise<TurnResult> {
    return enqueue('', (turnId) => {
      const { messages } = chart.getSnapshot().context;
      const last = messages.findLast((message) => message.role === 'user');
      if (!last) return false;
      tell({ type: 'stream-start', message: last.text });
      say({ type: 'user.retry', turnId, settings: settings() });
      return true;
    });
  }

  function stop(reason: 'cancelled' = 'cancelled') {
    const reply = live?.finish({ finish: '', proof: 'unproved' });
    const open = live?.openCall;
    live?.end();
    if (open && reply) {
      const { requestId, name: toolName } = open;
      // A call that was still being written is answered like any other.
      const result = unsuccessful(requestId, toolName, 'cancelled', 'CANCELLED', texts().notExecuted);
      say({ type: 'call.broken', broken: { requestId, toolName, raw: '', problem: 'unclosed' }, messageId: reply.messageId, result });
    }
    say({ type: 'user.stop', reason, ...(reply && { reply }) });
  }

  function cancelWaiting() {
    for (const one of waiting.splice(0)) one.resolve(cancelledTurn());
  }

  function decide({ requestId, digest, verdict }: Decision) {
    if (verdict === 'allow') {
      say({ type: 'user.allow', requestId, digest });
      return;
    }
    const call = chart.getSnapshot().context.calls.find((one) => one.requestId === requestId);
    if (!call) return;
    const result = unsuccessful(requestId, call.toolName, 'denied', 'DENIED', texts().declined);
    say({ type: 'user.deny', requestId, digest, result });
  }

  /** While a turn waits only for a person, a person may also go on talking: what waits is then not executed. */
  function sendByPerson(text: string) {
    const waits = () => chart.getSnapshot().hasTag('awaitingApproval' as never) && !chart.getSnapshot().hasTag('executing' as never);
    send(text, {}, () => {
      if (waits()) stop();
    }).catch((error: unknown) => {
      log.warn('send.refused', 'Nothing was sent', {}, { error });
    });
  }

  const surface: ConversationSurface = {
    get view() {
      return view();
    },
    subscribe(viewer) {
      viewers.add(viewer);
      return () => viewers.delete(viewer);
    },
    follow: (messageId, listener) => (live?.messageId === messageId ? live.follow(listener) : () => undefined),
    send: sendByPerson,
    stop: () => {
      stop();
    },
    retry: () => void retry(),
    continue: () => {
      sendByPerson(texts().continueAnswer);
    },
    dismissError: () => {
      say({ type: 'user.dismiss' });
    },
  };

  const conversation: Conversation = {
    get state() {
      return view().state;
    },
    get activities() {
      return [...view().activities];
    },
    get messages() {
      return plainCopy(view().messages);
    },
    get isLoading() {
      return view().isLoading || waiting.length > 0;
    },
    get error() {
      return view().error;
    },
    get currentTool() {
      return plainCopy(view().currentTool);
    },
    get toolHistory() {
      return plainCopy(view().toolHistory);
    },
    get streamingText() {
      return view().streamingText;
    },
    get isToolExecuting() {
      return view().isToolExecuting;
    },
    get session() {
      return { ...view().session };
    },
    get grants() {
      return [];
    },

    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    matchesState: (name) => view().state === name || view().activities.includes(name as Activity),
    sendMessage: (text, extra) => send(text, extra),
    sendMessageWithTools: (text) => send(text, { tools: true }),
    executeToolManually(tool) {
      return new Promise((resolve, reject) => {
        if (typeof tool?.name !== 'string' || typeof tool.params !== 'object') {
          reject(new TypeError('executeToolManually needs a ToolUse: {type: "tool_use", name, params, partial: false}.'));
          return;
        }
        const requestId = createId('call');
        const request = deepFreeze({ requestId, toolName: tool.name, arguments: plainCopy(tool.params), raw: '', flags: [] });
        manual.set(requestId, resolve);
        void enqueue('', (turnId) => {
          say({ type: 'user.runTool', turnId, request, settings: settings() });
          return true;
        }).then(() => {
          // The queue was emptied before its turn came.
          if (!manual.delete(requestId)) return;
          resolve(unsuccessful(requestId, tool.name, 'cancelled', 'CANCELLED', texts().notExecuted));
        });
      });
    },
    cancelStream: () => {
      stop();
    },
    retryLastMessage: retry,
    regenerate: retry,
    editMessage(id, text) {
      const at = chart.getSnapshot().context.messages.find((message) => message.id === id && message.role === 'user');
      if (!at) return Promise.reject(new TypeError(`There is no message of the user with the id “${id}”.`));
      return send(text, {}, () => {
        stop();
        say({ type: 'user.truncate', messageId: id });
      });
    },
    registerTool(tool, { signal } = {}) {
      if (signal?.aborted) return ignore;
      const unregister = registry.register(tool);
      const off = () => {
        unregister();
        changed();
      };
      signal?.addEventListener('abort', off, { once: true });
      changed();
      return off;
    },
    registerProtocol(protocol) {
      protocols.set(protocol.id, protocol);
      return () => void protocols.delete(protocol.id);
    },
    registerWire(wire) {
      wires.push(wire);
      return () => void wires.splice(wires.indexOf(wire) >>> 0, 1);
    },
    async generatePrompt({ protocol } = {}) {
      const now = settings();
      return systemPromptFor(now, await loadProtocol(protocol ?? now.protocol), registry, prompts);
    },
    async getToolDescriptions() {
      const now = settings();
      const protocol = await loadProtocol(now.protocol);
      const tools = registry.list({ permissions: permissionsOf(now.context) });
      return protocol.generateToolDefinitions(registry.describe(tools, protocol.id), { lang: now.lang });
    },
    clear() {
      cancelWaiting();
      stop();
      say({ type: 'user.clear' });
      return Promise.resolve();
    },
    clearCache() {
      prompts.clear();
      return Promise.resolve();
    },
    dispose() {
      disposed = true;
      cancelWaiting();
      stop();
      clearTimeout(textTimer);
      listeners.clear();
      viewers.clear();
      // Not at once: it may be a listener that disposes, and the turn has yet to end.
      queueMicrotask(() => chart.stop());
    },
  };
  keepInternals(conversation, {
    surface,
    decide,
    attachPerson() {
      person = true;
    },
  });
  return conversation;
}

function ignore() {}

/** The state of the contract, out of what the screen gets. */
function publicPart(view: ViewSnapshot): ConversationSnapshot {
  const { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants } = view;
  return { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants };
}
