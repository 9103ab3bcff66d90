/** Builds the view of the conversation from the chart's data and the state around it. */
import type { ViewSnapshot } from '../model/snapshot.js';
import type { GrantsDoor } from './calls/call-actors.js';
import type { Undoing } from './calls/undo.js';
import { activitiesIn, phaseOf } from './chart/phase.js';
import type { ConversationContext } from './chart/chart-context.js';
import type { Chart, EditsOf, Services } from './chart/services.js';
import type { TurnQueue } from './host/turn-queue.js';
import type { Keeping } from './persistence/persistence-types.js';
import type { SessionDesk } from './persistence/session-io.js';
import type { LayeredMemory } from './memory/layered-memory.js';
import type { ReplyParts } from './reply/reply-reading.js';
import type { Speaker } from './request/prompt-input.js';
import { createAudience, type Audience } from './view/view-store.js';
import type { Surroundings } from './view/message-view.js';
import { createDrawing } from './view/view.js';

/** The parts with something to show. */
export interface ScreenParts extends Pick<ReplyParts, 'arriving'>, Pick<Surroundings, 'progress'> {
  undoing: Undoing;
  edit: EditsOf;
  grants: GrantsDoor;
  queue: TurnQueue;
  keeping: Keeping;
  memory: LayeredMemory;
  desk: Pick<SessionDesk, 'face'>;
  speaker: Speaker;
  helpUrl(): string | undefined;
}

export function createScreen(chart: Chart, services: Services, parts: ScreenParts): Audience {
  const { log, registry, settings, texts, notices, when, happens } = services;
  const { arriving, progress, undoing, edit, grants, queue, keeping, memory, desk, speaker } = parts;

  let version = 0;

  function surroundings(): Surroundings {
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
  const audience = createAudience(log, { of: () => keeping.shown ?? chart.getSnapshot(), build });
  const cardsChanged = () => {
    version += 1;
    audience.changed();
  };
  when('view', audience.changed);
  when('cards', cardsChanged);
  when('text', audience.textGrew);
  when('elsewhere', () => {
    cardsChanged();
    audience.tell();
  });
  chart.subscribe(() => {
    happens('view');
    happens('kept');
    audience.tell();
  });
  return audience;
}
