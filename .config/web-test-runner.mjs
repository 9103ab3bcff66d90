/** How the tests run in a browser: one configuration, three launchers. `node test/run.mjs browser` uses it. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeProcessCovs } from '@bcoe/v8-coverage';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter } from '@web/test-runner';
import { chromeLauncher } from '@web/test-runner-chrome';
import { webdriverLauncher } from '@web/test-runner-webdriver';
import { bundled, testEnvironment } from '../test/helpers/browsers/bundle.mjs';
import { chromiumFlags } from '../test/helpers/browsers/find.mjs';
import { freePort, startWebKitDriver } from '../test/helpers/browsers/webkit.mjs';
import { faultServer } from '../test/helpers/fault-server/plugin.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {object} options
 * @param {'chromium' | 'firefox' | 'webkit'} options.engine
 * @param {unknown} options.at What `find` says about the engine.
 * @param {string[]} [options.files] Globs. Default: every browser test.
 * @param {object[]} [options.reporters] Added to the one that prints failures.
 * @param {boolean} [options.coverage] Count the lines of the source that run, in Chromium. Its modules are then served one by one.
 * @returns {Promise<{config: object, close: () => void}>} `close` ends what had to be started for the engine.
 */
export async function webTestRunnerConfig({ engine, at, files = ['test/**/*.browser.test.ts'], reporters = [], coverage = false }) {
  const { launcher, close } = await launchers[engine](at);
  const faults = faultServer();
  const config = {
    rootDir: root,
    port: await freePort(), // the runner's own search starts at 8000 in every process at once
    files: [...files, '!**/node_modules/**'],
    // The tests run the production build of Lit: its development checks cost a tenth of the time.
    nodeResolve: { exportConditions: ['browser'] },
    plugins: [
      jsonPlugin(),
      esbuildPlugin({ ts: true, tsconfig: `${root}tsconfig.json`, target: 'es2022', define: testEnvironment }),
      faults.plugin,
      forcedColours,
      zoomingIn,
    ],
    middleware: [faults.middleware, ...(coverage ? [] : [await bundled(root, entries(files))])],
    browsers: [launcher],
    concurrency: 1,
    browserStartTimeout: 60_000,
    testsFinishTimeout: 300_000,
    testFramework: { config: { timeout: 30_000 } },
    reporters: [defaultReporter({ reportTestResults: true, reportTestProgress: false }), perFile, ...reporters],
    coverage,
    coverageConfig: { include: ['src/**/*.ts'], report: false },
  };
  return { config, close };
}

/**
 * What pages load: the files that are asked for by name, or else every test for a browser (more than is asked for does no harm), and the
 * scripts of pages for frames, each beside its page and of its name.
 */
function entries(files) {
  const here = readdirSync(path.join(root, 'test'), { recursive: true }).map((file) => path.join(root, 'test', file));
  const framed = here.filter((file) => file.endsWith('.html')).map((file) => file.replace(/html$/, 'ts'));
  const asked = files.map((file) => path.resolve(root, file));
  const tests = asked.every((file) => here.includes(file)) ? asked : here.filter((file) => file.endsWith('.browser.test.ts'));
  return [...tests, ...framed.filter((file) => here.includes(file))].filter((file) => !file.includes('/node_modules/'));
}

/** The command `force-colours`, for Chromium: `emulateMedia` knows none. What it has set lasts as long as its session. */
const forcedColours = {
  name: 'forced-colours',
  async executeCommand({ command, payload, session }) {
    if (command !== 'force-colours') return undefined;
    const devtools = await session.browser.getPage(session.id).createCDPSession();
    await devtools.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: payload }] });
    return true;
  },
};

/** The command `zoom-in`, for Chromium: as two fingers do. `payload`: how much larger; 1 = not. */
const zoomingIn = {
  name: 'zooming-in',
  async executeCommand({ command, payload, session }) {
    if (command !== 'zoom-in') return undefined;
    const devtools = await session.browser.getPage(session.id).createCDPSession();
    await devtools.send('Emulation.setPageScaleFactor', { pageScaleFactor: payload });
    return true;
  },
};

