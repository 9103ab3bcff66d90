/**
 * Runs the checks and tests of the project and ends with one line, `N passed, N failed`.
 *
 *   node test/run.mjs                                   everything, as much at once as the machine has cores for
 *   node test/run.mjs quick                             within a minute: what the changed files are likely to break (`quick.mjs`)
 *   node test/run.mjs checks                            type check, lint, formatting and what else reads the source
 *   node test/run.mjs node    [--files GLOB …]          tests in Node: *.node.test.ts
 *   node test/run.mjs coverage                          all tests in Node, those of storage in Chromium, and which lines they run (`coverage.mjs`)
 *   node test/run.mjs canaries                          the tests of conversations in Node with private values in them: none may leave
 *   node test/run.mjs browser [--files GLOB …] [--engines chromium,firefox,webkit]
 *   node test/run.mjs e2e     [--files GLOB …] [--engines chromium,firefox,webkit]
 *
 * A property is tried a fifth as often as it says, unless TEST_EFFORT is `full`. Under `CI` a test that fails is tried once more, and the end
 * names each that needed it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { chooseEngines } from './helpers/browsers/find.mjs';
import { likelyBroken } from './quick.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: 'string', multiple: true }, engines: { type: 'string' }, report: { type: 'string' } },
});
const [mode = 'everything', ...more] = positionals;

/** What the whole run adds up to. A check, such as the type check, counts as one. */
const total = { passed: 0, failed: 0 };
const failedSteps = [];
/** What failed, said once more at the end: a whole run prints thousands of lines. */
const failures = [];
/** Tests that passed, or failed, at the second try, with what was wrong at the first. */
const tried = [];
/** The engines to run, once they have been looked for. */
let chosen;

const modes = { everything, quick, checks, build, node: () => node(), coverage, canaries, browser, e2e };

/** Where the run decides what lands, a crowded machine is no verdict: what fails is tried once more. */
const secondTry = Boolean(process.env.CI);

/** Processes that compute at the same time. */
const jobs = Math.max(2, availableParallelism());

/** They say how soon something happens, in tenths of a second: nothing else runs meanwhile. */
const ALONE = [
  'test/conversation/cancel.node.test.ts',
  'test/transports/faults.node.test.ts',
  'test/relay/relay.node.test.ts',
  // A Redis that answers late is done without.
  'test/faults/relay.node.test.ts',
];

