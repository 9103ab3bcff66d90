/** Sessions and streams of the older era, when a server is started again, closes its streams, or asks by another way. */
import { expect } from 'chai';
import { before } from 'mocha';
import { fullEnglish } from '../../src/i18n/en.js';
import type { McpOptions } from '../../src/mcp/index.js';
import { until } from '../conversation/talk.js';
import { answersTo, callsOf, event, failure, json, listening, question, streaming, text, tool, useConnections } from './connected.js';
import { everything, legacy, modern, type Answer } from './servers.js';

/** Knows one session; `restart` forgets it. Anything in another session is refused by `refuse`. */
function restartable(refuse: Answer, list: () => object[] = () => [tool()]) {
  let sessions = 0;
  let current = '';
  const inSession =
    (answer: Answer): Answer =>
    (asked, response) =>
      (asked.headers['mcp-session-id'] === current ? answer : refuse)(asked, response);
  const answers: Record<string, Answer> = {
    ...legacy(),
    initialize: (_, response) => {
      response.setHeader('mcp-session-id', (current = `session-${String((sessions += 1))}`));
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'Old' } };
    },
    'tools/list': inSession(() => ({ tools: list() })),
    'tools/call': inSession(() => text('done')),
    ping: () => ({}),
  };
  return { answers, sessions: () => sessions, restart: () => (current = 'none') };
}

const refusing =
  (status: number, body = '', type = 'application/json'): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
const rpc = (code: number, message: string) => json({ id: null, error: { code, message } });

describe('an MCP server that is started again', () => {
  before(() => fullEnglish());
  const { open, connected, own } = useConnections();

  const LOST: Record<string, Answer> = {
    'the status of the standard': refusing(404),
    'the words of the reference server': refusing(400, rpc(-32_000, 'Bad Request: No valid session ID provided')),
    'a server that was not initialized': refusing(400, rpc(-32_000, 'Bad Request: Server not initialized')),
    'plain words': refusing(400, 'Invalid session ID', 'text/plain'),
    'no words': refusing(400),
    'a status of its own': refusing(422, 'Unexpected message, expect initialize request', 'text/plain'),
    'another shape': refusing(401, '{"error":"Session not found"}'),
  };
  for (const [what, refuse] of Object.entries(LOST))
    it(`begins a new session, lists its tools and sends the call once more: ${what}`, async () => {
      const { answers, restart, sessions } = restartable(refuse);
      const { run, server, connection } = await own(answers);
      restart();
      expect(await Promise.all([run('wipe'), run('wipe')])).to.deep.equal(['done', 'done']);
      expect(await run('wipe')).to.equal('done');
      const lists = server.asked.filter(({ method }) => method === 'tools/list').length;
      expect([sessions(), lists, callsOf(server).length, connection.tools]).to.deep.equal([2, 2, 5, ['wipe']]);
    });

  it('sends no call again that may have begun, that was refused for another reason, or whose tool has changed', async () => {
    const MAYBE: Record<string, Answer> = {
      gateway: refusing(502, 'session not found', 'text/plain'),
      said: ({ id }) => void id,
      stream: (_, response) => void streaming(response).end('id: 1\ndata: \n\n'),
    };
    MAYBE['said'] = ({ id }, response) => void response.end(json({ id, error: { code: -32_000, message: 'Session not found' } }));
    for (const [what, refuse] of Object.entries(MAYBE)) {
      const { answers, restart } = restartable(refuse);
      const { run, server } = await own({ ...answers, GET: refusing(400, rpc(-32_000, 'No valid session ID')) });
      restart();
      expect(await failure(run('wipe')), what).to.be.instanceOf(Error);
      expect(callsOf(server), what).to.have.length(1);
      // It is of use again afterwards.
      if (what !== 'stream') expect(await run('wipe'), what).to.equal('done');
    }

    const other = restartable(refusing(400, rpc(-32_602, 'Unknown argument')));
    const refused = await own(other.answers);
    other.restart();
    expect(String(await failure(refused.run('wipe')))).to.include('Unknown argument');
    expect([other.sessions(), callsOf(refused.server).length]).to.deep.equal([1, 1]);

    let description = 'Wipes the board';
    const changed = restartable(refusing(404), () => [tool({ description })]);
    const { run, server } = await own(changed.answers);
    description = 'Wipes the disk';
    changed.restart();
    expect(String(await failure(run('wipe')))).to.include('no longer the same');
    expect(callsOf(server)).to.have.length(1);
  });

  it('may speak the newer era then, and is waited for when it is not there yet', async () => {
    const { answers, restart } = restartable(refusing(404));
    let isDown = false;
    const fetch: McpOptions['fetch'] = (...given) => (isDown ? Promise.reject(new TypeError('fetch failed')) : globalThis.fetch(...given));
    const { run, server } = await own(answers, { fetch });
    restart();
    isDown = true;
    expect(String(await failure(run('wipe')))).to.include('could not be reached');
    isDown = false;
    Object.assign(answers, modern(), { 'tools/list': () => ({ tools: [tool()] }) });
    answers['tools/call'] = ({ headers }, response) =>
      headers['mcp-session-id'] === undefined
        ? text('new era')
        : refusing(400, rpc(-32_000, 'Bad Request: no such session'))(headers as never, response);
    expect(await run('wipe')).to.equal('new era');
    expect(server.asked.at(-1)?.headers['mcp-protocol-version']).to.equal('2026-07-28');
  });

  it('works on where it is one of somebody else', async () => {
    const first = await everything();
    const { run, connection } = await connected(first.url);
    expect(await run('echo', { message: 'one' })).to.equal('Echo: one');
    await first.stop();
    expect(await failure(run('echo', { message: 'none' }))).to.be.instanceOf(Error);
    const second = await everything(Number(new URL(first.url).port));
    open.push(() => second.stop());
    expect(await run('echo', { message: 'two' })).to.equal('Echo: two');
    expect(connection.tools).to.include('echo');
  });
});

