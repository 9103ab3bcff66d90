/** Asks the host's `embed` for the vector of a text. If there is none in time, the search uses words only. */
import type { Log } from '../../base/logging.js';
import type { timeLimit } from '../chart/clock.js';
import type { Settings } from '../options/settings.js';

/** Milliseconds that `embed` may delay a request, before the store is asked. */
const EMBED_MS = 2_000;

export const vectorsBy =
  (within: ReturnType<typeof timeLimit>, log: Log) =>
  async (text: string, { embed }: Settings): Promise<number[] | undefined> => {
    if (!embed) return undefined;
    try {
      const vector = await within(EMBED_MS, Promise.resolve(embed(text)));
      if (Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite)) return [...vector];
      throw new TypeError('`embed` has to give a list of numbers.');
    } catch (error) {
      log.warn('memory.embed', 'No vector for a text; it is searched by its words', {}, { error });
      return undefined;
    }
  };
