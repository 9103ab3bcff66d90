/** Whatever a service sends, a reader does not throw, says nothing after the end, and hears the same in any slicing. */
import { expect } from 'chai';
import fc from 'fast-check';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { openai } from '../../src/transports/openai.js';
import type { Wire, WireEvent } from '../../src/transports/wire.js';
import { rounds } from '../helpers/effort.js';
import { bytes, everyByte, read } from './reading.js';
import { bodyOf, recorded, wholeReplies } from './recorded.js';

const kindOf = (frame: object) =>
  JSON.stringify(frame, (key, value: unknown) => (typeof value === 'object' || key === 'type' ? value : typeof value));

/** Frames as the services send them; the test breaks them. Those of one wire are strange to all others. */
const real = Object.fromEntries(
  recorded.map(({ id, cases }) => {
    const sources = cases.map(({ file }) => new TextDecoder().decode(bodyOf(id, file)));
    // One of each kind, so that each is drawn as often.
    const kinds = new Map(sources.flatMap(framesIn).map((frame) => [kindOf(frame), frame]));
    return [id, [...kinds.values(), wholeReplies[id] ?? { a: 1 }]];
  }),
);

function framesIn(source: string): object[] {
  return source.split(/\r?\n/).flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line.replace(/^data: ?/, ''));
      return typeof value === 'object' && value !== null ? [value] : [];
    } catch {
      return [];
    }
  });
}

const odd = [null, true, false, 0, -1, 1.5, 1e308, '', 'a', '😀', '{"a":', '__proto__', 'constructor', [], {}, [null], { length: 3 }];
const junk = fc.oneof(fc.constantFrom<unknown>(...odd), fc.constantFrom(...Object.values(real).flat()), fc.jsonValue({ maxDepth: 2 }));

function placesIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

const frameOf = (samples: object[]) =>
  fc.tuple(fc.constantFrom(...samples), fc.option(fc.tuple(fc.nat(), fc.option(junk, { nil: undefined })))).map(([sample, broken]) => {
    const frame = structuredClone(sample);
    const places = placesIn(frame);
    const place = broken === null ? undefined : places[broken[0] % places.length];
    if (place && broken) Object.defineProperty(place.holder, place.key, { value: broken[1], enumerable: true });
    return frame;
  });

const inEvents = (frames: object[], named: boolean) =>
  frames
    .map((one) => `${named && 'type' in one && typeof one.type === 'string' ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`)
    .join('');

function bodies(id: string): fc.Arbitrary<{ source: Uint8Array; type: string }> {
  const own = id === 'ollama' ? 'application/x-ndjson' : id === 'text' ? 'text/plain' : 'text/event-stream';
  const frame = fc.oneof({ weight: 6, arbitrary: frameOf(real[id] ?? []) }, { weight: 1, arbitrary: frameOf(Object.values(real).flat()) });
  const stream = fc
    .tuple(fc.array(frame, { maxLength: 12 }), fc.boolean(), fc.boolean())
    .map(([all, named, done]) =>
      id === 'ollama' ? all.map((one) => `${JSON.stringify(one)}\n`).join('') : inEvents(all, named) + (done ? 'data: [DONE]\n\n' : ''),
    );
  const anyType = fc.constantFrom(own, '', 'application/json', 'application/x-ndjson', 'text/plain', 'text/event-stream', 'text/html', ';');
  return fc.oneof(
    { weight: 6, arbitrary: stream.map((source) => ({ source: bytes(source), type: own })) },
    { weight: 2, arbitrary: frame.map((one) => ({ source: bytes(JSON.stringify(one)), type: 'application/json' })) },
    { weight: 1, arbitrary: fc.record({ source: stream.map(bytes), type: anyType }) },
    { weight: 1, arbitrary: fc.record({ source: fc.uint8Array({ maxLength: 400 }), type: anyType }) },
  );
}

const wholeBodies = (id: string) =>
  recorded
    .find((wire) => wire.id === id)!
    .cases.map(({ file, contentType: type }): [{ source: Uint8Array; type: string }, 'close'] => [
      { source: bodyOf(id, file), type },
      'close',
    ]);

/** What was said, without regard to how it was cut. */
function hear(wire: Wire, pieces: Iterable<Uint8Array>, type: string, ending: 'close' | 'reset') {
  const heard: WireEvent[] = [];
  let ended = false;
  let late = 0;
  const reader = wire.createReader(
    (event) => {
      if (ended) late += 1;
      ended ||= event.type === 'finish' || event.type === 'error';
      const last = heard.at(-1);
      if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) last.text += event.text;
      else if (event.type !== 'ping') heard.push({ ...event });
    },
    { status: 200, contentType: type, maxLine: 5000 },
  );
  for (const piece of pieces) reader.push(piece);
  reader.end(ending);
  reader.push(bytes('data: {"type":"text","content":"late"}\n\n{"done":true}\n'));
  reader.end('close');
  return { heard, late };
}

/** Their bytes are made in the page itself. */
const inTheBrowser = new Set(['prompt-api', 'wllama']);

describe('readers', () => {
  for (const { id, load } of builtInWires.filter((wire) => !inTheBrowser.has(wire.id))) {
    it(`of ${id} take anything`, async () => {
      const wire = await load();
      const heard = new Set<string>();
      fc.assert(
        fc.property(bodies(id), fc.constantFrom('close' as const, 'reset' as const), ({ source, type }, ending) => {
          const whole = hear(wire, [source], type, ending);
          expect(whole.late).to.equal(0);
          expect(hear(wire, everyByte(source), type, ending)).to.deep.equal(whole);
          for (const event of whole.heard) heard.add(event.type);
        }),
        { numRuns: rounds(300), examples: wholeBodies(id) },
      );
      // Else nothing was put to the test.
      expect([...heard]).to.include.members(['text', 'error', 'finish', ...(id === 'text' || id === 'cutie' ? [] : ['reasoning', 'tool'])]);
    });
  }

  for (const [what, source] of Object.entries({
    'lines of one event': `${'data: {\n'.repeat(100_000)}\n`,
    'lines of an event without an end': 'data: {\n'.repeat(100_000),
    'lines of no event': '{\n'.repeat(100_000),
    'lines that say nothing': `[1]\n${'{}\n'.repeat(100_000)}`,
  }))
    it(`soon give up a body of nothing but ${what}`, () => {
      const { parse } = JSON;
      let parsed = 0;
      JSON.parse = (...given) => ((parsed += 1), parse(...given) as unknown);
      try {
        expect(read(openai, [bytes(source)]).error?.code).to.equal('BAD_RESPONSE');
      } finally {
        JSON.parse = parse;
      }
      expect(parsed).to.be.below(10_000);
    });
});
