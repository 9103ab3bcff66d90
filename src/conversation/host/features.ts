/**
 * Built-in features that few conversations need, loaded on an event. Each is a plugin like a host's, set up and removed with the same
 * `use`. This file defines when each one is loaded, and what replaces it until then.
 *
 * | when                                                      | loaded                 |
 * | --------------------------------------------------------- | ---------------------- |
 * | a tool with `undo` has run                                | `calls/undo.ts`        |
 * | calls of an earlier page are restored                     | `calls/rebinding.ts`   |
 * | arguments of a tool with `onArguments` arrive             | `calls/drafting.ts`    |
 * | a first call is checked, or calls are restored            | `calls/editing.ts`     |
 */
import { load, preload } from '../../base/load.js';
import type { UndoController } from '../calls/undo.js';
import type { ParsedCall } from '../chart/chart-context.js';
import { NO_EDIT, type Chart, type EditsOf, type FeaturePart, type BusEvents, type ConversationServices } from '../chart/services.js';
import type { Plugins } from './plugins.js';

interface Feature<Name extends keyof BusEvents, Part extends FeaturePart> {
  when: Name;
  /** Checks whether the event needs the feature. */
  needs(what: BusEvents[Name]): boolean;
  load(): Promise<(chart: Chart, services: ConversationServices, earlier: readonly BusEvents[Name][]) => Part>;
}

interface AttachedFeatures<Part> {
  readonly now: Part | undefined;
  /** Resolves with undefined if nothing has needed the feature or it could not be loaded. */
  ready(): Promise<Part | undefined>;
}

/** @param written resolves when the chart's data is saved, with `false` if that failed */
export function attachFeatures(
  chart: Chart,
  services: ConversationServices,
  { use }: Pick<Plugins, 'use'>,
  written: () => Promise<boolean>,
): UndoController {
  const { log, on, emit, settings } = services;

  function attach<Name extends keyof BusEvents, Part extends FeaturePart>(feature: Feature<Name, Part>): AttachedFeatures<Part> {
    const earlier: BusEvents[Name][] = [];
    let now: Part | undefined;
    let loading: Promise<Part | undefined> | undefined;

    const stopHearing = on(feature.when, (what) => {
      if (!loading && !feature.needs(what)) return;
      earlier.push(what);
      // After a failed load, the next event tries again.
      loading ??= begin().catch((error: unknown) => {
        loading = undefined;
        log.warn('feature.failed', 'A part of the widget could not be loaded', { when: feature.when }, { error });
        return undefined;
      });
    });

    async function begin(): Promise<Part> {
      const create = await feature.load();
      stopHearing();
      const part = create(chart, services, earlier);
      use(part);
      return (now = part);
    }
    return {
      get now() {
        return now;
      },
      ready: () => loading ?? Promise.resolve(undefined),
    };
  }

  chart.on('restored', () => emit('restored', chart.getSnapshot().context.calls));
  const loadUndo = () => load(() => import('../calls/undo.js'));
  // Preload it while the tool runs or the user is asked, so that the card offers the undo together with the success.
  on('bound', ({ tool }) => void (tool.undo && preload([loadUndo])));
  const undo = attach({
    when: 'ran',
    needs: ({ tool }) => tool.undo !== undefined,
    load: async () => {
      const { createUndoController } = await loadUndo();
      return (...given) => createUndoController(...given, written);
    },
  });
  attach({
    when: 'restored',
    needs: (calls) => calls.length > 0,
    load: async () => (await load(() => import('../calls/rebinding.js'))).createRebinding,
  });

  attach({
    when: 'written',
    needs: () => true,
    load: async () => (await load(() => import('../calls/drafting.js'))).loadDrafting(),
  });

  return {
    state: (record) => undo.now?.state(record),
    async undo(requestId) {
      const undoing = undo.now ?? (await undo.ready());
      if (!undoing) throw new Error(settings().texts.cannotUndo);
      return undoing.undo(requestId);
    },
    undoByPerson(requestId, back) {
      if (undo.now) undo.now.undoByPerson(requestId, back);
      else void undo.ready().then((undoing) => undoing?.undoByPerson(requestId, back));
    },
  };
}

/** Returns the card's fields about editing for each call. They are empty until editing is loaded. */
export function attachEditing(chart: Chart, services: ConversationServices, runAgain: (request: ParsedCall) => Promise<unknown>): EditsOf {
  const { log, on, emit } = services;
  let edits: EditsOf | undefined;
  on('editing', (createEditing) => {
    edits ??= createEditing(chart, services, runAgain);
    emit('cards');
  });
  on('restored', (calls) => {
    if (calls.length === 0 || edits) return;
    load(() => import('../calls/editing.js')).then(
      ({ createEditing }) => emit('editing', createEditing),
      (error: unknown) => log.warn('feature.failed', 'A part of the widget could not be loaded', { when: 'restored' }, { error }),
    );
  });
  return (record) => edits?.(record) ?? NO_EDIT;
}
