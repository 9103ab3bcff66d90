/**
 * How often a property is tried: all `full` rounds with `TEST_EFFORT=full`, a fifth of them without, few with `quick`. The seeds differ from
 * run to run.
 */
export function rounds(full: number): number {
  const effort = process.env['TEST_EFFORT'];
  return effort === 'full' ? full : Math.max(20, Math.ceil(full / (effort === 'quick' ? 20 : 5)));
}
