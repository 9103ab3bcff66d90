/**
 * What work costs, in CPU time of this process, since a busy machine adds little to that; a browser has only the clock. What disturbs a try
 * adds to it, so the least of several tries counts, and there are more of them until the bound is met: work of a worse order never meets it.
 */
const TRIES = 12;
/** Milliseconds of CPU time after which no more than `FEW` tries are made. */
const ENOUGH = 6_000;
const FEW = 3;
/** Milliseconds below which costs are not compared. */
const NOISE = 10;
/** Milliseconds at a stretch that disturb no other task. */
const SHORT = 100;

export function cpuTime(): number {
  if (typeof process === 'undefined') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function costOf(work: () => unknown): Promise<number> {
  const before = cpuTime();
  await work();
  return cpuTime() - before;
}

function createTries() {
  const start = cpuTime();
  let tries = 0;
  return () => (tries += 1) <= (cpuTime() - start < ENOUGH ? TRIES : FEW);
}

/** True if `large` costs at most so many times what `small` costs. */
export async function costsAtMost(times: number, small: () => unknown, large: () => unknown): Promise<boolean> {
  let [less, more] = [Infinity, Infinity];
  for (const mayTry = createTries(); mayTry();) {
    more = Math.min(more, await costOf(large));
    if (more <= times * NOISE) return true;
    less = Math.max(NOISE, Math.min(less, await costOf(small)));
    if (more <= times * less) return true;
  }
  return false;
}

/** True if four times the size costs at most eight times as much: linear work costs four times as much, quadratic work sixteen times. */
export function isLinear(prepare: (size: number) => () => unknown, size: number): Promise<boolean> {
  const [short, long] = [prepare(size), prepare(4 * size)];
  const fourTimes = async () => {
    for (let time = 0; time < 4; time += 1) await short();
  };
  return costsAtMost(2, fourTimes, long);
}

/** True if no piece of the work, between two turns of other tasks, costs more than a third of all of it, or than `SHORT`. */
export async function isInPieces(work: () => Promise<unknown>): Promise<boolean> {
  for (const mayTry = createTries(); mayTry();) {
    let isOver = false;
    const start = cpuTime();
    let [last, longest] = [start, 0];
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
    if (longest <= Math.max(SHORT, (last - start) / 3)) return true;
  }
  return false;
}
