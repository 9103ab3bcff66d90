/**
 * A chat endpoint that fails on request: everything is chosen by the query, see README.md beside this file. Loopback only.
 *   node fault-server.mjs [--port 0] [--evil-port 0] [--root DIR]     prints {"port":…,"evilPort":…}
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { buildEvents, encode, num, split, textData } from './encode.mjs';

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const tick = () => new Promise((r) => setImmediate(r));

export function createFaultServer({ root = null } = {}) {
  const log = [];
  const exfil = [];
  const scripts = new Map();
  const counters = new Map();
  const streams = new Map();
  let seq = 0;
  let evilPort = 0;
  let port = 0;

  const lastUser = (body) => {
    try {
      const m = JSON.parse(body).messages;
      for (let i = m.length - 1; i >= 0; i--)
        if (m[i].role === 'user') return typeof m[i].content === 'string' ? m[i].content : m[i].content.map((c) => c.text || '').join('');
    } catch {
      /* not json */
    }
    return '';
  };

  function setCors(req, res, q) {
    const c = q.get('cors') || 'echo';
    if (c === 'off') return;
    if (c === 'wrong') res.setHeader('access-control-allow-origin', 'https://not-you.example');
    else if (c === 'star') res.setHeader('access-control-allow-origin', '*');
    else {
      res.setHeader('access-control-allow-origin', req.headers.origin || '*');
      res.setHeader('vary', 'origin');
      if (q.get('cred')) res.setHeader('access-control-allow-credentials', 'true');
    }
    res.setHeader('access-control-allow-headers', '*, authorization, content-type, last-event-id, idempotency-key, x-api-key');
    res.setHeader('access-control-allow-methods', 'GET,POST,OPTIONS,DELETE');
    if (!q.get('noexpose')) res.setHeader('access-control-expose-headers', 'retry-after, retry-after-ms, x-should-retry, x-stream-id');
  }

  const retryAfter = (v) => {
    if (v === 'date') return new Date(Date.now() + 2000).toUTCString();
    if (v === 'past') return new Date(Date.now() - 60000).toUTCString();
    if (v === 'bad') return 'soon';
    return v; // seconds, negative, huge...
  };

  async function sendStatus(res, q, rec) {
    const st = num(q.get('status'), 500);
    if (q.get('retryafter')) res.setHeader('retry-after', retryAfter(q.get('retryafter')));
    if (q.get('retryafterms')) res.setHeader('retry-after-ms', q.get('retryafterms'));
    if (q.get('shouldretry')) res.setHeader('x-should-retry', q.get('shouldretry'));
    const kind = q.get('body') || 'json';
    const msg = {
      error: {
        type: st === 529 ? 'overloaded_error' : 'api_error',
        message: `fault ${st} <img src=x onerror="window.__xss=1"> key sk-SECRET-123`,
      },
    };
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
    let turn = null;
    if (script) {
      if (script.i >= script.turns.length) {
        if ((script.exhaust || 'repeat') === 'repeat') script.i = Math.max(0, script.turns.length - 1);
        else {
          res.writeHead(599, { 'content-type': 'application/json' });
          res.end('{"error":{"message":"script exhausted"}}');
          rec.exhausted = true;
          return;
        }
      }
      turn = script.turns[script.i];
      if (typeof turn === 'string') turn = script.turns[script.i] = { text: turn };
      turn.attempt = (turn.attempt || 0) + 1;
      rec.turn = script.i;
      rec.attempt = turn.attempt;
      text = turn.text ?? '';
      if (turn.q) for (const [k, v] of new URLSearchParams(turn.q)) q.set(k, v);
      if (turn.attempt > num(turn.times, Infinity)) {
        for (const k of [
          'status',
          'hang',
          'abort',
          'close',
          'rst',
          'tail',
          'noise',
          'ctype',
          'redirect',
          'len',
          'gzip',
          'midutf8',
          'huge',
          'cors',
          'delay',
          'flood',
          'dup',
        ])
          q.delete(k);
      }
    }
    if (q.get('echo')) text = lastUser(body);
    // ----- count-limited faults without a script -----
    if (q.get('times') && !script) {
      const key = q.get('key') || req.url;
      const c = (counters.get(key) || 0) + 1;
      counters.set(key, c);
      rec.attempt = c;
      if (c > num(q.get('times'), 0))
        for (const k of ['status', 'hang', 'abort', 'close', 'rst', 'midutf8', 'len', 'tail', 'redirect']) q.delete(k);
    }
    if (q.get('hang') === 'connect') {
      rec.note = 'no response ever';
      return;
    }
    if (q.get('delay')) await sleep(num(q.get('delay'), 0));
    setCors(req, res, q);
    if (q.get('redirect')) {
      const r = q.get('redirect');
      const u = new URL(req.url, `http://127.0.0.1:${port}`);
      u.searchParams.delete('redirect');
      let loc = u.href;
      if (r === 'cross') loc = `http://127.0.0.1:${evilPort}/exfil/redirect`;
      if (r === 'loop') {
        u.searchParams.set('redirect', 'loop');
        loc = u.href;
      }
      if (q.get('redirect_to')) loc = q.get('redirect_to');
      res.writeHead(r === '303' ? 303 : num(q.get('rcode'), 307), { location: loc });
      res.end();
      rec.finished = true;
      return;
    }
    if (q.get('status')) return sendStatus(res, q, rec);
    if (q.get('hang') === 'headers') {
      rec.note = 'headers withheld';
      return;
    }
    if ((q.get('wire') || '') === 'json') {
      res.writeHead(200, { 'content-type': q.get('ctype') || 'application/json' });
      res.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: q.get('finish') ?? 'stop' }],
        }),
      );
      rec.finished = true;
      if (script) script.i++;
      return;
    }
    // ----- build bytes -----
    const events = buildEvents(text, q);
    let parts = encode(events, q);
    // ----- resume -----
    const sid = q.get('resume') ? q.get('sid') || 'stream-1' : null;
    if (sid) {
      res.setHeader('x-stream-id', sid);
      streams.set(sid, { parts, q: q.toString() });
      const lid = req.headers['last-event-id'] ?? q.get('resumeAt');
      if (lid !== undefined && lid !== null) {
        rec.resumedFrom = lid;
        const m = q.get('resume');
        if (m === 'gone') {
          res.writeHead(204);
          res.end();
          rec.finished = true;
          return;
        }
        if (m === 'notfound') {
          res.writeHead(404);
          res.end();
          rec.finished = true;
          return;
        }
        if (m !== 'lie') parts = parts.filter((p) => p.i > Number(lid));
        for (const k of ['abort', 'close', 'midutf8', 'hang', 'rst']) if (!q.get('always')) q.delete(k);
      }
    }
    let pieces = split(parts, q);
    // ----- huge / flood -----
    if (q.get('huge')) {
      const [kind, nStr] = q.get('huge').split(':');
      const n = num(nStr, 10 * 1024 * 1024);
      const blk = Buffer.alloc(65536, 0x61);
      const gen = [];
      if (kind === 'line') gen.push(Buffer.from('data: '));
      if (kind === 'comment') gen.push(Buffer.from(': '));
      if (kind === 'field') gen.push(Buffer.from('zzz'));
      const [before, after] = textData('@', q.get('wire')).split('@');
      if (kind === 'text') gen.push(Buffer.from('data: ' + before));
      if (kind === 'event') {
        for (let i = 0; i < n; i += 1024) gen.push(Buffer.from('data: ' + 'a'.repeat(1017) + '\n'));
      } else for (let i = 0; i < n; i += blk.length) gen.push(blk.subarray(0, Math.min(blk.length, n - i)));
      if (kind === 'text') gen.push(Buffer.from(after));
      if (!q.get('noend')) gen.push(Buffer.from('\n\n'));
      pieces = [...pieces.slice(0, 2), ...gen, ...(q.get('noend') ? [] : pieces.slice(2))];
    }
    if (q.get('flood')) {
      const n = num(q.get('flood'), 1e5);
      const f = [];
      for (let i = 0; i < n; i++)
        f.push(Buffer.from(q.get('floodkind') === 'data' ? `data: ${textData('', q.get('wire'))}\n\n` : ': x\n\n'));
      pieces = [...pieces.slice(0, 1), Buffer.concat(f), ...pieces.slice(1)];
    }
    // ----- headers -----
    const h = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
    const ct = q.get('ctype') ?? (q.get('wire') === 'ndjson' ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8');
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
    let limit =
      q.get('abort') !== null && q.get('abort') !== undefined && q.has('abort')
        ? num(q.get('abort'))
        : q.has('close')
          ? num(q.get('close'))
          : null;
    if (q.get('midutf8')) {
      const all = Buffer.concat(pieces);
      const p = all.findIndex((b) => b >= 0xe0);
      limit = p < 0 ? Math.floor(all.length / 2) : p + 1;
    }
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
    res.on('error', () => {});
    req.on('error', () => {});
    if (evil || p.startsWith('/exfil')) {
      const chunks = [];
      req.on('data', (c) => chunks.length < 64 && chunks.push(c));
      req.on('end', () => {
        exfil.push({
          t: Date.now(),
          evil,
          method: req.method,
          url: req.url,
          origin: req.headers.origin || null,
          referer: req.headers.referer || null,
          headers: { ...req.headers },
          body: Buffer.concat(chunks).toString('utf8').slice(0, 4096),
        });
        res.writeHead(200, {
          'content-type': p.endsWith('.js') ? 'text/javascript' : p.endsWith('.html') ? 'text/html' : 'image/gif',
          'access-control-allow-origin': '*',
          'access-control-allow-headers': '*',
        });
        res.end(
          p.endsWith('.js')
            ? 'globalThis.__evil=1'
            : p.endsWith('.html')
              ? '<p>evil</p>'
              : Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64'),
        );
      });
      return;
    }
    const ctl = (o) => {
      res.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
      res.end(JSON.stringify(o));
    };
    if (p === '/__log') return ctl(log.filter((r) => r.n > num(q.get('since'), 0)));
    if (p === '/__exfil') return ctl(exfil);
    if (p === '/__reset') {
      log.length = 0;
      exfil.length = 0;
      scripts.clear();
      counters.clear();
      streams.clear();
      return ctl({ ok: true });
    }
    if (p.startsWith('/__script/')) {
      const chunks = [];
      req.on('data', (c) => chunks.push(c));
      req.on('end', () => {
        try {
          const s = JSON.parse(Buffer.concat(chunks).toString('utf8'));
          s.i = 0;
          scripts.set(p.slice(10), s);
          ctl({ ok: true });
        } catch (e) {
          res.writeHead(400);
          res.end(String(e));
        }
      });
      return;
    }
    if (p === '/page') {
      // a host page with a chosen policy: ?csp=...&tt=1&xfo=1&body=<html>
      const h = { 'content-type': 'text/html; charset=utf-8' };
      let csp = q.get('csp') || '';
      if (csp === 'strict')
        csp =
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
      if (q.get('tt'))
        csp += (csp ? '; ' : '') + "require-trusted-types-for 'script'; trusted-types " + (q.get('tt') === '1' ? "'none'" : q.get('tt'));
      if (csp) h['content-security-policy'] = csp;
      if (q.get('coop')) {
        h['cross-origin-opener-policy'] = 'same-origin';
        h['cross-origin-embedder-policy'] = 'require-corp';
      }
      res.writeHead(200, h);
      return res.end(q.get('body') || '<!doctype html><title>page</title>');
    }
    if (p.startsWith('/static/') && root) {
      const f = path.resolve(root, '.' + decodeURIComponent(p.slice(7)));
      if (!f.startsWith(path.resolve(root) + path.sep) || !fs.existsSync(f)) {
        res.writeHead(404);
        return res.end();
      }
      const t =
        {
          '.js': 'text/javascript',
          '.mjs': 'text/javascript',
          '.html': 'text/html; charset=utf-8',
          '.css': 'text/css',
          '.json': 'application/json',
          '.map': 'application/json',
        }[path.extname(f)] || 'application/octet-stream';
      res.writeHead(200, { 'content-type': t, 'access-control-allow-origin': '*' });
      return fs.createReadStream(f).pipe(res);
    }
    const m = /^\/s\/([^/]+)(\/.*)?$/.exec(p);
    const script = m ? scripts.get(m[1]) : null;
    const rec = {
      n: ++seq,
      t: Date.now(),
      method: req.method,
      url: req.url,
      headers: { ...req.headers },
      body: '',
      bytes: 0,
      finished: false,
      clientClosed: null,
    };
    log.push(rec);
    res.on('close', () => {
      rec.closed = Date.now();
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
    const chunks = [];
    let size = 0;
    req.on('data', (c) => {
      size += c.length;
      if (size <= 16e6) chunks.push(c);
    });
    req.on('end', () => {
      rec.body = Buffer.concat(chunks).toString('utf8');
      rec.bodyBytes = size;
      chat(req, res, q, rec.body, rec, script).catch((e) => {
        rec.error = String((e && e.stack) || e);
        try {
          res.destroy();
        } catch {
          /* gone */
        }
      });
    });
  };

  const main = http.createServer({ keepAliveTimeout: 1000 }, handler(false));
  const evil = http.createServer(handler(true));
  return {
    log,
    exfil,
    scripts,
    async listen(a = 0, b = 0) {
      await new Promise((r) => main.listen(a, '127.0.0.1', r));
      await new Promise((r) => evil.listen(b, '127.0.0.1', r));
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

if (import.meta.url === pathToFileURL(process.argv[1] || '').href) {
  const arg = (n, d) => {
    const i = process.argv.indexOf(n);
    return i > 0 ? process.argv[i + 1] : d;
  };
  const s = createFaultServer({ root: arg('--root', null) });
  const ports = await s.listen(num(arg('--port', 0), 0), num(arg('--evil-port', 0), 0));
  console.log(JSON.stringify(ports));
  for (const sig of ['SIGINT', 'SIGTERM']) process.on(sig, () => s.close().then(() => process.exit(0)));
}
