/** Whether every round, cut and combination is tried (`test:all`); without it, a sample. */
export const isFullEffort = process.env['TEST_EFFORT'] === 'full';

/** How often a property is tried: `full` times with full effort (times `ROUNDS`), a tenth of that without, but at least 20 times. Seeds differ from run to run. */
export function rounds(full: number): number {
  return isFullEffort ? full * Number(process.env['ROUNDS'] ?? 1) : Math.max(20, Math.ceil(full / 10));
}
