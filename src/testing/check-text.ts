/** Checks a text against every invariant. */
import { assertSame, runnableCalls, createRandom, cutAtRandom, joinTexts, lengths, parseChunks, textOfSegments } from './chunks.js';
import type { ConformanceOptions, ProtocolSample } from './protocol-sample.js';
import type { ProtocolReader, Segment } from '../protocols/protocol.js';
import { FORBIDDEN } from '../protocols/call-buffer.js';

/**
 * Checks one text: whole, in single characters, cut in two everywhere and ten times at random, and every prefix of it as a message of its
 * own (of texts above 1,200 characters: their ends and some cuts between). Throws an `Error` naming the cut. For property-based tests.
 *
 * @returns What the whole text gives.
 */
export function checkText(
  protocol: ProtocolReader,
  text: string,
  options: Omit<ConformanceOptions, 'write' | 'fragments'> & { sample?: Partial<ProtocolSample> } = {},
): Segment[] {
  const { sample = {}, seed = 1, markup } = options;
  const random = createRandom(seed);
  const parse = (chunks: readonly string[]) => parseChunks(protocol, chunks, sample.end, sample.options);
  const whole = parse([text]);
  const expected = joinTexts(whole);
  const compare = (chunks: readonly string[], where: () => string) =>
    assertSame(joinTexts(parse(chunks)), expected, () => `from the whole text (expected) ${where()}`);

  compare(text.split(''), () => 'in single characters');
  for (const cut of lengths(text, random)) compare([text.slice(0, cut), text.slice(cut)], () => `when cut after ${cut} characters`);
  for (let round = 0; round < 10; round += 1) {
    const chunks = cutAtRandom(text, random);
    compare(chunks, () => `in the chunks ${JSON.stringify(chunks)}`);
  }

  checkPrefixes(protocol, text, whole, sample, random);
  checkCards(whole);
  checkArguments(whole);
  checkConservation(text, whole, markup);
  checkOver(protocol, text);
  return whole;
}

/** Checks a prefix as a message that was cut: it never throws, and contains only calls that the whole text has at that position. */
function checkPrefixes(
  protocol: ProtocolReader,
  text: string,
  whole: readonly Segment[],
  sample: Partial<ProtocolSample>,
  random: () => number,
) {
  const calls = joinTexts(runnableCalls(whole));
  const visible = textOfSegments(whole);
  let shownBefore = '';
  for (const length of lengths(text, random)) {
    const prefix = text.slice(0, length);
    const segments: Segment[] = [];
    const parser = protocol.createParser!((segment) => segments.push(segment), sample.options);
    parser.push(prefix);
    const shown = textOfSegments(segments);
    if (!visible.startsWith(shown))
      throw new Error(`After ${length} characters it shows what it takes back later: ${JSON.stringify(shown)}`);
    if (!shown.startsWith(shownBefore)) throw new Error(`After ${length} characters it shows less than before`);
    shownBefore = shown;
    parser.inspect?.();
    parser.end('abort');
    const early = joinTexts(runnableCalls(segments));
    assertSame(early, calls.slice(0, early.length), () => `calls when cut after ${length} characters`);
    for (const cut of [segments, parseChunks(protocol, [prefix], 'length', sample.options)]) {
      checkCards(cut);
      checkConservation(prefix, cut); // a pattern matches whole tokens, and the cut may be inside one
    }
  }
}

/** Checks that every announced call ends once, with its own id, and that its growing arguments lead to the final ones. */
export function checkCards(segments: readonly Segment[]) {
  const open = new Map<string, { name: string; values: Map<string, string> }>();
  const ids = new Set<string>();
  for (const segment of segments) {
    if (segment.type === 'call-start') {
      if (ids.has(segment.id)) throw new Error(`The id ${segment.id} is given twice`);
      ids.add(segment.id);
      open.set(segment.id, { name: segment.name, values: new Map() });
    }
    if (segment.type === 'arguments') {
      const values = open.get(segment.id)?.values;
      if (!values) throw new Error(`Arguments for ${segment.id}, which is not open`);
      const key = segment.key ?? '';
      values.set(key, (values.get(key) ?? '') + segment.text);
    }
    if (segment.type === 'call') {
      const card = open.get(segment.id);
      if (card?.name !== segment.name) throw new Error(`The call ${segment.id} was not announced as ${segment.name}`);
      for (const [key, value] of card.values) {
        if (key === '' || segment.flags?.includes('duplicate_key') || typeof segment.arguments[key] !== 'string') continue;
        assertSame(value, segment.arguments[key], () => `the growing argument ${key}`);
      }
    }
    if ((segment.type === 'call' || segment.type === 'call-error') && segment.id) open.delete(segment.id);
  }
  if (open.size > 0) throw new Error(`Announced and never ended: ${[...open.keys()].join(', ')}`);
}

