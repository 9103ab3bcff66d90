/**
 * Runs the checks and tests of the project and ends with one line, `N passed, N failed`.
 *
 *   node test/run.mjs           `npm test`: type check, lint, tests in Node and in Chromium, a dozen end-to-end flows
 *   node test/run.mjs quick     within a minute: what the changed files are likely to break (`quick.mjs`)
 *   node test/run.mjs ci        `.ci/run`: all of that, and what takes longer or needs other engines (`select.mjs`)
 *   node test/run.mjs all       `npm run test:all`: everything in every engine at full effort
 *
 * Parts of it, each also by itself:
 *
 *   node test/run.mjs build | package | types | lint | checks | coverage | canaries | fuzz
 *   node test/run.mjs node | browser | e2e   [--files GLOB …] [--level usual|ci|all] [--engines chromium,firefox,webkit]
 *
 * `BROWSERS=chromium,firefox` names the engines of a run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { chooseEngines } from './helpers/browsers/find.mjs';
import { likelyBroken } from './quick.mjs';
import { testFiles } from './select.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', multiple: true },
    engines: { type: 'string' },
    level: { type: 'string', default: 'usual' },
    report: { type: 'string' },
  },
});
const [mode = 'usual', ...more] = positionals;

/** What the whole run adds up to. A check, such as the type check, counts as one. */
const total = { passed: 0, failed: 0 };
const failedSteps = [];
/** What failed, said once more at the end: a whole run prints thousands of lines. */
const failures = [];

/** Processes that compute at the same time. */
const jobs = Math.max(2, availableParallelism());

/** Parts that are scripts of their own; each counts as one check. */
const SCRIPTS = {
  'fresh-clone': ['test/fresh-clone.mjs'],
  'fresh-clone-control': ['test/fresh-clone.mjs', '--control'],
  mutants: ['test/mutants.mjs'],
};

const FRESH_CLONE = [['fresh-clone'], ['fresh-clone-control']];

const ESLINT = ['--config', '.config/eslint.config.mjs'];

const modes = { usual, quick, ci, all, build, package: checkPackage, types, lint, checks, node, coverage, canaries, fuzz, browser, e2e };