process.on('exit', (code) => {
  if (code !== 0 && total.failed === 0) total.failed = 1;
  if (failures.length > 0) console.log(`\n${failures.join('\n')}`);
  if (tried.length > 0) console.log(`\nTried twice:\n  ${tried.join('\n  ')}`);
  if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join(', ')}`);
  if (options.report) writeFileSync(options.report, JSON.stringify({ total, failures, failedSteps, tried }));
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
});

try {
  if (!Object.hasOwn(modes, mode)) throw new Error(`Unknown part "${mode}"; there are ${Object.keys(modes).join(', ')}.`);
  await modes[mode]();
} catch (error) {
  count(mode, { passed: 0, failed: 1 });
  console.error(error instanceof Error ? error.message : error);
}
process.exit(total.failed > 0 ? 1 : 0);

/**
 * Parts of their own, each a process, in two rounds: what computes, one part for each core; then the tests, more at once than there are cores,
 * for they mostly wait; under `CI` one after the other. What a part prints appears when it has ended.
 */
async function everything() {
  const parts = async (waiting, atOnce) => {
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await part(...next);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  await parts([['build'], ['checks']], jobs);
  const names = (await engines()).map(({ engine }) => engine);
  const each = (tests) => names.map((engine) => [tests, '--engines', engine]);
  await parts([['coverage'], ['canaries'], ...each('e2e'), ...each('browser')], secondTry ? 1 : jobs + 1);
}

/** One part of the run in a process of its own. */
async function part(...args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tool-chat-tests-'));
  const report = path.join(folder, 'report.json');
  const started = performance.now();
  const { code, output } = await execute(process.execPath, ['test/run.mjs', ...args, '--report', report], {}, { quiet: true });
  console.log(output.trimEnd());
  console.log(`\n== ${args.join(' ')} took ${Math.round((performance.now() - started) / 1000)} s`);
  try {
    const told = JSON.parse(readFileSync(report, 'utf8'));
    total.passed += told.total.passed;
    total.failed += told.total.failed;
    failures.push(...told.failures);
    failedSteps.push(...told.failedSteps);
    tried.push(...told.tried);
    if (code !== 0 && told.total.failed === 0) throw new Error('failed without a failure');
  } catch {
    count(args.join(' '), { passed: 0, failed: 1 });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** What can be said within a minute. It names what it left out. */
async function quick() {
  const { changed, code, node: nodeFiles, browser: browserFiles, note } = await likelyBroken();
  title(note);
  process.env.TEST_EFFORT ??= 'quick';
  await Promise.all([
    (async () => {
      await check('type check', 'npm', 'run', '--silent', 'typecheck');
      if (code.length > 0) await check('lint of changed files', 'eslint', '--config', '.config/eslint.config.mjs', ...code);
      if (changed.length > 0)
        await check('formatting of changed files', 'prettier', '--check', '--log-level', 'warn', '--ignore-unknown', ...changed);
    })(),
    (async () => {
      if (nodeFiles.length > 0) await mocha('tests in Node', nodeFiles);
      if (browserFiles.length > 0) await part('browser', '--engines', 'chromium', '--files', ...browserFiles);
    })(),
  ]);
}

/** What reads the source. Two at a time, each on a core of its own; what one prints appears when it has ended. */
async function checks() {
  const waiting = [
    ['type check', 'npm', 'run', '--silent', 'typecheck'],
    ['lint', 'npm', 'run', '--silent', 'lint'],
    // By name: a walk over the folder would meet what the build beside it writes and takes away.
    ['formatting', 'prettier', '--check', '--log-level', 'warn', '--ignore-unknown', ...ownFiles()],
    ['unused files, exports and dependencies', 'knip', '--config', '.config/knip.json', '--no-config-hints'],
    ['statecharts in the documentation', 'npm', 'run', '--silent', 'statechart', '--', '--check'],
    ['manifest of the elements', 'node', '.config/check-manifest.mjs'],
    ['tables of docs/theming.md', 'node', '.config/theming.mjs', '--check'],
    ['table of docs/options.md', 'node', '.config/option-rows.mjs', '--check'],
    ['table of docs/requirements.md', 'node', '.config/requirements.mjs', '--check'],
  ];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await check(...next);
  };
  await Promise.all([worker(), worker()]);
}

async function build() {
  await check('build', 'npm', 'run', '--silent', 'build');
  await check('package as others will see it', 'npm', 'run', '--silent', 'check-package');
  // A link that leads nowhere fails it.
  await check('documentation site', 'npm', 'run', '--silent', 'docs');
  await check('what a visit downloads', 'node', 'test/size.mjs', '--no-waits');
}

/** `*.node.test.ts`: what needs no DOM. In batches over a process for each core; what measures waits goes last, alone. */
async function node(env = {}) {
  if (options.files) return mocha('tests in Node', globs(), { env });
  const files = readdirSync('test', { recursive: true })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.node.test.ts') && !file.includes('node_modules'));
  const batches = Array.from({ length: 4 * jobs }, () => []);
  const together = files.filter((file) => !ALONE.includes(file)).sort((a, b) => statSync(b).size - statSync(a).size);
  for (const [at, file] of together.entries()) batches[at % batches.length].push(file);
  let batch = 0;
  const worker = async () => {
    for (let next = batches.shift(); next; next = batches.shift())
      await mocha(`tests in Node (${(batch += 1)})`, next, { env, quiet: true });
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  await mocha('tests in Node that are alone', ALONE, { env, quiet: true });
}

/**
 * The tests of conversations in Node once more, with values in them that are private: none may leave. It says how many requests it looked at;
 * the tests' own verdict is that of the part that runs them without.
 */
async function canaries() {
  const folder = 'test/conversation/';
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.node.test.ts'))
    .map((name) => folder + name)
    .sort((a, b) => statSync(b).size - statSync(a).size);
  const piles = Array.from({ length: jobs }, (_, at) => files.filter((_file, index) => index % jobs === at));
  const run = { imports: ['./test/helpers/canaries/on.mjs'], reporter: 'test/helpers/canaries/verdict.mjs', quiet: true };
  await Promise.all(piles.map((pile, at) => mocha(`canaries (${at + 1})`, pile, run)));
}

/** All tests in Node once, those of storage in a browser once more, and then what they ran of the source. */
async function coverage() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tool-chat-coverage-'));
  try {
    await node({ NODE_V8_COVERAGE: folder });
    title('coverage');
    const chromium = (await engines()).find(({ engine }) => engine === 'chromium');
    // Their verdict is that of the part that runs every browser test.
    const inBrowser = chromium && (await linesRun({ ...chromium, files: ['test/storage/*.browser.test.ts'] }));
    const { checkCoverage } = await import('./coverage.mjs');
    const { text, low } = await checkCoverage(folder, inBrowser);
    console.log(text);
    failures.push(...low);
    count('coverage', { passed: low.length === 0 ? 1 : 0, failed: low.length });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * `*.browser.test.ts`, what needs a DOM, in each engine. A file that a browser never reported on is run once more: then it counts. So is, under
 * `CI`, a file with a test that failed.
 */
async function browser() {
  for (const { engine, at } of await engines()) {
    const name = `tests in ${engine}`;
    title(name);
    const counts = { passed: 0, failed: 0 };
    const again = await browserRun({ engine, at, files: globs('test/**/*.browser.test.ts') }, counts, secondTry);
    if (again.length > 0) {
      title(`${name}: once more`);
      for (const file of await browserRun({ engine, at, files: again }, counts)) {
        console.error(`Nothing was heard of ${file}`);
        counts.failed += 1;
      }
    }
    count(name, counts);
  }
}

/**
 * @param forgiving whether files with a failed test are given back, too, and not counted
 * @returns {Promise<string[]>} the files whose page never reported
 */
async function browserRun({ engine, at, files }, counts, forgiving = false) {
  const before = counts.failed;
  let silent = [];
  const onTestRunFinished = ({ sessions }) => (silent = tally(sessions, counts, { engine, forgiving }));
  const passed = await testRunner({ engine, at, files, reporters: [{ onTestRunFinished }] });
  if (!passed && counts.failed === before && silent.length === 0) counts.failed += 1;
  return silent;
}

/** @returns {Promise<object>} the lines of the source that the files run, as istanbul has them, by file */
async function linesRun(tests) {
  let lines = {};
  const onTestRunFinished = ({ testCoverage }) => (lines = testCoverage?.coverageMap.toJSON() ?? {});
  await testRunner({ ...tests, coverage: true, reporters: [{ onTestRunFinished }] });
  return lines;
}

/** @returns {Promise<boolean>} whether all went well */
async function testRunner(tests) {
  const { startTestRunner } = await import('@web/test-runner');
  const { webTestRunnerConfig } = await import('../.config/web-test-runner.mjs');
  const { config, close } = await webTestRunnerConfig(tests);
  try {
    const runner = await startTestRunner({ config, readCliArgs: false, readFileConfig: false, autoExitProcess: false });
    if (!runner) return await new Promise(() => {}); // it has said what is wrong and ends the process by itself
    return await new Promise((resolve) => runner.on('stopped', resolve));
  } finally {
    close();
  }
}

/** `test/e2e/*.e2e.ts`: the built bundle, the relay and the database, driven from outside by real clicks. */
async function e2e() {
  for (const { engine } of await engines()) {
    await mocha(`end-to-end tests in ${engine}`, globs('test/e2e/**/*.e2e.ts'), { env: { ENGINE: engine }, timeout: 60_000 });
  }
}

async function engines() {
  if (chosen) return chosen;
  const { run, missing } = await chooseEngines(options.engines ?? process.env.BROWSERS);
  for (const { engine, required } of missing) {
    if (required) {
      count(engine, { passed: 0, failed: 1 });
      console.error(`${engine} is required by BROWSERS or CI, but is not installed.`);
    } else console.log(`${engine}: skipped: not installed`);
  }
  return (chosen = run);
}

async function mocha(name, files, { env = {}, timeout = 60_000, quiet = false, imports = [], reporter = '' } = {}) {
  if (!quiet) title(name);
  const patience = reporter ? ['--reporter', reporter] : secondTry ? ['--retries', '1', '--reporter', 'test/helpers/second-try.mjs'] : [];
  const args = [
    '--import=tsx/esm',
    ...imports.map((file) => `--import=${file}`),
    'node_modules/mocha/bin/mocha.js',
    '--exit',
    '--timeout',
    String(timeout),
    ...patience,
    ...files,
  ];
  const { code, output } = await execute(process.execPath, args, env, { quiet });
  if (quiet) console.log(`\n== ${name}\n${output.trimEnd()}`);
  const counts = { passed: number(output, /^\s*(\d+) passing/m), failed: number(output, /^\s*(\d+) failing/m) };
  // A reporter that judges otherwise than mocha has said so at the end; its exit code is mocha's.
  const judged = reporter && / passing$/m.test(output);
  if (code !== 0 && counts.failed === 0 && !judged) counts.failed = 1;
  failures.push(...excerpt(/^\s*\d+ failing$[^]*/m.exec(output)?.[0], name));
  tried.push(...[...output.matchAll(/^\s*second try: (.*)$/gm)].map(([, test]) => `${name}: ${test}`));
  count(name, counts);
}

function excerpt(text, name) {
  return text ? [`${name}: ${text.trim().slice(0, 8_000)}`] : [];
}

/** A command that is right or wrong as a whole. */
async function check(name, command, ...args) {
  const { code, output } = await execute(command, args, {}, { quiet: true });
  title(`${name}: ${code === 0 ? 'ok' : 'FAILED'}`);
  if (output.trim()) console.log(output.trimEnd());
  if (code !== 0) failures.push(...excerpt(output.trim(), name));
  count(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

/** What is kept in the repository or about to be; all that is here where git cannot say. */
function ownFiles() {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\0').filter((file) => file && existsSync(file)) : ['.'];
}

/** Runs a command, shows what it prints (unless quiet) and gives it back. */
function execute(command, args, env = {}, { quiet = false } = {}) {
  const PATH = ['node_modules/.bin', process.env.PATH].join(path.delimiter);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH, ...env } });
  let output = '';
  for (const [stream, ours] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    stream.on('data', (bytes) => {
      output += String(bytes);
      if (!quiet) ours.write(bytes);
    });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, output: String(error) }));
    child.once('close', (code) => resolve({ code: code ?? 1, output: stripVTControlCharacters(output) }));
  });
}

