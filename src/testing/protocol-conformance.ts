/**
 * What every streaming protocol owes, as a suite that a host can run on its own: chunk independence, conservation, append-only output,
 * linear time, bounded memory, no prototype touched, never a throw (protocols.md §1, faults 112).
 *
 * @example
 * runProtocolConformance(myProtocol, [{ name: 'an empty call', text: '<call now/>', segments: [{ type: 'call', name: 'now', arguments: {} }] }]);
 */
import type { CallErrorCode, CallFlag, ParserOptions, Segment, ToolProtocol } from '../protocols/protocol.js';

/** A segment as a sample states it: without ids, neighbouring texts joined, `raw` only where it matters. Objects may be in any key order. */
export type ExpectedSegment =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'call'; name: string; arguments: Record<string, unknown>; flags?: CallFlag[]; raw?: string }
  | { type: 'call-error'; code: CallErrorCode; name?: string; raw?: string };

export interface ProtocolSample {
  name: string;
  text: string;
  segments: ExpectedSegment[];
  /** How the stream ends. Default `stop`. */
  end?: 'stop' | 'length' | 'abort';
  options?: ParserOptions;
}

export interface ConformanceOptions {
  /** Writes a call in the notation; needed for the checks of memory and prototypes. */
  write?: (name: string, values: Record<string, unknown>) => string;
  /** One token of markup that may vanish from view (sticky, `y`): with it, conservation is checked to the last character. */
  markup?: RegExp;
  /** Fragments that a hostile or broken model may repeat; they are timed, and mixed at random. */
  fragments?: readonly string[];
  /** For the random parts. Default: from the clock, and printed in the title. */
  seed?: number;
}

/** One check: a sentence, and a function that throws an `Error` if it does not hold. */
export interface ConformanceCheck {
  title: string;
  run(): void;
}

const FRAGMENTS = [
  '<',
  '`',
  '~',
  '```json\n',
  '\n',
  ' ',
  '{',
  '「始」',
  '</',
  '> ',
  '- ',
  '<think>',
  '</think>',
  'a < b ',
  '"',
  '\\',
  '\ud83d\ude00',
  '[[',
];
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

/** Registers the suite with the test runner's `describe` and `it` (mocha, vitest, jest, …). */
export function runProtocolConformance(protocol: ToolProtocol, samples: readonly ProtocolSample[], options: ConformanceOptions = {}): void {
  const { describe, it } = globalThis as unknown as Record<'describe' | 'it', (title: string, run: () => void) => void>;
  describe(`protocol ${protocol.id}`, () => {
    for (const check of protocolChecks(protocol, samples, options)) it(check.title, check.run);
  });
}

/** The suite as a list, for other runners and for tests that show it can fail. */
export function protocolChecks(
  protocol: ToolProtocol,
  samples: readonly ProtocolSample[],
  options: ConformanceOptions = {},
): ConformanceCheck[] {
  const seed = options.seed ?? Date.now() % 1_000_000;
  const fragments = [...FRAGMENTS, ...(options.fragments ?? [])];
  const checks: ConformanceCheck[] = samples.map((sample) => ({
    title: `reads ${sample.name}`,
    run: () => checkSample(protocol, sample, options, seed),
  }));
  checks.push({
    title: `keeps its promises for markup in any disorder (seed ${seed})`,
    run: () => checkDisorder(protocol, fragments, options, seed),
  });
  for (const fragment of fragments) checks.push({ title: timeTitle(fragment), run: () => checkLinear(protocol, fragment) });
  if (options.write) checks.push(...callChecks(protocol, options.write));
  return checks;
}

/**
 * Checks one text against every invariant: whole, cut in two everywhere, in single characters and at random, and every prefix of it as a
 * message of its own. Throws an `Error` naming the cut. For property-based tests.
 */
export function checkText(
  protocol: ToolProtocol,
  text: string,
  options: ConformanceOptions & { sample?: Partial<ProtocolSample> } = {},
): Segment[] {
  const { sample = {}, seed = 1, markup } = options;
  const parse = (chunks: readonly string[], end = sample.end) => parseChunks(protocol, chunks, end, sample.options);
  const whole = parse([text]);
  const expected = joinTexts(whole);
  const compare = (chunks: readonly string[]) =>
    assertSame(joinTexts(parse(chunks)), expected, () => `in chunks ${JSON.stringify(chunks)}`);

  compare([...text].flatMap((char) => char.split('')));
  for (let cut = 1; cut < text.length; cut += 1) compare([text.slice(0, cut), text.slice(cut)]);
  const random = createRandom(seed);
  for (let round = 0; round < 10; round += 1) compare(cutAtRandom(text, random));

  checkPrefixes(protocol, text, whole, sample);
  checkCards(whole);
  checkConservation(text, whole, markup);
  return whole;
}

