/** `readReply` against a server that fails on request: splitting, truncation, hangs, statuses, redirects, lies. */
import { expect } from 'chai';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { cutie } from '../../src/transports/cutie.js';
import { readReply } from '../../src/transports/read-reply.js';
import type { ReplyRequest } from '../../src/transports/reply-request.js';
import type { ReplyOutcome } from '../../src/transports/reply-request.js';
import { nextRetry, retryTables } from '../../src/transports/retry.js';
import type { RetryTable } from '../../src/transports/retry.js';
import type { Wire } from '../../src/transports/wire.js';
import { createFaultServer } from '../helpers/fault-server/fault-server.mjs';
import type { LoggedRequest } from '../helpers/fault-server/fault-server.mjs';

const CALL =
  'I’ll do it — 好的 🌍.\n<tool_use>\n<invoke name="create_task">\n<parameter name="title">交周报 👨‍👩‍👧 「始」</parameter>\n</invoke>\n</tool_use>\nDone.';

const faults = createFaultServer();
let origin = '';

before(async () => {
  origin = `http://127.0.0.1:${(await faults.listen()).port}`;
});
after(() => faults.close());
beforeEach(() => void (faults.log.length = 0));

interface Run {
  outcome: ReplyOutcome;
  text: string;
  warnings: string[];
}

type Options = Partial<ReplyRequest> & { query: string };

async function ask({ query, ...overrides }: Options): Promise<Run> {
  const run = { text: '', warnings: [] as string[] };
  const request: ReplyRequest = {
    wire: cutie,
    endpoint: `${origin}/api/ai/chat/stream?wire=cutie&${query}`,
    turn: { messages: [{ role: 'user', text: 'hi' }], system: '', maxTokens: 2000, stream: true },
    fetch: globalThis.fetch,
    signal: new AbortController().signal,
    requestTimeout: 2000,
    heartbeat: 1000,
    ...overrides,
  };
  const outcome = await readReply(request, {
    event(event) {
      if (event.type === 'text') run.text += event.text;
    },
    warn: (message) => void run.warnings.push(message),
  });
  return { ...run, outcome };
}

/** Asks again as the table says, as the conversation does; waits are a tenth as long. */
async function askPatiently(options: Options, table: RetryTable = retryTables.balanced, scale = 0.1): Promise<Run & { waits: number[] }> {
  const made = { network: 0, server: 0 };
  const waits: number[] = [];
  for (;;) {
    const run = await ask(options);
    const next = run.outcome.type === 'failed' ? nextRetry(table, made, run.outcome) : null;
    if (!next) return { ...run, waits };
    made[next.class] += 1;
    waits.push(next.delayMs);
    await sleep(next.delayMs * scale);
  }
}

const ended = { type: 'ended', finish: 'stop', proof: 'proved' };
const kindOf = ({ outcome }: Run) => ('error' in outcome ? outcome.error.kind : outcome.type);
const withText = (query: string, text = CALL) => `${query}&text=${encodeURIComponent(text)}`;
const isChat = ({ url }: LoggedRequest) => url.startsWith('/api/');

/** The server sees the close within a second (S0-88). */
async function closedByClient(): Promise<LoggedRequest> {
  for (const until = Date.now() + 1000; Date.now() < until; await sleep(5)) {
    const request = faults.log.at(-1);
    if (request?.clientClosed) return request;
  }
  throw new Error('the client did not close');
}

describe('byte splitting', () => {
  for (const eol of ['lf', 'crlf', 'cr', 'mixed']) {
    for (const chunk of ['whole', 'byte', 'utf8mid', 'crlfmid', 'rand:7']) {
      it(`reads the same with ${eol} line ends, cut ${chunk}`, async () => {
        const { outcome, text, warnings } = await ask({ query: withText(`eol=${eol}&chunk=${chunk}&gap=${chunk === 'byte' ? -1 : 0}`) });
        expect(outcome).to.deep.equal(ended);
        expect(text).to.equal(CALL);
        expect(warnings).to.deep.equal([]);
      });
    }
  }

  for (const query of [
    'bom=1',
    'comments=1',
    'noise=fields',
    'noise=nospace',
    'noise=multidata',
    'noise=nul',
    'noise=emptydata',
    'noise=ids',
    'noise=retry0,retryhuge',
    'noise=named',
    'noise=proto',
    'noise=badutf8',
    'tail=afterdone',
    'tail=dupdone',
    'tail=garbage',
    'ctype=omit',
    'gzip=1',
    'len=exact',
  ]) {
    it(`is not disturbed by ${query}`, async () => {
      const { outcome, text } = await ask({ query: withText(`${query}&chunk=rand:3`) });
      expect(outcome).to.deep.equal(ended);
      expect(text).to.equal(CALL);
      expect(({} as { polluted?: unknown }).polluted).to.equal(undefined);
    });
  }

  for (const noise of ['badjson', 'html']) {
    it(`leaves out a frame of ${noise}, warns once and reads on`, async () => {
      const { outcome, text, warnings } = await ask({ query: withText(`noise=${noise}`) });
      expect(outcome).to.deep.equal(ended);
      expect(text).to.equal(CALL);
      expect(warnings).to.have.length(1);
    });
  }
});

