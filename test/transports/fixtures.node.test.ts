/** Recorded bodies of every wire, read whole, at the splits that hurt, and byte by byte: always the same result. */
import { expect } from 'chai';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import type { Wire } from '../../src/transports/wire.js';
import { bytes, cutAt, everyByte, read, type Reading, toolCalls } from './reading.js';
import { bodyOf, type Case, recorded } from './recorded.js';

const optionsOf = ({ contentType, transport }: Case) => ({ contentType, how: transport });

for (const { id, cases } of recorded) {
  describe(`wire ${id} on recorded bodies`, () => {
    let wire: Wire;
    before(async () => {
      wire = await load(id);
    });

    for (const sample of cases) {
      const source = bodyOf(id, sample.file);
      it(`reads ${sample.file} the same, whole, cut where it hurts, and byte by byte`, () => {
        for (const slices of [[source], cutAt(source, sample.splits), everyByte(source)])
          check(read(wire, slices, optionsOf(sample)), sample, id);
      });

      // What a stream may look like on its way here; in plain text every byte counts.
      if (/\.(sse|ndjson)$/.test(sample.file)) {
        it(`reads ${sample.file} with any line ends, a BOM, and signs of life`, () => {
          const lines = new TextDecoder().decode(source).split(/\r?\n/);
          const comment = sample.file.endsWith('.sse') ? ': ping' : '';
          for (const end of ['\n', '\r\n', '\r']) {
            const dressed = bytes(`\uFEFF${comment}${end}${end}${lines.join(end)}${end}`);
            for (const pieces of [[dressed], everyByte(dressed)]) check(read(wire, pieces, optionsOf(sample)), sample, id);
          }
        });
      }

      it(`never takes a part of ${sample.file} for the whole`, () => checkParts(wire, source, sample));
    }
  });
}

describe('recorded bodies', () => {
  it('are there for every wire that comes by the network', () => {
    const networked = builtInWires.map((wire) => wire.id).filter((id) => id !== 'prompt-api' && id !== 'wllama');
    expect(
      recorded.map(({ id }) => id),
      'folders of test/fixtures/wires/',
    ).to.have.members(networked);
    for (const { id, cases } of recorded) for (const { file, bytes: size } of cases) expect(bodyOf(id, file).length, file).to.equal(size);
  });

  it('find out a reader that takes any end for the end of the reply', async () => {
    for (const { id, cases } of recorded) {
      const wire = await load(id);
      const createReader: Wire['createReader'] = (emit, response) => {
        let ended = false;
        const reader = wire.createReader((event) => {
          ended ||= event.type === 'finish' || event.type === 'error';
          emit(event);
        }, response);
        return {
          push: (bytes) => reader.push(bytes),
          end(how) {
            reader.end(how);
            if (!ended) emit({ type: 'finish', finish: 'stop', proved: id !== 'text' });
          },
        };
      };
      expect(
        cases.every((sample) => passes({ ...wire, createReader }, id, sample)),
        id,
      ).to.equal(false);
    }
  });
});

async function load(id: string): Promise<Wire> {
  const known = builtInWires.find((wire) => wire.id === id);
  if (!known) throw new Error(`Samples for a wire that there is not: ${id}`);
  return known.load();
}

function check(reading: Reading, sample: Case, id: string) {
  expect(reading.text).to.equal(sample.text);
  expect(reading.reasoning).to.equal(sample.reasoning);
  checkCalls(reading, sample);
  if (sample.complete) {
    // A format without a finish reason has only good ends; without an end mark nothing is proved (contract §7 A).
    const finish = { type: 'finish', finish: sample.finish?.normalized ?? 'stop', proved: id !== 'text' };
    expect(reading.finish).to.deep.equal(finish);
    expect(reading.events.at(-1)).to.equal(reading.finish);
  } else {
    // Whoever says that the reply was given up says so; all else has no end.
    expect(reading.finish?.finish).to.equal(sample.finish?.normalized === 'aborted' ? 'aborted' : undefined);
  }
  if (sample.error?.kind === 'provider') {
    const code = sample.error.code ?? sample.error.type;
    expect(reading.error?.message).to.equal(sample.error.message);
    expect(reading.error?.code).to.equal(code === undefined ? undefined : String(code));
    expect(reading.events.at(-1)).to.equal(reading.error);
  } else {
    expect(reading.error).to.equal(undefined);
  }
  checkUsage(reading, sample, id);
}

function checkCalls(reading: Reading, sample: Case) {
  const calls = toolCalls(reading);
  expect(calls.map(({ id, name, source }) => ({ id: id ?? null, name, arguments: JSON.parse(source || '{}') as unknown }))).to.deep.equal(
    sample.toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
  );
  for (const [index, { signature, output, approvalId }] of sample.toolCalls.entries()) {
    if (signature !== undefined) expect(calls[index]?.signature).to.equal(signature);
    if (output !== undefined) expect(JSON.parse(calls[index]?.result ?? '')).to.deep.equal(output);
    if (approvalId !== undefined) expect(calls[index]?.approval?.id).to.equal(approvalId);
  }
}

/** Anthropic's input leaves out what came from a cache; ours is what the model has read. */
function checkUsage(reading: Reading, { usage, model }: Case, id: string) {
  const told = reading.events.filter((event) => event.type === 'usage').at(-1);
  const input = (usage?.input ?? 0) + (id === 'anthropic' ? (usage?.cached ?? 0) : 0);
  expect(told && { input: told.input, output: told.output }).to.deep.equal(usage ? { input, output: usage.output } : undefined);
  if (model !== undefined) expect(told?.model).to.equal(model);
}

/** A finish may be said only once the bytes that say it are there: after that, at most an end mark and a line end are left. */
function checkParts(wire: Wire, source: Uint8Array, sample: Case) {
  for (let length = 0; length < source.length; length += 7) {
    const { text, finish } = read(wire, [source.subarray(0, length)], optionsOf(sample));
    expect(sample.text.startsWith(text)).to.equal(true);
    if (finish?.proved) expect(text).to.equal(sample.text);
  }
}

function passes(wire: Wire, id: string, sample: Case): boolean {
  try {
    check(read(wire, everyByte(bodyOf(id, sample.file)), optionsOf(sample)), sample, id);
    checkParts(wire, bodyOf(id, sample.file), sample);
    return true;
  } catch {
    return false;
  }
}
