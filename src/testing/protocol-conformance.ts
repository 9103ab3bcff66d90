/**
 * The requirements on every streaming protocol, as a suite that you can run yourself: chunk independence, conservation, append-only
 * output, linear time, bounded memory, no changed prototypes, no exceptions.
 *
 * A host brings its protocol and samples of it; `write` and `fragments` make the suite stricter, `markup` makes the check of
 * conservation exact. What can go wrong with any text goes wrong with some sample: take near misses, cuts and nonsense as well. The
 * samples of the built-in protocols are in `corpus`.
 *
 * @example
 * runProtocolConformance(myProtocol, [
 *   { name: 'an empty call', text: '<call now/>', segments: [{ type: 'call', name: 'now', arguments: {} }] },
 *   { name: 'a call that was cut', text: '<call no', segments: [{ type: 'call-error', code: 'unclosed' }] },
 * ]);
 */
import { checkText } from './check-text.js';
import { assertSame, asStated, createRandom, validCalls, runnableCalls, cutEvery, parseChunks, textOfSegments } from './chunks.js';
import type { ConformanceOptions, ProtocolSample } from './protocol-sample.js';
import type { Segment, ToolProtocol, ProtocolReader } from '../protocols/protocol.js';
import { FORBIDDEN } from '../protocols/call-buffer.js';

export type { ConformanceOptions, ExpectedSegment, ProtocolSample } from './protocol-sample.js';
export { checkText } from './check-text.js';

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

/** Maximum milliseconds for one test, generous because the machine may be busy. */
const TEST_TIMEOUT_MS = 60_000;

/**
 * Registers the suite with `describe` and `it` of the test runner: the global ones of mocha and jest, else those in the options.
 * @throws Error where there are none
 */
