/** Text -> bytes of a stream: events of a wire, noise between them, and where the bytes are cut. Deterministic. */

/** A number from a query; `d` when it is missing or none. */
export const num = (v, d) => (v === null || v === undefined || v === '' || Number.isNaN(Number(v)) ? d : Number(v));

/** A small deterministic random source: the same seed gives the same cuts. */
function rng(seed) {
  let s = seed >>> 0 || 1;
  return () => {
    s ^= s << 13;
    s >>>= 0;
    s ^= s >>> 17;
    s ^= s << 5;
    s >>>= 0;
    return s / 4294967296;
  };
}

function tokens(text, n) {
  const cps = Array.from(text);
  const out = [];
  for (let i = 0; i < cps.length; i += n) out.push(cps.slice(i, i + n).join(''));
  return out.length ? out : [''];
}

/** Returns [{event?, data, id?}] ; data null means a raw comment/field line set in `raw`. */
export function buildEvents(text, q) {
  const wire = q.get('wire') || 'openai';
  const tok = Math.max(1, num(q.get('tok'), 3));
  const finish = q.get('finish') ?? (wire === 'anthropic' ? 'end_turn' : 'stop');
  const ev = [];
  const toks = tokens(text, tok);
  if (wire === 'anthropic') {
    ev.push({
      event: 'message_start',
      data: JSON.stringify({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'fault',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
    });
    ev.push({
      event: 'content_block_start',
      data: JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    });
    ev.push({ event: 'ping', data: '{"type":"ping"}' });
    for (const t of toks)
      ev.push({
        event: 'content_block_delta',
        data: JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: t } }),
        text: t,
      });
    ev.push({ event: 'content_block_stop', data: '{"type":"content_block_stop","index":0}' });
    if (finish !== 'none')
      ev.push({
        event: 'message_delta',
        data: JSON.stringify({
          type: 'message_delta',
          delta: { stop_reason: finish === 'null' ? null : finish },
          usage: { output_tokens: toks.length },
        }),
        fin: true,
      });
    if (finish !== 'none') ev.push({ event: 'message_stop', data: '{"type":"message_stop"}', done: true });
  } else if (wire === 'cutie') {
    for (const t of toks) ev.push({ event: 'message', data: JSON.stringify({ type: 'text', content: t }), text: t });
    if (finish !== 'none')
      ev.push({
        event: 'done',
        data: JSON.stringify({ type: 'done', ...(q.get('finish') && { finish_reason: finish }) }),
        done: true,
        fin: true,
      });
  } else if (wire === 'plain') {
    for (const t of toks) ev.push({ data: t, text: t });
    ev.push({ data: '[DONE]', done: true });
  } else if (wire === 'ndjson') {
    for (const t of toks)
      ev.push({ data: JSON.stringify({ model: 'fault', message: { role: 'assistant', content: t }, done: false }), text: t });
    ev.push({
      data: JSON.stringify({ model: 'fault', message: { role: 'assistant', content: '' }, done: true, done_reason: finish }),
      done: true,
    });
  } else {
    const mk = (delta, fr = null, extra = {}) =>
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 0,
        model: 'fault',
        choices: [{ index: 0, delta, finish_reason: fr }],
        ...extra,
      });
    ev.push({ data: mk({ role: 'assistant', content: '' }) });
    for (const t of toks) ev.push({ data: mk({ content: t }), text: t });
    if (finish !== 'none') ev.push({ data: mk({}, finish === 'null' ? null : finish), fin: true });
    if (q.get('usage'))
      ev.push({
        data: JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 0,
          model: 'fault',
          choices: [],
          usage: { prompt_tokens: 1, completion_tokens: toks.length, total_tokens: 1 + toks.length },
        }),
      });
    ev.push({ data: '[DONE]', done: true });
  }
  return ev;
}

function applyNoise(ev, q) {
  const noises = (q.get('noise') || '').split(',').filter(Boolean);
  const at = Math.max(1, Math.floor(ev.length / 2));
  const midData = (d, extra = {}) => ev.splice(at, 0, { data: d, ...extra });
  for (const n of noises) {
    if (n === 'badjson') midData('{"choices":[{"delta":{"content":"oops"');
    if (n === 'html') midData('<!doctype html><title>502 Bad Gateway</title>');
    if (n === 'emptydata') midData('');
    if (n === 'proto')
      midData(
        '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted2":"yes"}},"choices":[{"index":0,"delta":{"__proto__":{"content":"EVIL"}}}]}',
      );
    if (n === 'errorevent') {
      const w = q.get('wire') || 'openai';
      if (w === 'anthropic')
        midData('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded sk-SECRET-123"}}', {
          event: 'error',
          stop: true,
        });
      else if (w === 'cutie') midData('{"type":"error","message":"The server had an error sk-SECRET-123"}', { event: 'error', stop: true });
      else midData('{"error":{"message":"The server had an error sk-SECRET-123","type":"server_error","code":500}}', { stop: true });
    }
    if (n === 'named') midData('{"unexpected":true}', { event: 'someFutureEvent' });
  }
  const stopAt = ev.findIndex((e) => e.stop);
  if (stopAt >= 0) ev.length = stopAt + 1;
  return noises;
}

/** The data of one text event, for the wires that are used with floods and giants. */
export function textData(content, wire) {
  return JSON.stringify(
    wire === 'cutie' ? { type: 'text', content } : { choices: [{ index: 0, delta: { content }, finish_reason: null }] },
  );
}

