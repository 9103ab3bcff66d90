/** When the network or the endpoint fails: what is asked again, when, and what is left for a person. Waits run on a simulated clock. */
import { expect } from 'chai';
import { SimulatedClock } from 'xstate';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { play } from './play.js';
import { call, statuses, talk, until, useFaultServer, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';

/** A conversation whose clock stands still until it is told to go on. */
function stopped(turns: ScriptedTurn[], options: TalkOptions = {}): Talk & { clock: SimulatedClock } {
  const clock = new SimulatedClock();
  return { ...talk(turns, { clock, ...options }), clock };
}

const retrying = (one: Talk) => until(() => one.chat.matchesState('retrying'), 'a retry');

/** The waits between attempts, as long as there are any. Goes through them. */
async function waits(one: Talk & { clock: SimulatedClock }, done: Promise<unknown>): Promise<number[]> {
  let over = false;
  void done.then(() => (over = true));
  const found: number[] = [];
  for (;;) {
    await until(() => over || one.chat.matchesState('retrying'), 'a retry or the end');
    if (over) return found;
    const before = one.requests().length;
    let waited = 0;
    for (; one.chat.matchesState('retrying'); waited += 50) one.clock.increment(50);
    found.push(waited);
    await until(() => over || one.requests().length > before || one.chat.matchesState('retrying'), 'the next attempt');
  }
}

const about = (ms: number, wait: number | undefined) => expect(wait).to.be.within(ms * 0.8 - 50, ms * 1.2 + 50);

describe('retries', () => {
  useFaultServer({ settles: true });

  const thrice = [1000, 2000, 4000];
  const twice = [1000, 2000];
  const attempts: [fault: string, waits: number[], options?: TalkOptions][] = [
    ...['abort=0', 'abort=0&rst=1', 'close=0', 'status=408'].map((fault): [string, number[]] => [fault, thrice]),
    ...[409, 429, 500, 502, 503, 504, 529].map((status): [string, number[]] => [`status=${String(status)}`, twice]),
    ...[400, 401, 403, 404, 413, 422, 501].map((status): [string, number[]] => [`status=${String(status)}`, []]),
    ['status=503&shouldretry=false', []],
    ['status=409', [], { preset: 'cutie-xml' }],
    ['status=429', [], { preset: 'cutie-xml' }],
  ];
  for (const [fault, expected, options] of attempts)
    it(`B31 B32 B37 B38 ${fault}${options ? ' under cutie-xml' : ''}: asks ${String(expected.length)} times more, then tells the person`, async () => {
      const one = stopped([{ text: 'never', q: fault }], options);
      const done = one.send();
      const found = await waits(one, done);
      expect(found).to.have.length(expected.length);
      expected.forEach((ms, at) => about(ms, found[at]));
      const { reason, success, error } = await done;
      expect({ reason, success }).to.deep.equal({ reason: 'error', success: false });
      const status = Number(/status=(\d+)/.exec(fault)?.[1]);
      if (status && status !== 408) expect(error).to.include({ code: 'HTTP_ERROR', status });
      if (expected === thrice) expect(error?.retryable).to.equal(true);
      expect(JSON.stringify([one.events, one.entries, one.chat.messages])).to.not.include('SECRET');
      expect(one.requests()).to.have.length(1 + expected.length);
      expect(one.chat.messages.map(({ role }) => role)).to.deep.equal(['user']);
    });

  it('says that the server cannot be reached when nothing listens', async () => {
    const one = stopped([], { endpoint: 'http://127.0.0.1:9/nothing' });
    const done = one.send();
    for (const attempt of [1, 2, 3]) {
      await until(() => one.view().retry?.attempt === attempt, 'the attempt');
      expect(one.view().retry?.visible).to.equal(attempt > 1);
      one.clock.increment(5000);
    }
    const { error } = await done;
    expect(error).to.include({ code: 'CONNECT_FAILED', message: 'Cannot reach the server', layer: 'network', errorType: 'network' });
  });

  it('B37 answers after one failure as if there had been none, to whoever followed it, too, and asks with fresh headers', async () => {
    let token = 0;
    const headers = () => Promise.resolve({ authorization: `t${String((token += 1))}` });
    const one = stopped([{ text: 'Hello there.', q: 'status=500', times: 1 }], { headers, canaries: false });
    const done = one.send();
    let text = '';
    let ends = 0;
    internalsOf(one.chat).surface.follow(one.chat.messages.at(-1)?.id ?? '', {
      text: (more) => (text += more),
      reasoning() {},
      call() {},
      end: () => (ends += 1),
    });
    await retrying(one);
    expect(one.chat.state).to.equal('plan');
    one.clock.increment(1200);
    expect(await done).to.include({ success: true, text: 'Hello there.' });
    expect({ text, ends }).to.deep.equal({ text: 'Hello there.', ends: 1 });
    expect(one.chat.messages.map(({ role, text: said }) => `${role} ${said}`)).to.deep.equal(['user hello', 'assistant Hello there.']);
    expect(one.chat.error).to.equal(null);
    expect(one.requests().map((request) => request.headers['authorization'])).to.deep.equal(['t1', 't2']);
  });

  it('shows a wait that is too long instead of waiting', async () => {
    const one = stopped([{ text: 'Hello.', q: 'status=429&retryafter=90', times: 1 }]);
    expect((await one.send()).error).to.include({ errorType: 'rate_limit' });
    expect(one.view().failure?.lines).to.deep.equal(['Too many requests, please try again later', 'Try again in 90 s']);
  });
});

describe('silence', () => {
  useFaultServer({ settles: true });

  /** Lets time pass until the turn leaves the state it is in. */
  async function waitingUntil(one: Talk & { clock: SimulatedClock }, leave: () => unknown): Promise<number> {
    let waited = 0;
    for (; !leave() && waited < 120_000; waited += 500) {
      one.clock.increment(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return waited;
  }

  it('B26 gives up on headers that never come, and closes', async () => {
    const one = stopped([{ text: 'never', q: 'hang=connect' }]);
    const done = one.send();
    await until(() => one.requests().length === 1, 'the request');
    const waited = await waitingUntil(one, () => one.chat.matchesState('retrying'));
    expect(waited).to.be.within(59_500, 61_000);
    await until(() => one.requests()[0]?.clientClosed, 'the close');
    one.chat.cancelStream();
    await done;
  });

  it('B27 keeps the text of a reply that stalls, and says so', async () => {
    const one = stopped([{ text: 'Hello, and then nothing.', q: 'hang=2&gap=1' }], { heartbeat: 1000 });
    const done = one.send();
    await until(() => one.chat.streamingText.length >= 14, 'the text');
    await waitingUntil(one, () => one.chat.state === 'idle');
    expect(await done).to.include({ reason: 'cut', text: 'Hello, and th' + 'e' });
    expect([one.chat.error, one.requests().length]).to.deep.equal(['Connection lost', 1]);
    await until(() => one.requests()[0]?.clientClosed, 'the close');
  });

  it('gives up a call that stops growing, and never runs it', async () => {
    const text = call('create_task', { title: 'a title of some length' });
    const one = stopped([{ text, q: 'hang=6&gap=1' }, 'Sorry.'], { blockTimeout: 2000 });
    one.tool('create_task');
    const done = one.send();
    await until(() => one.chat.currentTool?.partial, 'the call');
    expect(await waitingUntil(one, () => one.chat.state === 'idle')).to.be.at.most(3000);
    const { reason, results } = await done;
    expect([reason, results.map(({ code }) => code), one.runs]).to.deep.equal(['cut', ['MALFORMED_CALL'], []]);
  });
});

describe('answers that are none', () => {
  useFaultServer({ settles: true });

  it('shows what the endpoint says inside its stream, without its secrets', async () => {
    const one = stopped([{ text: 'Some text before the error.', q: 'noise=errorevent' }]);
    const { reason, error } = await one.send();
    expect([reason, error?.code]).to.deep.equal(['error', 'ENDPOINT_ERROR']);
    expect(one.view().failure?.lines.join(' ')).to.include('The server had an error').and.not.include('SECRET');
    // S0-39: the state holds the sentence itself, as far as it is safe to show.
    expect(one.chat.error).to.include('The server had an error').and.not.include('SECRET');
    expect(one.chat.messages.at(-1)?.text).to.not.equal('');
  });

  it('runs nothing of a reply that the provider withheld', async () => {
    const one = await play([{ text: call('create_task'), q: 'finish=content_filter' }], 'create_task');
    expect([one.reason, one.runs, statuses(one.results)]).to.deep.equal(['error', [], ['cancelled']]);
  });

  it('says what is wrong with the address, and survives headers that throw', async () => {
    for (const [options, said] of [
      [{ endpoint: '' }, 'No endpoint is set'],
      [{ endpoint: 'not an address' }, 'The endpoint may not allow this site, or its address may be wrong'],
      [{ headers: () => Promise.reject(new Error('no token')) }, ''],
    ] as const) {
      const { error } = await stopped([], options).send();
      expect(error?.code).to.equal('CONFIG');
      expect(error?.message).to.include(said);
    }
  });
});

describe('retryLastMessage', () => {
  useFaultServer({ settles: true });

  it('asks again with one user message', async () => {
    for (const fault of ['status=401', 'status=400', 'abort=120', 'close=150', 'noise=errorevent', 'ctype=text/html&noise=html']) {
      const one = stopped([{ text: 'Hello, this is the answer.', q: fault, times: 1 }], { retries: 'cutie-xml' });
      const failed = await one.send('question');
      expect(failed.success, fault).to.equal(false);
      expect(await one.chat.retryLastMessage(), fault).to.include({ success: true, text: 'Hello, this is the answer.' });
      expect(one.chat.messages.map(({ text }) => text)).to.deep.equal(['question', 'Hello, this is the answer.']);
      expect(one.bodies().at(-1)?.messages, fault).to.deep.equal([{ role: 'user', text: 'question' }]);
      expect(one.chat.error).to.equal(null);
    }
  });

  it('has no tools if the message was sent without, nor have another version and an edit', async () => {
    const one = stopped(['No.', ...Array<string>(3).fill(call('create_task'))]).with({ create_task: 'write' });
    await one.chat.sendMessage('Sum up', { tools: false });
    for (const again of ['retryLastMessage', 'regenerate', 'editMessage'] as const)
      await one.chat[again](one.chat.messages[0]!.id as never, 'x');
    expect([one.requests().length, one.runs]).to.deep.equal([4, []]);
  });

  it('B46 keeps the result of a tool once, and does not run it again', async () => {
    const one = stopped([call('create_task', { title: 'x' }), { text: 'All done.', q: 'status=500', times: 2 }]);
    one.tool('create_task');
    expect(await one.send()).to.include({ reason: 'error' });
    expect(one.requests(), 'no attempt by itself').to.have.length(2);
    const again = one.chat.retryLastMessage();
    await retrying(one);
    expect(one.chat.state).to.equal('respond');
    one.clock.increment(1200);
    expect(await again).to.include({ success: true, text: 'All done.' });
    expect(one.runs).to.have.length(1);
    const { messages } = one.bodies().at(-1)!;
    expect(messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user']);
    expect(messages[2]?.text.match(/<tool_result/g)).to.have.length(1);
  });
});
