/**
 * `npm run fuzz`: random replies through every built-in parser. Prints the seed; the same seed and count give the same inputs on
 * any number of processes. What fails is made as short as it can be and printed; then the exit code is 1.
 *
 *   node --import=tsx test/fuzz.mjs [--count 1000000] [--seed 1] [--processes 2] [--only xml-invoke,vcp]
 */
import { fork } from 'node:child_process';
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

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: String(availableParallelism()) },
    only: { type: 'string', default: corpus.map(({ protocol }) => protocol).join(',') },
    part: { type: 'string' },
  },
});
const count = Number(options.count);
const seed = Number(options.seed);
const processes = Number(options.processes);
const chosen = corpus.filter(({ protocol }) => options.only.split(',').includes(protocol));
if (chosen.length === 0 || ![count, seed, processes].every(Number.isInteger)) {
  console.error(`Nothing to do. Protocols: ${corpus.map(({ protocol }) => protocol).join(', ')}; numbers are whole.`);
  process.exit(1);
}

if (options.part === undefined) lead();
else await work(Number(options.part));

/** Starts the processes, adds up what they report and prints it once a second. */
function lead() {
  console.log(`seed ${seed}: ${count} inputs over ${chosen.length} protocols in ${processes} processes`);
  const start = performance.now();
  const reports = new Map();
  const failures = [];
  let broken = false;
  const line = () => {
    const total = sum([...reports.values()]);
    return `${total.inputs} inputs, ${total.calls} calls, ${total.errors} broken calls, ${total.characters} characters; slowest ${total.slowest.toFixed(1)} ms; ${failures.length} failures; ${((performance.now() - start) / 1000).toFixed(0)} s`;
  };
  const timer = setInterval(() => console.log(line()), 1000);
  let running = processes;
  for (let part = 0; part < processes; part += 1) {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--seed', String(seed), '--part', String(part)], {
      execArgv: process.execArgv,
    });
    child.on('message', ({ report, failure }) => {
      if (report) reports.set(part, report);
      if (!failure) return;
      failures.push(failure);
      console.log(
        `\n✘ ${failure.protocol}, input ${failure.index}: ${failure.message}\n  ${JSON.stringify(failure.text)} (${failure.end})\n`,
      );
    });
    child.on('exit', (code) => {
      broken ||= code !== 0;
      running -= 1;
      if (running > 0) return;
      clearInterval(timer);
      console.log(line());
      const { inputs } = sum([...reports.values()]);
      if (inputs !== count) console.error(`Only ${inputs} of ${count} inputs were tried.`);
      process.exit(failures.length > 0 || broken || inputs !== count ? 1 : 0);
    });
  }
}

function sum(reports) {
  const total = { inputs: 0, calls: 0, errors: 0, characters: 0, slowest: 0 };
  for (const report of reports) {
    for (const key of ['inputs', 'calls', 'errors', 'characters']) total[key] += report[key];
    total.slowest = Math.max(total.slowest, report.slowest);
  }
  return total;
}

/** Every `processes`-th input, from `part` on. */
async function work(part) {
  const subjects = await Promise.all(chosen.map(load));
  const report = { inputs: 0, calls: 0, errors: 0, characters: 0, slowest: 0 };
  let failed = 0;
  let told = performance.now();
  for (let index = part; index < count; index += processes) {
    const subject = subjects[index % subjects.length];
    const random = createRandom(seed * 1_000_003 + index);
    const text = generate(subject, random);
    const end = pick(ENDS, random);
    const start = performance.now();
    const problem = tryText(subject, text, end, index, report);
    const took = performance.now() - start;
    report.inputs += 1;
    report.characters += text.length;
    report.slowest = Math.max(report.slowest, took);
    if (problem !== undefined && failed < 20) {
      failed += 1;
      const shortest = minimise(text, (shorter) => kindOf(tryText(subject, shorter, end, index)) === kindOf(problem));
      const message = tryText(subject, shortest, end, index) ?? problem;
      process.send({ failure: { protocol: subject.id, index, message, text: shortest, end } });
    }
    if (performance.now() - told > 900) {
      told = performance.now();
      process.send({ report });
    }
  }
  process.send({ report }, () => process.disconnect());
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
