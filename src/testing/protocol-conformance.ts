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
import { assertSame, asStated, createRandom, validCalls } from './chunks.js';
import { callChecks } from './conformance-calls.js';
import { checkLinear, checkPrompt } from './conformance-time.js';
import type { ConformanceOptions, ProtocolSample } from './protocol-sample.js';
import type { Segment, ToolProtocol } from '../protocols/protocol.js';
import type { ConformanceCheck } from './conformance-check.js';

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
