/**
 * What the relay adds to a model's stream, as ratios within one run: the same tokens through a bare pipe of sockets, through hono with
 * `fetch`, through the relay, and through the AI SDK's `streamText`, each in a process of its own. CPU is that process's own; what else the machine does is not in it.
 */
import { fork } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const file = fileURLToPath(import.meta.url);
const root = path.join(path.dirname(file), '../..');
/** Tokens a second of each stream, and how often they are written: one write a token. */
const RATE = 50;
/** Says the number of tokens that the model shall write, to the relay as `text`, to the model itself as `content`. */
const bodyOf = (tokens) =>
  JSON.stringify({ messages: [{ role: 'user', text: String(tokens), content: String(tokens) }], system: 'Be kind.' });

/**
 * @param {number} runs The least of so many counts.
 * @returns {Promise<{ratio: number, pipeRatio: number, addedMs: number}>} CPU of a token through the relay against hono with `fetch`, and
 *   against the bare pipe; what the relay adds to the 99th percentile of the first token when 200 streams begin within 2 s.
 */
export async function relayBench(runs) {
  const upstream = await start('upstream');
  const least = {};
  const late = {};
  try {
    for (let run = 0; run < runs; run++) {
      for (const kind of ['pipe', 'hono', 'relay', 'sdk']) {
        const server = await start(kind, upstream.port);
        await load(server.port, { streams: 100, tokens: 100, overMs: 200 }); // warm
        const before = await server.cpu();
        const { tokens } = await load(server.port, { streams: 100, tokens: 200, overMs: 500 });
        const micros = ((await server.cpu()) - before) / tokens;
        least[kind] = Math.min(least[kind] ?? Infinity, micros);
        late[kind] = Math.min(late[kind] ?? Infinity, await firstToken(server.port));
        server.stop();
      }
      late.direct = Math.min(late.direct ?? Infinity, await firstToken(upstream.port));
    }
  } finally {
    upstream.stop();
  }
  for (const kind of ['direct', 'pipe', 'hono', 'relay', 'sdk'])
    console.log(
      `relay: ${kind.padEnd(6)} ${(least[kind]?.toFixed(1) ?? '–').padStart(7)} µs of CPU a token; p99 of the first token at 200 streams ${late[kind].toFixed(1)} ms`,
    );
  return { ratio: least.relay / least.hono, pipeRatio: least.relay / least.pipe, addedMs: late.relay - late.direct };
}

async function firstToken(port) {
  const { firsts } = await load(port, { streams: 200, tokens: 150, overMs: 2_000 });
  return firsts.sort((a, b) => a - b)[Math.floor(firsts.length * 0.99)];
}

async function start(kind, upstreamPort) {
  const child = fork(file, [kind, String(upstreamPort ?? '')], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  const port = await answer();
  return {
    port,
    cpu() {
      const asked = answer();
      child.send('cpu');
      return asked;
    },
    stop: () => child.disconnect(),
  };
}

/** Clients in a process of their own would only move the work: this one does nothing else. */
async function load(port, { streams, tokens, overMs }) {
  const agent = new http.Agent({ keepAlive: true });
  const firsts = [];
  // A token is `content` to the model and the relay, `delta` to the SDK.
  const marks = /"(?:content|delta)":" word"/;
  let count = 0;
  const headers = { 'content-type': 'application/json' };
  const target = { port, host: '127.0.0.1', path: '/api/ai/chat/stream', method: 'POST', agent, headers };
  const ask = () =>
    new Promise((resolve, reject) => {
      const asked = performance.now();
      const request = http.request(target, (response) => {
        let [seen, end] = [false, ''];
        response.on('data', (piece) => {
          const text = piece.latin1Slice();
          if (!seen && marks.test(text)) {
            seen = true;
            firsts.push(performance.now() - asked);
          }
          count += text.split(marks).length - 1;
          end = text;
        });
        response.on('end', () => (/"done"|\[DONE\]/.test(end) ? resolve() : reject(new Error(`${response.statusCode}: ${end}`))));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(bodyOf(tokens));
    });
  const one = (n) => new Promise((resolve) => setTimeout(resolve, (n * overMs) / streams)).then(ask);
  await Promise.all(Array.from({ length: streams }, (_, n) => one(n)));
  agent.destroy();
  if (count !== streams * tokens) throw new Error(`${count} of ${streams * tokens} tokens arrived.`);
  return { tokens: count, firsts };
}

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const roles = {
  upstream() {
    const frame = (delta, finish_reason = null) =>
      `data: ${JSON.stringify({ id: 'chatcmpl-1234567890', object: 'chat.completion.chunk', created: 1, model: 'fake-1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const token = frame({ content: ' word' });
    const running = new Set();
    setInterval(() => {
      for (const step of running) step();
    }, 1000 / RATE);
    return listen(
      http.createServer(async (request, response) => {
        let asked = '';
        for await (const piece of request.setEncoding('utf8')) asked += piece;
        let left = Number(JSON.parse(asked).messages.at(-1).content);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const step = () => {
          if (left-- > 0) return response.write(token);
          running.delete(step);
          response.end(`${frame({}, 'stop')}data: [DONE]\n\n`);
        };
        response.on('close', () => running.delete(step));
        step();
        running.add(step);
      }),
    );
  },
  pipe: (upstream) =>
    listen(
      http.createServer((request, response) => {
        const asked = http.request({ port: upstream, host: '127.0.0.1', method: 'POST' }, (answer) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          answer.pipe(response);
        });
        request.pipe(asked);
      }),
    ),
  async hono(upstream) {
    const { Hono } = await import('hono');
    const { createAdaptorServer } = await import('@hono/node-server');
    const app = new Hono();
    app.post('/api/ai/chat/stream', async ({ req }) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`http://127.0.0.1:${upstream}/v1`, { method: 'POST', headers, body: JSON.stringify(await req.json()) });
      return new Response(answer.body, { headers: { 'content-type': 'text/event-stream' } });
    });
    return listen(createAdaptorServer({ fetch: app.fetch }));
  },
  /** What a handler of theirs is: a request of the page in, their own stream for the page out. */
  async sdk(upstream) {
    const { createUIMessageStreamResponse, streamText, toUIMessageStream } = await import('ai');
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { createAdaptorServer } = await import('@hono/node-server');
    const model = createOpenAICompatible({ name: 'fake', baseURL: `http://127.0.0.1:${upstream}/v1` })('fake-1');
    return listen(
      createAdaptorServer({
        async fetch(request) {
          const { messages, system } = await request.json();
          const [{ content }] = messages;
          const { stream } = streamText({ model, instructions: system, messages: [{ role: 'user', content }] });
          return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
        },
      }),
    );
  },
  async relay(upstream) {
    const { createAdaptorServer } = await import('@hono/node-server');
    const { createRelay } = await import(pathToFileURL(path.join(root, 'dist/modules/relay/index.js')).href);
    const relay = createRelay({ baseUrl: `http://127.0.0.1:${upstream}/v1`, model: 'fake-1', logger: false });
    return listen(createAdaptorServer({ fetch: relay }));
  },
};

const [, , role, upstream] = process.argv;
if (process.argv[1] === file && role) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send(await roles[role](upstream));
}