describe('the streams of an MCP server', () => {
  before(() => fullEnglish());
  const { own } = useConnections();

  const pauses: [retry: string, times: number, pause: number][] = [
    ['retry: 120\n', 6, 120],
    ['retry: 0\n', 6, 100],
    ['', 1, 1000],
  ];
  for (const [retry, times, pause] of pauses)
    it(`are taken up again as often as they bring something, each after ${pause} ms where the server says ${retry || 'nothing'}`, async () => {
      const tries: number[] = [];
      const { run, server } = await own({
        ...{ ...legacy(), 'tools/list': () => ({ tools: [tool()] }) },
        'tools/call': (_, response) => void streaming(response).end(`id: e-0\n${retry}data: \n\n`),
        GET: ({ headers }, response) => {
          const from = headers['last-event-id'];
          if (from === undefined) return void response.writeHead(405).end();
          tries.push(performance.now());
          const isLast = from === `e-${String(times)}`;
          const result = text(`after ${String(from)}`);
          streaming(response).end(isLast ? event({ id: callsOf(server).at(-1)?.id, result }) : `id: e-${String(tries.length)}\ndata: \n\n`);
        },
      });
      expect(await run('wipe')).to.equal(`after e-${String(times)}`);
      expect(tries).to.have.length(times + 1);
      expect(tries[times]! - tries[0]!).to.be.above(times * (pause - 2));
    });

  it('are given up after three that bring nothing', async () => {
    let tries = 0;
    const { run } = await own({
      ...{ ...legacy(), 'tools/list': () => ({ tools: [tool()] }) },
      'tools/call': (_, response) => void streaming(response).end('id: e-0\nretry: 1\ndata: \n\n'),
      GET: ({ headers }, response) => {
        if (headers['last-event-id'] !== undefined) tries += 1;
        if (headers['last-event-id'] !== undefined) streaming(response).end();
        else response.writeHead(405).end();
      },
    });
    expect(String(await failure(run('wipe')))).to.include('It may have gone through');
    expect(tries).to.equal(3);
  });

  it('bring questions by the one that is open all the time, also where the list of tools never changes', async () => {
    const { heard, GET } = listening();
    const { run, server } = await own(
      {
        ...{ ...legacy(), 'tools/list': () => ({ tools: [tool()] }) },
        GET,
        'tools/call': async () => {
          heard[0]?.(event({ id: 'q', ...question() }));
          await until(() => answersTo(server).length === 1, 'the answer');
          return text(JSON.stringify((answersTo(server)[0] as { result: object }).result));
        },
      },
      { elicit: () => Promise.resolve({ action: 'accept', content: { which: 'this' } }) },
    );
    await until(() => heard.length > 0, 'the stream');
    expect(await run('wipe')).to.equal('{"action":"accept","content":{"which":"this"}}');
  });
});

describe('a call that needs the user to visit a page first', () => {
  before(() => fullEnglish());
  const { own } = useConnections();
  const needed = (id: unknown, ...ids: string[]) =>
    json({ id, error: { code: -32_042, message: 'Sign in', data: { elicitations: ids.map((elicitationId) => page(elicitationId)) } } });
  const page = (elicitationId: string) => ({ mode: 'url', elicitationId, url: `https://pay.test/${elicitationId}`, message: 'Please pay' });
  const list = { 'tools/list': () => ({ tools: [tool()] }) };

  it('asks once for each page, and is made again when the server says that the user is through', async () => {
    const asked: string[] = [];
    let hasPaid = false;
    const { heard, GET } = listening();
    const { run, server } = await own(
      {
        ...{ ...legacy(), ...list },
        GET,
        'tools/call': ({ id }, response) => {
          if (hasPaid) return text('paid');
          response.end(needed(id, 'a', 'b'));
          if (callsOf(server).length < 2) return undefined;
          hasPaid = true;
          heard[0]?.(event({ method: 'notifications/elicitation/complete', params: { elicitationId: 'b' } }));
          return undefined;
        },
      },
      { elicit: ({ url, mode }) => (asked.push(`${mode} ${String(url)}`), Promise.resolve({ action: 'accept' })) },
    );
    await until(() => heard.length > 0, 'the stream');
    expect(await run('wipe')).to.equal('paid');
    expect(asked).to.deep.equal(['url https://pay.test/a', 'url https://pay.test/b']);
    expect(callsOf(server)).to.have.length(3);
  });

  it('fails in words when the user does not open it, or is not there, and ends when the call is stopped', async () => {
    const answers = { ...modern(), ...list, 'tools/call': (({ id }, response) => void response.end(needed(id, 'a'))) as Answer };
    const declined = await own(answers, { elicit: () => Promise.resolve({ action: 'decline' }) });
    expect(String(await failure(declined.run('wipe')))).to.include('was not opened');
    const alone = await own(answers);
    expect(String(await failure(alone.run('wipe')))).to.include('Sign in');
    const stopped = await own(answers, { elicit: () => Promise.resolve({ action: 'accept' }) });
    const run = stopped.run('wipe', {}, { signal: AbortSignal.timeout(100) });
    expect(await failure(run)).to.have.property('name', 'TimeoutError');
    expect(callsOf(stopped.server)).to.have.length(2);
  });
});