process.on('exit', (code) => {
  if (code !== 0 && total.failed === 0) total.failed = 1;
  if (failures.length > 0) console.log(`\n${failures.join('\n')}`);
  if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join(', ')}`);
  if (options.report) writeFileSync(options.report, JSON.stringify({ total, failures, failedSteps }));
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

/** The scripts that a page loads come first: the end-to-end flows need them. Tests mostly wait, so one part more runs than there are cores. */
async function usual() {
  const engines = (options.engines ?? process.env.BROWSERS ?? 'chromium').split(',');
  await part('build', '--level', 'usual');
  const tests = engines.flatMap((engine) => inEngine(engine, 'usual'));
  await parts([...tests, ['node', '--level', 'usual'], ['types'], ['lint', '--level', 'usual']], jobs + 1);
}

async function ci() {
  const engines = (process.env.BROWSERS ?? 'chromium,firefox,webkit').split(',');
  await parts([['build', '--level', 'ci'], ['types']]);
  const tests = engines.flatMap((engine) => inEngine(engine, 'ci'));
  await parts([['coverage', '--level', 'ci'], ...tests, ['lint', '--level', 'ci'], ...FRESH_CLONE, ['checks'], ['package']], jobs + 1);
}

async function all() {
  process.env.TEST_EFFORT = 'full';
  const engines = (process.env.BROWSERS ?? 'chromium,firefox,webkit').split(',');
  await parts([['build', '--level', 'ci'], ['types']]);
  await parts([
    ['coverage', '--level', 'all'],
    ...engines.flatMap((engine) => inEngine(engine, 'all')),
    ['lint', '--level', 'ci'],
    ...[...FRESH_CLONE, ['checks'], ['package'], ['canaries'], ['fuzz'], ['mutants']],
  ]);
}

function inEngine(engine, level) {
  return ['e2e', 'browser'].map((kind) => [kind, '--engines', engine, '--level', level]);
}

/** Parts in the order given, so many at a time. What a part prints appears when it has ended. */
async function parts(list, atOnce = jobs) {
  const waiting = [...list];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await part(...next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** One part of the run in a process of its own. */
async function part(name, ...args) {
  const started = performance.now();
  if (Object.hasOwn(SCRIPTS, name)) await check(name, process.execPath, ...SCRIPTS[name]);
  else await partOfThis(name, ...args);
  console.log(`\n== ${[name, ...args].join(' ')} took ${Math.round((performance.now() - started) / 1000)} s`);
}

async function partOfThis(...args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tool-chat-tests-'));
  const report = path.join(folder, 'report.json');
  const { code, output } = await execute(process.execPath, ['test/run.mjs', ...args, '--report', report], {}, { quiet: true });
  console.log(output.trimEnd());
  try {
    const told = JSON.parse(readFileSync(report, 'utf8'));
    total.passed += told.total.passed;
    total.failed += told.total.failed;
    failures.push(...told.failures);
    failedSteps.push(...told.failedSteps);
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
  await Promise.all([
    (async () => {
      await types();
      if (code.length > 0) await check('lint of changed files', 'eslint', ...ESLINT, ...code);
      if (changed.length > 0)
        await check('formatting of changed files', 'prettier', '--check', '--log-level', 'warn', '--ignore-unknown', ...changed);
    })(),
    (async () => {
      if (nodeFiles.length > 0) await mocha('tests in Node', nodeFiles);
      if (browserFiles.length > 0) await part('browser', '--engines', 'chromium', '--files', ...browserFiles);
    })(),
  ]);
}

/** The scripts of a page, or (from CI on) all of the package and of the documentation, a dead link of which fails it. */
async function build() {
  await check('build', 'npm', 'run', '--silent', options.level === 'usual' ? 'build:page' : 'build');
  if (options.level === 'usual') return;
  await check('declarations of the package', 'npm', 'run', '--silent', 'build:types');
  await check('documentation site', 'npm', 'run', '--silent', 'docs');
}

async function types() {
  await check('type check', 'npm', 'run', '--silent', 'typecheck');
}

/** Rules that need types take five times as long as all others: they are for CI. */
async function lint() {
  const typed = options.level !== 'usual';
  await check(typed ? 'lint' : 'lint without types', 'eslint', ...ESLINT, 'src', 'test', 'demo', {
    env: { LINT: typed ? 'types' : 'fast' },
  });
  await check('circles of imports', 'node', '.config/import-cycles.mjs');
}

/** The other checks of the source. */
async function checks() {
  // By name: a walk over the folder would meet what a build beside it writes and takes away.
  await check('formatting', 'prettier', '--check', '--log-level', 'warn', '--ignore-unknown', ...ownFiles());
  await check('unused files, exports and dependencies', 'knip', '--config', '.config/knip.json', '--no-config-hints');
  await check('statecharts in the documentation', 'npm', 'run', '--silent', 'statechart', '--', '--check');
  await check('manifest of the elements', 'node', '.config/check-manifest.mjs');
  await check('tables of docs/theming.md', 'node', '.config/theming.mjs', '--check');
  await check('table of docs/options.md', 'node', '.config/option-rows.mjs', '--check');
  await check('table of docs/requirements.md', 'node', '.config/requirements.mjs', '--check');
}

async function checkPackage() {
  await check('package as others will see it', 'npm', 'run', '--silent', 'check-package');
  await check('what a visit downloads', 'node', 'test/size.mjs', '--no-waits');
}

/** `*.node.test.ts`: what needs no DOM. In batches over a process for each core. */
async function node(env = {}) {
  const files = options.files ? globs() : testFiles('node', options.level);
  if (options.files) return mocha('tests in Node', files, { env });
  const batches = Array.from({ length: 3 * jobs }, (_, at) => files.filter((_file, index) => index % (3 * jobs) === at));
  let batch = 0;
  const worker = async () => {
    for (let next = batches.shift(); next; next = batches.shift())
      await mocha(`tests in Node (${(batch += 1)})`, next, { env, quiet: true });
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/**
 * The tests of conversations in Node once more, with private values in every message and result: none may leave. The verdict on the tests
 * themselves is that of the part that runs them without.
 */
async function canaries() {
  const files = testFiles('node', 'usual').filter((file) => file.startsWith('test/conversation/'));
  const run = {
    env: { CANARIES: 'everywhere' },
    imports: ['./test/helpers/canaries/on.mjs'],
    reporter: 'test/helpers/canaries/verdict.mjs',
    quiet: true,
  };
  await mocha('canaries', files, run);
}

/** Random replies through every built-in parser. What fails is printed as short as it can be, with the seed that repeats it. */
async function fuzz() {
  const env = { TEST_EFFORT: 'full', ROUNDS: process.env.ROUNDS ?? '100' };
  await mocha('fuzz', ['test/protocols/properties.node.test.ts'], { env, timeout: 0 });
}

/** The tests in Node, those of storage in a browser, and then which lines of the source they ran. */
async function coverage() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tool-chat-coverage-'));
  try {
    await node({ NODE_V8_COVERAGE: folder });
    title('coverage');
    const { checkCoverage } = await import('./coverage.mjs');
    const { text, low } = await checkCoverage(folder, await linesRunInChromium('test/storage/*.browser.test.ts'));
    console.log(text);
    failures.push(...low);
    count('coverage', { passed: low.length === 0 ? 1 : 0, failed: low.length });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `*.browser.test.ts`, what needs a DOM, in each engine. */
async function browser() {
  for (const { engine, at } of await engines()) {
    const name = `tests in ${engine}`;
    title(name);
    let files = options.files ? globs() : testFiles('browser', options.level, { otherEngine: engine !== 'chromium' });
    const counts = { passed: 0, failed: 0 };
    // An engine that crashes has judged nothing: its file runs once more in a new session, and has failed if that crashes, too.
    for (const isLast of [false, true]) {
      const lost = [];
      const onTestRunFinished = ({ sessions }) => {
        if (!isLast) lost.push(...sessions.filter(lostItsBrowser));
        tally(
          sessions.filter((session) => !lost.includes(session)),
          counts,
        );
      };
      const passed = await testRunner({ engine, at, files, reporters: [{ onTestRunFinished }] });
      if (!passed && counts.failed === 0 && lost.length === 0) counts.failed = 1;
      if (lost.length === 0) break;
      files = lost.map(({ testFile }) => path.relative('.', testFile));
      title(`${engine} crashed; once more: ${files.join(', ')}`);
    }
    count(name, counts);
  }
}

/** @returns {Promise<object>} the lines of the source that the tests run in Chromium, as istanbul has them, by file */
async function linesRunInChromium(files) {
  let lines = {};
  const [{ engine, at }] = (await chooseEngines('chromium')).run;
  const onTestRunFinished = ({ testCoverage }) => (lines = testCoverage?.coverageMap.toJSON() ?? {});
  // The verdict on these tests is that of the part that runs every browser test.
  await testRunner({ engine, at, files: [files], coverage: true, reporters: [{ onTestRunFinished }] });
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
    const files = options.files ? globs() : testFiles('e2e', options.level, { otherEngine: engine !== 'chromium' });
    await mocha(`end-to-end tests in ${engine}`, files, { env: { ENGINE: engine }, timeout: 60_000 });
  }
}

async function engines() {
  const { run, missing } = await chooseEngines(options.engines ?? process.env.BROWSERS ?? 'chromium');
  for (const { engine } of missing) {
    count(engine, { passed: 0, failed: 1 });
    console.error(`${engine} is asked for and is not installed.`);
  }
  return run;
}

async function mocha(name, files, { env = {}, timeout = 60_000, quiet = false, imports = [], reporter = '' } = {}) {
  if (!quiet) title(name);
  const args = [
    '--import=tsx/esm',
    ...imports.map((file) => `--import=${file}`),
    'node_modules/mocha/bin/mocha.js',
    '--exit',
    '--timeout',
    String(timeout),
    ...(reporter ? ['--reporter', reporter] : []),
    ...files,
  ];
  const { code, output } = await execute(process.execPath, args, env, { quiet });
  if (quiet) console.log(`\n== ${name}\n${output.trimEnd()}`);
  const counts = { passed: number(output, /^\s*(\d+) passing/m), failed: number(output, /^\s*(\d+) failing/m) };
  // A reporter that judges otherwise than mocha has said so at the end; its exit code is mocha's.
  const judged = reporter && / passing$/m.test(output);
  if (code !== 0 && counts.failed === 0 && !judged) counts.failed = 1;
  failures.push(...excerpt(/^\s*\d+ failing$[^]*/m.exec(output)?.[0], name));
  count(name, counts);
}

function excerpt(text, name) {
  return text ? [`${name}: ${text.trim().slice(0, 8_000)}`] : [];
}

/** A command that is right or wrong as a whole. The last argument may be `{env}`. */
async function check(name, command, ...args) {
  const { env } = typeof args.at(-1) === 'object' ? args.pop() : {};
  const { code, output } = await execute(command, args, env, { quiet: true });
  title(`${name}: ${code === 0 ? 'ok' : 'FAILED'}`);
  if (output.trim()) console.log(output.trimEnd());
  if (code !== 0) failures.push(...excerpt(output.trim(), name));
  count(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

/** The files that are in the repository or about to be; every file if git cannot tell. */
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

function lostItsBrowser({ errors }) {
  return errors.some(({ message }) => /browser disconnected|invalid session id/.test(message));
}

/** Adds up what the sessions of a browser report. */
function tally(sessions, counts) {
  for (const session of sessions) {
    const file = path.relative('.', session.testFile);
    const walk = (suite) => {
      for (const test of suite.tests) {
        if (test.skipped) continue;
        counts[test.passed ? 'passed' : 'failed'] += 1;
        if (!test.passed) failures.push(...excerpt(`${file}: ${test.name}: ${test.error?.message ?? ''}`, 'browser'));
      }
      suite.suites.forEach(walk);
    };
    const before = counts.failed;
    if (session.testResults) walk(session.testResults);
    // A file that fails outside of its tests (an import, an error nobody catches) has no failed test to show for it.
    if (session.passed || counts.failed > before) continue;
    counts.failed += 1;
    const reasons = session.errors.map(({ message }) => message).join('\n') || 'the browser never reported on it';
    failures.push(...excerpt(`${file}: ${reasons}`, 'browser'));
  }
}

function count(name, { passed, failed }) {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failedSteps.push(name);
}

function globs() {
  return [...options.files, ...more];
}

function number(text, pattern) {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

function title(name) {
  console.log(`\n== ${name}`);
}
