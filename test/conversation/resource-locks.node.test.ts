/** Locks of resources among the calls of one conversation, and of several that share the locks of a page (Y-23). */
import { expect } from 'chai';
import fc from 'fast-check';
import { ownLocks, type NamedLocks, createResourceLocks, type Rank } from '../../src/conversation/calls/resource-locks.js';
import { rounds } from '../helpers/effort.js';

const never = () => () => undefined;
const settled = () => new Promise((resolve) => setImmediate(resolve));

interface Asked {
  id: string;
  resources: string[];
  rank?: Rank;
  stop?: AbortSignal;
  locks: ReturnType<typeof createResourceLocks>;
}

function stage(locks: NamedLocks = ownLocks()) {
  const order: string[] = [];
  const gates = new Map<string, () => void>();
  const atWork = new Map<string, string>();
  function begin({ id, resources, rank = 'plan', stop = new AbortController().signal, locks }: Asked) {
    const wanted = { ...{ requestId: id, label: id, resources, rank, stop }, onWait() {} };
    return locks.holding(wanted, (onRun) => {
      if (stop.aborted) return Promise.resolve();
      for (const resource of resources) {
        expect(atWork.get(resource), `${id} beside`).to.equal(undefined);
        atWork.set(resource, id);
      }
      order.push(id);
      const run = new Promise<void>((resolve) => gates.set(id, resolve)).then(() => {
        for (const resource of resources) atWork.delete(resource);
      });
      onRun(run);
      return run;
    });
  }
  return { order, gates, begin, chat: () => createResourceLocks(never, locks), end: (id: string) => gates.get(id)!() };
}

describe('locks of resources', () => {
  it('let a person go before the plan, and the plan before what is tried again, in whatever order they came (Y-23)', async () => {
    const { order, begin, chat, end } = stage();
    const [here, there] = [chat(), chat()];
    const all = [begin({ id: 'first', resources: ['x'], locks: here })];
    await settled();
    for (const [id, rank] of Object.entries({ again: 'retry', plan1: 'plan', plan2: 'plan', person: 'person' } as const)) {
      all.push(begin({ id, resources: ['x'], rank, locks: id === 'plan2' ? there : here }));
      await settled();
    }
    for (const id of ['first', 'person', 'plan1', 'plan2', 'again']) {
      expect(order.at(-1)).to.equal(id);
      end(id);
      await settled();
      await settled();
    }
    await Promise.all(all);
    expect(order).to.deep.equal(['first', 'person', 'plan1', 'plan2', 'again']);
  });

  it('never let two work on one thing and never stand still, whatever is asked, in whatever order it ends', async () => {
    const asked = fc.record({
      resources: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
      rank: fc.constantFrom<Rank>('person', 'plan', 'retry'),
      chat: fc.nat(2),
      stops: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 8 }), fc.infiniteStream(fc.nat()), async (all, picks) => {
        const { begin, chat, gates } = stage();
        const chats = [chat(), chat(), chat()];
        let left = all.length;
        const stops: AbortController[] = [];
        for (const [at, { resources, rank, chat: which, stops: isStopped }] of all.entries()) {
          const stop = new AbortController();
          if (isStopped) stops.push(stop);
          void begin({ id: String(at), resources, rank, stop: stop.signal, locks: chats[which]! }).then(() => (left -= 1));
        }
        await settled();
        stops.forEach((stop) => stop.abort());
        for (let round = 0; left > 0; round += 1) {
          expect(round, 'stands still').to.be.below(100);
          await settled();
          const open = [...gates.keys()];
          const one = open[picks.next().value % Math.max(open.length, 1)];
          if (one === undefined) continue;
          gates.get(one)!();
          gates.delete(one);
        }
      }),
      { numRuns: rounds(150) },
    );
  });
});
