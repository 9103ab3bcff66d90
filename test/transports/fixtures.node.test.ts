/** Recorded bodies of the two wires, read whole, at the splits that hurt, and byte by byte: always the same result. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { cutie } from '../../src/transports/cutie.js';
import { openai } from '../../src/transports/openai.js';
import { cutAt, everyByte, read } from './reading.js';
import type { Reading } from './reading.js';

interface Case {
  file: string;
  contentType: string;
  transport: 'close' | 'reset';
  splits: number[];
  bytes: number;
  text: string;
  reasoning: string;
  toolCalls: { id: string; name: string; arguments: object }[];
  finish: { normalized: string } | null;
  usage: { input: number; output: number } | null;
  error: { kind: 'provider' | 'truncated'; message: string; code?: number } | null;
  complete: boolean;
  model?: string;
}

for (const wire of [cutie, openai]) {
  const folder = new URL(`../fixtures/wires/${wire.id}/`, import.meta.url);
  const { cases } = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as { cases: Case[] };

  describe(`wire ${wire.id} on recorded bodies`, () => {
    for (const sample of cases) {
      const source = new Uint8Array(readFileSync(new URL(sample.file, folder)));
      const options = { contentType: sample.contentType, how: sample.transport };
      const slicings = {
        whole: () => [source],
        'cut where it hurts': () => cutAt(source, sample.splits),
        'byte by byte': () => everyByte(source),
      };
      for (const [name, slices] of Object.entries(slicings)) {
        it(`reads ${sample.file} ${name}`, () => check(read(wire, slices(), options), sample));
      }

      it(`never takes a part of ${sample.file} for the whole`, () => {
        // A finish may be said only once the bytes that say it are there: after that, at most an end mark and a line end are left.
        for (let length = 0; length < source.length; length += 7) {
          const { text, finish } = read(wire, [source.subarray(0, length)], options);
          expect(sample.text.startsWith(text)).to.equal(true);
          if (finish) expect(text).to.equal(sample.text);
        }
      });
    }

    it('has samples', () => expect(cases.length).to.be.above(4));
  });
}

function check(reading: Reading, sample: Case) {
  expect(reading.text).to.equal(sample.text);
  expect(reading.reasoning).to.equal(sample.reasoning);
  expect(toolCalls(reading)).to.deep.equal(sample.toolCalls);
  expect(reading.finish !== undefined).to.equal(sample.complete);
  if (sample.complete) {
    expect(reading.finish).to.deep.equal({ type: 'finish', finish: sample.finish?.normalized ?? 'stop', proved: true });
    expect(reading.events.at(-1)).to.equal(reading.finish);
  }
  if (sample.error?.kind === 'provider') {
    expect(reading.error?.message).to.equal(sample.error.message);
    if (sample.error.code !== undefined) expect(reading.error?.code).to.equal(String(sample.error.code));
  } else {
    expect(reading.error).to.equal(undefined);
  }
  const usage = reading.events.find((event) => event.type === 'usage');
  expect(usage && { input: usage.input, output: usage.output }).to.deep.equal(
    sample.usage ? { input: sample.usage.input, output: sample.usage.output } : undefined,
  );
  if (sample.model !== undefined) expect(usage?.model).to.equal(sample.model);
}

function toolCalls({ events }: Reading): unknown[] {
  const calls: { id: string; name: string; source: string }[] = [];
  for (const event of events) {
    if (event.type !== 'tool') continue;
    const call = (calls[event.index] ??= { id: '', name: '', source: '' });
    call.id ||= event.id ?? '';
    call.name ||= event.name ?? '';
    call.source += event.arguments ?? '';
  }
  return calls.map(({ id, name, source }) => ({ id, name, arguments: JSON.parse(source) as unknown }));
}
