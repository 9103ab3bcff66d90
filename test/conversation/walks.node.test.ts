/** Random walks through the production charts, with fakes that answer when the walk says so. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate';
import type { Call, PublishedResult } from '../../src/model/calls.js';
import type { Conclusion } from '../../src/conversation/chart/chart-context.js';
import { phaseOf } from '../../src/conversation/chart/phase.js';
import { wholeChart } from '../../src/conversation/chart/call-steps.js';
import { conversationMachine } from '../../src/conversation/chart/conversation-machine.js';
import { type ReplyInput } from '../../src/conversation/chart/chart-context.js';
import { defaultSettings } from '../../src/conversation/options/read-settings.js';
import { type Settings } from '../../src/conversation/options/settings.js';
import type { Checked, Clearance } from '../../src/conversation/chart/call-context.js';
import { toolCallMachine } from '../../src/conversation/chart/call-machine.js';
import type { ConversationEvent, FinishedReply, Proof } from '../../src/conversation/chart/chart-context.js';
import type { ChatMessage } from '../../src/model/messages.js';

wholeChart();

const settings = { ...defaultSettings, maxIterations: 3, repeatLimit: 100 } as Settings;
const userMessage = (id: string): ChatMessage => ({ id, role: 'user', text: id, createdAt: 0, status: { type: 'complete' }, metadata: {} });
const resultOf = (requestId: string, status: PublishedResult['status']): PublishedResult => ({
  ...{ requestId, toolName: 'tool', success: status === 'success', status, message: status, result: status, durationMs: 0 },
});
const failure = { kind: 'cut', code: 'STREAM_CUT', layer: 'network', retryable: true } as const;
const request = (requestId: string) => ({ requestId, toolName: 'tool', arguments: {}, raw: requestId, flags: [], protocol: 'xml-invoke' });

/** A fake of a promise that somebody waits for. */
interface Pending<Output> {
  requestId: string;
  /** The arguments are a person's. */
  edited?: boolean;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

interface Facts {
  verdict?: 'allow' | 'ask' | 'none';
  /** How often a person, or what a person had granted, let it run. */
  allowed: number;
  /** Of what is shown, and of what was shown before. */
  digests: string[];
  cleared: boolean;
  effects: number;
  ends: number;
  /** Whether the reply in which it stood had ended. */
  replyEnded: boolean;
}

/** Deliberate faults, to see that the walks find them. */
interface Sabotage {
  /** A call that asks is let through. */
  skipApproval?: boolean;
  /** A reply that broke off counts as ended. */
  runTruncated?: boolean;
  toolCall?: typeof toolCallMachine;
}

class Walk {
  readonly clock = new SimulatedClock();
  readonly facts = new Map<string, Facts>();
  readonly checks: Pending<Checked>[] = [];
  readonly clears: Pending<Clearance>[] = [];
  readonly executions: Pending<PublishedResult | Conclusion>[] = [];
  readonly records: Pending<void>[] = [];
  readers: { send(event: ConversationEvent): void; input: ReplyInput; found: string[] }[] = [];
  running = 0;
  count = 0;
  turnsBegun = 0;
  turnsEnded = 0;
  readonly sabotage: Sabotage;
  readonly chart;

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
        clear: fromPromise(({ input, signal }) => waitFor(this.clears, input.call.requestId, signal)),
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
    const machine = conversationMachine.provide({
      actors: {
        toolCall,
        readReply: fromCallback<ConversationEvent, ReplyInput>(({ sendBack, input }) => {
          const reader = { send: sendBack, input, found: [] };
          this.readers.push(reader);
          return () => {
            this.readers = this.readers.filter((one) => one !== reader);
          };
        }),
      },
    });
    this.chart = createActor(machine, { clock: this.clock });
    this.chart.on('call.settled', ({ requestId }) => (this.of(requestId).ends += 1));
    this.chart.on('turn.ended', () => (this.turnsEnded += 1));
    this.chart.start();
  }

  of(requestId: string): Facts {
    let facts = this.facts.get(requestId);
    if (!facts) this.facts.set(requestId, (facts = { allowed: 0, digests: [], cleared: false, effects: 0, ends: 0, replyEnded: false }));
    return facts;
  }

  get state() {
    return this.chart.getSnapshot();
  }

