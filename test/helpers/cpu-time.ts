/**
 * Milliseconds that this process has computed. Where a test compares what two lengths cost, a machine that is busy with other things does
 * not count, as it does by the clock.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
