/**
 * Built-in features that few conversations need: when X happens, Y is loaded. Each is a plugin like a host's, set up and taken back through
 * the same `use`; here stands when it comes, and what stands in for it before.
 *
 * | when                                                      | loaded                 |
 * | --------------------------------------------------------- | ---------------------- |
 * | a tool that can take its work back has done it            | `calls/undo.ts`        |
 * | calls of a page that is gone are restored                 | `calls/rebinding.ts`   |
 * | arguments of a tool that shows drafts are written         | `calls/drafting.ts`    |
 * | a first call is looked at, or calls are restored          | `calls/editing.ts`     |
 */
import { load, preload } from '../../base/load.js';
import type { Undoing } from '../calls/undo.js';
import type { ParsedCall } from '../chart/chart-context.js';
import { NO_EDIT, type Chart, type EditsOf, type FeaturePart, type Happening, type Services } from '../chart/services.js';
import type { Plugins } from './plugins.js';

interface Feature<Name extends keyof Happening, Part extends FeaturePart> {
  when: Name;
  /** Whether there is something to do for it. */
  needs(what: Happening[Name]): boolean;
  load(): Promise<(chart: Chart, services: Services, earlier: readonly Happening[Name][]) => Part>;
}

interface Attached<Part> {
  readonly now: Part | undefined;
  /** Undefined where nothing has asked for it, or it could not be loaded. */
  ready(): Promise<Part | undefined>;
}

/** @param written resolves when what the chart says is stored; `false` if it could not be */
export function attachFeatures(chart: Chart, services: Services, { use }: Pick<Plugins, 'use'>, written: () => Promise<boolean>): Undoing {
  const { log, when, happens, settings } = services;

  function attach<Name extends keyof Happening, Part extends FeaturePart>(feature: Feature<Name, Part>): Attached<Part> {
    const earlier: Happening[Name][] = [];
    let now: Part | undefined;
    let loading: Promise<Part | undefined> | undefined;

    const stopHearing = when(feature.when, (what) => {
      if (!loading && !feature.needs(what)) return;
      earlier.push(what);
      // What did not come is asked for again the next time.
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

  chart.on('restored', () => happens('restored', chart.getSnapshot().context.calls));
  const loadUndo = () => load(() => import('../calls/undo.js'));
  // While the tool is at work or a person is asked: the card offers it in the same moment as it says that all went well.
  when('bound', ({ tool }) => void (tool.undo && preload([loadUndo])));
  const undo = attach({
    when: 'ran',
    needs: ({ tool }) => tool.undo !== undefined,
    load: async () => {
      const { createUndoing } = await loadUndo();
      return (...given) => createUndoing(...given, written);
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

/** What a card shows of the editing of its call; nothing, before there is a call. */
export function attachEditing(chart: Chart, services: Services, runAgain: (request: ParsedCall) => Promise<unknown>): EditsOf {
  const { log, when, happens } = services;
  let edits: EditsOf | undefined;
  when('editing', (createEditing) => {
    edits ??= createEditing(chart, services, runAgain);
    happens('cards');
  });
  when('restored', (calls) => {
    if (calls.length === 0 || edits) return;
    load(() => import('../calls/editing.js')).then(
      ({ createEditing }) => happens('editing', createEditing),
      (error: unknown) => log.warn('feature.failed', 'A part of the widget could not be loaded', { when: 'restored' }, { error }),
    );
  });
  return (record) => edits?.(record) ?? NO_EDIT;
}