/** Encode events into Buffers, one per event. */
export function encode(ev, q) {
  const noises = applyNoise(ev, q);
  const wire = q.get('wire') || 'openai';
  const eolMode = q.get('eol') || 'lf';
  const ids = noises.includes('ids') || q.get('resume');
  const tail = q.get('tail') || 'none';
  let k = 0;
  const eols = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n', '\r'] }[eolMode] || ['\n'];
  let prev = '';
  // a lone CR directly followed by an LF would read as one CRLF, so 'mixed' never follows CR with a bare LF
  const eol = () => {
    let e = eols[k++ % eols.length];
    if (prev === '\r' && e === '\n') e = eols[k++ % eols.length];
    prev = e;
    return e;
  };
  const parts = [];
  const push = (s, meta) => parts.push({ buf: Buffer.isBuffer(s) ? s : Buffer.from(s, 'utf8'), ...meta });

  if (wire === 'ndjson') {
    ev.forEach((e, i) => {
      if (!(tail === 'nodone' && e.done)) push(e.data + eol(), { i, text: e.text });
    });
    return parts;
  }
  let list = ev;
  if (tail === 'nodone') list = list.filter((e) => !e.done);
  if (tail === 'doneearly') {
    const d = list.filter((e) => e.done);
    list = list.filter((e) => !e.done);
    list.splice(2, 0, ...d);
  }
  const bom = num(q.get('bom'), 0);
  let pre = '\uFEFF'.repeat(bom);
  if (noises.includes('retry0')) pre += 'retry: 0' + eol() + eol();
  if (noises.includes('retryhuge')) pre += 'retry: 99999999999' + eol() + eol();
  if (noises.includes('fields'))
    pre += 'foo: bar' + eol() + 'justaword' + eol() + ': c' + eol() + 'data : not-data' + eol() + 'Data: not-data' + eol() + eol();
  if (pre) push(pre, { i: -1 });
  list.forEach((e, i) => {
    let s = '';
    if (q.get('comments')) s += `: keep-alive ${i} data: {"not":"data"}` + eol();
    if (ids) s += `id: ${i}` + eol();
    if (noises.includes('nul') && i === 1) s += 'id: a\u0000b' + eol();
    const sp = noises.includes('nospace') ? '' : ' ';
    if (e.event) s += `event:${sp}${e.event}` + eol();
    if (noises.includes('multidata') && e.data.startsWith('{')) {
      // a JSON text split over two data lines at its first comma: joined by \n it is still the same JSON
      const c = e.data.indexOf(',');
      const a = c < 0 ? e.data : e.data.slice(0, c + 1);
      const b = c < 0 ? '' : e.data.slice(c + 1);
      s += `data:${sp}${a}` + eol();
      if (b) s += `data:${sp}${b}` + eol();
    } else s += `data:${sp}${e.data}` + eol();
    const last = i === list.length - 1;
    if (!(last && tail === 'nofinalblank')) s += eol();
    let buf = Buffer.from(s, 'utf8');
    if (noises.includes('badutf8') && i === Math.floor(list.length / 2)) {
      // invalid bytes inside a comment line and one inside data (before the closing quote is not safe, so own event)
      buf = Buffer.concat([Buffer.from(': '), Buffer.from([0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80]), Buffer.from('\n'), buf]);
    }
    push(buf, { i, text: e.text });
    if (tail === 'dupdone' && e.done) push(`data: ${e.data}\n\n`, { i });
    if (q.get('dup')) push(Buffer.from(s, 'utf8'), { i });
  });
  if (tail === 'garbage') push(Buffer.from([0x00, 0xff, 0x1f, 0x8b, 0x0d, 0x3c, 0x68, 0x74, 0x6d, 0x6c, 0x3e]), { i: 1e6 });
  if (tail === 'afterdone') push(`data: ${textData('AFTER_DONE', wire)}\n\n`, { i: 1e6 });
  return parts;
}

/** Split the byte stream. Returns array of Buffers whose concatenation is the input. */
export function split(parts, q) {
  const mode = q.get('chunk') || 'event';
  if (mode === 'event') return parts.map((p) => p.buf);
  const all = Buffer.concat(parts.map((p) => p.buf));
  if (mode === 'whole') return [all];
  const cut = (points) => {
    const out = [];
    let a = 0;
    for (const p of points) {
      if (p > a && p < all.length) {
        out.push(all.subarray(a, p));
        a = p;
      }
    }
    out.push(all.subarray(a));
    return out;
  };
  if (mode === 'byte') return cut(Array.from({ length: all.length }, (_, i) => i));
  if (mode === 'char') {
    const p = [];
    for (let i = 0; i < all.length; i++) if ((all[i] & 0xc0) !== 0x80) p.push(i);
    return cut(p);
  }
  if (mode === 'utf8mid') {
    const p = [];
    for (let i = 0; i < all.length; i++) if ((all[i] & 0xc0) === 0x80) p.push(i);
    return cut(p);
  }
  if (mode === 'crlfmid') {
    const p = [];
    for (let i = 1; i < all.length; i++) if (all[i - 1] === 13 && all[i] === 10) p.push(i);
    return cut(p);
  }
  if (mode === 'line') {
    const p = [];
    for (let i = 1; i < all.length; i++) if (all[i - 1] === 10 || (all[i - 1] === 13 && all[i] !== 10)) p.push(i);
    return cut(p);
  }
  if (mode.startsWith('rand:')) {
    const r = rng(num(mode.slice(5), 1));
    const p = [];
    let i = 0;
    while (i < all.length) {
      i += 1 + Math.floor(r() * 40);
      p.push(i);
    }
    return cut(p);
  }
  const n = num(mode, 64);
  const p = [];
  for (let i = n; i < all.length; i += n) p.push(i);
  return cut(p);
}
