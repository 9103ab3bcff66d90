/** Hands a session out and takes one in, through `session-file.ts`, which is loaded when used; keeps what of it outlives a reload. */
import { load } from '../../base/load.js';
import { own } from '../../base/objects.js';
import { say, toolNamed, type Chart, type Services } from '../chart/services.js';
import type { Budget } from '../request/token-budget.js';
import type { Keeping } from './keeping-host.js';
import type { KeptPart } from '../../model/session.js';
import type { ArrivingReply } from '../reply/arriving-reply.js';
import type { Face } from '../../storage/session-format.js';
import type { SessionFile } from './session-export.js';
import type { SessionRecords } from '../remembering/session-records.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Trace } from '../host/trace.js';
import type { TurnQueue } from '../host/turn-queue.js';

/** What of a session stands beside the chart. */
export interface SessionParts {
  queue: TurnQueue;
  records: SessionRecords;
  trace: Trace;
  budget: Budget;
  arriving: ArrivingReply;
  keeping: Pick<Keeping, 'pending' | 'ready' | 'shown'>;
  /** What runs is over: another session comes. */
  stop(): void;
}

export interface SessionDesk {
  /** @param view as it is now */
  exportSession(view: () => ViewSnapshot): Promise<SessionFile>;
  importSession(given: unknown): Promise<void>;
  /** Label and icon of a tool; of one that is not here, as an imported session showed it. */
  face(toolName: string): Face;
  /** For `keeping.keep`: log, summaries, trace and what was spent. */
  readonly kept: KeptPart;
}

export function createSessionDesk(chart: Chart, services: Services, parts: SessionParts): SessionDesk {
  const { log, settings, texts, hasSecrets } = services;
  const { keeping, queue, records, trace, budget, arriving } = parts;
  let faces: Readonly<Record<string, Face>> = {};
  /** What was kept is being read: until then it is kept as it was. */
  let reading: unknown;
  /** What is kept holds what happened here, too. Until then that is added to it. */
  let isKept = false;

  function face(name: string): Face {
    const tool = toolNamed(chart, services, name);
    const label = tool?.label ?? name;
    return tool ? { label, ...(tool.icon && { icon: tool.icon }) } : ((own(faces, name) as Face | undefined) ?? { label });
  }

  return {
    face,
    async exportSession(view) {
      const { writeSession } = await load(() => import('./session-export.js'));
      if (keeping.pending) await keeping.ready();
      const { sessionId } = settings();
      return writeSession({
        ...{ sessionId, records, trace, hasSecrets, face },
        toolNamed: (name) => toolNamed(chart, services, name),
        context: keeping.shown?.context ?? chart.getSnapshot().context,
        session: view().session,
        live: keeping.shown?.around.live ?? arriving.live,
        grants: view().grants,
        texts: texts(),
      });
    },

    async importSession(given) {
      const { openSession } = await load(() => import('./session-export.js'));
      const { file, restore } = openSession(given, settings().sessionId);
      if (keeping.pending) await keeping.ready();
      if (keeping.shown) throw new Error(texts().elsewhere);
      // From here on it is another conversation; what was under way in this one is over.
      queue.cancel();
      parts.stop();
      await new Promise<void>((resolve) => {
        const begun = queue.enqueue('', () => {
          const event = restore(settings());
          records.load(file);
          faces = file.faces ?? {};
          trace.load(file.trace ?? []);
          say(chart, event);
          trace.note('import', texts().traceImported(file.messages.length));
          resolve();
          return event.type === 'restore' && event.context.turn !== null;
        });
        void begun.then(() => {
          resolve();
        });
      });
    },

    kept: {
      save() {
        if (reading !== undefined) return reading;
        isKept = true;
        return {
          ...{ createdAt: records.createdAt, spent: budget.spent },
          ...{ toolLog: records.toolLog, summaries: records.summaries, trace: trace.entries },
        };
      },
      load(kept) {
        reading = kept;
        if (kept === undefined) {
          trace.load([]);
          records.load({ createdAt: Date.now(), toolLog: [], summaries: [] });
          return;
        }
        load(() => import('../../storage/session-format.js'))
          .then(({ readRecords }) => {
            const read = readRecords(kept);
            if (reading !== kept) return;
            records.load(read);
            trace.load(isKept ? read.trace : [...read.trace, ...trace.entries]);
            budget.load(isKept ? Math.max(budget.spent, read.spent) : budget.spent + read.spent);
            isKept = true;
          })
          .catch((error: unknown) => {
            log.warn(
              'storage.damaged',
              'What was kept about the session could not be read',
              { found: typeof own(kept, 'toolLog') },
              { error },
            );
          })
          .finally(() => {
            if (reading === kept) reading = undefined;
          });
      },
    },
  };
}