  /** Does one thing, if it can be done now; `which` picks among several. */
  act(what: Step, which: number): void {
    const reader = this.readers[0];
    const id = (kind: string) => `${kind}${String((this.count += 1))}`;
    const pick = <Item>(list: readonly Item[]): Item | undefined => list[which % Math.max(1, list.length)];
    const reply = (proof: Proof = 'proved'): FinishedReply => ({
      ...{ messageId: reader?.input.messageId ?? '', text: 'text', raw: 'raw', reasoning: '', finish: 'stop', proof },
      parts: (reader?.found ?? []).map((requestId) => ({ type: 'call', requestId })),
    });
    const end = (event: ConversationEvent, ended: boolean) => {
      if (!reader) return;
      for (const requestId of reader.found) this.of(requestId).replyEnded = ended;
      reader.send(event);
    };
    switch (what) {
      case 'send':
        if (this.state.matches({ talk: 'idle' })) this.turnsBegun += 1;
        this.chart.send({ type: 'user.send', turnId: id('t'), message: userMessage(id('u')), settings });
        return;
      case 'retry':
        if (this.state.matches({ talk: 'idle' }) && this.state.context.messages.some(({ role }) => role === 'user')) this.turnsBegun += 1;
        this.chart.send({ type: 'user.retry', turnId: id('t'), settings });
        return;
      case 'run tool': {
        const requestId = id('m');
        if (!this.state.matches({ talk: 'idle' })) return;
        this.turnsBegun += 1;
        this.of(requestId).replyEnded = true;
        this.chart.send({ type: 'user.runTool', turnId: id('t'), request: request(requestId), settings });
        return;
      }
      case 'stop':
        this.chart.send({ type: 'user.stop', reason: 'cancelled', ...(reader && { reply: reply() }) });
        return;
      case 'clear':
        this.chart.send({ type: 'user.clear' });
        if (this.state.matches({ talk: 'idle' })) this.facts.clear();
        return;
      case 'found': {
        if (!reader) return;
        const requestId = id('c');
        reader.found.push(requestId);
        reader.send({ type: 'call.found', request: request(requestId), messageId: reader.input.messageId });
        return;
      }
      case 'broken': {
        if (!reader) return;
        const requestId = id('b');
        reader.found.push(requestId);
        const broken = { requestId, toolName: '', raw: '', problem: 'unclosed', protocol: 'xml-invoke' } as const;
        reader.send({ type: 'call.broken', broken, messageId: reader.input.messageId, result: resultOf(requestId, 'error') });
        return;
      }
      case 'ended':
        return end({ type: 'reply.ended', reply: reply(which % 3 === 0 ? 'unproved' : 'proved') }, true);
      case 'cut':
        return end(
          this.sabotage.runTruncated ? { type: 'reply.ended', reply: reply() } : { type: 'reply.cut', reply: reply(), failure },
          false,
        );
      case 'failed':
        return end({ type: 'reply.failed', reply: reply(), failure, retry: null }, false);
      case 'failed, again':
        // As the reader does: only before the first event.
        if (reader?.found.length) return;
        return end({ type: 'reply.failed', reply: reply(), failure, retry: { delayMs: 1000, attempt: 1, of: 3, class: 'network' } }, false);
      case 'time':
        this.clock.increment(700);
        return;
      case 'check: allow':
      case 'check: ask':
      case 'check: refuse':
      case 'check: fail': {
        const pending = pick(this.checks);
        if (!pending) return;
        const { requestId } = pending;
        const facts = this.of(requestId);
        const passes = what === 'check: allow' || what === 'check: ask';
        const digest = `digest ${String(facts.digests.length)} of ${requestId}`;
        if (passes) facts.digests.push(digest);
        const call = { requestId, toolName: 'tool', digest } as Call;
        const verdict = what === 'check: ask' ? 'ask' : 'allow';
        // What a person changed asks again, whatever the checks say; what does not pass stays as it was.
        if (!pending.edited) facts.verdict = passes ? verdict : 'none';
        this.checks.splice(this.checks.indexOf(pending), 1);
        if (what === 'check: fail') pending.reject(new Error('check'));
        else if (what === 'check: refuse') pending.resolve({ type: 'refused', result: resultOf(requestId, 'denied'), call });
        else
          pending.resolve({
            type: 'checked',
            call,
            verdict: this.sabotage.skipApproval ? 'allow' : verdict,
            ticket: {},
            facts: { tainted: which % 2 === 0 },
          });
        return;
      }
      case 'clear: start':
      case 'clear: refuse':
      case 'clear: fail': {
        const pending = this.clears.shift();
        if (!pending) return;
        if (what === 'clear: fail') pending.reject(new Error('clear'));
        else if (what === 'clear: refuse') pending.resolve({ type: 'refused', result: resultOf(pending.requestId, 'interrupted') });
        else {
          this.of(pending.requestId).cleared = true;
          pending.resolve({ type: 'start' });
        }
        return;
      }
      case 'execute: succeed':
        return this.executions[0]?.resolve(resultOf(this.executions[0].requestId, 'success'));
      case 'execute: fail, and ask':
        return this.executions[0]?.resolve({ type: 'concluded', result: resultOf(this.executions[0].requestId, 'error'), ask: true });
      case 'execute: fail':
        return this.executions[0]?.reject(new Error('execute'));
      case 'record':
        return this.records.shift()?.resolve();
      case 'record: fail':
        return this.records.shift()?.reject(new Error('record'));
      case 'edit':
      case 'grant':
      case 'allow':
      case 'allow what was shown before':
      case 'deny': {
        const waiting = this.state.context.calls.filter(({ status, edit }) => status === 'awaiting_approval' && !edit?.checking);
        const call = pick(waiting) ?? pick(this.state.context.calls);
        if (!call) return;
        const { requestId } = call;
        const { digests } = this.of(requestId);
        const digest = digests.at(-1) ?? 'none';
        if (what === 'deny') {
          this.chart.send({ type: 'user.deny', requestId, digest, result: resultOf(requestId, 'denied') });
        } else if (what === 'edit') {
          this.chart.send({ type: 'user.edit', requestId, digest, args: {} });
        } else if (what === 'allow what was shown before') {
          this.chart.send({ type: 'user.allow', requestId, digest: digests.at(-2) ?? 'digest of another' });
        } else {
          if (waiting.includes(call)) this.of(requestId).allowed += 1;
          if (what === 'grant') this.chart.send({ type: 'call.granted', call: { requestId, toolName: 'tool', digest } as Call });
          else this.chart.send({ type: 'user.allow', requestId, digest });
        }
      }
    }
  }