/** Every truncation of the stream: what came is a beginning of the answer, and it is never taken for the whole. */
async function truncations(wire: Wire, how: 'close' | 'abort'): Promise<string[]> {
  const wrong: string[] = [];
  const total = (await ask({ query: withText('tok=8'), wire }), faults.log.at(-1)!.bytes);
  for (let at = 0; at < total; at += 50) {
    const { outcome, text } = await ask({ query: withText(`tok=8&${how}=${at}`), wire });
    if (!CALL.startsWith(text)) wrong.push(`${at}: other text`);
    const expected = text === '' ? 'failed' : 'cut';
    if (outcome.type !== expected) wrong.push(`${at}: ${outcome.type} instead of ${expected}`);
  }
  return wrong;
}

describe('truncation', () => {
  it('by a clean close is never an end, wherever it falls', async () => expect(await truncations(cutie, 'close')).to.deep.equal([]));
  it('by a broken socket is never an end, wherever it falls', async () => expect(await truncations(cutie, 'abort')).to.deep.equal([]));

  it('is noticed by these tests: a reader that takes a close for an end fails them', async () => {
    const gullible: Wire = {
      ...cutie,
      createReader(emit, response) {
        const reader = cutie.createReader(emit, response);
        return {
          push: (bytes) => reader.push(bytes),
          end(how) {
            reader.end(how);
            if (how === 'close') emit({ type: 'finish', finish: 'stop', proved: true });
          },
        };
      },
    };
    expect(await truncations(gullible, 'close')).to.have.length.above(5);
  });

  it('in the middle of a character shows no replacement character', async () => {
    const { outcome, text } = await ask({ query: withText('midutf8=1', 'plain 好的') });
    expect(outcome.type).to.equal('cut');
    expect(text).not.to.include('\uFFFD');
  });

  it('without a final blank line drops the half event', async () => {
    const { outcome, text } = await ask({ query: withText('tail=nofinalblank') });
    expect(outcome.type).to.equal('cut');
    expect(text).to.equal(CALL);
  });

  it('without an end mark is a cut', async () => {
    for (const query of ['finish=none', 'tail=nodone']) expect((await ask({ query: withText(query) })).outcome.type).to.equal('cut');
  });

  it('B31 by a reset is a cut', async () => {
    const { outcome, text } = await ask({ query: withText('abort=300&rst=1&tok=8') });
    expect(outcome.type === 'cut' && outcome.error.code).to.equal('STREAM_CUT');
    expect(CALL.startsWith(text) && text !== '').to.equal(true);
  });

  it('is told by its finish reason when the length was too small', async () => {
    expect((await ask({ query: 'finish=length' })).outcome).to.deep.equal({ type: 'ended', finish: 'length', proof: 'proved' });
  });

  it('by a content length that is too long is a stall or a cut', async () => {
    const run = await ask({ query: 'len=long&finish=none' });
    expect(['cut', 'stall']).to.include(kindOf(run));
  });

  it('of a compressed body settles', async () => {
    for (const query of ['gzip=trunc', 'gzip=lie']) expect(['failed', 'cut']).to.include((await ask({ query })).outcome.type);
  });
});

describe('the end', () => {
  it('is the end mark: the client closes, the server need not', async () => {
    const { outcome } = await ask({ query: 'linger=1' });
    expect(outcome).to.deep.equal(ended);
    await closedByClient();
  });

  it('can come early: what follows it is not shown', async () => {
    const { outcome, text } = await ask({ query: withText('tail=doneearly') });
    expect(outcome).to.deep.equal(ended);
    expect(CALL.startsWith(text) && text.length < CALL.length).to.equal(true);
  });

  it('is failed after an error event, and no key is in what it says', async () => {
    const run = await ask({ query: withText('noise=errorevent') });
    expect(run.outcome).to.deep.include({ type: 'failed', afterFirstEvent: true, retry: 'none' });
    expect(JSON.stringify(run.outcome)).not.to.include('sk-SECRET');
    expect(CALL.startsWith(run.text) && run.text !== '').to.equal(true);
  });

  it('is read from a JSON answer', async () => {
    const { outcome, text } = await ask({
      query: `wire=json&text=${encodeURIComponent(CALL)}`,
      endpoint: `${origin}/api/x?wire=json&text=${encodeURIComponent(CALL)}`,
    });
    expect(outcome).to.deep.equal(ended);
    expect(text).to.equal(CALL);
  });

  it('is none when a web page answers', async () => {
    expect(kindOf(await ask({ query: 'ctype=text/html' }))).to.equal('bad-response');
  });
});

