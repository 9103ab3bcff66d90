/** What every fault case ends with: the conversation is well again, nothing of a server's secret was told, and the next answer is clean. */
import { expect } from 'chai';
import { createRandom } from '../../src/testing/chunks.js';
import { settlesWell, type Talk } from '../conversation/talk.js';
import { isFullEffort } from '../helpers/effort.js';

/** The last reply of every script. */
export const CLEAN = 'I am well.';

/** The key that the fault server writes into its error bodies, without what a filter for keys would look for. */
const SECRET = 'SECRET-123';

export async function isWell(one: Talk): Promise<void> {
  await settlesWell(one);
  expect(await one.send('Are you well?')).to.include({ success: true, text: CLEAN });
  await settlesWell(one);
  const heard = JSON.stringify([one.events, one.entries, one.chat.messages, one.view()]);
  expect(heard, 'what was told').to.not.include(SECRET);
}

interface Drawn {
  /** Whole, from 0 to below `n`. */
  below(n: number): number;
  one<Value>(of: readonly Value[]): Value;
}

const SEED = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

/** Declares a case with a seed that its title names, once; three times with full effort. `SEED=…` repeats what was drawn. */
export function drawnTimes(title: string, run: (drawn: Drawn) => Promise<void>): void {
  for (let seed = SEED; seed < SEED + (isFullEffort ? 3 : 1); seed += 1)
    it(`${title} (SEED=${String(seed)})`, () => {
      const random = createRandom(seed);
      const below = (n: number) => Math.floor(random() * n);
      return run({ below, one: (of) => of[below(of.length)]! });
    });
}
