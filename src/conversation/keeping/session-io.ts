/** Hands a session out and takes one in, through `session-file.ts`, which is loaded when used; keeps what of it outlives a reload. */
import { load } from '../../base/load.js';
import { own } from '../../base/objects.js';
import { toolNamed, type Chart, type Services } from '../chart/services.js';
import type { SessionParts } from './session-parts.js';
import type { KeptPart } from '../../model/session.js';
import type { Face } from '../../storage/session-format.js';
import type { SessionBench, SessionFile } from './session-export.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

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
  const { log } = services;
  const { records, trace, budget } = parts;
  let faces: Readonly<Record<string, Face>> = {};
  /** What was kept is being read: until then it is kept as it was. */
  let reading: unknown;
  /** What is kept holds what happened here, too. Until then that is added to it. */
  let isKept = false;

  function face(name: string): Face {
    const tool = toolNamed(chart, services, name);
    const label = tool ? services.registry.labelOf(tool) : name;
    return tool ? { label, ...(tool.icon && { icon: tool.icon }) } : ((own(faces, name) as Face | undefined) ?? { label });
  }

  const bench: SessionBench = { chart, services, parts, face };

  return {
    face,
    exportSession: async (view) => (await load(() => import('./session-export.js'))).exportFrom({ ...bench, view }),
    async importSession(given) {
      const { file, begin } = await (await load(() => import('./session-export.js'))).importInto(given, bench);
      await begin(() => (faces = file.faces ?? {}));
    },

    kept: {
      save() {
        if (reading !== undefined) return reading;
        isKept = true;
        return {
          ...{ createdAt: records.createdAt, spent: budget.spent },
          ...{ toolLog: records.toolLog, summaries: records.summaries, trace: trace.kept },
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