describe('giants and floods', () => {
  for (const query of [
    'huge=line:10485760',
    'huge=line:10485760&noend=1',
    'huge=comment:10485760',
    'huge=event:10485760',
    'huge=text:10485760',
  ]) {
    it(`gives up early at ${query}`, async () => {
      const { run, worstMs } = await watched(() => ask({ query }));
      expect(kindOf(run)).to.equal('too-large');
      expect(worstMs).to.be.below(200);
      expect((await closedByClient()).bytes).to.be.below(10_485_760);
    });
  }

  it('skips a giant line of an unknown field, bounded', async () => {
    const { run } = await watched(() => ask({ query: 'huge=field:10485760' }));
    expect(run.outcome).to.deep.equal(ended);
  });

  it('takes a smaller limit', async () => {
    expect(kindOf(await ask({ query: 'huge=line:200000', lineChars: 50_000 }))).to.equal('too-large');
    expect(kindOf(await ask({ query: 'huge=line:200000', lineChars: 500_000 }))).to.equal('ended');
  });

  for (const query of ['flood=100000', 'flood=100000&floodkind=data']) {
    it(`G112 keeps the host responsive under ${query}`, async () => {
      const { run, worstMs } = await watched(() => ask({ query: withText(query) }));
      expect(run.outcome).to.deep.equal(ended);
      expect(run.text).to.equal(CALL);
      expect(worstMs).to.be.below(200);
    });
  }
});

async function watched(work: () => Promise<Run>): Promise<{ run: Run; worstMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const run = await work();
  delay.disable();
  return { run, worstMs: delay.max / 1e6 };
}

describe('hangs', () => {
  const quick = { requestTimeout: 150, heartbeat: 80 };

  it('before headers time out, and the request is closed', async () => {
    const run = await ask({ query: 'hang=connect', ...quick });
    expect(run.outcome).to.deep.include({ type: 'failed', retry: 'network' });
    expect(kindOf(run)).to.equal('timeout');
    await closedByClient();
  });

  it('after headers count as before the first event', async () => {
    const dropped = await ask({ query: 'hang=first', requestTimeout: 1000, heartbeat: 40 });
    expect(dropped.outcome).to.deep.include({ type: 'failed', retry: 'network', afterFirstEvent: false });
    await closedByClient();
    const atWork = await ask({ query: 'hang=first', ...quick });
    expect(atWork.outcome).to.deep.include({ type: 'failed', retry: 'none', afterFirstEvent: false });
    await closedByClient();
  });

  it('after some events are a stall: the text stays', async () => {
    const run = await ask({ query: withText('hang=3&tok=4'), ...quick });
    expect([run.outcome.type, kindOf(run), run.text.length > 0]).to.deep.equal(['cut', 'stall', true]);
    await closedByClient();
  });

  it('do not hide behind a steady stream of bytes', async () => {
    const run = await ask({ query: 'noise=emptydata&comments=1&chunk=byte&gap=20&delay=0&text=', requestTimeout: 150, heartbeat: 80 });
    expect(kindOf(run)).to.equal('timeout');
  });

  it('end at once when the person stops', async () => {
    const stop = new AbortController();
    const asked = ask({ query: 'hang=connect', signal: stop.signal });
    for (const until = Date.now() + 1000; Date.now() < until && faults.log.length === 0;) await sleep(5);
    stop.abort();
    expect((await asked).outcome).to.deep.equal({ type: 'aborted' });
    await closedByClient();
  });
});