export function runProtocolConformance(protocol: ToolProtocol, samples: readonly ProtocolSample[], options: ConformanceOptions = {}): void {
  const known = globalThis as Pick<ConformanceOptions, 'describe' | 'it'>;
  const { describe = known.describe, it = known.it } = options;
  if (!describe || !it)
    throw new Error('There is no `describe` and `it`: import them from your test runner, and put them into the options.');
  const seed = options.seed ?? Date.now() % 1_000_000;
  describe(`protocol ${protocol.id} (seed ${seed})`, () => {
    for (const { title, run } of protocolChecks(protocol, samples, { ...options, seed })) {
      const test = it(title, run, TEST_TIMEOUT_MS) as { timeout?(ms: number): void } | undefined;
      // Mocha takes no third argument.
      test?.timeout?.(TEST_TIMEOUT_MS);
    }
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
  return [
    ...samples.map((sample) => ({
      title: `reads ${sample.name}`,
      run: () => checkSample(protocol, sample, { ...options, seed }),
    })),
    {
      title: `keeps its promises for markup in any disorder (seed ${seed})`,
      run: () => checkRandomText(protocol, fragments, options, seed),
    },
    { title: 'shows prose as it comes', run: () => checkPrompt(protocol) },
    ...fragments.map((fragment) => ({
      title: `takes at most 2.6 times the time for twice as many ${shorten(fragment)}`,
      run: () => checkLinear(protocol, (length) => fragment.repeat(Math.ceil(length / fragment.length))),
    })),
    ...(options.write ? callChecks(protocol, options.write) : []),
  ];
}

function checkSample(protocol: ToolProtocol, sample: ProtocolSample, options: ConformanceOptions & { seed: number }) {
  const where = () => `for ${JSON.stringify(sample.text)} (seed ${options.seed})`;
  let whole: Segment[];
  try {
    whole = checkText(protocol, sample.text, { ...options, sample });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${where()}`);
  }
  assertSame(asStated(whole, sample.segments), sample.segments, where);
  if (sample.options || (sample.end ?? 'stop') !== 'stop') return;
  const requests = protocol.parseToolRequests(sample.text).map(({ toolName, args }) => [toolName, args]);
  assertSame(
    requests,
    validCalls(whole).map((call) => [call.name, call.arguments]),
    () => `when read at once ${where()}`,
  );
}

function checkRandomText(protocol: ToolProtocol, fragments: readonly string[], options: ConformanceOptions, seed: number) {
  const random = createRandom(seed);
  for (let round = 0; round < 100; round += 1) {
    const pieces = Array.from({ length: 1 + Math.floor(random() * 9) }, () => fragments[Math.floor(random() * fragments.length)]);
    const text = pieces.join('').slice(0, 200);
    try {
      checkText(protocol, text, { ...options, seed: seed + round });
    } catch (error) {
      throw new Error(`${(error as Error).message}\nfor the text ${JSON.stringify(text)} (seed ${seed}, round ${round})`);
    }
  }
}

function shorten(fragment: string): string {
  return JSON.stringify(fragment.length > 40 ? `${fragment.slice(0, 20)}…${fragment.slice(-10)}` : fragment);
}

/** Checks large and hostile calls, which a function writes in the protocol. */
function callChecks(protocol: ToolProtocol, write: NonNullable<ConformanceOptions['write']>): ConformanceCheck[] {
  const parse = (text: string) => parseChunks(protocol, cutEvery(text, 1000));
  const save = (length: number) => write('save', { content: 'word '.repeat(length / 5) });
  return [
    {
      title: 'reads twenty calls of 100 KB in one message',
      run() {
        const calls = runnableCalls(parse(Array.from({ length: 20 }, () => save(100_000)).join('\n')));
        const sizes = calls.map((call) => String(call.arguments['content']).trimEnd().length);
        assertSame(
          sizes,
          Array.from({ length: 20 }, () => 99_999),
          () => 'lengths of the arguments',
        );
      },
    },
    {
      title: 'refuses a call of 1.2 MB as too large and reads the next one',
      run() {
        const segments = parse(`${save(1_200_000)}\n${write('list', {})}`);
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
      title: 'holds next to nothing of a call that is too large',
      run() {
        const parser = protocol.createParser!(() => {});
        for (const chunk of cutEvery(save(3_000_000), 1000).slice(0, -1)) parser.push(chunk);
        const held = JSON.stringify(parser.inspect?.() ?? '').length;
        if (held > 10_000) throw new Error(`Holds ${held} characters`);
      },
    },
    {
      title: 'takes at most 2.6 times the time for a call of twice the length',
      run: () => checkLinear(protocol, save),
    },
    {
      title: 'takes at most 2.6 times the time for twice as many calls',
      run: () => checkLinear(protocol, (length) => `${write('save', { content: 'a' })}\n`.repeat(length / 100)),
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
        const text = `Before\n${write('save', { content: 'a < b' })}\nafter\n${write('list', {})}`;
        const requests = protocol.parseToolRequests(text).map((request) => [request.toolName, request.args]);
        assertSame(
          requests,
          [
            ['save', { content: 'a < b' }],
            ['list', {}],
          ],
          () => 'requests',
        );
      },
    },
  ];
}

/**
 * Throws where the time for twice the length is more than 2.6 times as long, in small chunks or at once. Compares 50,000 characters
 * with 200,000, two doublings, the least of several runs: a pause of a busy machine weighs half as much as in one doubling.
 */
function checkLinear(protocol: ProtocolReader, build: (length: number) => string) {
  const [single, fourfold] = [build(50_000), build(200_000)];
  for (const size of [4, Infinity]) {
    let long = time(protocol, fourfold, size);
    // Under 100 ms a busy machine decides, not the parser; whatever is quadratic at this length is slower.
    if (long <= 100) continue;
    let short = time(protocol, single, size);
    const isSuspect = () => long > 100 && long > 2.6 ** 2 * short;
    for (const deadline = performance.now() + 4000; isSuspect() && performance.now() < deadline;) {
      short = Math.min(short, time(protocol, single, size));
      long = Math.min(long, time(protocol, fourfold, size));
    }
    if (isSuspect()) throw new Error(`${Math.sqrt(long / short).toFixed(1)} times the time, in chunks of ${size}`);
  }
}

/** Returns the CPU time of this process in milliseconds, so that a busy machine does not matter. In a browser it is the wall-clock time. */
function spent(): number {
  const usage = (globalThis as { process?: { cpuUsage?(): { user: number; system: number } } }).process?.cpuUsage?.();
  return usage ? (usage.user + usage.system) / 1000 : performance.now();
}

function time(protocol: ProtocolReader, text: string, size: number): number {
  const start = spent();
  const parser = protocol.createParser!(() => {});
  if (size === Infinity) parser.push(text);
  else for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  parser.end();
  return spent() - start;
}

/** Checks that plain text passes without delay. */
function checkPrompt(protocol: ProtocolReader) {
  const segments: Segment[] = [];
  const parser = protocol.createParser!((segment) => segments.push(segment));
  let pushed = 0;
  for (const chunk of cutEvery('Nothing but words, so there is nothing to wait for.\n'.repeat(40), 7)) {
    parser.push(chunk);
    pushed += chunk.length;
    const late = pushed - textOfSegments(segments.splice(0)).length;
    if (late > 0) throw new Error(`Holds back ${late} characters after ${pushed} of prose`);
    pushed = 0;
  }
}

/** One check: a sentence, and a function that throws an `Error` if it does not hold. */
export interface ConformanceCheck {
  title: string;
  run(): void;
}