function checkSample(protocol: ToolProtocol, sample: ProtocolSample, options: ConformanceOptions, seed: number) {
  const whole = checkText(protocol, sample.text, { ...options, seed, sample });
  const found = joinTexts(whole).map((segment, index) => {
    const { id: _, ...rest } = segment as Segment & { id?: string };
    const wanted = sample.segments[index];
    if ('raw' in rest && !(wanted && 'raw' in wanted)) delete (rest as { raw?: string }).raw;
    return rest;
  });
  assertSame(found, sample.segments, () => `for ${JSON.stringify(sample.text)} (seed ${seed})`);
}

/** A prefix is a message that was cut: it never throws, and holds no call that the whole text does not hold at that place. */
function checkPrefixes(protocol: ToolProtocol, text: string, whole: readonly Segment[], sample: Partial<ProtocolSample>) {
  const calls = callsOf(whole);
  const visible = visibleText(whole);
  let shownBefore = '';
  for (let length = 1; length <= text.length; length += 1) {
    const segments: Segment[] = [];
    const parser = protocol.createParser!((segment) => segments.push(segment), sample.options);
    parser.push(text.slice(0, length));
    const shown = visibleText(segments);
    if (!visible.startsWith(shown))
      throw new Error(`After ${length} characters it shows what it takes back later: ${JSON.stringify(shown)}`);
    if (!shown.startsWith(shownBefore)) throw new Error(`After ${length} characters it shows less than before`);
    shownBefore = shown;
    parser.inspect?.();
    parser.end('abort');
    const early = callsOf(segments);
    assertSame(early, calls.slice(0, early.length), () => `calls when cut after ${length} characters`);
  }
}

