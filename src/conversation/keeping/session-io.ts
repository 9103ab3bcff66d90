/** Hands a session out and takes one in, through `session-file.ts`, which is loaded when used; keeps what of it outlives a reload. */
import type { Texts } from '../../i18n/en.js';
import type { Log } from '../../base/logging.js';
import { own } from '../../base/objects.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Budget } from '../request/token-budget.js';
import type { Keeping } from './keeping-host.js';
import type { KeptPart } from '../../model/session.js';
import type { LiveReply } from '../reply/live-reply.js';
import type { Face } from '../../storage/session-format.js';
import type { SessionFile } from './session-export.js';
import type { SessionRecords } from '../remembering/session-records.js';
import type { Settings } from '../options/settings.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Trace } from '../host/trace.js';
import type { TurnQueue } from '../host/turn-queue.js';
import type { ConversationContext, ConversationEvent } from '../chart/chart-context.js';

export interface SessionDeskDependencies {
  queue: TurnQueue;
  records: SessionRecords;
  trace: Trace;
  budget: Budget;
  log: Log;
  settings(): Settings;
  texts(): Texts;
  /** Also of another tab, where that one is at work. */
  context(): ConversationContext;
  view(): ViewSnapshot;
  live(): LiveReply | null;
  keeping: Pick<Keeping, 'pending' | 'ready' | 'shown'>;
  toolNamed(name: string): ToolDefinition | undefined;
  hasSecrets(): boolean;
  face(toolName: string): Face;
  stop(): void;
  say(event: ConversationEvent): void;
}

export interface SessionDesk {
  exportSession(): Promise<SessionFile>;
  importSession(given: unknown): Promise<void>;
  /** Of a tool that is not here, as an imported session showed it. */
  faceOf(toolName: string): Face | undefined;
  /** For `keeping.keep`: log, summaries, trace and what was spent. */
  readonly kept: KeptPart;
}

export function createSessionDesk(desk: SessionDeskDependencies): SessionDesk {
  const { keeping, queue, records, trace, budget, log, settings, texts, toolNamed, hasSecrets } = desk;
  let faces: Readonly<Record<string, Face>> = {};
  /** What was kept is being read: until then it is kept as it was. */
  let reading: unknown;
  /** What is kept holds what happened here, too. Until then that is added to it. */
  let isKept = false;
  return {
    async exportSession() {
      const { writeSession } = await import('./session-export.js');
      if (keeping.pending) await keeping.ready();
      const { sessionId } = settings();
      return writeSession({
        ...{ sessionId, records, trace, toolNamed, hasSecrets },
        context: desk.context(),
        session: desk.view().session,
        live: desk.live(),
        grants: desk.view().grants,
        face: desk.face,
        texts: texts(),
      });
    },

    async importSession(given) {
      const { openSession } = await import('./session-export.js');
      const { file, restore } = openSession(given, settings().sessionId);
      if (keeping.pending) await keeping.ready();
      if (keeping.shown) throw new Error(texts().elsewhere);
      // From here on it is another conversation; what was under way in this one is over.
      queue.cancel();
      desk.stop();
      await new Promise<void>((resolve) => {
        const begun = queue.enqueue('', () => {
          const event = restore(settings());
          records.load(file);
          faces = file.faces ?? {};
          trace.load(file.trace ?? []);
          desk.say(event);
          trace.note('import', texts().traceImported(file.messages.length));
          resolve();
          return event.type === 'restore' && event.context.turn !== null;
        });
        void begun.then(() => {
          resolve();
        });
      });
    },

    faceOf: (toolName) => own(faces, toolName) as Face | undefined,

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
          return;
        }
        import('../../storage/session-format.js')
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