/** Checks that arguments are plain data: no key that could change a prototype at any depth, and only the prototypes of literals. */
export function checkArguments(segments: readonly Segment[]) {
  for (const segment of segments) {
    const waiting: unknown[] = segment.type === 'call' ? [segment.arguments] : [];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (typeof value !== 'object' || value === null) continue;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (!Array.isArray(value) && prototype !== null && prototype !== Object.prototype) throw new Error('Arguments with a prototype');
      const key = Object.keys(value).find((name) => FORBIDDEN.has(name));
      if (key !== undefined) throw new Error(`Arguments with the key ${key}`);
      waiting.push(...(Object.values(value) as unknown[]));
    }
  }
  if (Object.keys(Object.prototype).length > 0)
    throw new Error(`Object.prototype was changed: ${Object.keys(Object.prototype).join(', ')}`);
}

/** Checks that input after the end is ignored. */
function checkOver(protocol: ProtocolReader, text: string) {
  let count = 0;
  const parser = protocol.createParser!(() => (count += 1));
  parser.push(text);
  parser.end();
  const before = count;
  parser.push(text);
  parser.end();
  if (count !== before) throw new Error('Says more after its end');
}

/** Maximum length of markup that no pattern describes. */
const GAP = 512;

/** Text that is removed even without a call: a byte order mark, a closing reasoning tag without an opening one, empty reasoning. */
const DROPPED = /\ufeff|<\/?think(?:ing)?>/y;
/** A result in the marks of a built-in protocol, which is a model's echo. */
const ECHO =
  /<tool_result[\s>][^]*?<\/tool_result\s*>|<<<\[TOOL_RESULT\]>>>[^]*?<<<\[END_TOOL_RESULT\]>>>|```json\n\{"action": ?"tool_result"[^]*?\n```|\{"tool_call_result": ?\{.*\}\}/y;

/**
 * Throws an `Error` that names what was lost. Text may look like markup, so all ways to read it are followed. Several calls of one block
 * may each name the whole block as their source, or their own part of it.
 */
export function checkConservation(text: string, segments: readonly Segment[], markup?: RegExp) {
  let ends = new Set([0]);
  let before: { raw: string } | 'text' | 'reasoning' | undefined;
  for (const segment of segments) {
    if (segment.type === 'call-start' || segment.type === 'arguments' || segment.type === 'was-reasoning') continue;
    if (segment.type === 'call' && segment.flags?.includes('quoted')) continue;
    const isBlock = 'raw' in segment;
    const piece = isBlock ? segment.raw : segment.text;
    const next = new Set<number>();
    if (isBlock && typeof before === 'object' && before.raw.includes(piece)) ends.forEach((end) => next.add(end));
    const loose = markup === undefined && (before === 'reasoning' || typeof before === 'object' || segment.type !== 'text');
    for (const end of ends)
      for (const start of loose ? occurrences(text, piece, end) : skip(text, end, markup ?? DROPPED))
        if (text.startsWith(piece, start)) next.add(start + piece.length);
    if (next.size === 0) throw new Error(`Not in the text, or something before it was lost: ${JSON.stringify(piece)}`);
    if (segment.type === 'call-error' && segment.code === 'too_large') return; // the rules drop the rest of that call
    ends = next;
    before = isBlock ? { raw: piece } : segment.type === 'text' ? 'text' : 'reasoning';
  }
  const loose = markup === undefined && before !== undefined && before !== 'text';
  const isWhole = (end: number) => (loose && text.length - end <= GAP) || skip(text, end, markup ?? DROPPED).includes(text.length);
  if (![...ends].some(isWhole)) throw new Error(`Lost: ${JSON.stringify(text.slice(Math.max(...ends)))}`);
}

function occurrences(text: string, piece: string, from: number): number[] {
  if (piece === '') return [from];
  const found: number[] = [];
  for (let at = text.indexOf(piece, from); at !== -1 && at <= from + GAP; at = text.indexOf(piece, at + 1)) found.push(at);
  return found;
}

/** All positions that can be reached from `from` over markup, `from` included. */
function skip(text: string, from: number, markup: RegExp): number[] {
  const reached = [from];
  for (let at = from; at < text.length;) {
    markup.lastIndex = ECHO.lastIndex = at;
    const token = markup.exec(text)?.[0] || ECHO.exec(text)?.[0];
    if (!token) return reached;
    at += token.length;
    reached.push(at);
  }
  return reached;
}
