/** `readReply` against a server that fails on request: splitting, hangs, statuses, redirects, lies. No clock runs by itself. */
import { expect } from 'chai';
import { readReply } from '../../src/transports/read-reply.js';
import type { ReplyOutcome, ReplyRequest } from '../../src/transports/reply-request.js';
import { isInPieces } from '../helpers/cost.js';
import { createFaultServer, type LoggedRequest } from '../helpers/fault-server/fault-server.mjs';
import { createClock, until } from './clock.js';
import { requestFor } from './reply.js';

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

interface Options extends Partial<ReplyRequest> {
  query: string;
  hangs?: boolean;
}

async function ask({ query, hangs, ...overrides }: Options): Promise<Run> {
  const clock = createClock();
  const run = { text: '', warnings: [] as string[] };
  const request = requestFor({
    endpoint: `${origin}/api/ai/chat/stream?wire=cutie&${query}`,
    fetch,
    setTimer: clock.setTimer,
    ...overrides,
  });
  let over = false;
  const asked = readReply(request, {
    event(event) {
      if (event.type === 'text') run.text += event.text;
    },
    warn: (message) => void run.warnings.push(message),
  }).finally(() => (over = true));
  if (hangs) {
    await until(() => over || run.text !== '');
    while (!over) {
      await clock.pass(1_000);
      await new Promise(setImmediate);
    }
  }
  const outcome = await asked;
  await clock.pass(1_000); // what a complete answer has to end by itself
  expect(clock.timers.size).to.equal(0);
  return { ...run, outcome };
}

const ended = { type: 'ended', finish: 'stop', proof: 'proved' };
const kindOf = ({ outcome }: Run) => ('error' in outcome ? outcome.error.kind : outcome.type);
const withText = (query: string, text = CALL) => `${query}&text=${encodeURIComponent(text)}`;

/** The server sees the close. */
async function closedByClient(): Promise<LoggedRequest> {
  await until(() => Boolean(faults.log.at(-1)?.clientClosed));
  return faults.log.at(-1)!;
}

describe('byte splitting', () => {
  const eols = ['lf', 'crlf', 'cr', 'mixed'];
  for (const query of [
    ...['whole', 'byte', 'utf8mid', 'crlfmid', 'rand:7'].flatMap((chunk) =>
      eols.map((eol) => `eol=${eol}&chunk=${chunk}&gap=${chunk === 'byte' ? -1 : 0}`),
    ),
    ...['fields', 'nospace', 'multidata', 'nul', 'emptydata', 'ids', 'retry0,retryhuge', 'named', 'proto', 'badutf8'].map(
      (noise) => `noise=${noise}&chunk=rand:3`,
    ),
    ...['bom=1', 'comments=1', 'tail=afterdone', 'tail=dupdone', 'tail=garbage', 'tail=nofinalblank', 'ctype=omit', 'gzip=1', 'len=exact'],
    ...['noise=badjson', 'noise=html'],
  ])
    it(`changes nothing: ${query}`, async () => {
      const { outcome, text, warnings } = await ask({ query: withText(query) });
      expect(outcome).to.deep.equal(ended);
      expect(text).to.equal(CALL);
      if (/badjson|html|eol/.test(query)) expect(warnings).to.have.length(query.startsWith('eol') ? 0 : 1);
      expect(({} as { polluted?: unknown }).polluted).to.equal(undefined);
    });
});

describe('giants and floods', () => {
  for (const giant of ['line:10485760', 'line:10485760&noend=1', 'comment:10485760', 'event:10485760', 'text:10485760'])
    it(`huge=${giant} is given up early`, async () => {
      expect(kindOf(await ask({ query: `huge=${giant}` }))).to.equal('too-large');
      expect((await closedByClient()).bytes).to.be.below(10_485_760);
    });

  it('of an unknown field are skipped; a smaller limit is heeded', async () => {
    expect((await ask({ query: 'huge=field:10485760' })).outcome).to.deep.equal(ended);
    expect(kindOf(await ask({ query: 'huge=line:200000', lineChars: 50_000 }))).to.equal('too-large');
    expect(kindOf(await ask({ query: 'huge=line:200000', lineChars: 500_000 }))).to.equal('ended');
  });

  for (const query of ['flood=100000', 'flood=100000&floodkind=data'])
    it(`G112 ${query} leaves the host responsive`, async () => {
      const reads = async () => {
        const { outcome, text } = await ask({ query: withText(query) });
        expect([outcome, text]).to.deep.equal([ended, CALL]);
      };
      expect(await isInPieces(reads)).to.equal(true);
    });
});

describe('connections', () => {
  for (const redirect of ['same', 'cross', 'loop', '303'])
    it(`B41 are not redirected (${redirect}): one request, nothing repeated elsewhere`, async () => {
      expect(kindOf(await ask({ query: `redirect=${redirect}` }))).to.equal('redirect');
      expect(faults.log.filter(({ url }) => url.startsWith('/api/'))).to.have.length(1);
      expect(faults.exfil).to.have.length(0);
    });

  it('are all closed after many failures', async () => {
    const isOpen = (request: LoggedRequest) =>
      !request.finished && request.clientClosed === null && !/aborted|closed/.test(request.note ?? '');
    for (let round = 0; round < 5; round++) for (const query of ['status=500', 'abort=100', 'linger=1']) await ask({ query });
    expect(await ask({ query: 'hang=3&tok=4', hangs: true })).to.have.nested.property('outcome.type', 'cut');
    await until(() => !faults.log.some(isOpen));
  });
});
