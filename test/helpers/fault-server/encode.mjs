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

/** The events of an answer: `{event?, data}`, the last of them the end. */
export function buildEvents(text, q) {
  const tok = Math.max(1, num(q.get('tok'), 3));
  const finish = q.get('finish') ?? 'stop';
  const cps = Array.from(text);
  const starts = Array.from({ length: Math.max(1, Math.ceil(cps.length / tok)) }, (_, i) => i * tok);
  const pieces = starts.map((i) => cps.slice(i, i + tok).join(''));
  if (q.get('wire') === 'cutie') {
    const end = { type: 'done', ...(q.get('finish') && { finish_reason: finish }) };
    const done = finish === 'none' ? [] : [{ event: 'done', data: JSON.stringify(end), done: true }];
    return [...pieces.map((content) => ({ event: 'message', data: JSON.stringify({ type: 'text', content }) })), ...done];
  }
  const chunk = (delta, finish_reason = null) => {
    const choices = [{ index: 0, delta, finish_reason }];
    return { data: JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: 'fault', choices }) };
  };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    ...(finish === 'none' ? [] : [chunk({}, finish)]),
    { data: '[DONE]', done: true },
  ];
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
    if (n === 'errorevent' && q.get('wire') === 'cutie')
      midData('{"type":"error","message":"The server had an error sk-SECRET-123"}', { event: 'error', stop: true });
    else if (n === 'errorevent')
      midData('{"error":{"message":"The server had an error sk-SECRET-123","type":"server_error","code":500}}', { stop: true });
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
  const ids = noises.includes('ids');
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
  const push = (s) => parts.push(Buffer.from(s));

  let list = ev;
  if (tail === 'nodone') list = list.filter((e) => !e.done);
  const bom = num(q.get('bom'), 0);
  let pre = '\uFEFF'.repeat(bom);
  if (noises.includes('retry0')) pre += 'retry: 0' + eol() + eol();
  if (noises.includes('retryhuge')) pre += 'retry: 99999999999' + eol() + eol();
  if (noises.includes('fields'))
    pre += 'foo: bar' + eol() + 'justaword' + eol() + ': c' + eol() + 'data : not-data' + eol() + 'Data: not-data' + eol() + eol();
  if (pre) push(pre);
  list.forEach((e, i) => {
    let s = '';
    if (q.get('comments')) s += `: keep-alive ${i} data: {"not":"data"}` + eol();
    if (ids) s += `id: ${i}` + eol();
    if (noises.includes('nul') && i === 1) s += 'id: a\u0000b' + eol();
    const sp = noises.includes('nospace') ? '' : ' ';
    if (e.event) s += `event:${sp}${e.event}` + eol();
    if (noises.includes('multidata') && e.data.startsWith('{')) {
      // a JSON text split over two data lines at its first comma: joined by \n it is still the same JSON
      const c = e.data.indexOf(',') + 1 || e.data.length;
      s += `data:${sp}${e.data.slice(0, c)}` + eol();
      if (c < e.data.length) s += `data:${sp}${e.data.slice(c)}` + eol();
    } else s += `data:${sp}${e.data}` + eol();
    const last = i === list.length - 1;
    if (!(last && tail === 'nofinalblank')) s += eol();
    let buf = Buffer.from(s, 'utf8');
    if (noises.includes('badutf8') && i === Math.floor(list.length / 2)) {
      // invalid bytes inside a comment line and one inside data (before the closing quote is not safe, so own event)
      buf = Buffer.concat([Buffer.from(': '), Buffer.from([0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80]), Buffer.from('\n'), buf]);
    }
    push(buf);
    if (tail === 'dupdone' && e.done) push(`data: ${e.data}\n\n`);
    if (q.get('dup')) push(s);
  });
  if (tail === 'garbage') push(Buffer.from([0x00, 0xff, 0x1f, 0x8b, 0x0d, 0x3c, 0x68, 0x74, 0x6d, 0x6c, 0x3e]));
  if (tail === 'afterdone') push(`data: ${textData('AFTER_DONE', wire)}\n\n`);
  return parts;
}

/** Splits the byte stream into Buffers whose concatenation is the input. */
export function split(parts, q) {
  const mode = q.get('chunk') || 'event';
  if (mode === 'event') return parts;
  const all = Buffer.concat(parts);
  if (mode === 'whole') return [all];
  const points = [];
  if (mode === 'utf8mid' || mode === 'crlfmid') {
    const isMiddle = (i) => (mode === 'utf8mid' ? (all[i] & 0xc0) === 0x80 : all[i - 1] === 13 && all[i] === 10);
    for (let i = 1; i < all.length; i++) if (isMiddle(i)) points.push(i);
  } else {
    const random = rng(num(mode.slice(5), 1));
    const step = mode.startsWith('rand:') ? () => 1 + Math.floor(random() * 40) : () => (mode === 'byte' ? 1 : num(mode, 64));
    for (let i = step(); i < all.length; i += step()) points.push(i);
  }
  return [0, ...points].map((from, i) => all.subarray(from, points[i]));
}
