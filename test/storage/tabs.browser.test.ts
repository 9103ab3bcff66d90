import { expect } from 'chai';
import { joinTabs, type Tabs, type TabsOptions } from '../../src/storage/tabs.js';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { createPersistentJournal } from '../../src/storage/persistent-journal.js';
import { createLease } from '../../src/storage/lease.js';
import { emptyConversation } from '../../src/storage/stored-conversation.js';
import { fresh, openTab, reasonOf, rejection, replace, until } from './helpers.js';

describe('tabs of one conversation', () => {
  let joined: Tabs[] = [];
  let sessionId = '';
  beforeEach(() => (sessionId = fresh('session')));
  const join = (options: TabsOptions): Tabs => {
    const tabs = joinTabs(options);
    joined.push(tabs);
    return tabs;
  };
  afterEach(() => {
    for (const tabs of joined) tabs.leave();
    joined = [];
  });

  it('never have two leaders, whoever comes and goes', async () => {
    /** The most that led at the same time. */
    async function most(locks?: (sessionId: string) => TabsOptions['locks']): Promise<number> {
      const sessionId = fresh('session');
      let leading = 0;
      let highest = 0;
      const onLeader = (leads: boolean) => {
        leading += leads ? 1 : -1;
        highest = Math.max(highest, leading);
      };
      const more = () => (locks ? { locks: locks(sessionId) ?? null } : {});
      const all = Array.from({ length: 12 }, () => join({ sessionId, onLeader, mayYield: () => true, limitMs: 500, ...more() }));
      const rounds = all.map(async (tabs, nth) => {
        if (nth % 3 === 0) await tabs.takeOver();
        else await Promise.race([tabs.whenLeader(), new Promise((resolve) => setTimeout(resolve, 20 * nth))]);
        tabs.leave();
      });
      await Promise.all(rounds);
      expect(leading).to.equal(0);
      return highest;
    }
    expect(await most()).to.equal(1);
    expect(await most((id) => createLease(id)), 'on pages without HTTPS').to.equal(1);
    expect(await most(() => null), 'the control: without locks').to.equal(12);
  });

  it('hear when nobody answers, and when the leader changed meanwhile', async () => {
    let asked = 0;
    const onRequest = () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const page = await openTab();
    const leader = page.joinTabs({ sessionId, onRequest });
    await leader.whenLeader();
    const next = join({ sessionId });
    const hasty = join({ sessionId, limitMs: 50 });
    expect(reasonOf(await rejection(hasty.request('send'))), 'it was taken').to.equal('lost');
    const patient = join({ sessionId });
    const answer = rejection(patient.request('send'));
    await until(() => asked === 2);
    page.kill();
    await next.whenLeader();
    expect(reasonOf(await answer)).to.equal('lost');
  });

  for (const locks of [() => ({}), () => ({ locks: createLease(sessionId) })])
    it(`let another one lead when they may, and only that one, with ${Object.keys(locks())[0] ?? 'Web Locks'}`, async () => {
      let busy = true;
      const leader = join({ sessionId, mayYield: async () => !busy, ...locks() });
      await leader.whenLeader();
      const waitsLonger = join({ sessionId, ...locks() });
      const wants = join({ sessionId, ...locks() });
      expect([await wants.takeOver(), leader.isLeader]).to.deep.equal([false, true]);
      busy = false;
      expect(await wants.takeOver()).to.equal(true);
      expect([leader, waitsLonger, wants].map(({ isLeader }) => isLeader)).to.deep.equal([false, false, true]);
      expect(await wants.takeOver()).to.equal(true);
      expect(await waitsLonger.takeOver(), 'by default nobody yields').to.equal(false);
      wants.leave();
      await until(() => leader.isLeader || waitsLonger.isLeader);
    });

  it('stop acting when a script steals the lock, and stand in the queue again', async () => {
    const told: boolean[] = [];
    const tabs = join({ sessionId, onLeader: (leads) => told.push(leads) });
    await tabs.whenLeader();
    // The tab may hear that it has lost the lock before the thief hears that it holds it.
    let give: (() => void) | undefined;
    void navigator.locks.request(`tool-chat:${sessionId}`, { steal: true }, () => new Promise<void>((resolve) => (give = resolve)));
    await until(() => !tabs.isLeader && give);
    give!();
    await tabs.whenLeader();
    expect(told).to.deep.equal([true, false, true]);
  });

  it('lead alone where there are no locks, and say so', async () => {
    const tabs = join({ sessionId: fresh('session'), locks: null, channel: null, onRequest: (name) => name });
    await tabs.whenLeader();
    expect([tabs.missing, await tabs.request('send')]).to.deep.equal([['locks', 'channel'], 'send']);
    expect(await tabs.takeOver()).to.equal(true);
    tabs.tell('changed');
  });

  it('without HTTPS, begin no transaction while their page is frozen, which would hold up the next leader: they find out later', async () => {
    const tabs = join({ sessionId, locks: createLease(sessionId), channel: null });
    await tabs.whenLeader();
    document.dispatchEvent(new Event('freeze'));
    const page = await openTab();
    await page.joinTabs({ sessionId, locks: page.createLease(sessionId, { answerMs: 20 }) }).whenLeader();
    for (const _ of Array(20)) await page.createLastingJournal({ sessionId }).unfinished();
    expect(tabs.isLeader).to.equal(true);
    document.dispatchEvent(new Event('resume'));
    await until(() => !tabs.isLeader);
    page.kill();
  });

  for (const [what, isTaken] of ['writes', 'leaves', 'is hidden', 'calls'].flatMap((what) =>
    [true, false].map((is) => [what, is] as const),
  ))
    it(`without HTTPS, ${isTaken ? 'lose the lead while they hear nothing, and then' : 'the control: keep it, and'} one of them ${what}`, async () => {
      class Deaf extends EventTarget {
        postMessage() {}
        close() {}
      }
      const undo = replace(window, 'BroadcastChannel', () => Deaf as never);
      const lease = createLease(sessionId);
      const tabs = join({ sessionId, locks: lease, channel: null });
      await tabs.whenLeader();
      undo();
      const save = async (store: ReturnType<typeof createConversationStore>, draft: string) => {
        store.save({ ...emptyConversation(sessionId), draft });
        await store.flush();
      };
      const store = createConversationStore({ sessionId, area: 'indexeddb', everyMs: 0, lease: Promise.resolve(lease) });
      await save(store, 'first');
      const page = await openTab();
      const theirs = page.createLease(sessionId, { answerMs: 20 });
      if (isTaken) {
        await page.joinTabs({ sessionId, locks: theirs }).whenLeader();
        await save(page.createConversationStore({ sessionId, area: 'indexeddb', everyMs: 0, lease: Promise.resolve(theirs) }), 'theirs');
      }
      expect(tabs.isLeader, 'it has heard nothing').to.equal(true);
      if (what === 'calls') {
        const intent = { requestId: fresh('call'), toolName: 'pay', digest: 'd', args: {} };
        const answer = await createPersistentJournal({ sessionId, lease }).intent(intent).catch(reasonOf);
        expect(answer).to.equal(isTaken ? 'lost' : 'start');
      } else if (what === 'writes') await save(store, 'second');
      else {
        store.save({ ...emptyConversation(sessionId), draft: 'second' });
        if (what === 'leaves') dispatchEvent(new PageTransitionEvent('pagehide'));
        else {
          Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
          Reflect.deleteProperty(document, 'visibilityState');
          await store.look();
        }
      }
      if (what !== 'leaves') expect(tabs.isLeader).to.equal(!isTaken);
      await store.close();
      const found = await createConversationStore({ sessionId, area: 'indexeddb' }).load();
      expect(found?.draft).to.equal(isTaken ? 'theirs' : what === 'calls' ? 'first' : 'second');
      page.kill();
    });
});
