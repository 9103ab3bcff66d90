/** The entry point to memory, kept small because every page loads it. It loads `memory.ts` on first use. */
import { load } from '../../base/load.js';
import { own } from '../../base/objects.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { PromptContext } from '../request/prompt-input.js';
import type { MemoryParts, MemoryService } from './memory.js';
import type { RememberedView } from '../../model/snapshot.js';

export type LayeredMemory = ReturnType<typeof createLayeredMemory>;

export function createLayeredMemory(chart: Chart, services: ConversationServices, speaker: PromptContext, parts: MemoryParts) {
  const { log, settings, on } = services;
  let opening: Promise<MemoryService> | undefined;
  let now: MemoryService | undefined;
  const open = () =>
    (opening ??= load(() => import('./memory.js')).then(
      ({ createMemoryService }) => (now = createMemoryService(chart, services, parts)),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    ));
  const isLayered = () => settings().memory === 'layered';
  const attempt = (work: Promise<unknown>) => {
    work.catch((error: unknown) => {
      log.warn('memory.failed', 'What is remembered could not be read or changed', {}, { error });
    });
  };

  /** Returns the memory section of the prompt, or an empty text. */
  async function recall(input: Pick<ReplyInput, 'turn' | 'messages'>): Promise<string> {
    const { memory, context } = input.turn.settings;
    if (memory !== 'layered' && own(context, 'profile') === undefined) return '';
    try {
      return await (await open()).recall(input);
    } catch (error) {
      log.warn('memory.recall', 'What is remembered could not be read; going on without it', {}, { error });
      return '';
    }
  }

  speaker.asides.add(recall);
  // `now` is missing only if the module failed to load, because this turn's request has opened it.
  on('over', () => void (isLayered() && now?.turnEnded()));
  // The user may look at the memory before the first message.
  on('person', () => {
    if (isLayered()) attempt(open().then((remembering) => remembering.look()));
  });

  return {
    get items(): readonly RememberedView[] {
      return now && isLayered() ? now.items : [];
    },
    edit(id: string, text: string) {
      attempt(open().then((remembering) => remembering.edit(id, text)));
    },
    /** @returns a function that restores the item */
    forget(id: string): () => void {
      const gone = open().then((remembering) => remembering.forget(id));
      attempt(gone);
      return () => {
        attempt(gone.then((back) => back()));
      };
    },
    /** Rejects if the store could not be cleared, so that success is not reported. */
    forgetAll: async (): Promise<void> => (await open()).forgetAll(),
    /** Forgets the summaries of a deleted conversation. Rejects like `forgetAll`. */
    async forgetSession(sessionId: string): Promise<void> {
      if (isLayered()) await (await open()).forgetSession(sessionId);
    },
    stop() {
      now?.stop();
    },
  };
}
