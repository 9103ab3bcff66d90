/** How often a property is tried: all `full` rounds with `TEST_EFFORT=full`, else a fifth of them. The seeds differ from run to run. */
export const rounds = (full: number): number => (process.env['TEST_EFFORT'] === 'full' ? full : Math.max(20, Math.ceil(full / 5)));