describe('statuses', () => {
  for (const [status, kind] of Object.entries({
    400: 'bad-request',
    401: 'unauthorised',
    403: 'forbidden',
    404: 'not-found',
    413: 'too-long',
    422: 'bad-request',
  })) {
    it(`${status} is a ${kind}, asked once`, async () => {
      const run = await askPatiently({ query: `status=${status}` });
      expect(run.outcome.type === 'failed' && run.outcome.error).to.deep.include({ kind, status: Number(status) });
      expect(faults.log).to.have.length(1);
    });
  }

  for (const status of [409, 429, 500, 502, 503, 504, 529, 408]) {
    it(`${status} once is asked again and then answered`, async () => {
      const run = await askPatiently({ query: withText(`status=${status}&times=1&key=${Math.random()}`) });
      expect(run.outcome).to.deep.equal(ended);
      expect(run.text).to.equal(CALL);
      expect(faults.log).to.have.length(2);
    });
  }

  it('503 for ever is asked three times, with growing gaps; under cutie-xml, too', async () => {
    const run = await askPatiently({ query: 'status=503' });
    expect(run.waits).to.have.length(2);
    expect(run.waits[0]).to.be.within(800, 1200);
    expect(run.waits[1]).to.be.within(1600, 2400);
    expect(faults.log).to.have.length(3);
    await askPatiently({ query: 'status=503' }, retryTables['cutie-xml']);
    expect(faults.log).to.have.length(6);
    await askPatiently({ query: 'status=429' }, retryTables['cutie-xml']);
    expect(faults.log).to.have.length(7);
  });

  it('B34 429 waits as long as it is told to', async () => {
    const run = await askPatiently({ query: `status=429&retryafter=1&times=1&key=${Math.random()}` }, retryTables.balanced, 1);
    expect(run.outcome).to.deep.equal(ended);
    expect(faults.log[1]!.t - faults.log[0]!.t).to.be.within(990, 2000);
  });

  it('429 reads dates and milliseconds, leaves out the rest, and does not wait for ever', async () => {
    const hint = async (query: string) => {
      const { outcome } = await ask({ query: `status=429&${query}` });
      return outcome.type === 'failed' ? outcome.retryAfterMs : null;
    };
    expect(await hint('retryafter=date')).to.be.within(1, 2000);
    expect(await hint('retryafterms=250')).to.equal(250);
    for (const bad of ['past', 'bad', '-5']) expect(await hint(`retryafter=${bad}`)).to.equal(undefined);
    const long = await askPatiently({ query: 'status=429&retryafter=3600' });
    expect(long.waits).to.deep.equal([]);
    expect(long.outcome.type === 'failed' && long.outcome.retryAfterMs).to.equal(3_600_000);
  });

  it('503 with x-should-retry: false is asked once', async () => {
    await askPatiently({ query: 'status=503&shouldretry=false' });
    expect(faults.log).to.have.length(1);
  });

  for (const status of [400, 500]) {
    for (const body of ['json', 'html', 'empty', 'huge', 'hang', 'sse']) {
      it(`${status} with a ${body} body settles, and shows nothing of it`, async () => {
        const started = Date.now();
        const { outcome } = await ask({ query: `status=${status}&body=${body}`, requestTimeout: 1500 });
        expect(Date.now() - started).to.be.below(2500);
        expect(outcome.type === 'failed' && outcome.error.status).to.equal(status);
        expect(JSON.stringify(outcome)).not.to.match(/sk-SECRET|__xss|xxx/);
      });
    }
  }
});

describe('connections', () => {
  it('that are refused are asked for four times', async () => {
    // A port that was free a moment ago, and that nobody listens on any more.
    const gone = createFaultServer();
    const { port } = await gone.listen();
    await gone.close();
    const run = await askPatiently({ query: '', endpoint: `http://127.0.0.1:${port}/` }, retryTables.balanced, 0.01);
    expect(run.outcome.type === 'failed' && run.outcome.error.code).to.equal('CONNECT_FAILED');
    expect(run.waits).to.have.length(3);
  });

  it('that break before the first event are asked for again', async () => {
    const run = await askPatiently({ query: withText(`abort=10&times=2&key=${Math.random()}`) });
    expect(run.outcome).to.deep.equal(ended);
    expect(run.text).to.equal(CALL);
    expect(faults.log).to.have.length(3);
  });

  it('that break after it are not', async () => {
    const run = await askPatiently({ query: withText('abort=300&tok=8') });
    expect(run.outcome.type).to.equal('cut');
    expect(faults.log).to.have.length(1);
  });

  for (const redirect of ['same', 'cross', 'loop', '303']) {
    it(`B41 are not redirected (${redirect}): one request, nothing repeated elsewhere`, async () => {
      const run = await askPatiently({ query: `redirect=${redirect}` });
      expect(kindOf(run)).to.equal('redirect');
      expect(faults.log.filter(isChat)).to.have.length(1);
      expect(faults.exfil).to.have.length(0);
    });
  }

  it('are all closed after many failures', async () => {
    for (let round = 0; round < 50; round++)
      await ask({ query: ['status=500', 'hang=first', 'abort=100', 'linger=1'][round % 4]!, heartbeat: 20 });
    for (const until = Date.now() + 1000; Date.now() < until && faults.log.some(isOpen);) await sleep(5);
    expect(faults.log.filter(isOpen)).to.deep.equal([]);
  });
});

function isOpen(request: LoggedRequest): boolean {
  return !request.finished && request.clientClosed === null && !/aborted|closed/.test(request.note ?? '');
}
