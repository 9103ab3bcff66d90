/** Random walks through the production charts, with fakes that answer when the walk says so. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate';
import type { Call, PublishedResult } from '../../src/model/calls.js';
import { phaseOf } from '../../src/conversation/chart/phase.js';
import { registerCallSteps } from '../../src/conversation/chart/call-steps.js';
import { conversationMachine } from '../../src/conversation/chart/conversation-machine.js';
import { defaultSettings } from '../../src/conversation/options/read-settings.js';
import type { Settings } from '../../src/conversation/options/settings.js';
import type { Checked, Authorization } from '../../src/conversation/chart/call-context.js';
import { toolCallMachine } from '../../src/conversation/chart/call-machine.js';
import type { Conclusion, ConversationEvent, FinishedReply, Proof, ReplyInput } from '../../src/conversation/chart/chart-context.js';
import { rounds } from '../helpers/effort.js';

registerCallSteps();

const settings = { ...defaultSettings, maxIterations: 3, repeatLimit: 100 } as Settings;
const userMessage = (id: string) => ({ id, role: 'user', text: id, createdAt: 0, status: { type: 'complete' }, metadata: {} }) as const;
const resultOf = (requestId: string, status: PublishedResult['status']): PublishedResult => ({
  ...{ requestId, toolName: 'tool', success: status === 'success', status, message: status, result: status, durationMs: 0 },
});
const failure = { kind: 'cut', code: 'STREAM_CUT', layer: 'network', retryable: true } as const;
const request = (requestId: string) => ({ requestId, toolName: 'tool', arguments: {}, raw: requestId, flags: [], protocol: 'xml-invoke' });
const callOf = (requestId: string, digest: string) => ({ requestId, toolName: 'tool', digest }) as Call;

/** A fake of a promise that somebody waits for; `edited`: the arguments are a user's. */
interface Pending<Output> {
  requestId: string;
  edited: boolean;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

/** What the walk knows of a call: how often a user or a permission let it run, and the digests shown, oldest first. */
const unknown = {
  verdict: undefined as 'allow' | 'ask' | 'none' | undefined,
  allowed: 0,
  cleared: false,
  effects: 0,
  ends: 0,
  replyEnded: false,
};
type Facts = typeof unknown & { digests: string[] };

/** Deliberate faults, to see that the walks find them. */
interface Sabotage {
  skipApproval?: boolean;
  /** A reply that broke off counts as ended. */
  runTruncated?: boolean;
  toolCall?: typeof toolCallMachine;
}

class Walk {
  readonly clock = new SimulatedClock();
  readonly facts = new Map<string, Facts>();
  readonly checks: Pending<Checked>[] = [];
  readonly clears: Pending<Authorization>[] = [];
  readonly executions: Pending<PublishedResult | Conclusion>[] = [];
  readonly records: Pending<void>[] = [];
  readers: { send(event: ConversationEvent): void; input: ReplyInput; found: string[] }[] = [];
  running = 0;
  count = 0;
  turns = 0;
  readonly chart;

  readonly sabotage: Sabotage;

  constructor(sabotage: Sabotage) {
    this.sabotage = sabotage;
    const waitFor = <Output>(list: Pending<Output>[], requestId: string, signal: AbortSignal, edited = false) =>
      new Promise<Output>((resolve, reject) => {
        const pending = { requestId, resolve, reject, edited };
        list.push(pending);
        signal.addEventListener('abort', () => list.splice(list.indexOf(pending) >>> 0, 1));
      });
    const toolCall = (sabotage.toolCall ?? toolCallMachine).provide({
      actors: {
        check: fromPromise(({ input, signal }) => waitFor(this.checks, input.request.requestId, signal, input.edited !== undefined)),
        authorize: fromPromise(({ input, signal }) => waitFor(this.clears, input.call.requestId, signal)),
        execute: fromPromise(({ input, signal }) => {
          const { requestId } = input.call;
          this.of(requestId).effects += 1;
          this.running += 1;
          let over = false;
          const end = () => {
            if (!over) this.running -= 1;
            over = true;
          };
          signal.addEventListener('abort', end);
          return waitFor(this.executions, requestId, signal).finally(end);
        }),
        record: fromPromise(({ input, signal }) => waitFor(this.records, input.call.requestId, signal)),
      },
    });
    const readReply = fromCallback<ConversationEvent, ReplyInput>(({ sendBack, input }) => {
      const reader = { send: sendBack, input, found: [] };
      this.readers.push(reader);
      return () => {
        this.readers = this.readers.filter((one) => one !== reader);
      };
    });
    this.chart = createActor(conversationMachine.provide({ actors: { toolCall, readReply } }), { clock: this.clock });
    this.chart.on('call.settled', ({ requestId }) => (this.of(requestId).ends += 1));
    this.chart.on('turn.ended', () => (this.turns -= 1));
    this.chart.start();
  }

