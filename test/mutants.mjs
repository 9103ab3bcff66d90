/**
 * Plants small faults in the source, one at a time, and runs the tests that reach the file: a fault that no test notices shows where the
 * suite is blind.
 *
 *   npm run mutants                       100 faults
 *   npm run mutants -- --all              300 faults
 *   npm run mutants -- --only protocols   the faults of one folder
 *
 * The choice follows from the seed and from the code around each place, so a later run plants the same faults. The work happens in a copy
 * of the tree. Exit code 1 if fewer than 85 % are found.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { importersOf } from './select.mjs';

const { values: options } = parseArgs({ options: { all: { type: 'boolean', default: false }, only: { type: 'string' } } });
const tree = fileURLToPath(new URL('..', import.meta.url));
/** Another one would plant other faults. */
const SEED = '1';
/** The most that the tests of one fault may take: processor seconds in Node, seconds in a browser. */
const SECONDS = 60;

/** How many of 100 faults each folder gets. */
const SHARES = { protocols: 18, conversation: 24, tools: 18, storage: 10, relay: 14, elements: 16 };
const MOST_IN_ONE_FILE = 2;
/** How much more telling a test is if it is in the folder of the same name. */
const NEAR = 2;
const NEEDED = 0.85;

/** An operator and what stands in its place. */
const SWAPPED = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.MinusToken, '+'],
]);

const faults = choose();
const copy = mkdtempSync(path.join(tmpdir(), 'tool-chat-mutants-'));
try {
  for (const name of readdirSync(tree))
    if (!['node_modules', '.git', 'dist', 'docs'].includes(name)) cpSync(path.join(tree, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(tree, 'docs'), path.join(copy, 'docs'));
  symlinkSync(path.join(tree, 'node_modules'), path.join(copy, 'node_modules'));
  if (existsSync(path.join(tree, 'dist'))) symlinkSync(path.join(tree, 'dist'), path.join(copy, 'dist'));
  process.exitCode = await plantAll();
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function plantAll() {
  const importers = importersOf(['src', 'test', 'demo'], copy);
  const survived = [];
  for (const [at, fault] of faults.entries()) {
    const file = path.join(copy, fault.file);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.slice(0, fault.start) + fault.replacement + before.slice(fault.end));
    const started = performance.now();
    const foundBy = await findFault(fault, importers, () => writeFileSync(file, before));
    writeFileSync(file, before);
    const took = ((performance.now() - started) / 1_000).toFixed(0);
    const { file: name, line, from, replacement } = fault;
    console.log(
      `${at + 1}/${faults.length} ${foundBy ? 'found' : 'SURVIVED'} ${name}:${line} ${short(from)} → ${short(replacement)} (${took} s)`,
    );
    if (!foundBy) survived.push(`${name}:${line}  ${short(from)} → ${short(replacement)}`);
  }
  const found = faults.length - survived.length;
  console.log(`\nNobody noticed:\n  ${survived.join('\n  ')}\n\n${found} of ${faults.length} faults were found`);
  return found / faults.length >= NEEDED ? 0 : 1;
}

/** Runs the nearest tests first, in growing groups, until one fails or the time is up. Returns what noticed the fault. */
async function findFault(fault, importers, restore) {
  const tests = testsThatReach(fault.file, importers);
  const inNode = groups(
    tests.filter((file) => file.endsWith('.node.test.ts')),
    [3, 8, 20, 60],
  ).map((files) => ({ files, run: runNode }));
  const inBrowser = groups(
    tests.filter((file) => file.endsWith('.browser.test.ts')),
    [2, 4, 10],
  ).map((files) => ({ files, run: runBrowser }));
  const inOrder = /^src\/(?:elements|storage)\//.test(fault.file) ? [...inBrowser, ...inNode] : [...inNode, ...inBrowser];
  let left = SECONDS;
  for (const { files, run } of inOrder) {
    if (left < 1) return undefined;
    const { ok, used, timedOut } = await run(files, left);
    left -= used;
    if (timedOut) {
      // A fault that hangs the tests is noticed, unless the tests need as long without it.
      const mutated = readFileSync(path.join(copy, fault.file), 'utf8');
      restore();
      const clean = await run(files, SECONDS);
      writeFileSync(path.join(copy, fault.file), mutated);
      if (clean.ok && clean.used < used / 2) return `${files[0]} … (never ends)`;
    } else if (!ok) return files.length === 1 ? files[0] : `${files[0]} …`;
  }
  return undefined;
}

/** Cuts a list into groups of these sizes; what is left over is left out. */
function groups(files, sizes) {
  const left = [...files];
  return sizes.map((size) => left.splice(0, size)).filter((group) => group.length > 0);
}

async function runNode(files, limit) {
  const mocha = ['--import=tsx/esm', 'node_modules/mocha/bin/mocha.js', '--exit', '--bail', '--timeout', '60000', ...files];
  const command = ['-c', `ulimit -t ${Math.ceil(limit)}; exec "$0" "$@"`, process.execPath, ...mocha];
  const { code, cpu, isKilled } = await execute('sh', command, limit * 20);
  return { ok: code === 0, used: cpu, timedOut: isKilled || (code !== 0 && cpu >= Math.ceil(limit) - 1) };
}

async function runBrowser(files, limit) {
  const started = performance.now();
  const { code } = await execute(process.execPath, ['test/run.mjs', 'browser', '--engines', 'chromium', '--files', ...files], limit * 2);
  const used = (performance.now() - started) / 1_000;
  return { ok: code === 0, used, timedOut: used >= limit * 2 };
}

/** Resolves to the exit code and the processor seconds of a command, and whether it was killed because it ran for over `most` seconds. */
function execute(command, args, most) {
  const before = childSeconds();
  const env = { ...process.env, TEST_EFFORT: process.env.TEST_EFFORT ?? '', CI: '' };
  const child = spawn(command, args, { cwd: copy, stdio: 'ignore', detached: true, env });
  let isKilled = false;
  const timer = setTimeout(() => {
    isKilled = true;
    for (const pid of [child.pid, ...descendantsOf(child.pid)]) kill(pid);
  }, most * 1_000);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, cpu: childSeconds() - before, isKilled });
    });
  });
}

