/**
 * Milliseconds that this process has computed. Where a test compares what two lengths cost, a machine that is busy with other things does
 * not count, as it does by the clock.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds that this process has computed in the longest piece of the work, between two looks at what else waits. */
export async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = cpuTime();
  const note = () => {
    longest = Math.max(longest, cpuTime() - last);
    last = cpuTime();
  };
  const look = () => {
    note();
    if (!isOver) setImmediate(look);
  };
  look();
  await work().finally(() => (isOver = true));
  note();
  return longest;
}