  of(requestId: string): Facts {
    const facts = this.facts.get(requestId) ?? { ...unknown, digests: [] };
    this.facts.set(requestId, facts);
    return facts;
  }

  id = (kind: string) => `${kind}${String((this.count += 1))}`;
  get state() {
    return this.chart.getSnapshot();
  }
  get isIdle() {
    return this.state.matches({ talk: 'idle' });
  }
  get effects() {
    return [...this.facts.values()].reduce((sum, { effects }) => sum + effects, 0);
  }

  reply(proof: Proof = 'proved'): FinishedReply {
    const [reader] = this.readers;
    return {
      ...{ messageId: reader?.input.messageId ?? '', text: 'text', raw: 'raw', reasoning: '', finish: 'stop', proof },
      parts: (reader?.found ?? []).map((requestId) => ({ type: 'call', requestId })),
    };
  }

  end(event: ConversationEvent, ended = false): void {
    const [reader] = this.readers;
    for (const requestId of reader?.found ?? []) this.of(requestId).replyEnded = ended;
    reader?.send(event);
  }

  find(kind: string, event: (requestId: string, messageId: string) => ConversationEvent): void {
    const [reader] = this.readers;
    if (!reader) return;
    const requestId = this.id(kind);
    reader.found.push(requestId);
    reader.send(event(requestId, reader.input.messageId));
  }

  check(which: number, answer: 'allow' | 'ask' | 'refuse' | 'fail'): void {
    const pending = pick(this.checks, which);
    if (!pending) return;
    const { requestId } = pending;
    const facts = this.of(requestId);
    const passes = answer === 'allow' || answer === 'ask';
    const call = callOf(requestId, `digest ${String(facts.digests.length)} of ${requestId}`);
    if (passes) facts.digests.push(call.digest);
    // Changed arguments ask again, whatever the checks say; if they do not pass, the call stays as it was.
    if (!pending.edited) facts.verdict = passes ? answer : 'none';
    this.checks.splice(this.checks.indexOf(pending), 1);
    const verdict = this.sabotage.skipApproval || !passes ? 'allow' : answer;
    if (answer === 'fail') pending.reject(new Error('check'));
    else if (answer === 'refuse') pending.resolve({ type: 'refused', result: resultOf(requestId, 'denied'), call });
    else pending.resolve({ type: 'checked', call, verdict, ticket: {}, facts: { tainted: which % 2 === 0 } });
  }

  decide(which: number, how: 'allow' | 'grant' | 'edit' | 'deny' | 'allow what was shown before'): void {
    const { calls } = this.state.context;
    const waiting = calls.filter(({ status, edit }) => status === 'awaiting_approval' && !edit?.checking);
    const call = pick(waiting, which) ?? pick(calls, which);
    if (!call) return;
    const { requestId } = call;
    const facts = this.of(requestId);
    const digest = facts.digests.at(-1) ?? 'none';
    if ((how === 'allow' || how === 'grant') && waiting.includes(call)) facts.allowed += 1;
    if (how === 'deny') this.chart.send({ type: 'user.deny', requestId, digest, result: resultOf(requestId, 'denied') });
    else if (how === 'edit') this.chart.send({ type: 'user.edit', requestId, digest, args: {} });
    else if (how === 'grant') this.chart.send({ type: 'call.granted', call: callOf(requestId, digest) });
    else if (how === 'allow') this.chart.send({ type: 'user.allow', requestId, digest });
    else this.chart.send({ type: 'user.allow', requestId, digest: facts.digests.at(-2) ?? 'digest of another' });
  }