/** Every call that was announced ends once; its growing arguments are what it ends with. */
function checkCards(segments: readonly Segment[]) {
  const open = new Map<string, { name: string; values: Map<string, string> }>();
  for (const segment of segments) {
    if (segment.type === 'call-start') open.set(segment.id, { name: segment.name, values: new Map() });
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

/** Every character ends in one segment, in order, or is markup. Text may look like markup, so all ways to read it are followed. */
function checkConservation(text: string, segments: readonly Segment[], markup: RegExp | undefined) {
  let ends = new Set([0]);
  for (const segment of segments) {
    if (segment.type === 'call-start' || segment.type === 'arguments') continue;
    if (segment.type === 'call' && segment.flags?.includes('quoted')) continue;
    const piece = 'raw' in segment ? segment.raw : segment.text;
    const starts = [...ends].flatMap((end) => (markup ? skipMarkup(text, end, markup) : [text.indexOf(piece, end)]));
    ends = new Set(starts.filter((start) => start !== -1 && text.startsWith(piece, start)).map((start) => start + piece.length));
    if (ends.size === 0) throw new Error(`Not in the text, or something before it was lost: ${JSON.stringify(piece)}`);
    if (segment.type === 'call-error' && segment.code === 'too_large') return; // the rest of that call is gone by rule
  }
  if (markup && ![...ends].some((end) => skipMarkup(text, end, markup).includes(text.length)))
    throw new Error(`Lost: ${JSON.stringify(text.slice(Math.max(...ends)))}`);
}

/** All positions that can be reached from `from` over markup, `from` included. */
function skipMarkup(text: string, from: number, markup: RegExp): number[] {
  const reached = [from];
  for (let at = from; ;) {
    markup.lastIndex = at;
    const token = markup.exec(text)?.[0];
    if (!token) return reached;
    at += token.length;
    reached.push(at);
  }
}

function checkDisorder(protocol: ToolProtocol, fragments: readonly string[], options: ConformanceOptions, seed: number) {
  const random = createRandom(seed);
  for (let round = 0; round < 100; round += 1) {
    const text = Array.from({ length: 1 + Math.floor(random() * 9) }, () => fragments[Math.floor(random() * fragments.length)]).join('');
    try {
      checkText(protocol, text.slice(0, 200), { ...options, seed: seed + round });
    } catch (error) {
      throw new Error(`${(error as Error).message}\nfor the text ${JSON.stringify(text.slice(0, 200))} (seed ${seed}, round ${round})`);
    }
  }
}

function timeTitle(fragment: string): string {
  const shown = fragment.length > 40 ? `${fragment.slice(0, 20)}…${fragment.slice(-10)}` : fragment;
  return `takes at most 2.6 times the time for twice as many ${JSON.stringify(shown)}`;
}

/** t(200,000) / t(100,000) of a repeated fragment, the least of several runs, in small chunks and at once. */
function checkLinear(protocol: ToolProtocol, fragment: string) {
  const build = (length: number) => fragment.repeat(Math.ceil(length / fragment.length));
  const [single, double] = [build(100_000), build(200_000)];
  for (const size of [4, Infinity]) {
    let long = time(protocol, double, size);
    let short = time(protocol, single, size);
    // Under 100 ms a busy machine decides, not the parser; whatever is quadratic at this length is slower.
    const isSuspect = () => long > 100 && long > 2.6 * short;
    for (const deadline = performance.now() + 3000; isSuspect() && performance.now() < deadline;) {
      short = Math.min(short, time(protocol, single, size));
      long = Math.min(long, time(protocol, double, size));
    }
    if (isSuspect()) throw new Error(`${(long / short).toFixed(1)} times the time, in chunks of ${size}`);
  }
}

function time(protocol: ToolProtocol, text: string, size: number): number {
  const start = performance.now();
  const parser = protocol.createParser!(() => {});
  if (size === Infinity) parser.push(text);
  else for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  parser.end();
  return performance.now() - start;
}

function callChecks(protocol: ToolProtocol, write: NonNullable<ConformanceOptions['write']>): ConformanceCheck[] {
  const parse = (text: string) => parseChunks(protocol, cutEvery(text, 1000));
  return [
    {
      title: 'reads twenty calls of 100 KB in one message',
      run() {
        const segments = parse(
          Array.from({ length: 20 }, (_, index) => write('save', { content: `${index}`.padEnd(100_000, 'x') })).join('\n'),
        );
        const lengths = callsOf(segments).map((call) => call.type === 'call' && String(call.arguments['content']).length);
        assertSame(
          lengths,
          Array.from({ length: 20 }, () => 100_000),
          () => 'lengths of the arguments',
        );
      },
    },
    {
      title: 'refuses a call of 1.2 MB as too large and reads the next one',
      run() {
        const segments = parse(`${write('save', { content: 'x'.repeat(1_200_000) })}\n${write('list', {})}`);
        const found = segments.filter((segment) => segment.type === 'call' || segment.type === 'call-error');
        assertSame(
          found.map((segment) => (segment.type === 'call' ? segment.name : segment.code)),
          ['too_large', 'list'],
          () => 'calls and errors',
        );
        const raw = found.find((segment) => segment.type === 'call-error')!.raw;
        if (raw.length > 10_000) throw new Error(`The error keeps ${raw.length} characters of what was too large`);
      },
    },
    {
      title: 'refuses arguments that reach for a prototype',
      run() {
        for (const key of FORBIDDEN) {
          const values: Record<string, unknown> = Object.fromEntries([
            [key, '{"polluted":"yes"}'],
            ['x', '1'],
          ]);
          const codes = parse(write('save', values)).flatMap((segment) =>
            segment.type === 'call' ? ['run'] : segment.type === 'call-error' ? [segment.code] : [],
          );
          assertSame(codes, ['bad_shape'], () => `for the argument ${key}`);
        }
        const untouched: Record<string, unknown> = {};
        if (untouched['polluted'] !== undefined) throw new Error('Object.prototype was changed');
      },
    },
    {
      title: 'reads text at once as it reads it in a stream',
      run() {
        const text = `Before ${write('save', { content: 'a < b' })} after ${write('list', {})}`;
        const streamed = callsOf(parse(text)).map((call) => call.type === 'call' && [call.name, call.arguments]);
        const requests = protocol.parseToolRequests(text).map((request) => [request.toolName, request.args]);
        assertSame(requests, streamed, () => 'requests');
      },
    },
  ];
}

function parseChunks(
  protocol: ToolProtocol,
  chunks: readonly string[],
  end: ProtocolSample['end'] = 'stop',
  options?: ParserOptions,
): Segment[] {
  const segments: Segment[] = [];
  const parser = protocol.createParser!((segment) => segments.push(segment), options);
  for (const chunk of chunks) parser.push(chunk);
  parser.end(end);
  return segments;
}

/** What must not depend on the chunks: everything but how often, and in which pieces, text and arguments are told. */
function joinTexts(segments: readonly Segment[]): Exclude<Segment, { type: 'call-start' | 'arguments' }>[] {
  const joined: Exclude<Segment, { type: 'call-start' | 'arguments' }>[] = [];
  for (const segment of segments) {
    if (segment.type === 'call-start' || segment.type === 'arguments') continue;
    const last = joined.at(-1);
    const isText = segment.type === 'text' || segment.type === 'reasoning';
    if (isText && last?.type === segment.type)
      joined[joined.length - 1] = { type: segment.type, text: (last as { text: string }).text + segment.text };
    else joined.push(segment);
  }
  return joined;
}

function callsOf(segments: readonly Segment[]): Segment[] {
  return segments.filter((segment) => segment.type === 'call' && !segment.flags?.includes('quoted'));
}

function visibleText(segments: readonly Segment[]): string {
  return segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');
}

function cutEvery(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
}

function cutAtRandom(text: string, random: () => number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(random() * 12);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** mulberry32: small, and the same numbers for the same seed everywhere. */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function assertSame(found: unknown, expected: unknown, where: () => string) {
  const [left, right] = [canonical(found), canonical(expected)];
  if (left !== right) throw new Error(`Differs ${where()}\n  found    ${left}\n  expected ${right}`);
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
