/**
 * Exports and imports sessions through `session-export.ts`, which is loaded when used, and persists the session data that outlives a
 * reload.
 */
import { load } from '../../base/load.js';
import { own } from '../../base/objects.js';
import { toolNamed, type Chart, type ConversationServices } from '../chart/services.js';
import type { SessionParts } from './session-parts.js';
import type { KeptPart } from '../../model/session.js';
import type { Face } from '../../storage/session-format.js';
import type { SessionImportTarget, SessionFile } from './session-export.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

export interface SessionIo {
  /** @param view as it is now */
  exportSession(view: () => ViewSnapshot): Promise<SessionFile>;
  importSession(given: unknown): Promise<void>;
  /** Returns the label and icon of a tool. For a tool that is not registered, they are those of the imported session, if any. */
  face(toolName: string): Face;
  /** The part for `keeping.keep`: log, summaries, trace and the budget spent. */
  readonly kept: KeptPart;
}

export function createSessionIo(chart: Chart, services: ConversationServices, parts: SessionParts): SessionIo {
  const { log } = services;
  const { records, trace, budget } = parts;
  let faces: Readonly<Record<string, Face>> = {};
  /** The stored data that is being read. Until that is done, it is saved as it was. */
  let reading: unknown;
  /** True once the saved data includes what happened on this page. Until then, that is added to it. */
  let isKept = false;

  function face(name: string): Face {
    const tool = toolNamed(chart, services, name);
    const label = tool ? services.registry.labelOf(tool) : name;
    return tool ? { label, ...(tool.icon && { icon: tool.icon }) } : ((own(faces, name) as Face | undefined) ?? { label });
  }

  const bench: SessionImportTarget = { chart, services, parts, face };

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
