/**
 * What a wire makes of a reply (`fixtures/wires/<wire>/replies.json`), beyond the recorded ones (`fixtures`). Objects of a body are its events.
 * Arguments that come another way than in the pieces of their call are still its arguments; those that are lost are no "no arguments"
 * (`late-arguments.json`).
 */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { createNativeCalls } from '../../src/protocols/native.js';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { ollama } from '../../src/transports/ollama.js';
import { openai } from '../../src/transports/openai.js';
import { plainText } from '../../src/transports/text.js';
import type { Wire, WireEvent } from '../../src/transports/wire.js';
import { isLinear } from '../helpers/cost.js';
import { bytes, done, events, everyByte, frames, read, story, whole } from './reading.js';

type Body = (string | object)[];
type Options = Parameters<typeof read>[2];
interface Replies {
  /** Each event has its type as its name, too. */
  named?: true;
  contentType?: string;
  replies: Record<string, (Options & { told: string; body?: Body; whole?: unknown; byByte?: true })[]>;
}
/** `calls`: name and arguments of each, or the code of what is wrong. */
type Late = Record<string, { calls: unknown[]; body: Body }[]>;

const load = <T>(id: string, file: string) => {
  const at = new URL(`../fixtures/wires/${id}/${file}.json`, import.meta.url);
  return existsSync(at) ? (JSON.parse(readFileSync(at, 'utf8')) as T) : undefined;
};
const written = (body: Body, named = false) =>
  body.map((piece) => (typeof piece === 'string' ? bytes(piece) : named ? events(piece) : frames(piece)));
const join = (pieces: Uint8Array[]) => new Uint8Array(Buffer.concat(pieces));

for (const { id, load: loadWire } of builtInWires) {
  const given = load<Replies>(id, 'replies');
  if (given)
    describe(`a reply of wire ${id}`, () => {
      const { named, replies, ...common } = given;
      for (const [title, all] of Object.entries(replies))
        it(title, async () => {
          const wire = await loadWire();
          for (const { told, body, byByte, whole: one, ...options } of all) {
            const pieces = written(body ?? [], named);
            const [source, more] = body ? [byByte ? everyByte(join(pieces)) : pieces] : whole(one);
            const reading = read(wire, source, { ...common, ...more, ...options });
            expect(story(reading) + (reading.warnings.length > 0 ? ' · warned' : ''), JSON.stringify(body ?? one)).to.equal(told);
          }
        });
    });

  const late = load<Late>(id, 'late-arguments');
  if (late)
    describe(`late arguments of wire ${id}`, () => {
      for (const [title, all] of Object.entries(late))
        it(title, async () => {
          const wire = await loadWire();
          for (const { calls, body } of all) expect(callsOf(wire, join(written(body))), JSON.stringify(body)).to.deep.equal(calls);
        });
    });
}

function callsOf(wire: Wire, body: Uint8Array): unknown[] {
  const found: unknown[] = [];
  const native = createNativeCalls((segment) => {
    if (segment.type === 'call') found.push([segment.name, segment.arguments]);
    if (segment.type === 'call-error') found.push([segment.name, segment.code]);
  });
  const { events: all, finish } = read(wire, everyByte(body));
  for (const event of all) if (event.type === 'tool' && event.by === undefined) native.take(event);
  native.end(finish?.finish === 'length' ? 'length' : finish ? 'stop' : 'abort');
  return found;
}

it('a text does not end in half a character', () => {
  const half = [bytes('a👧').subarray(0, 4)];
  for (const how of ['close', 'reset'] as const)
    expect(story(read(plainText, half, { contentType: 'text/plain', how }))).to.equal('text a');
});

it('blank lines, and a long line in small pieces, are read in linear time', async () => {
  for (const [piece, length] of [
    ['\n', 1_000_000],
    ['x'.repeat(64), 4_000_000],
  ] as const) {
    const prepare = (size: number) => {
      const pieces = Array<Uint8Array>(size / piece.length).fill(bytes(piece));
      return () => read(ollama, pieces, { contentType: 'application/x-ndjson' });
    };
    expect(await isLinear(prepare, length / 4)).to.equal(true);
  }
});

describe('calls that a hostile line repeats', () => {
  type Piece = (at: number, count: number) => object;
  const called = (more: object, args: string) => ({ ...more, function: { name: 'a', arguments: args } });
  const open = (at: number) => (at === 0 ? '{"x":"' : 'y'.repeat(200));
  const line = (piece: Piece, count: number, isWhole: boolean) => {
    const tool_calls = Array.from({ length: count }, (_, at) => piece(at, count));
    return { choices: [isWhole ? { delta: {}, message: { tool_calls } } : { delta: { tool_calls } }] };
  };
  const wholeOne: Piece = (at) => called({ id: `i${String(at)}` }, `{"x":${String(at)}}`);
  const twin: Piece = (at, count) => called({ index: at, id: 'one' }, at === 0 ? `{"x":"${'y'.repeat(count * 100)}"}` : '{}');

  for (const [title, piece, most] of [
    ['whole ones', wholeOne, 500],
    ['pieces without an id', (at: number) => called({ index: 0 }, open(at)), 1000],
    ['pieces of one id under ever new numbers', (at: number) => called({ index: at, id: 'one' }, open(at)), 1000],
    ['arguments that differ under one id', twin, 500],
  ] as const)
    it(`are read in linear time: ${title}`, async () => {
      const prepare = (count: number) => {
        const body = join([frames(line(piece, count, piece === wholeOne)), done]);
        return () => {
          const native = createNativeCalls(() => undefined);
          const take = (event: WireEvent) => event.type === 'tool' && native.take(event);
          openai.createReader(take, { status: 200, contentType: 'text/event-stream' }).push(body);
          native.end();
        };
      };
      expect(await isLinear(prepare, most * 2)).to.equal(true);
    });
});