  /** What holds at every moment. */
  verify(): void {
    const { context, children, status } = this.state;
    expect(status).to.equal('active');
    expect(this.readers.length, 'requests in flight').to.be.at.most(1);
    if (this.readers.length > 0) expect(phaseOf(this.state.value)).to.be.oneOf(['plan', 'respond']);
    expect(this.running, 'tools that run at once').to.be.at.most(1);
    for (const [requestId, { verdict, allowed, cleared, effects, ends, replyEnded }] of this.facts) {
      // Once; and once more for each time that a person looked at a failure and let it run again.
      expect(effects, `effects of ${requestId}`).to.be.at.most(Math.max(1, allowed + (verdict === 'allow' ? 1 : 0)));
      expect(ends, `ends of ${requestId}`).to.be.at.most(1);
      if (effects === 0) continue;
      expect(verdict === 'allow' || (verdict === 'ask' && allowed > 0), `${requestId} was allowed`).to.equal(true);
      expect(cleared, `${requestId} was written down`).to.equal(true);
      expect(replyEnded, `the reply of ${requestId} had ended`).to.equal(true);
    }
    expect(this.turnsBegun - this.turnsEnded).to.equal(context.turn ? 1 : 0);
    expect(context.turn?.iterations ?? 0).to.be.at.most(settings.maxIterations);
    if (!this.state.matches({ talk: 'idle' })) return;
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

const steps = [
  ...([
    'send',
    'found',
    'found',
    'found',
    'broken',
    'ended',
    'ended',
    'ended',
    'cut',
    'failed',
    'failed, again',
    'time',
    'retry',
    'run tool',
  ] as const),
  ...(['check: allow', 'check: allow', 'check: ask', 'check: ask', 'check: refuse', 'check: fail'] as const),
  ...(['clear: start', 'clear: start', 'clear: start', 'clear: refuse', 'clear: fail'] as const),
  ...(['execute: succeed', 'execute: succeed', 'execute: fail', 'execute: fail, and ask', 'record', 'record', 'record: fail'] as const),
  ...(['allow', 'allow', 'grant', 'edit', 'allow what was shown before', 'deny', 'stop', 'clear'] as const),
];
type Step = (typeof steps)[number];

const settle = async () => {
  for (let at = 0; at < 8; at++) await Promise.resolve();
};

/** Effects that a walk has seen, so that it is known to have gone somewhere. */
let effectsSeen = 0;

const walks = (sabotage: Sabotage = {}) =>
  fc.asyncProperty(
    fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(5)), { minLength: 60, maxLength: 150, size: 'max' }),
    async (walk) => {
      const one = new Walk(sabotage);
      try {
        one.act('send', 0);
        for (const [what, which] of walk) {
          one.act(what, which);
          await settle();
          one.verify();
        }
        one.act('stop', 0);
        expect(one.state.value.talk).to.equal('idle');
        await settle();
        one.verify();
        const effects = () => [...one.facts.values()].reduce((sum, facts) => sum + facts.effects, 0);
        const before = effects();
        effectsSeen += before;
        // Whatever was still on its way arrives; nothing starts.
        for (let at = 0; at < 5; at++)
          for (const what of steps.filter((step) => /^(check|clear:|execute|record|allow|time)/.test(step))) one.act(what, at);
        await settle();
        one.verify();
        expect(effects()).to.equal(before);
      } finally {
        one.chart.stop();
      }
    },
  );

describe('random walks through a conversation', function () {
  this.timeout(120_000);
  const seed = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

  it(`keep every promise, 1,000 times (SEED=${String(seed)})`, async () => {
    effectsSeen = 0;
    await fc.assert(walks(), { numRuns: 1000, seed });
    expect(effectsSeen, 'tools that ran').to.be.above(150);
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
