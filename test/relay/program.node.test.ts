/** The ready relay, as a process of its own. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { follow } from './ask.js';
import { startUpstream, type Play } from './fake-upstream.js';
import { spawnRelay } from './spawn-relay.js';
import { post } from './use-relays.js';
import { openSocket } from './raw-http.js';
import { limitConnections } from '../../src/relay/limit-connections.js';
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
      fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => 0,
      );
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

  it('ends a connection that sends requests without waiting for answers, or nothing at all, and no other', async () => {
    const answers: (() => void)[] = [];
    const server = createHttpServer((_, response) => void answers.push(() => response.end('ok')));
    limitConnections(server, 50);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const get = 'GET /healthz HTTP/1.1\r\nHost: relay.test\r\n\r\n';
    try {
      const [silent, slow] = [openSocket(url), openSocket(url)];
      slow.write('GET ');
      await once(silent, 'close');
      expect(slow.destroyed).to.equal(false);
      slow.destroy();
      const flood = openSocket(url);
      flood.write(get.repeat(200));
      await once(flood, 'close');
      expect(answers.splice(0).length, 'requests that were read').to.equal(4);
      const patient = openSocket(url);
      for (let n = 0; n < 10; n++) {
        const one = once(server, 'request');
        patient.write(get);
        await one;
        answers.pop()!();
        await once(patient, 'data');
      }
      patient.destroy();
    } finally {
      server.closeAllConnections();
      server.close();
    }
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
