/** A leading tab that hears nothing for a while: what it was asked meanwhile happens only if it is still wanted. */
import { expect } from 'chai';
import { useFakeTimers } from '../relay/timers.js';
import { joinTabs, type RequestWatch, type Tabs } from '../../src/storage/tabs.js';

/** Channels and locks of one browser. A tab that is `held` hears what was said when it is let go. */
function browser() {
  const channels = new Set<Channel>();
  class Channel extends EventTarget {
    held: unknown[] | undefined;
    name: string;
    constructor(name: string) {
      super();
      this.name = name;
      channels.add(this);
    }
    postMessage(data: unknown) {
      for (const other of channels) if (other !== this && other.name === this.name) queueMicrotask(() => other.hear(data));
    }
    hear(data: unknown) {
      if (this.held) this.held.push(data);
      else this.dispatchEvent(Object.assign(new Event('message'), { data }));
    }
    close() {
      channels.delete(this);
    }
  }
  const queue: (() => void)[] = [];
  const locks = {
    request: (_: string, _how: object, work: () => Promise<void> | undefined) =>
      new Promise<void>((resolve) => {
        const begin = () => {
          const next = () => {
            queue.shift();
            queue[0]?.();
            resolve();
          };
          void Promise.resolve(work()).then(next);
        };
        if (queue.push(begin) === 1) begin();
      }),
  } as unknown as LockManager;
  return {
    join: (onRequest?: (name: string, body: unknown) => unknown): { tabs: Tabs; hold(): void; letGo(): void } => {
      let mine: Channel | undefined;
      const channel = class extends Channel {
        constructor(name: string) {
          super(name);
          mine = this;
        }
      } as unknown as typeof BroadcastChannel;
      const tabs = joinTabs({ sessionId: 's', locks, channel, ...(onRequest && { onRequest }) });
      return {
        tabs,
        hold: () => void (mine!.held = []),
        letGo() {
          const heard = mine!.held ?? [];
          mine!.held = undefined;
          for (const data of heard) mine!.hear(data);
        },
      };
    },
  };
}

describe('a leading tab that stands still', () => {
  const { pass } = useFakeTimers();

  function two() {
    const { join } = browser();
    const done: unknown[] = [];
    const leader = join((name, body) => (done.push([name, body]), 'done'));
    const { tabs } = join();
    /** What came of a request. */
    const ask = (watch?: RequestWatch) => {
      const end = { how: undefined as unknown };
      tabs.request('order', 1, undefined, watch).then(
        (value) => (end.how = value),
        (error: { reason?: string; name: string }) => (end.how = error.reason ?? error.name),
      );
      return end;
    };
    return { leader, tabs, done, ask };
  }

  it('does not do later what was given up meanwhile', async () => {
    const { leader, done, ask } = two();
    await pass(0);
    leader.hold();
    const end = ask();
    await pass(5_000);
    expect(end.how).to.equal('slow');
    leader.letGo();
    await pass(10);
    expect(done).to.deep.equal([]);
    const again = ask();
    await pass(10);
    expect([done, again.how]).to.deep.equal([[['order', 1]], 'done']);
  });

  it('does once what is still wanted when it goes on', async () => {
    const { leader, done, ask } = two();
    await pass(0);
    leader.hold();
    let taken = 0;
    const end = ask({ taken: () => (taken += 1) });
    await pass(4_000);
    expect([taken, end.how]).to.deep.equal([0, undefined]);
    leader.letGo();
    await pass(10);
    expect([done, end.how, taken]).to.deep.equal([[['order', 1]], 'done', 1]);
  });

  it('does not do what was withdrawn, as long as it has not been taken', async () => {
    const { leader, done, ask } = two();
    await pass(0);
    leader.hold();
    const drop = new AbortController();
    const end = ask({ signal: drop.signal });
    await pass(1_000);
    drop.abort();
    await pass(0);
    leader.letGo();
    await pass(10);
    expect([end.how, done]).to.deep.equal(['AbortError', []]);
    const late = new AbortController();
    const other = ask({ signal: late.signal, taken: () => late.abort() });
    await pass(10);
    expect([done.length, other.how]).to.deep.equal([1, 'done']);
  });

  it('may have done what it took when it is gone', async () => {
    const { join } = browser();
    const leader = join(() => new Promise(() => {}));
    const { tabs } = join();
    await pass(0);
    let how: unknown;
    tabs.request('order').catch((error: { reason: string }) => (how = error.reason));
    await pass(10);
    leader.tabs.leave();
    await pass(10);
    expect([tabs.isLeader, how]).to.deep.equal([true, 'lost']);
  });
});
