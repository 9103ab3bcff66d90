/** The ready relay, as a process of its own. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer, IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { follow } from './ask.js';
import { startUpstream, type Play } from './fake-upstream.js';
import { spawnRelay } from './spawn-relay.js';
import { post } from './use-relays.js';
import { originOf } from '../helpers/http-server.js';
import { until } from './listen.js';
import { openSocket, sendRaw, statusOf } from './raw-http.js';
import { type ConnectionLimits, limitConnections } from '../../src/relay/limit-connections.js';
import { helpText, readCommandLine } from '../../src/relay/flags.js';
import { relayOptionsFromEnv } from '../../src/relay/index.js';
import { optionRows } from '../../src/relay/option-table.js';

const KEY = 'sk-program-test-0123456789';

const answering: Play = (answer) => {
  answer.open();
  answer.chunk('OK');
  answer.end();
};

let runs = 0;

/** The same in this process, where it ends by itself. */
async function run(...args: string[]): Promise<{ code: unknown; said: string }> {
  const { argv, env, exitCode } = process;
  const { log, error } = console;
  let said = '';
  console.log = console.error = (line: string) => void (said += `${line}\n`);
  process.argv = [...argv.slice(0, 2), ...args];
  process.env = { ...env, MODEL_API_KEY: KEY };
  try {
    await import(`../../src/relay/program.ts?run=${(runs += 1)}`);
    return { code: process.exitCode, said };
  } finally {
    Object.assign(console, { log, error });
    Object.assign(process, { argv, env, exitCode });
  }
}

