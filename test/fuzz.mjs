/**
 * `npm run fuzz`: random replies through every built-in parser. Prints the seed; the same seed and count give the same inputs on
 * any number of processes. What fails is made as short as it can be and printed; then the exit code is 1.
 *
 *   node --import=tsx test/fuzz.mjs [--count 1000000] [--seed 1]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkConservation } from '../src/testing/check-conservation.ts';
import { checkArguments, checkCards } from '../src/testing/check-text.ts';
import { assertSame, runnableCalls, createRandom, cutAtRandom, joinTexts, parseChunks, textOfSegments } from '../src/testing/chunks.ts';
import { corpus } from '../src/testing/corpus/index.ts';

/** No input of a few hundred characters may take longer. Generous: the machine does other things as well. */
const SLOW_MS = 100;
const ENDS = ['stop', 'stop', 'length', 'abort'];
/** Further failures of a process are mostly the same. */
const MOST_SHOWN = 20;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    part: { type: 'string' },
  },
});
const count = Number(options.count);
const seed = Number(options.seed);
const processes = availableParallelism();

process.exitCode = options.part === undefined ? await lead() : await work(Number(options.part));

async function lead() {
  console.log(`seed ${seed}: ${count} inputs over ${corpus.length} protocols in ${processes} processes`);
  const { execArgv } = process;
  const ends = Array.from({ length: processes }, async (_, part) => {
    const args = ['--count', String(count), '--seed', String(seed), '--part', String(part)];
    const [code] = await once(fork(fileURLToPath(import.meta.url), args, { execArgv }), 'exit');
    return code;
  });
  return (await Promise.all(ends)).every((code) => code === 0) ? 0 : 1;
}

/** Every `processes`-th input, from `part` on. */
async function work(part) {
  const subjects = await Promise.all(corpus.map(load));
  const report = { inputs: 0, calls: 0, errors: 0, failures: 0, characters: 0, slowestMs: 0 };
  for (let index = part; index < count; index += processes) {
    const subject = subjects[index % subjects.length];
    const random = createRandom(seed * 1_000_003 + index);
    const text = generate(subject, random);
    const end = pick(ENDS, random);
    const start = performance.now();
    const problem = tryText(subject, text, end, index, report);
    report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - start));
    report.inputs += 1;
    report.characters += text.length;
    if (problem === undefined || (report.failures += 1) > MOST_SHOWN) continue;
    const shortest = minimise(text, (shorter) => kindOf(tryText(subject, shorter, end, index)) === kindOf(problem));
    const message = tryText(subject, shortest, end, index) ?? problem;
    console.log(`\n✘ ${subject.id}, input ${index}: ${message}\n  ${JSON.stringify(shortest)} (${end})\n`);
  }
  console.log(`process ${part}: ${JSON.stringify(report)}`);
  return report.failures > 0 ? 1 : 0;
}

async function load({ protocol: id, markup, fragments, samples }) {
  const { builtInReaders } = await import('../src/protocols/built-in-protocols.ts');
  const others = corpus.filter(({ protocol }) => protocol !== id).flatMap((one) => one.fragments);
  return {
    id,
    reader: await builtInReaders[id](),
    markup: new RegExp(markup, 'y'),
    fragments: fragments.filter((fragment) => fragment.length < 100),
    others: others.filter((fragment) => fragment.length < 100),
    samples: samples.map(({ text }) => text).filter((text) => text.length < 600),
  };
}

/** The sentence that says what is wrong, or undefined. */
function tryText({ id, reader, markup }, text, end, seedOfText, report) {
  const random = createRandom(seedOfText);
  const options = { maxAccumulator: random() < 0.1 ? 60 : 1_048_576 };
  const start = performance.now();
  try {
    const whole = parseChunks(reader, [text], end, options);
    const pieces = parseChunks(reader, random() < 0.3 ? text.split('') : cutAtRandom(text, random), end, options);
    assertSame(joinTexts(pieces), joinTexts(whole), () => 'when cut into pieces');
    checkCards(whole);
    checkCards(pieces);
    checkArguments(whole);
    checkConservation(text, whole, markup);
    const cut = Math.floor(random() * text.length);
    const early = parseChunks(reader, [text.slice(0, cut)], 'abort', options);
    const calls = joinTexts(runnableCalls(whole));
    const found = joinTexts(runnableCalls(early));
    assertSame(found, calls.slice(0, found.length), () => `calls when cut after ${cut} characters`);
    const streamed = [];
    reader.createParser((segment) => streamed.push(segment), options).push(text.slice(0, cut));
    if (!textOfSegments(whole).startsWith(textOfSegments(streamed)))
      throw new Error(`Takes back what it showed when cut after ${cut} characters`);
    if (report) {
      report.calls += calls.length;
      for (const segment of whole) if (segment.type === 'call-error') report.errors += 1;
    }
  } catch (error) {
    return error instanceof Error ? error.message : `threw ${String(error)}`;
  }
  const least = (ms) => {
    for (let again = 0; again < 5 && ms > SLOW_MS; again += 1) {
      const from = performance.now();
      parseChunks(reader, text.split(''), end, options);
      ms = Math.min(ms, performance.now() - from);
    }
    return ms;
  };
  const took = least(performance.now() - start);
  return took > SLOW_MS ? `${id} took ${took.toFixed(0)} ms` : undefined;
}

function kindOf(problem) {
  return problem?.slice(0, 12);
}

/** A reply: fragments of the notation, of the others and of Markdown; or a sample, changed in a few places. */
function generate({ fragments, others, samples }, random) {
  const PROSE = [
    ...'a \n`<"\'\\{}[],:😀好\ufeff\u202e\0',
    ...['\r\n', '```', '```json\n', '\n```\n', '~~~', '<think>', '</think>', '> ', '- ', '1. ', '\ud83d'],
  ];
  const word = () => {
    const x = random();
    return pick(x < 0.55 ? fragments : x < 0.65 ? others : PROSE, random);
  };
  if (random() < 0.5) return Array.from({ length: 1 + Math.floor(random() * 24) }, word).join('');
  let text = pick(samples, random);
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1) {
    const at = Math.floor(random() * (text.length + 1));
    const length = Math.floor(random() ** 3 * 40);
    const x = random();
    if (x < 0.35) text = text.slice(0, at) + word() + text.slice(at);
    else if (x < 0.65) text = text.slice(0, at) + text.slice(at + 1 + length);
    else if (x < 0.75) text = text.slice(0, at) + text.slice(at, at + length).repeat(2) + text.slice(at + length);
    else if (x < 0.85) text = text.slice(0, at) + word() + text.slice(at + length);
    else text = `${text}${random() < 0.5 ? '\n' : ''}${pick(samples, random)}`;
  }
  return text;
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)];
}

/** Leaves out ever shorter pieces for as long as the text still fails. */
function minimise(text, fails) {
  let shortest = text;
  for (let size = text.length >> 1; size > 0; size >>= 1)
    for (let at = 0; at < shortest.length;) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + size);
      if (fails(shorter)) shortest = shorter;
      else at += size;
    }
  return shortest;
}
