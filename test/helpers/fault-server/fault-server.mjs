/** A chat endpoint that fails on request: everything is chosen by the query, see README.md beside this file. Loopback only. */
import http from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { buildEvents, encode, num, split, textData } from './encode.mjs';

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const tick = () => new Promise((r) => setImmediate(r));

/** Faults that end after so many `times`. */
const PASSING = 'status hang abort close rst tail noise ctype redirect len gzip huge cors delay flood dup'.split(' ');

export function createFaultServer() {
  const log = [];
  const exfil = [];
  const scripts = new Map();
  const counters = new Map();
  let seq = 0;
  let evilPort = 0;
  let port = 0;

  function setCors(req, res, q) {
    const c = q.get('cors');
    if (c === 'off') return;
    res.setHeader('access-control-allow-origin', c === 'wrong' ? 'https://not-you.example' : req.headers.origin || '*');
    res.setHeader('vary', 'origin');
    res.setHeader('access-control-allow-headers', '*, authorization, content-type, last-event-id, idempotency-key, x-api-key');
    res.setHeader('access-control-allow-methods', 'GET,POST,OPTIONS,DELETE');
    res.setHeader('access-control-expose-headers', 'retry-after, retry-after-ms, x-should-retry, x-stream-id');
  }

  async function sendStatus(res, q, rec) {
    const st = num(q.get('status'), 500);
    const headers = { retryafter: 'retry-after', retryafterms: 'retry-after-ms', shouldretry: 'x-should-retry' };
    for (const [name, header] of Object.entries(headers)) if (q.get(name)) res.setHeader(header, q.get(name));
    const kind = q.get('body') || 'json';
    const message = `fault ${st} <img src=x onerror="window.__xss=1"> key sk-SECRET-123`;
    const msg = { error: { type: st === 529 ? 'overloaded_error' : 'api_error', message } };
    res.writeHead(st, { 'content-type': kind === 'html' ? 'text/html' : kind === 'sse' ? 'text/event-stream' : 'application/json' });
    if (kind === 'empty') res.end();
    else if (kind === 'html') res.end(`<!doctype html><script>window.__xss=1</script><h1>${st}</h1>`);
    else if (kind === 'huge') {
      for (let i = 0; i < 64 && !res.destroyed; i++) {
        res.write('x'.repeat(1 << 16));
        await tick();
      }
      res.end();
    } else if (kind === 'hang') {
      res.write('{"error":');
      rec.note = 'error body hangs';
      return;
    } else if (kind === 'sse') res.end(`data: ${JSON.stringify(msg)}\n\n`);
    else res.end(JSON.stringify(msg));
    rec.finished = true;
  }

  async function write(res, buf, rec) {
    if (res.destroyed || res.writableEnded) return false;
    rec.bytes += buf.length;
    if (!res.write(buf))
      await new Promise((r) => {
        const f = () => {
          res.off('drain', f);
          res.off('close', f);
          r();
        };
        res.on('drain', f);
        res.on('close', f);
      });
    return !res.destroyed;
  }

  async function chat(req, res, q, body, rec, script) {
    // ----- which turn -----
    let text = q.get('text') ?? 'Hello, wörld — 你好 🌍! The end.';
    let attempt = 1;
    if (script) {
      script.i = Math.min(script.i, script.turns.length - 1);
      let turn = script.turns[script.i];
      if (typeof turn === 'string') turn = script.turns[script.i] = { text: turn };
      attempt = turn.attempt = (turn.attempt || 0) + 1;
      text = turn.text ?? '';
      for (const [k, v] of new URLSearchParams(`times=${turn.times ?? ''}&${turn.q ?? ''}`)) q.set(k, v);
    } else if (q.get('times')) {
      const key = q.get('key') || req.url;
      attempt = (counters.get(key) || 0) + 1;
      counters.set(key, attempt);
    }
    if (attempt > num(q.get('times'), Infinity)) for (const k of PASSING) q.delete(k);
    if (q.get('echo')) text = JSON.parse(body).messages.findLast(({ role }) => role === 'user').content;
    if (q.get('hang') === 'connect') {
      rec.note = 'no response ever';
      return;
    }
    if (q.get('delay')) await sleep(num(q.get('delay'), 0));
    setCors(req, res, q);
    if (q.get('redirect')) {
      const r = q.get('redirect');
      const u = new URL(req.url, `http://127.0.0.1:${port}`);
      if (r !== 'loop') u.searchParams.delete('redirect');
      res.writeHead(r === '303' ? 303 : 307, { location: r === 'cross' ? `http://127.0.0.1:${evilPort}/exfil/redirect` : u.href });
      res.end();
      rec.finished = true;
      return;
    }
    if (q.get('status')) return sendStatus(res, q, rec);
    if ((q.get('wire') || '') === 'json') {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] }));
      rec.finished = true;
      if (script) script.i++;
      return;
    }
    // ----- build bytes -----
    let pieces = split(encode(buildEvents(text, q), q), q);
    // ----- huge / flood -----
    if (q.get('huge')) {
      const [kind, nStr] = q.get('huge').split(':');
      const n = num(nStr, 10 * 1024 * 1024);
      const blk = Buffer.alloc(65536, 0x61);
      const gen = [];
      const [before, after] = textData('@', q.get('wire')).split('@');
      gen.push(Buffer.from({ line: 'data: ', comment: ': ', field: 'zzz', text: 'data: ' + before }[kind] ?? ''));
      if (kind === 'event') {
        for (let i = 0; i < n; i += 1024) gen.push(Buffer.from('data: ' + 'a'.repeat(1017) + '\n'));
      } else for (let i = 0; i < n; i += blk.length) gen.push(blk.subarray(0, Math.min(blk.length, n - i)));
      if (kind === 'text') gen.push(Buffer.from(after));
      if (!q.get('noend')) gen.push(Buffer.from('\n\n'));
      pieces = [...pieces.slice(0, 2), ...gen, ...(q.get('noend') ? [] : pieces.slice(2))];
    }
    if (q.get('flood')) {
      const one = q.get('floodkind') === 'data' ? `data: ${textData('', q.get('wire'))}\n\n` : ': x\n\n';
      pieces = [...pieces.slice(0, 1), Buffer.from(one.repeat(num(q.get('flood'), 1e5))), ...pieces.slice(1)];
    }
    // ----- headers -----
    const h = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
    const ct = q.get('ctype') ?? 'text/event-stream; charset=utf-8';
    if (ct !== 'omit') h['content-type'] = ct;
    const total = pieces.reduce((a, b) => a + b.length, 0);
    if (q.get('len') === 'long') h['content-length'] = total + 50;
    if (q.get('len') === 'exact') h['content-length'] = total;
    if (q.get('gzip')) {
      h['content-encoding'] = 'gzip';
      let z = zlib.gzipSync(Buffer.concat(pieces));
      if (q.get('gzip') === 'trunc') z = z.subarray(0, Math.floor(z.length / 2));
      if (q.get('gzip') === 'lie') z = Buffer.concat(pieces);
      pieces = [z];
    }
    res.writeHead(200, h);
    res.flushHeaders();
    if (q.get('hang') === 'first') {
      rec.note = 'headers then silence';
      return;
    }
    const hangAfter = /^\d+$/.test(q.get('hang') || '') ? num(q.get('hang')) : null;
    const gap = num(q.get('gap'), -1);
    const limit = q.has('abort') ? num(q.get('abort')) : q.has('close') ? num(q.get('close')) : null;
    let sent = 0;
    let n = 0;
    for (const b of pieces) {
      if (hangAfter !== null && n >= hangAfter) {
        rec.note = `hung after ${n} pieces`;
        return;
      }
      let out = b;
      let stop = false;
      if (limit !== null && sent + b.length >= limit) {
        out = b.subarray(0, limit - sent);
        stop = true;
      }
      if (out.length && !(await write(res, out, rec))) return;
      sent += out.length;
      n++;
      if (stop) {
        await sleep(20); // let the bytes leave first
        if (q.has('abort')) {
          rec.note = `aborted after ${sent}`;
          if (q.get('rst')) req.socket.resetAndDestroy();
          else req.socket.destroy();
        } else {
          rec.note = `closed after ${sent}`;
          res.end();
        }
        return;
      }
      if (n === pieces.length) break; // whoever has it all may ask for the next turn at once
      if (gap >= 0) await sleep(gap);
      else if (n % 512 === 0) await tick();
    }
    if (q.get('linger')) {
      rec.note = 'done sent, connection kept open';
      if (script) script.i++;
      return;
    }
    res.end();
    rec.finished = true;
    if (script) script.i++;
  }

  const handler = (evil) => (req, res) => {
    const u = new URL(req.url, 'http://x');
    const q = u.searchParams;
    const p = u.pathname;
    const cut = () => res.destroy();
    res.on('error', () => {});
    req.on('error', () => {});
    if (evil || p.startsWith('/exfil')) {
      void bodyOf(req).then((body) => {
        exfil.push({ evil, method: req.method, url: req.url, headers: { ...req.headers }, body: body.slice(0, 4096) });
        res.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end();
      }, cut);
      return;
    }
    const ctl = (o) => {
      res.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
      res.end(JSON.stringify(o));
    };
    if (p === '/__log') return ctl(log);
    if (p.startsWith('/__script/')) {
      void bodyOf(req).then((body) => {
        scripts.set(p.slice(10), { ...JSON.parse(body), i: 0 });
        ctl({ ok: true });
      }, cut);
      return;
    }
    const m = /^\/s\/([^/]+)(\/.*)?$/.exec(p);
    const script = m ? scripts.get(m[1]) : null;
    const rec = {
      n: ++seq,
      ...{ t: Date.now(), method: req.method, url: req.url, headers: { ...req.headers }, body: '' },
      ...{ bytes: 0, finished: false, clientClosed: null },
    };
    log.push(rec);
    res.on('close', () => {
      if (!rec.finished && !res.writableFinished) rec.clientClosed = Date.now();
    });
    if (req.method === 'OPTIONS') {
      if (q.get('cors') === 'preflight') {
        res.writeHead(403);
        return res.end();
      }
      setCors(req, res, q);
      res.writeHead(204);
      return res.end();
    }
    void (async () => {
      try {
        rec.body = await bodyOf(req);
        await chat(req, res, q, rec.body, rec, script);
      } catch {
        cut();
      }
    })();
  };

  const main = http.createServer({ keepAliveTimeout: 1000 }, handler(false));
  const evil = http.createServer(handler(true));
  return {
    log,
    exfil,
    scripts,
    async listen() {
      await new Promise((r) => main.listen(0, '127.0.0.1', r));
      await new Promise((r) => evil.listen(0, '127.0.0.1', r));
      port = main.address().port;
      evilPort = evil.address().port;
      return { port, evilPort };
    },
    async close() {
      main.closeAllConnections();
      evil.closeAllConnections();
      await new Promise((r) => main.close(r));
      await new Promise((r) => evil.close(r));
    },
  };
}