/** The processes below a process. A browser leads a group of its own, so a signal to the group of the tests would leave it running. */
function descendantsOf(pid) {
  const parents = readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [[Number(name), Number(statOf(name)[1])]] : [];
    } catch {
      return []; // it has ended meanwhile
    }
  });
  const found = [pid];
  for (const one of found) found.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child));
  return found.slice(1);
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {} // it has ended meanwhile
}

/** The fields of a process from its state on. */
function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^[^]*\) /, '')
    .split(' ');
}

/** Processor seconds of all ended child processes, which Node does not tell. */
function childSeconds() {
  const fields = statOf('self');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * The test files that reach a source file, the most telling first: those whose words are those of the file, where a word counts the more the
 * fewer tests have it, in relation to the time that they take, of which their length is a measure.
 */
function testsThatReach(file, importers) {
  const reached = new Set([file]);
  for (const each of reached) for (const importer of importers.get(each) ?? []) reached.add(importer);
  const tests = [...reached].filter((name) => name.endsWith('.test.ts'));
  const wordsOf = new Map(tests.map((name) => [name, words(name)]));
  const spread = new Map();
  for (const each of wordsOf.values()) for (const word of each) spread.set(word, (spread.get(word) ?? 0) + 1);
  const own = words(file);
  const folder = file.split('/')[1];
  const telling = (name) => {
    let sum = 0;
    for (const word of wordsOf.get(name)) if (own.has(word)) sum += Math.log((tests.length + 1) / spread.get(word));
    return ((name.startsWith(`test/${folder}/`) ? NEAR : 1) * sum) / Math.sqrt(1_000 + readFileSync(path.join(copy, name)).length);
  };
  const rank = new Map(tests.map((name) => [name, telling(name)]));
  return tests.sort((a, b) => rank.get(b) - rank.get(a));
}

/** The words of a file's code and of its path, in small letters, without those of its imports. */
function words(file) {
  const text = readFileSync(path.join(copy, file), 'utf8').replace(/^import [^;]*;$/gm, '');
  return new Set(`${file} ${text}`.match(/[A-Z]?[a-z]{2,}|[A-Z]{3,}/g)?.map((word) => word.toLowerCase()));
}

/** The faults to plant: for each folder the places whose hashes are smallest. */
function choose() {
  const scale = options.all ? 3 : 1;
  return Object.entries(SHARES)
    .filter(([folder]) => options.only === undefined || folder === options.only)
    .flatMap(([folder, share]) => {
      const perFile = new Map();
      return readdirSync(path.join(tree, 'src', folder), { recursive: true })
        .filter((name) => name.endsWith('.ts') && !/\.styles\.ts$|\.d\.ts$/.test(name))
        .flatMap((name) => places(`src/${folder}/${name.replaceAll('\\', '/')}`))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .filter(({ file }) => {
          perFile.set(file, (perFile.get(file) ?? 0) + 1);
          return perFile.get(file) <= MOST_IN_ONE_FILE * scale;
        })
        .slice(0, share * scale);
    });
}

/** All places of a file where a fault can be planted. */
function places(file) {
  const text = readFileSync(path.join(tree, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found = [];
  const seen = new Map();
  const add = (node, start, end, replacement) => {
    const around = node.parent.getText(source).replace(/\s+/g, ' ');
    const same = `${file}\0${around}\0${replacement}`;
    seen.set(same, (seen.get(same) ?? 0) + 1);
    const key = createHash('sha256')
      .update(`${SEED}\0${same}\0${seen.get(same)}`)
      .digest('hex');
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ key, file, line, start, end, from: text.slice(start, end), replacement });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return;
    plant(node, add, source);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function plant(node, add, source) {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken;
    const swapped = SWAPPED.get(operator.kind);
    if (swapped) add(node, operator.getStart(source), operator.getEnd(), swapped);
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    add(condition, condition.getStart(source), condition.getEnd(), `!(${condition.getText(source)})`);
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, node.getStart(source), node.getEnd(), 'false');
  if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, node.getStart(source), node.getEnd(), 'true');
  const returned = ts.isReturnStatement(node) ? node.expression : undefined;
  if (returned && !ts.isArrowFunction(returned) && returned.getText(source) !== 'undefined')
    add(node, returned.getStart(source), returned.getEnd(), 'undefined as never');
  if (
    ts.isExpressionStatement(node) &&
    ts.isCallExpression(node.expression) &&
    node.expression.expression.kind !== ts.SyntaxKind.SuperKeyword
  )
    add(node, node.getStart(source), node.getEnd(), ';');
}

function short(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 67)}…` : line;
}