  /** Invariants of every moment. */
  verify(): void {
    const { context, children, status } = this.state;
    expect(status).to.equal('active');
    expect(this.readers.length, 'requests in flight').to.be.at.most(1);
    if (this.readers.length > 0) expect(phaseOf(this.state.value)).to.be.oneOf(['plan', 'respond']);
    expect(this.running, 'tools that run at once').to.be.at.most(1);
    for (const [requestId, { verdict, allowed, cleared, effects, ends, replyEnded }] of this.facts) {
      // Once; and once more for each time that a user looked at a failure and let it run again.
      expect(effects, `effects of ${requestId}`).to.be.at.most(Math.max(1, allowed + (verdict === 'allow' ? 1 : 0)));
      expect(ends, `ends of ${requestId}`).to.be.at.most(1);
      if (effects === 0) continue;
      expect(verdict === 'allow' || (verdict === 'ask' && allowed > 0), `${requestId} was allowed`).to.equal(true);
      expect(cleared, `${requestId} was written down`).to.equal(true);
      expect(replyEnded, `the reply of ${requestId} had ended`).to.equal(true);
    }
    expect(this.turns).to.equal(context.turn ? 1 : 0);
    expect(context.turn?.iterations ?? 0).to.be.at.most(settings.maxIterations);
    if (!this.isIdle) return;
    expect(context.turn).to.equal(null);
    expect(Object.keys(children), 'actors at rest').to.deep.equal([]);
    expect(this.running).to.equal(0);
    for (const { requestId, status: callStatus } of context.calls) {
      expect(callStatus).to.be.oneOf(['success', 'error', 'denied', 'cancelled', 'interrupted']);
      expect(this.of(requestId).ends, `ends of ${requestId}`).to.equal(1);
    }
    const told = context.messages.flatMap(({ metadata }) => (metadata.toolCall ? [metadata.toolCall.requestId] : []));
    expect(told, 'results told, once each, in order').to.deep.equal(context.calls.map(({ requestId }) => requestId));
    expect(context.messages.some((message) => message.status.type === 'running')).to.equal(false);
  }
}

const pick = <Item>(list: readonly Item[], which: number): Item | undefined => list[which % Math.max(1, list.length)];
const again = { delayMs: 1000, attempt: 1, of: 3, class: 'network' } as const;

/** Each step does one thing, if it can be done now; `which` picks among several. */
const steps: Record<string, (walk: Walk, which: number) => void> = {
  send: (walk) => {
    if (walk.isIdle) walk.turns += 1;
    walk.chart.send({ type: 'user.send', turnId: walk.id('t'), message: userMessage(walk.id('u')), settings });
  },
  retry: (walk) => {
    if (walk.isIdle && walk.state.context.messages.some(({ role }) => role === 'user')) walk.turns += 1;
    walk.chart.send({ type: 'user.retry', turnId: walk.id('t'), settings });
  },
  'run tool': (walk) => {
    if (!walk.isIdle) return;
    const requestId = walk.id('m');
    walk.turns += 1;
    walk.of(requestId).replyEnded = true;
    walk.chart.send({ type: 'user.runTool', turnId: walk.id('t'), request: request(requestId), settings });
  },
  stop: (walk) => walk.chart.send({ type: 'user.stop', reason: 'cancelled', ...(walk.readers[0] && { reply: walk.reply() }) }),
  clear: (walk) => {
    walk.chart.send({ type: 'user.clear' });
    if (walk.isIdle) walk.facts.clear();
  },
  found: (walk) => walk.find('c', (requestId, messageId) => ({ type: 'call.found', request: request(requestId), messageId })),
  broken: (walk) =>
    walk.find('b', (requestId, messageId) => {
      const broken = { requestId, toolName: '', raw: '', problem: 'unclosed', protocol: 'xml-invoke' } as const;
      return { type: 'call.broken', broken, messageId, result: resultOf(requestId, 'error') };
    }),
  ended: (walk, which) => walk.end({ type: 'reply.ended', reply: walk.reply(which % 3 === 0 ? 'unproved' : 'proved') }, true),
  cut: (walk) => walk.end({ ...{ reply: walk.reply(), failure }, type: walk.sabotage.runTruncated ? 'reply.ended' : 'reply.cut' } as never),
  failed: (walk) => walk.end({ type: 'reply.failed', reply: walk.reply(), failure, retry: null }),
  'failed, again': (walk) => {
    // The real reader does so only before the first event.
    if (!walk.readers[0]?.found.length) walk.end({ type: 'reply.failed', reply: walk.reply(), failure, retry: again });
  },
  time: (walk) => walk.clock.increment(700),
  'check: allow': (walk, which) => walk.check(which, 'allow'),
  'check: ask': (walk, which) => walk.check(which, 'ask'),
  'check: refuse': (walk, which) => walk.check(which, 'refuse'),
  'check: fail': (walk, which) => walk.check(which, 'fail'),
  'clear: start': (walk) => {
    const pending = walk.clears.shift();
    if (pending) walk.of(pending.requestId).cleared = true;
    pending?.resolve({ type: 'start' });
  },
  'clear: refuse': (walk) => {
    const pending = walk.clears.shift();
    pending?.resolve({ type: 'refused', result: resultOf(pending.requestId, 'interrupted') });
  },
  'clear: fail': (walk) => walk.clears.shift()?.reject(new Error('clear')),
  'execute: succeed': ({ executions: [run] }) => run?.resolve(resultOf(run.requestId, 'success')),
  'execute: fail': ({ executions: [run] }) => run?.reject(new Error('execute')),
  'execute: fail, and ask': ({ executions: [run] }) =>
    run?.resolve({ type: 'concluded', result: resultOf(run.requestId, 'error'), ask: true }),
  record: (walk) => walk.records.shift()?.resolve(),
  'record: fail': (walk) => walk.records.shift()?.reject(new Error('record')),
  allow: (walk, which) => walk.decide(which, 'allow'),
  grant: (walk, which) => walk.decide(which, 'grant'),
  edit: (walk, which) => walk.decide(which, 'edit'),
  'allow what was shown before': (walk, which) => walk.decide(which, 'allow what was shown before'),
  deny: (walk, which) => walk.decide(which, 'deny'),
};
/** Steps that are taken more often than others. */
const often: Record<string, number> = {
  found: 3,
  ended: 3,
  'clear: start': 3,
  'check: allow': 2,
  'check: ask': 2,
  'execute: succeed': 2,
  record: 2,
  allow: 2,
};
const weighted = Object.keys(steps).map((name) => ({ weight: often[name] ?? 1, arbitrary: fc.constant(name) }));

const settle = async () => {
  for (let at = 0; at < 8; at++) await Promise.resolve();
};

/** The number of effects in all walks, so that it is known that they got somewhere. */
let effectsSeen = 0;

const walks = (sabotage: Sabotage = {}) =>
  fc.asyncProperty(fc.array(fc.tuple(fc.oneof(...weighted), fc.nat(5)), { minLength: 60, maxLength: 150, size: 'max' }), async (walk) => {
    const one = new Walk(sabotage);
    const act = (name: string, which: number) => steps[name]!(one, which);
    try {
      act('send', 0);
      for (const [name, which] of walk) {
        act(name, which);
        await settle();
        one.verify();
      }
      act('stop', 0);
      expect(one.state.value.talk).to.equal('idle');
      await settle();
      one.verify();
      const before = one.effects;
      effectsSeen += before;
      // Everything that was still on its way arrives; nothing starts.
      const late = Object.keys(steps).filter((name) => /^(check|clear:|execute|record|allow|time)/.test(name));
      for (let at = 0; at < 5; at++) for (const name of late) act(name, at);
      await settle();
      one.verify();
      expect(one.effects).to.equal(before);
    } finally {
      one.chart.stop();
    }
  });

describe('random walks through a conversation', function () {
  this.timeout(120_000);
  const seed = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

  it(`keep every promise (SEED=${String(seed)})`, async () => {
    const numRuns = rounds(1000);
    effectsSeen = 0;
    await fc.assert(walks(), { numRuns, seed });
    expect(effectsSeen, 'tools that ran').to.be.above(numRuns / 10);
  });

  const faults: Record<string, Sabotage> = {
    'an executor that skips approval': { skipApproval: true },
    'a parser that executes on truncation': { runTruncated: true },
    'a chart that takes any digest': { toolCall: toolCallMachine.provide({ guards: { 'it is about what was shown': () => true } }) },
  };
  for (const [name, sabotage] of Object.entries(faults))
    it(`B29 H114 find ${name}`, async () => {
      const { failed } = await fc.check(walks(sabotage), { numRuns: 300, seed: 20_240_613, endOnFailure: true });
      expect(failed).to.equal(true);
    });
});
