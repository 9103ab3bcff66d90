/**
 * Connects a conversation to the widget's own elements: what they show, and what they can do on behalf of the user. They cannot allow a call
 * here; see `internals.ts`.
 */
import { load } from '../base/load.js';
import { deepFreeze } from '../base/objects.js';
import { plainCopy } from '../base/plain-copy.js';
import { type ViewStore, createViewStore } from './view/view-store.js';
import { isAtLimit } from './chart/conversation-changes.js';
import type { ConversationContext } from './chart/chart-context.js';
import { sendEvent, toolNamed, type Chart, type ConversationServices, type EditsOf } from './chart/services.js';
import type { Persistence } from './persistence/persistence-types.js';
import type { LayeredMemory } from './memory/layered-memory.js';
import type { CurrentReply } from './reply/current-reply.js';
import type { ConversationSurface, ViewSnapshot } from '../model/snapshot.js';
import type { RecoveryUi } from './host/recovery-ui.js';
import type { TurnQueue } from './host/turn-queue.js';
import type { Turns } from './host/turns.js';
import type { UndoController } from './calls/undo.js';
import type { PromptContext } from './request/prompt-input.js';
import type { LazyPermissions } from './calls/call-actors.js';
import { activitiesIn, phaseOf } from './chart/phase.js';
import type { SessionIo } from './persistence/session-io.js';
import type { ReplyParts } from './reply/reply-reading.js';
import type { ViewInputs } from './view/message-view.js';
import { createDrawing } from './view/view.js';

/** The parts that the user can control. */
export interface ControllerParts {
  audience: ViewStore;
  turns: Turns;
  queue: TurnQueue;
  arriving: CurrentReply;
  memory: LayeredMemory;
  recovery: RecoveryUi;
  undoing: UndoController;
  keeping: Persistence;
  speaker: PromptContext;
  revoke(grantId: string): void;
  files: NonNullable<ConversationSurface['files']>;
  /** Stops the turn, also if another tab runs it. */
  stop(): void;
}

export function createChatController(chart: Chart, services: ConversationServices, parts: ControllerParts): ConversationSurface {
  const { settings, texts, log, notifyHost: tell } = services;
  const { audience, turns, queue, arriving, memory, recovery, undoing, keeping, speaker, revoke, stop, files } = parts;
  const context = () => keeping.end ?? chart.getSnapshot().context;
  return {
    get view() {
      return audience.view;
    },
    readOn: keeping.readOn,
    subscribe: audience.watch,
    follow(messageId, listener) {
      const reply = keeping.shown?.around.live ?? arriving.live;
      return reply?.messageId === messageId ? reply.follow(listener) : () => undefined;
    },
    send: turns.sendByPerson,
    unqueue: (at, text) => keeping.unqueue(at, text) ?? queue.remove(at, text),
    sendResults: turns.sendResults,
    tools: async () =>
      (await load(() => import('./request/prompt-context.js'))).toolChoices(settings(), speaker, services.decide() !== undefined),
    draw: (requestId) => drawCall(chart, services, context(), requestId),
    stop,
    ...recovery,
    continue() {
      if (isAtLimit(context())) void turns.retry({ isContinuation: true });
      else turns.sendByPerson(texts().continueAnswer);
    },
    edit(messageId, text) {
      turns.edit(messageId, text).catch((error: unknown) => {
        log.warn('edit.refused', 'The message could not be replaced', {}, { error });
      });
    },
    messageActions: {
      switchTo: (from, place) => void turns.switchTo(from, place),
      rate(messageId, feedback) {
        if (!keeping.elsewhere({ type: 'rate', messageId, feedback })) sendEvent(chart, { type: 'user.rate', messageId, feedback });
        tell({ type: 'feedback', messageId, value: feedback?.value ?? null, reason: feedback?.reason ?? '' });
      },
    },
    memory: { edit: memory.edit, forget: memory.forget, forgetAll: memory.forgetAll },
    conversations: {
      ...keeping.desk,
      get kept() {
        return services.storage !== 'none';
      },
    },
    files,
    revoke,
    undo(requestId, { back = false } = {}) {
      if (!keeping.elsewhere({ type: 'undo', requestId, back })) undoing.undoByPerson(requestId, back);
    },
    draft: keeping.write,
    dismissError() {
      sendEvent(chart, { type: 'user.dismiss' });
    },
  };
}

/** Renders the result of a call with the tool's `render`. Returns undefined if the tool is gone or its `render` throws. */
function drawCall(chart: Chart, services: ConversationServices, { calls }: ConversationContext, requestId: string): unknown {
  const record = calls.findLast((one) => one.requestId === requestId);
  const { call, result, status } = record ?? {};
  const render = call && result && toolNamed(chart, services, call.toolName)?.render;
  if (!render) return undefined;
  try {
    return render(deepFreeze(plainCopy({ ...call, ...(status && { status }), result })));
  } catch (error) {
    services.log.warn('render.failed', 'A tool could not draw its own result', { toolName: call.toolName, requestId }, { error });
    return undefined;
  }
}

/** The parts with something to show. */
interface ViewModelParts extends Pick<ReplyParts, 'arriving'>, Pick<ViewInputs, 'progress'> {
  undoing: UndoController;
  edit: EditsOf;
  grants: LazyPermissions;
  queue: TurnQueue;
  keeping: Persistence;
  memory: LayeredMemory;
  desk: Pick<SessionIo, 'face'>;
  speaker: PromptContext;
  helpUrl(): string | undefined;
}

export function createViewModel(chart: Chart, services: ConversationServices, parts: ViewModelParts): ViewStore {
  const { log, registry, settings, texts, notices, on, emit } = services;
  const { arriving, progress, undoing, edit, grants, queue, keeping, memory, desk, speaker } = parts;

  let version = 0;

  function surroundings(): ViewInputs {
    const snapshot = chart.getSnapshot();
    return {
      ...{ progress, edit, version, texts: texts(), live: arriving.live, face: desk.face, undo: undoing.state },
      phase: phaseOf(snapshot.value),
      activities: activitiesIn(snapshot),
      grants: grants.now()?.list() ?? [],
      draft: keeping.draft,
      opened: services.opened,
      remembered: memory.items,
      hasTools: registry.list().length > speaker.unlisted.size && (snapshot.context.turn?.settings ?? settings()).tools === 'on',
      loaded: arriving.loaded,
      offline: snapshot.matches({ talk: { turn: { reply: { streaming: 'offline' } } } }),
      notices: notices.list(texts()),
      helpUrl: parts.helpUrl(),
      ...keeping.shown?.around,
      queue: [...(keeping.shown?.around.queue ?? queue.texts), ...keeping.waiting],
    };
  }

  const drawn = createDrawing();
  const draw = (context: ConversationContext) => drawn(context, surroundings());
  const build = (): ViewSnapshot => keeping.decorate(draw(keeping.shown?.context ?? chart.getSnapshot().context), draw);
  const audience = createViewStore(log, { of: () => keeping.shown ?? chart.getSnapshot(), build });
  const cardsChanged = () => {
    version += 1;
    audience.changed();
  };
  on('view', audience.changed);
  on('cards', cardsChanged);
  on('text', audience.textGrew);
  on('elsewhere', () => {
    cardsChanged();
    audience.tell();
  });
  chart.subscribe(() => {
    emit('view');
    emit('kept');
    audience.tell();
  });
  return audience;
}