/** One line for each file as it ends, with its tests and the seconds since the one before it: a long run shows where it is and what is slow. */
let last = performance.now();
const perFile = {
  reportTestFileResults({ testFile, sessionsForTestFile }) {
    for (const { passed, testResults } of sessionsForTestFile) {
      const total = testResults ? countTests(testResults) : 0;
      const seconds = (performance.now() - last) / 1_000;
      last = performance.now();
      console.log(`${passed ? '✔' : '✘'} ${path.relative(root, testFile)} (${total}; ${seconds.toFixed(1)} s)`);
    }
  },
};
const countTests = (suite) => suite.tests.length + suite.suites.reduce((sum, inner) => sum + countTests(inner), 0);

const nothing = () => {};

const launchers = {
  chromium: async (executablePath) => ({
    launcher: chromeLauncher({ launchOptions: { executablePath, headless: true, args: chromiumFlags }, createPage }),
    close: nothing,
  }),

  // Firefox speaks WebDriver BiDi, which puppeteer drives: no geckodriver is needed.
  firefox: async (executablePath) => {
    const puppeteer = await import('puppeteer-core');
    const launchOptions = { browser: 'firefox', executablePath, headless: true };
    return { launcher: chromeLauncher({ puppeteer: puppeteer.default, concurrency: 1, launchOptions }), close: nothing };
  },

  // With more than one session at a time this launcher puts the tests into frames, where a widget behaves differently.
  webkit: async (at) => {
    const { port, capabilities, close } = await startWebKitDriver(at);
    tolerateLateAnswers();
    const launcher = webdriverLauncher({ hostname: '127.0.0.1', port, path: '/', capabilities });
    return { launcher: withNewSessions(launcher), close };
  },
};

/** A page whose frames load a module once more tells of each; the runner would hear the last only. */
async function createPage({ context }) {
  const page = await context.newPage();
  const stop = page.coverage.stopJSCoverage.bind(page.coverage);
  page.coverage.stopJSCoverage = async () => {
    const { result } = mergeProcessCovs([
      { result: [] },
      ...(await stop()).map(({ rawScriptCoverage }) => ({ result: [rawScriptCoverage] })),
    ]);
    return result.map((rawScriptCoverage) => ({ rawScriptCoverage }));
  };
  return page;
}

/** An engine that crashes takes its session with it; the file after that begins a new one. */
function withNewSessions(launcher) {
  const startSession = launcher.startSession.bind(launcher);
  launcher.startSession = async (id, url) => {
    const isLost = await launcher.driver?.getTitle().then(
      () => false,
      () => true,
    );
    if (isLost) launcher.driver = launcher.driverManager = undefined;
    return startSession(id, url);
  };
  return launcher;
}

let tolerant = false;

/**
 * The WebDriver launcher sends a browser to a page and does not wait for the driver's answer. Where that answer fails to come, nobody
 * hears of it, and Node ends the whole run, minutes later and in the middle of other tests. Whether the page was reached is known better
 * elsewhere: a file that does not report counts as failed (`browserStartTimeout`).
 */
function tolerateLateAnswers() {
  if (tolerant) return;
  tolerant = true;
  process.on('unhandledRejection', (error) => {
    if (!isWebDriverFailure(error)) throw error;
    console.error(`WebDriver gave no answer: ${error.message}`);
  });
}

/** @param {unknown} error */
export const isWebDriverFailure = (error) => error instanceof Error && error.message.startsWith('WebDriverError: ');

/** `import data from './x.json'` works as in Node and Vite: esbuild drops the import attribute, so the file is served as a module. */
function jsonPlugin() {
  return {
    name: 'json-modules',
    resolveMimeType: (context) => (isModule(context) ? 'js' : undefined),
    transform: (context) => (isModule(context) ? `export default ${context.body}` : undefined),
  };
}

// A fetch() of the same file still gets JSON: only a script's own import asks for a script.
const isModule = (context) => context.path.endsWith('.json') && context.headers['sec-fetch-dest'] !== 'empty';
