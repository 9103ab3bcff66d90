/** Builds the view of the conversation from the chart's data and the state around it. */
import type { ViewSnapshot } from '../model/snapshot.js';
import type { LazyPermissions } from './calls/call-actors.js';
import type { UndoController } from './calls/undo.js';
import { activitiesIn, phaseOf } from './chart/phase.js';
import type { ConversationContext } from './chart/chart-context.js';
import type { Chart, EditsOf, ConversationServices } from './chart/services.js';
import type { TurnQueue } from './host/turn-queue.js';
import type { Persistence } from './persistence/persistence-types.js';
import type { SessionIo } from './persistence/session-io.js';
import type { LayeredMemory } from './memory/layered-memory.js';
import type { ReplyParts } from './reply/reply-reading.js';
import type { PromptContext } from './request/prompt-input.js';
import { createViewStore, type ViewStore } from './view/view-store.js';
import type { ViewInputs } from './view/message-view.js';
import { createDrawing } from './view/view.js';

/** The parts with something to show. */
export interface ViewModelParts extends Pick<ReplyParts, 'arriving'>, Pick<ViewInputs, 'progress'> {
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