/** Adds up what the sessions report, and gives back the files of those that never did; or, where it is forgiving, that are to be tried anew. */
function tally(sessions, counts, { engine, forgiving }) {
  const silent = [];
  let file;
  const walk = (suite) => {
    for (const test of suite.tests) {
      if (test.skipped) continue;
      counts[test.passed ? 'passed' : 'failed'] += 1;
      if (!test.passed) failures.push(...excerpt(`${file}: ${test.name}: ${test.error?.message ?? ''}`, 'browser'));
    }
    suite.suites.forEach(walk);
  };
  for (const session of sessions) {
    if (!session.testResults) {
      silent.push(session.testFile);
      continue;
    }
    file = path.relative('.', session.testFile);
    if (forgiving && !session.passed) {
      silent.push(session.testFile);
      const said = [...failedTests(session.testResults), ...session.errors.map(({ message }) => message)];
      tried.push(...said.map((text) => `${engine}: ${file}: ${text}`));
      continue;
    }
    walk(session.testResults);
    // A file that fails outside of its tests (an import, an error nobody catches) has no failed test to show for it.
    if (!session.passed && session.errors.length > 0) counts.failed += 1;
  }
  return silent;
}

function failedTests({ tests, suites }) {
  const here = tests.filter((test) => !test.passed && !test.skipped).map(({ name, error }) => `${name}: ${error?.message ?? ''}`);
  return [...here, ...suites.flatMap(failedTests)];
}

function count(name, { passed, failed }) {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failedSteps.push(name);
}

function globs(usual) {
  return options.files ? [...options.files, ...more] : [usual];
}

function number(text, pattern) {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

function title(name) {
  console.log(`\n== ${name}`);
}