describe('the ready relay', function () {
  this.timeout(30_000);
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  beforeEach(async () => {
    upstream = await startUpstream(answering);
  });
  afterEach(() => upstream.close());

  it('answers until it is told to go, and lets the answer under way end first', async () => {
    let finish = () => {};
    upstream.play(async (answer) => {
      answer.open();
      answer.chunk('one ');
      await new Promise<void>((resolve) => (finish = resolve));
      answer.chunk('two');
      answer.end();
    });
    const relay = spawnRelay(['--base-url', upstream.baseUrl, '--model', 'fake-1', '--port', '0'], { MODEL_API_KEY: KEY });
    const url = await relay.listening();
    const read = follow(await post(url));
    await read.until('one ');
    relay.child.kill('SIGTERM');
    const health = () =>
      fetch(`${url}/healthz`)
        .then(({ status }) => status)
        .catch(() => 0);
    // The signal takes a moment to arrive.
    let now = await health();
    while (now === 200) now = await health();
    expect(now).to.be.oneOf([0, 503]);
    finish();
    expect(await read.until('"type":"done"')).to.contain('two');
    const { code, said } = await relay.ended();
    expect(code).to.equal(0);
    expect(said).to.not.contain(KEY);
  });

  describe('limits connections', () => {
    const get = 'GET /healthz HTTP/1.1\r\nHost: relay.test\r\n\r\n';
    const servers: Server[] = [];
    afterEach(() => servers.splice(0).forEach((server) => (server.closeAllConnections(), server.close())));

    async function limited(onRequest: RequestListener, limits?: ConnectionLimits) {
      const parsed: string[] = [];
      class Parsed extends IncomingMessage {
        constructor(socket: Socket) {
          super(socket);
          parsed.push('');
        }
      }
      const server = createHttpServer({ IncomingMessage: Parsed }, onRequest);
      servers.push(server);
      limitConnections(server, limits);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return { server, parsed, port: (server.address() as AddressInfo).port, url: originOf(server) };
    }
    const ok: RequestListener = (_, response) => void response.end('ok');

    it('ends one that sends requests without waiting for answers, or nothing at all, and no other', async () => {
      const answers: (() => void)[] = [];
      const { server, parsed, url } = await limited((_, response) => void answers.push(() => response.end('ok')), { silentMs: 50 });
      const [silent, slow] = [openSocket(url), openSocket(url)];
      slow.write('GET ');
      await once(silent, 'close');
      expect(slow.destroyed).to.equal(false);
      slow.destroy();
      const flood = openSocket(url);
      flood.write(get.repeat(200));
      await once(flood, 'close');
      expect(answers.splice(0).length, 'requests that were answered').to.equal(4);
      expect(parsed.length, 'requests that were read').to.be.below(15);
      const patient = openSocket(url);
      for (let n = 0; n < 10; n++) {
        const one = once(server, 'request');
        patient.write(get);
        await one;
        answers.pop()!();
        await once(patient, 'data');
      }
      patient.destroy();
    });

    it('counts requests that expect something unknown, too', async () => {
      const { parsed, url } = await limited(ok);
      const expecting = (what: string) => get.replace('Host', `Expect: ${what}\r\nHost`);
      await sendRaw(url, expecting('x').repeat(200));
      expect(parsed.splice(0).length).to.be.below(15);
      expect(statusOf(await sendRaw(url, expecting('x')))).to.equal(417);
      expect(await sendRaw(url, expecting('100-continue'), 200)).to.match(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
    });

    it('lets one client have at most as many as it leaves free, unless all come from a proxy', async () => {
      const refused: string[] = [];
      const fromOne = async (limits: ConnectionLimits) => {
        const { port, server } = await limited(ok, { most: 6, onRefused: () => refused.push(''), ...limits });
        const sockets = Array.from({ length: 5 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => {}));
        await Promise.all(sockets.map((socket) => once(socket, 'connect')));
        const ask = async (localAddress: string) => {
          const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
          socket.write(get);
          return new Promise<string>((resolve) => {
            socket.once('data', () => resolve('answered')).once('close', () => resolve('refused'));
          }).finally(() => socket.destroy());
        };
        const heard = [await ask('127.0.0.1'), await ask('127.0.0.2')];
        for (const socket of sockets) socket.destroy();
        await until(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count === 0))));
        return [...heard, await ask('127.0.0.1')];
      };
      expect(await fromOne({})).to.deep.equal(['refused', 'answered', 'answered']);
      expect(refused.splice(0)).to.have.lengthOf(3);
      expect(await fromOne({ isBehindProxy: true, most: 7 })).to.deep.equal(['answered', 'answered', 'answered']);
      expect(await fromOne({ isBehindProxy: true, most: 5 })).to.deep.equal(['refused', 'refused', 'answered']);
    });

    it('reads what many connections of one client send at once in turns, and that of another in the first of them', async () => {
      const hold = (ms: number) => {
        for (const from = performance.now(); performance.now() - from < ms;);
      };
      for (const [isBehindProxy, isThere, ms] of [
        [false, true, 4],
        [false, false, 4],
        [true, true, 4],
        [false, true, 0],
      ] as const) {
        const order: string[] = [];
        let inTurn = 0;
        let most = 0;
        const { port, server } = await limited(
          ({ socket }, response) => {
            if (inTurn === 0) setImmediate(() => (inTurn = 0));
            most = Math.max(most, (inTurn += 1));
            order.push(socket.remoteAddress ?? '');
            hold(ms);
            response.end('ok');
          },
          { isBehindProxy },
        );
        const open = (localAddress: string) => connect({ port, host: '127.0.0.1', localAddress });
        const sockets = [...Array.from({ length: 40 }, () => open('127.0.0.1')), open('127.0.0.2')];
        if (isThere) await until(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count === sockets.length))));
        const answered = sockets.map((socket) => once(socket, 'data'));
        for (const socket of sockets) socket.write(get);
        hold(100);
        await Promise.all(answered);
        for (const socket of sockets) socket.destroy();
        expect(order).to.have.lengthOf(41);
        // Of those behind a proxy nothing tells whose they are: each has its first piece read.
        const place = order.indexOf('127.0.0.2');
        if (!isBehindProxy && ms > 0) expect([most <= 5, place <= (isThere ? 5 : 30)], `${most}, ${place}`).to.deep.equal([true, true]);
      }
    });

    it('leaves the connections of one client alone while they arrive, so that one of another behind them is soon accepted', async () => {
      const { port, server } = await limited(ok);
      let resumed = 0;
      server.on('connection', (socket: Socket) => {
        const resume = socket.resume.bind(socket);
        socket.resume = () => ((resumed += 1), resume());
      });
      for (const last of ['127.0.0.2', '127.0.0.1']) {
        const open = (localAddress: string) => connect({ port, host: '127.0.0.1', localAddress });
        const sockets = [...Array<string>(200).fill('127.0.0.1'), last].map(open);
        for (const socket of sockets) socket.write(get);
        await once(sockets.at(last === '127.0.0.2' ? -1 : 0)!, 'data');
        expect(resumed).to.be.below(50);
        await until(() => sockets.every(({ bytesRead }) => bytesRead > 0));
        for (const socket of sockets) socket.destroy();
        resumed = 0;
      }
    });

    it('reads a large body in turns, between which it answers others, and to its end', async () => {
      const atOnce: number[] = [];
      const { url } = await limited(async (request, response) => {
        let text = '';
        let before = 0;
        request.setEncoding('utf8').on('data', (piece: string) => {
          if (text.length === before)
            setImmediate(() => {
              atOnce.push(text.length - before);
              before = text.length;
            });
          text += piece;
        });
        await once(request, 'end');
        response.end(`${text.length} ${text.slice(-4)}`);
      });
      const head = 'POST / HTTP/1.1\r\nHost: relay.test\r\nConnection: close\r\n';
      const body = `${'x'.repeat(300_000)}\n${'y\n'.repeat(9_000)}last`;
      expect(await sendRaw(url, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)).to.contain(`${body.length} last`);
      expect(Math.max(...atOnce.splice(0))).to.be.at.most(2 * 16_384);
      expect(await sendRaw(url, `${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`)).to.contain(
        '20000 xxxx',
      );
      expect(Math.max(...atOnce)).to.be.at.most(1_000);
    });
  });

  it('tries settings and model once with --check: 0 where all is well, else what is wrong, without the key, and 1', async () => {
    const { code, said } = await run('--check', '--base-url', upstream.baseUrl, '--model', 'fake-1', '--require-origin');
    expect(said).to.match(/The settings are right\. fake-1 answered in \d+ ms\./);
    expect([code, upstream.requests[0]?.headers.authorization]).to.deep.equal([0, `Bearer ${KEY}`]);
    upstream.play(({ response }) => void response.writeHead(401).end('{"error":{"message":"bad key"}}'));
    const refused = await run('--check', '--base-url', upstream.baseUrl);
    expect(refused.said).to.contain('upstream_auth').and.not.to.contain(KEY);
    expect(refused.code).to.equal(1);
  });

  for (const [what, args, sentence] of [
    ['no address of a model', [], 'Where is the model? Say --base-url'],
    ['a flag that there is none of', ['--nonsense'], 'Unknown option'],
    ['a value that cannot be meant', ['--base-url', 'http://127.0.0.1:1/v1', '--rate-limit', 'often'], 'RATE_LIMIT must look like'],
    ['a port that is none', ['--base-url', 'http://127.0.0.1:1/v1', '--port', 'x'], 'PORT must be a port'],
  ] as const)
    it(`ends with 2 and one sentence for ${what}`, async () => {
      const { code, said } = await run(...args);
      expect(said).to.contain(sentence).and.to.contain('--help').and.to.not.contain('    at ');
      expect(code).to.equal(2);
    });

  it('names another port where its own is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, said } = await spawnRelay(['--base-url', upstream.baseUrl, '--port', String(port)]).ended();
    taken.close();
    expect(said).to.contain(`Port ${port} is in use. Choose another: --port ${port + 1}`);
    expect(code).to.equal(2);
  });

  it('has a flag for every environment variable but the key, and the guide says of each option what the table says', () => {
    const told = helpText();
    expect(optionRows.map(([, { env }]) => env).filter((env) => !told.includes(` ${env} `))).to.deep.equal(['MODEL_API_KEY']);
    const guide = readFileSync(new URL('../../docs/relay.md', import.meta.url), 'utf8');
    const rows = guide.split('\n').filter((line) => /^\| (`\w+`|–)/.test(line));
    for (const [name, { env, default: initial }] of optionRows) {
      const row = rows.find((line) => line.split('|')[1]!.includes(`\`${name}\``)) ?? '';
      expect(row, name).to.include(`\`${env}\``);
      if (initial !== undefined) expect(row.split('|')[3]?.trim(), name).to.equal(initial.toLocaleString('en-US'));
    }
  });

  it('takes a flag before the environment', () => {
    const { env } = readCommandLine(['--model', 'flag', '--metrics'], { MODEL_NAME: 'env', MODEL_BASE_URL: 'http://host/v1' });
    expect(relayOptionsFromEnv(env)).to.deep.equal({ baseUrl: 'http://host/v1', model: 'flag', metrics: true });
  });
});
